package mcpserver

import (
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxProgressBytes bounds the message of a [Progress].
const maxProgressBytes = 4 << 10

// Progress is how far a call is, in the server's own measure and words. Total
// is 0 and Message empty where the server does not say.
type Progress struct {
	Done, Total float64
	Message     string
}

// progress knows the calls that want to hear how far they are, by their tokens.
type progress struct {
	mu    sync.Mutex
	last  int64
	calls map[int64]func(Progress)
}

func (p *progress) begin(tell func(Progress)) (token int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls == nil {
		p.calls = map[int64]func(Progress){}
	}
	p.last++
	p.calls[p.last] = tell
	return p.last
}

// end forgets a call. It may still be told what was on its way.
func (p *progress) end(token int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.calls, token)
}

// tell passes a notification on to the call it is about.
func (p *progress) tell(n *mcp.ProgressNotificationParams) {
	token, ok := n.ProgressToken.(float64) // a number, as JSON has it
	if !ok {
		return
	}
	p.mu.Lock()
	call := p.calls[int64(token)]
	p.mu.Unlock()
	if call != nil {
		call(Progress{Done: n.Progress, Total: n.Total, Message: cut(n.Message, maxProgressBytes)})
	}
}
