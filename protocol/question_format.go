package protocol

import (
	"errors"
	"net/mail"
	"net/url"
	"strings"
	"time"
)

// The formats of a text that are checked here. Others are shown, and take any text.
const (
	FormatEmail    = "email"
	FormatURI      = "uri"
	FormatDate     = "date"      // RFC 3339 full-date
	FormatDateTime = "date-time" // RFC 3339
)

// checkFormat says what is wrong with a text in a format.
func checkFormat(format, s string) error {
	switch format {
	case FormatEmail:
		if a, err := mail.ParseAddress(s); err != nil || a.Address != s || !strings.Contains(s, "@") {
			return errors.New("an e-mail address is wanted, such as name@example.com")
		}
	case FormatURI:
		if u, err := url.Parse(s); err != nil || u.Scheme == "" || u.Host == "" && u.Opaque == "" && u.Path == "" {
			return errors.New("a whole URI is wanted, such as https://example.com/")
		}
	case FormatDate:
		return checkTime(s, time.DateOnly, "a date is wanted, such as 2026-12-31")
	case FormatDateTime:
		return checkTime(s, time.RFC3339, "a date and a time are wanted, such as 2026-12-31T18:00:00Z")
	}
	return nil
}

func checkTime(s, layout, want string) error {
	if _, err := time.Parse(layout, s); err != nil {
		return errors.New(want)
	}
	return nil
}
