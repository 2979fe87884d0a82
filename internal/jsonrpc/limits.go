package jsonrpc

import (
	"bytes"
	"cmp"
	"fmt"
)

const (
	// defaultMaxDepth: the deepest AHP state of itself is about 20 levels; what tools and schemas put into it rarely reaches
	// 100. At 512 whatever walks the value recursively stays far below a megabyte of stack.
	defaultMaxDepth = 512
	// defaultMaxStringBytes holds the text of the largest file that a host would send in one message.
	defaultMaxStringBytes = 64 << 20
	// A value that takes three bytes in a message may take some hundred in memory, so it is their number that counts.
	defaultMaxElements = 1 << 20
	defaultMaxValues   = 4 << 20
)

// Limits bound a single message that comes. For zero values there are defaults.
type Limits struct {
	Bytes       int // of the whole message; no bound, since transports have their own
	Depth       int // arrays and objects inside of one another; 512
	StringBytes int // a string, as it is spelled; 64 MiB
	Elements    int // the elements of an array or the members of an object; 1,048,576
	Values      int // all values in the message; 4,194,304
}

func (l Limits) withDefaults() Limits {
	l.Depth = cmp.Or(l.Depth, defaultMaxDepth)
	l.StringBytes = cmp.Or(l.StringBytes, defaultMaxStringBytes)
	l.Elements = cmp.Or(l.Elements, defaultMaxElements)
	l.Values = cmp.Or(l.Values, defaultMaxValues)
	return l
}

// LimitError says that the other side went over a limit of this one.
type LimitError struct {
	What  string // what there was too much of, in words
	Limit int64
}

// Error tells what there was too much of.
func (e *LimitError) Error() string {
	return fmt.Sprintf("too much: %s, the limit is %d", e.What, e.Limit)
}

// The names of what a message can have too much of.
const (
	tooDeep      = "levels of nesting"
	tooLong      = "bytes in a string"
	tooMany      = "elements of an array or members of an object"
	tooManyInAll = "values in a message"
)

// check reports which limit a message goes over; nil if none. It takes any text, JSON or not.
func (l Limits) check(text []byte) *LimitError {
	if l.cannotExceed(text) {
		return nil
	}
	s := scan{limits: l, text: text}
	return s.run()
}

// cannotExceed looks at what is cheap to know: nearly all messages are far too short for any limit, and of the others most
// have too few brackets and commas, which is found out many times faster than by a look at each byte.
func (l Limits) cannotExceed(text []byte) bool {
	n := len(text)
	if n <= min(l.Depth, l.StringBytes, l.Elements, l.Values) { // whatever there is, it takes a byte
		return true
	}
	if n > l.StringBytes {
		return false
	}
	brackets := bytes.Count(text, []byte("[")) + bytes.Count(text, []byte("{"))
	if brackets > l.Depth {
		return false
	}
	return brackets+bytes.Count(text, []byte(",")) < min(l.Elements, l.Values)
}

// scan looks at a message byte by byte, no further than to where it goes over a limit.
type scan struct {
	limits Limits
	text   []byte
	open   []int // the elements so far of the arrays and objects that are open
	values int
}

func (s *scan) run() *LimitError {
	for i := 0; i < len(s.text); i++ {
		switch s.text[i] {
		case '[', '{':
			if len(s.open) >= s.limits.Depth {
				return &LimitError{tooDeep, int64(s.limits.Depth)}
			}
			s.open = append(s.open, 1)
			if s.values++; s.values > s.limits.Values {
				return &LimitError{tooManyInAll, int64(s.limits.Values)}
			}
		case ']', '}':
			s.open = s.open[:max(0, len(s.open)-1)]
		case ',':
			if s.values++; s.values > s.limits.Values {
				return &LimitError{tooManyInAll, int64(s.limits.Values)}
			}
			if n := len(s.open); n > 0 {
				if s.open[n-1]++; s.open[n-1] > s.limits.Elements {
					return &LimitError{tooMany, int64(s.limits.Elements)}
				}
			}
		case '"':
			end := stringEnd(s.text, i+1)
			if end-i-1 > s.limits.StringBytes {
				return &LimitError{tooLong, int64(s.limits.StringBytes)}
			}
			i = end
		}
	}
	return nil
}

// stringEnd is where the string ends that begins at i.
func stringEnd(text []byte, i int) int {
	for i < len(text) {
		n := bytes.IndexByte(text[i:], '"')
		if n < 0 {
			break
		}
		slashes := 0
		for slashes < n && text[i+n-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i + n
		}
		i += n + 1
	}
	return len(text)
}
