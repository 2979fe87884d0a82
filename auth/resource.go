package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"ahptui/internal/guard"
)

const mediaJSON = "application/json"

// Agreement is how far the resource's own metadata bears out what the host said. A contradiction is none: it ends a flow.
type Agreement struct {
	Verified bool
	Why      string // why it could not be fetched, when it was not verified
}

// resourceDocument is the part of a resource's metadata that matters here (RFC 9728, section 2).
type resourceDocument struct {
	Resource string   `json:"resource"`
	Issuers  []string `json:"authorization_servers"`
}

// testimony is what was found when a resource was asked about itself.
type testimony struct {
	document *resourceDocument // nil when there was none
	url      string
	why      error // why there was none
}

// askResource fetches the metadata that a resource publishes about itself: below its own path, then at the root (RFC
// 9728, section 3.1). What a host says of a resource is hearsay. That nothing could be fetched is no error: a resource
// may be reachable for the host alone.
func askResource(ctx context.Context, client *guard.Client, resource string) testimony {
	var t testimony
	for _, at := range resourceURLs(resource) {
		document, err := fetchResource(ctx, client, at)
		if err == nil {
			return testimony{document: document, url: at}
		}
		if t.why == nil {
			t.why = err // what lies below the path is the better witness
		}
		if unreachable(err) {
			break
		}
	}
	return t
}

func fetchResource(ctx context.Context, client *guard.Client, at string) (*resourceDocument, error) {
	response, err := client.Get(ctx, at, mediaJSON)
	if err != nil {
		return nil, err
	}
	if response.Status != http.StatusOK {
		return nil, fmt.Errorf("%s: the answer is %d", guard.Shown(at), response.Status)
	}
	document, err := parseDocument[resourceDocument](response.Body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", guard.Shown(at), err)
	}
	if document.Resource == "" {
		return nil, fmt.Errorf("%s: it names no resource", guard.Shown(at))
	}
	return &document, nil
}

// resourceURLs are where a resource's metadata may lie. Bytes are moved, never spelled anew.
func resourceURLs(resource string) []string {
	origin, rest := splitOrigin(resource)
	const wellKnown = "/.well-known/oauth-protected-resource"
	if rest == "" || rest == "/" {
		return []string{origin + wellKnown}
	}
	if strings.HasPrefix(rest, "/?") {
		rest = rest[1:] // a slash that only ends the host's part goes
	}
	return []string{origin + wellKnown + rest, origin + wellKnown}
}

// splitOrigin cuts an absolute URL after its authority.
func splitOrigin(raw string) (origin, rest string) {
	scheme := strings.Index(raw, "://")
	if scheme < 0 {
		return raw, ""
	}
	start := scheme + len("://")
	if end := strings.IndexAny(raw[start:], "/?"); end >= 0 {
		return raw[:start+end], raw[start+end:]
	}
	return raw, ""
}

// verify compares what the resource says of itself with the resource and the issuer that the host named; an empty issuer
// is none that it could name. The error says what differs.
func (t testimony) verify(resource, issuer string) (Agreement, error) {
	const remedy = "One of the two is wrong or lies: nothing is sent. " + askHost
	switch {
	case t.document == nil:
		return Agreement{Why: t.why.Error()}, nil
	case t.document.Resource != resource:
		received := bounded(t.document.Resource)
		return Agreement{}, &Failure{
			Step: StepResource, Err: fmt.Errorf("the host asks for a token for %q, but the metadata at %s is of %q", resource, guard.Shown(t.url), received),
			Remedy: remedy, Expected: resource, Received: received,
		}
	case issuer != "" && !slices.Contains(t.document.Issuers, issuer):
		received := bounded(fmt.Sprintf("%q", t.document.Issuers))
		return Agreement{}, &Failure{
			Step: StepResource, Err: fmt.Errorf("the host names the authorization server %q, but the resource itself names %s", issuer, received),
			Remedy: remedy, Expected: issuer, Received: received,
		}
	}
	return Agreement{Verified: true}, nil
}

// unreachable reports that another URL of the same server would be of no use.
func unreachable(err error) bool {
	_, failed := errors.AsType[*guard.Error](err)
	return failed && !errors.Is(err, guard.ErrRedirect) && !errors.Is(err, guard.ErrTooLarge)
}

// siteOf is scheme, host and port of a URL that was checked, to be compared and shown.
func siteOf(u *url.URL) string { return strings.ToLower(u.Scheme + "://" + u.Host) }
