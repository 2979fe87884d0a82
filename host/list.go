package host

import (
	"encoding/base64"
	"strings"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// maxPage is how many sessions a page of the list has at most.
const maxPage = 100

// listSessions gives a page of the list, the session that changed last first. A
// cursor names the place in that order after which the page begins, so that
// sessions which come and go in between neither repeat nor hide others.
func (h *Host) listSessions(c *conn, p *protocol.ListSessionsParams) (any, *jsonrpc.Error) {
	limit := maxPage
	if p.Limit != nil {
		if *p.Limit < 1 {
			return nil, invalid("limit must be positive")
		}
		limit = min(limit, *p.Limit)
	}
	var after *listKey
	if p.Cursor != "" {
		key, ok := decodeCursor(p.Cursor)
		if !ok {
			return nil, invalid("the cursor is not one of this host")
		}
		after = &key
	}
	result := &protocol.ListSessionsResult{Items: []*protocol.SessionSummary{}}
	for _, s := range h.sorted() {
		if after != nil && compareKeys(s.listKey(), *after) <= 0 {
			continue
		}
		if len(result.Items) == limit {
			last := h.sessions[result.Items[limit-1].Resource]
			result.NextCursor = encodeCursor(last.listKey())
			break
		}
		result.Items = append(result.Items, protocol.SummaryAt(c.client.version, s.summary()))
	}
	return result, nil
}

func encodeCursor(k listKey) string {
	return base64.RawURLEncoding.EncodeToString([]byte(k.modified + "\n" + string(k.uri)))
}

func decodeCursor(s string) (k listKey, ok bool) {
	text, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		return k, false
	}
	modified, uri, ok := strings.Cut(string(text), "\n")
	return listKey{modified, protocol.URI(uri)}, ok
}
