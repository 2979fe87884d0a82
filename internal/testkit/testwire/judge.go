package testwire

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// A Judge holds what a test sends against the protocol version that was negotiated: against what [protocol] knows of it,
// and at 0.6, 0.7 and 0.8 against that version's JSON schemas. A frame that is not right fails the test. It serves all
// connections of a test, because a version outlives the connection on which it was negotiated. A nil Judge judges nothing.
type Judge struct {
	tb testing.TB

	mu       sync.Mutex
	versions map[string]protocol.Version // by client id
}

// NewJudge returns the judge of a test.
func NewJudge(tb testing.TB) *Judge {
	return &Judge{tb: tb, versions: map[string]protocol.Version{}}
}

// Sent is a transport, and judges what is written to it: the end of a client or a host of ours.
func (j *Judge) Sent(t jsonrpc.Transport) jsonrpc.Transport { return j.judged(t, ours) }

// Received is a transport, and judges what is read from it: the other end of one of ours.
func (j *Judge) Received(t jsonrpc.Transport) jsonrpc.Transport { return j.judged(t, theirs) }

// Both is a transport, and judges what goes both ways: the one end that a test holds of a connection between a client and
// a host of ours.
func (j *Judge) Both(t jsonrpc.Transport) jsonrpc.Transport { return j.judged(t, ours, theirs) }

func (j *Judge) judged(t jsonrpc.Transport, sides ...side) jsonrpc.Transport {
	if j == nil {
		return t
	}
	c := &courtroom{Transport: t, hearing: hearing{judge: j, sides: sides, asked: map[string]question{}}}
	if live, ok := t.(liveness); ok {
		return &liveCourtroom{courtroom: c, liveness: live}
	}
	return c
}

type liveness interface{ LastRead() time.Time }

// courtroom is a transport whose frames are judged.
type courtroom struct {
	jsonrpc.Transport
	hearing hearing
}

// liveCourtroom is one that knows when it last heard of the other side.
type liveCourtroom struct {
	*courtroom
	liveness
}

// Read implements [jsonrpc.Transport].
func (c *courtroom) Read(ctx context.Context) ([]byte, error) {
	msg, err := c.Transport.Read(ctx)
	if err == nil {
		c.hearing.hear(msg, theirs)
	}
	return msg, err
}

// Write implements [jsonrpc.Transport].
func (c *courtroom) Write(ctx context.Context, msg []byte) error {
	c.hearing.hear(msg, ours)
	return c.Transport.Write(ctx, msg)
}

// side is who sent a frame.
type side string

const (
	ours   side = "sent"
	theirs side = "received"
)

// other is the other side.
func (s side) other() side {
	if s == ours {
		return theirs
	}
	return ours
}

// hearing is one connection.
type hearing struct {
	judge *Judge
	sides []side // that are judged

	mu      sync.Mutex
	client  side                // who greets
	version protocol.Version    // zero: not negotiated yet
	asked   map[string]question // by side and id
}

// question is a request without an answer yet.
type question struct {
	frame    frameText
	method   string
	clientID string // of initialize and reconnect
}

// frameText is a JSON-RPC message, taken apart.
type frameText struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params jsontext.Value `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  jsontext.Value `json:"error"`
}

// hear takes a frame. What cannot be read is not judged: a test that sends no JSON means it.
func (h *hearing) hear(msg []byte, from side) {
	var f frameText
	if json.Unmarshal(bytes.Clone(msg), &f, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case f.Method != "" && f.ID != nil:
		h.ask(f, from)
	case f.Method != "":
		h.rule(from, h.version, notification, f.Method, f.Params)
	case f.ID != nil:
		h.answer(f, from)
	}
}

// ask takes a request. The greeting is judged when it is answered: only then is the version known.
func (h *hearing) ask(f frameText, from side) {
	q := question{frame: f, method: f.Method}
	if f.Method == "initialize" || f.Method == "reconnect" {
		var p struct {
			ClientID string `json:"clientId"`
		}
		if json.Unmarshal(f.Params, &p) == nil {
			q.clientID, h.client = p.ClientID, from
		}
	}
	h.asked[string(from)+string(f.ID)] = q
	if q.clientID == "" {
		h.rule(from, h.version, params, f.Method, f.Params)
	}
}

// answer takes the answer to a request of the other side.
func (h *hearing) answer(f frameText, from side) {
	key := string(from.other()) + string(f.ID)
	q, ok := h.asked[key]
	delete(h.asked, key)
	if !ok {
		return
	}
	if isForeign(q.method, q.frame.Params) {
		return
	}
	if f.Error == nil && q.clientID != "" {
		h.greeted(q, f.Result)
		h.rule(from.other(), h.version, params, q.method, q.frame.Params)
	}
	if f.Error != nil {
		h.rule(from, h.version, failure, q.method, f.Error)
		return
	}
	h.rule(from, h.version, result, q.method, f.Result)
}

// greeted learns the version.
func (h *hearing) greeted(q question, answer jsontext.Value) {
	h.judge.mu.Lock()
	defer h.judge.mu.Unlock()
	if q.method == "initialize" {
		var r struct {
			Version string `json:"protocolVersion"`
		}
		if json.Unmarshal(answer, &r) == nil {
			if v, err := protocol.ParseVersion(r.Version); err == nil {
				h.judge.versions[q.clientID] = v
			}
		}
	}
	h.version = h.judge.versions[q.clientID]
}

// rule judges a part of a frame, if it is to be.
func (h *hearing) rule(from side, v protocol.Version, p part, method string, value jsontext.Value) {
	if !slices.Contains(h.sides, from) || v == (protocol.Version{}) {
		return
	}
	by := protocol.ByHost
	if from == h.client {
		by = protocol.ByClient
	}
	if err := examine(v, by, p, method, value); err != nil {
		h.judge.tb.Errorf("at %s, %s: the %s of %s: %v\n%s", v, from, p, method, err, shorten(value))
	}
}

func shorten(value []byte) string {
	const most = 4000
	if len(value) <= most {
		return string(value)
	}
	return fmt.Sprintf("%s… (%d bytes)", value[:most], len(value))
}
