package demo

import (
	"time"

	"ahptui/internal/oauthserver"
)

// What the tests reach into.

// Tracker is the protected server.
type Tracker = tracker

// StartTracker starts one by itself.
func StartTracker(now func() time.Time) (*Tracker, error) { return startTracker("", "", now) }

// URL is that of the server.
func (t *tracker) URL() string { return t.url }

// Issuer is the tracker's authorization server.
func (t *tracker) Issuer() *oauthserver.Server { return t.issuer }

// Close is close.
var Close = (*tracker).close

// Issuer is the authorization server of the demo's tracker.
func (d *Demo) Issuer() *oauthserver.Server { return d.tracker.issuer }
