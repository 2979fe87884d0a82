package testkit

import (
	"context"
	"errors"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// ErrNoForm says that a page has no form to answer.
var ErrNoForm = errors.New("there is no form on the page")

// AnswerForm is a person with a browser that has no JavaScript: it opens an authorization URL and answers the form on
// the page with a decision, such as "approve". It returns the page that this leads to, after all redirects. A page
// without a form is returned as it is, with [ErrNoForm].
func AnswerForm(ctx context.Context, address, decision string) (page string, err error) {
	page, err = browse(ctx, http.MethodGet, address, nil)
	if err != nil {
		return page, err
	}
	form := regexp.MustCompile(`(?s)<form.*?</form>`).FindString(page)
	action := regexp.MustCompile(`action="([^"]*)"`).FindStringSubmatch(form)
	if action == nil {
		return page, ErrNoForm
	}
	base, err := url.Parse(address)
	if err != nil {
		return page, err
	}
	target, err := base.Parse(html.UnescapeString(action[1]))
	if err != nil {
		return page, err
	}
	values := url.Values{"decision": {decision}}
	for _, field := range regexp.MustCompile(`<input[^>]* name="([^"]*)"[^>]* value="([^"]*)"`).FindAllStringSubmatch(form, -1) {
		values.Set(field[1], html.UnescapeString(field[2]))
	}
	return browse(ctx, http.MethodPost, target.String(), values)
}

// browse makes a request as a browser does, and returns the page where it ends.
func browse(ctx context.Context, method, address string, form url.Values) (string, error) {
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "http://"+r.URL.Host)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(r)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	page, err := io.ReadAll(response.Body)
	return string(page), err
}
