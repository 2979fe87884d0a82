package host_test

import (
	"context"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"ahptui/host"
	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// Whatever a client says, the host stays, and goes on answering others.
func FuzzClient(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"channel":"ahp-chat:/s","view":{"turns":-1}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"listSessions","params":{"cursor":"YQo","limit":1}}`,
		`{"jsonrpc":"2.0","id":1,"method":"createSession","params":{"channel":"x:/y","workingDirectory":"file:///nosuch"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"fetchTurns","params":{"channel":"ahp-chat:/s"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"reconnect","params":{"clientId":"f","lastSeenServerSeq":-5,"subscriptions":["ahp-chat:/s"]}}`,
		`{"jsonrpc":"2.0","method":"unsubscribe","params":{"channel":"ahp-session:/s"}}`,
		`{"jsonrpc":"2.0","method":"dispatchAction","params":{"channel":"ahp-chat:/s","clientSeq":1,"action":{"type":"chat/turnStarted","turnId":"t","message":{"text":"x","origin":{"kind":"user"}}}}}`,
		`{"jsonrpc":"2.0","method":"dispatchAction","params":{"channel":"ahp-chat:/s","clientSeq":1,"action":{"type":"chat/pendingMessageSet","kind":"queued","id":"q","message":{"text":"x"}}}}`,
		`{"jsonrpc":"2.0","method":"dispatchAction","params":{"channel":"ahp-session:/s","clientSeq":1,"action":{"type":"session/customizationToggled","id":"a","enablement":[null]}}}`,
		`{"jsonrpc":"2.0","method":"dispatchAction","params":{"channel":"ahp-session:/s","clientSeq":1,"action":null}}`,
		`{"jsonrpc":"2.0","method":"dispatchAction","params":{"channel":"ahp-session:/s","clientSeq":1e99,"action":[]}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		h := newHost(t, host.Options{}, nil)
		unjudged(t, h)
		ours, theirs := jsonrpc.Pipe()
		attached := make(chan struct{})
		go func() {
			defer close(attached)
			_ = h.Attach(theirs)
		}()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		go func() { // what the host sends has to be taken
			for {
				if _, err := ours.Read(ctx); err != nil {
					return
				}
			}
		}()
		hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersions":["0.9.0"],"clientId":"f","initialSubscriptions":["ahp-root://","ahp-session:/s","ahp-chat:/s"]}}`
		for _, m := range [][]byte{[]byte(hello), message, message} {
			if err := ours.Write(ctx, m); err != nil {
				t.Fatal(err)
			}
		}
		_ = ours.Close()
		<-attached

		c := join(t, h, "other", protocol.V0_6_0)
		c.call("listSessions", &protocol.ChannelParams{Channel: protocol.RootChannel}, nil)
		if raw := jsontext.Value(encode(t, c.session())); !raw.IsValid() {
			t.Errorf("the session's state is %s", raw)
		}
	})
}
