package demo

import (
	"context"
	"fmt"
	"strings"

	"ahptui/host"
	"ahptui/protocol"
)

// askAll asks one question of every kind.
func (a *agent) askAll(ctx context.Context, t *host.Turn) error {
	reply, err := t.Ask(ctx, &protocol.ChatInputRequest{
		Message: "I would set up a release, if I were more than a script. For that I'd have to know:",
		Questions: []*protocol.ChatInputQuestion{
			{Kind: protocol.QuestionText, ID: "name", Title: "Name", Message: "What is it called?", Required: new(true), Min: new(3.0), Max: new(40.0)},
			{Kind: protocol.QuestionText, ID: "mail", Title: "Contact", Message: "Whom do people write to?", Format: protocol.FormatEmail},
			{Kind: protocol.QuestionText, ID: "day", Title: "Day", Message: "When is it due?", Format: protocol.FormatDate},
			{Kind: protocol.QuestionInteger, ID: "reviewers", Message: "How many people have to look at it?", Min: new(1.0), Max: new(9.0), DefaultValue: protocol.Raw("2")},
			{Kind: protocol.QuestionNumber, ID: "share", Message: "How many percent of the people get it first?", Min: new(0.0), Max: new(100.0), DefaultValue: protocol.Raw("2.5")},
			{Kind: protocol.QuestionBoolean, ID: "announce", Message: "Shall I announce it?"},
			{
				Kind: protocol.QuestionSingleSelect, ID: "branch", Message: "From which branch?", Required: new(true), AllowFreeformInput: new(true),
				Options: []*protocol.ChatInputOption{
					{ID: "main", Label: "main", Recommended: new(true), Description: "what is new"}, {ID: "2.4", Label: "release-2.4", Description: "what is in use"},
				},
			},
			{
				Kind: protocol.QuestionMultiSelect, ID: "checks", Message: "What is to be checked before?", Min: new(1.0), AllowFreeformInput: new(true),
				Options: []*protocol.ChatInputOption{{ID: "unit", Label: "unit tests"}, {ID: "race", Label: "the race detector"}, {ID: "licence", Label: "licences"}},
			},
		},
	})
	if err != nil {
		return err
	}
	if reply.Response != protocol.ResponseAccept {
		return a.say(ctx, t, "All right, no release then.")
	}
	answers := 0
	for _, answer := range reply.Answers {
		if answer.State == protocol.AnswerSubmitted {
			answers++
		}
	}
	name := ""
	if answer := reply.Answers["name"]; answer != nil {
		name, _ = answer.Given().Text()
	}
	return a.say(ctx, t, fmt.Sprintf("Thank you for %d answers about `%s`.", answers, strings.ReplaceAll(name, "`", "'")))
}

// askLink asks the person to look at a page.
func (a *agent) askLink(ctx context.Context, t *host.Turn) error {
	reply, err := t.Ask(ctx, &protocol.ChatInputRequest{
		Message: "Please read this page, and come back when you have:", URL: "https://github.com/microsoft/agent-host-protocol",
	})
	if err != nil {
		return err
	}
	if reply.Response != protocol.ResponseAccept {
		return a.say(ctx, t, "Another time, then.")
	}
	return a.say(ctx, t, "Then you know all there is to know.")
}
