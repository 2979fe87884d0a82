package linear

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"ahptui/internal/safetext"
)

// The bounds of what is read and written.
const (
	maxTyped = 256 << 10 // bytes of a line that is typed
	ahead    = 1024      // lines that are read before somebody asks for them
	maxEvent = 400       // columns of an event
	maxWide  = 2000      // columns of a line of content
)

// typed is a line of a person, and when it came.
type typed struct {
	text string
	err  error // it was not taken
	at   time.Time
}

// readLines reads lines as they come, so that the time of each is that at which it
// was typed and not the one at which somebody wanted it. The goroutine ends with
// the input, with ctx when a line comes, or with the process: a read of a terminal
// cannot be stopped.
func readLines(ctx context.Context, in io.Reader, now func() time.Time) (lines <-chan typed, ended <-chan struct{}) {
	read, over := make(chan typed, ahead), make(chan struct{})
	go func() {
		defer close(read)
		defer close(over)
		r := bufio.NewReader(in)
		for {
			text, err := readLine(r)
			if err != nil && !errors.Is(err, errTooLong) && text == "" {
				return
			}
			line := typed{text: text, at: now()}
			if errors.Is(err, errTooLong) {
				line = typed{err: err, at: now()}
			}
			select {
			case read <- line:
			case <-ctx.Done():
				return
			}
		}
	}()
	return read, over
}

// readLine reads a line without its end. The last one need not have an end.
func readLine(r *bufio.Reader) (string, error) {
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxTyped; !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long:
			return "", errTooLong
		case err != nil && len(line) == 0:
			return "", err
		}
		return strings.TrimRight(string(bytes.TrimRight(line, "\r\n")), "\r"), nil
	}
}

// printer writes lines. Everything goes through safetext: there is no other way
// out.
type printer struct {
	to    io.Writer
	err   error // of the output; there is no use in going on
	muted bool
}

func (p *printer) line(t safetext.Text) {
	if p.muted || p.err != nil {
		return
	}
	_, p.err = io.WriteString(p.to, t.String()+"\n")
}

// say tells an event in a line.
func (p *printer) say(text string) { p.line(safetext.Clean(text, maxEvent)) }

// sayf is say with a format.
func (p *printer) sayf(format string, args ...any) { p.say(fmt.Sprintf(format, args...)) }

// url tells an address in a line of its own, whole.
func (p *printer) url(raw string) { p.line(safetext.URL(raw).Text()) }

// block tells text of several lines, each behind a mark that no text of a peer can
// do without: what a peer writes is never taken for a line of this program.
func (p *printer) block(mark, text string) {
	block := safetext.CleanBlock(text, 4*len(text)+1)
	for _, t := range block.Lines() {
		if t.Width() > maxWide {
			for _, piece := range t.Wrap(maxWide) {
				p.line(safetext.Concat(safetext.Clean(mark, maxEvent), piece))
			}
			continue
		}
		p.line(safetext.Concat(safetext.Clean(mark, maxEvent), t))
	}
}

// join puts words together with what there is of more.
func join(words string, more ...string) string {
	for _, m := range more {
		if m != "" {
			words += ": " + m
		}
	}
	return words
}

// count words a number of things.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// took words a time that something took.
func took(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Truncate(time.Second).String()
}
