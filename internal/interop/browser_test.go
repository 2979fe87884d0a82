package interop

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// browser is one with cookies and without a script, before which somebody sits who sends every form as it is.
type browser struct{ client *http.Client }

func newBrowser() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		panic(err) // it never is
	}
	return &browser{&http.Client{Jar: jar, Timeout: 20 * time.Second}}
}

// visit opens an address, and sends the forms that it leads to, as long as there are any.
func (b *browser) visit(ctx context.Context, address string) error {
	const most = 5
	method, form := http.MethodGet, url.Values(nil)
	for range most {
		at, page, err := b.load(ctx, method, address, form)
		if err != nil {
			return err
		}
		action, inputs, ok := formIn(page)
		if !ok {
			return nil
		}
		target, err := at.Parse(action)
		if err != nil {
			return err
		}
		method, address, form = http.MethodPost, target.String(), inputs
	}
	return errors.New("one form leads to the next")
}

func (b *browser) load(ctx context.Context, method, address string, form url.Values) (at *url.URL, page string, err error) {
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, "", err
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := b.client.Do(r)
	if err != nil {
		return nil, "", err
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return nil, "", err
	}
	if response.StatusCode >= http.StatusBadRequest {
		return nil, "", fmt.Errorf("%s: %s", response.Status, text)
	}
	return response.Request.URL, string(text), nil
}

// formIn is the first form of a page.
func formIn(page string) (action string, inputs url.Values, ok bool) {
	form := regexp.MustCompile(`(?s)<form.*?</form>`).FindString(page)
	attribute := func(tag, name string) string {
		value := regexp.MustCompile(`\b` + name + `="([^"]*)"`).FindStringSubmatch(tag)
		if value == nil {
			return ""
		}
		return html.UnescapeString(value[1])
	}
	inputs = url.Values{}
	for _, tag := range regexp.MustCompile(`<(?:input|button)[^>]*>`).FindAllString(form, -1) {
		if name := attribute(tag, "name"); name != "" && name != "abort" {
			inputs.Set(name, attribute(tag, "value"))
		}
	}
	return attribute(form, "action"), inputs, form != ""
}
