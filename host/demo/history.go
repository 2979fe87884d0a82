package demo

import (
	"time"

	"ahptui/host"
	"ahptui/protocol"
)

// history are sessions of which something is over.
func history(dir protocol.URI, now time.Time) []host.SessionSpec {
	return []host.SessionSpec{
		{
			URI: "ahp-session:/update-the-docs", Chat: "ahp-chat:/update-the-docs", Provider: "demo",
			Title: "Update the docs", Directory: dir, CreatedAt: protocol.FormatTime(now.Add(-3 * time.Hour)),
			Turns: []*protocol.Turn{
				finished("docs-1", now.Add(-3*time.Hour), 41*time.Second,
					"The quick start still shows the old flag. Please update it.",
					"I replaced `--url` by `--host` in **README.md** and in the two examples below it. Nothing else mentions the flag.\n\n"+
						"```diff\n-$ serve --url localhost:8080 # the old flag\n+$ serve --host localhost:8080\n```\n\nThe first example is now:\n\n"+
						"```sh\n# in one terminal\nexport PORT=8080\nserve --host \"localhost:$PORT\" &\n```\n"),
				finished("docs-2", now.Add(-150*time.Minute), 12*time.Second,
					"Also in the man page?",
					"The man page is generated from the flags, so it is right already."),
			},
		},
		{
			URI: "ahp-session:/release-notes", Chat: "ahp-chat:/release-notes", Provider: "demo",
			Title: "Release notes", Directory: dir, Read: true, CreatedAt: protocol.FormatTime(now.Add(-26 * time.Hour)),
			Turns: []*protocol.Turn{
				finished("release-1", now.Add(-26*time.Hour), 95*time.Second,
					"Draft the release notes for 2.4.",
					"# 2.4\n\n- Sign-in keeps the address you came from\n- Reports are in UTC\n- The database migrates itself on the first start\n"),
			},
		},
		{
			URI: "ahp-session:/nightly-triage", Chat: "ahp-chat:/nightly-triage", Provider: "echo",
			Title: "Nightly triage", Directory: dir, CreatedAt: protocol.FormatTime(now.Add(-9 * time.Hour)),
			Turns: []*protocol.Turn{
				failed("triage-1", now.Add(-9*time.Hour), 7*time.Second,
					"Triage the issues that came in since yesterday.",
					"The model does not answer: its quota for today is used up."),
			},
		},
	}
}

func finished(id string, at time.Time, took time.Duration, message, answer string) *protocol.Turn {
	ms := float64(took.Milliseconds())
	return &protocol.Turn{
		ID: id, StartedAt: protocol.FormatTime(at), Duration: &ms, State: protocol.TurnComplete,
		Message: protocol.UserMessage(message),
		ResponseParts: []*protocol.ResponsePart{
			{Kind: protocol.PartMarkdown, ID: id + "-text", Content: protocol.Plain(answer)},
		},
	}
}

func failed(id string, at time.Time, took time.Duration, message, reason string) *protocol.Turn {
	t := finished(id, at, took, message, "")
	t.State = protocol.TurnError
	t.ResponseParts = []*protocol.ResponsePart{
		{Kind: protocol.PartError, Error: &protocol.ErrorInfo{ErrorType: "quota", Message: reason}},
	}
	return t
}
