package jsonrpc

import (
	stdjson "encoding/json" // an independent reader to compare with
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func TestLimits(t *testing.T) {
	t.Parallel()
	nested := func(depth int) string {
		half := depth / 2
		return strings.Repeat(`{"a":[`, half) + strings.Repeat("]}", half)
	}
	list := func(n int) string { return "[" + strings.Repeat("1,", n-1) + "1]" }
	small := Limits{Depth: 6, StringBytes: 10, Elements: 20, Values: 100}
	inStrings := `{"m":["` + strings.Repeat("[{", 2000) + `\"[,",` + strings.Repeat("[],", 2000) + `1]}`
	for name, test := range map[string]struct {
		limits Limits
		text   string
		want   string
	}{
		"as deep as may be":         {Limits{}, nested(defaultMaxDepth), ""},
		"deeper":                    {Limits{}, nested(defaultMaxDepth + 2), tooDeep},
		"wide and in strings":       {Limits{}, inStrings, ""},
		"200,000 arrays":            {Limits{}, `{"a":` + strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000) + "}", tooDeep},
		"200,000 open arrays":       {Limits{}, strings.Repeat("[", 200_000), tooDeep},
		"closed more than opened":   {small, strings.Repeat("]", 50) + "[[1]]", ""},
		"a long string":             {small, `["` + strings.Repeat("x", 10) + `"]`, ""},
		"a longer string":           {small, `["` + strings.Repeat("x", 11) + `"]`, tooLong},
		"a longer name":             {small, `{"` + strings.Repeat("x", 11) + `":1}`, tooLong},
		"an open string":            {small, `["` + strings.Repeat(`\"`, 11), tooLong},
		"half an escape":            {small, `["abc\`, ""},
		"a full list":               {small, list(20), ""},
		"a longer list":             {small, list(21), tooMany},
		"more members":              {small, "{" + strings.Repeat(`"a":1,`, 20) + `"b":2}`, tooMany},
		"many full lists":           {small, "[" + strings.Repeat(list(18)+",", 4) + list(18) + "]", ""},
		"too many full lists":       {small, "[" + strings.Repeat(list(20)+",", 5) + list(20) + "]", tooManyInAll},
		"many lists in lists":       {small, strings.Repeat("[],", 40) + strings.Repeat("[],", 40), tooManyInAll},
		"a million in lists":        {Limits{}, "[" + strings.Repeat(list(1000)+",", 999) + list(1000) + "]", ""},
		"five millions in lists":    {Limits{}, "[" + strings.Repeat(list(1000)+",", 4999) + list(1000) + "]", tooManyInAll},
		"two millions in one list":  {Limits{}, list(2_000_000), tooMany},
		"more than 64 MiB of text":  {Limits{}, `"` + strings.Repeat(",", 64<<20+1) + `"`, tooLong},
		"long, but in many strings": {small, "[" + strings.Repeat(`"`+strings.Repeat("x", 9)+`",`, 10) + "1]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			got := ""
			if over := test.limits.withDefaults().check([]byte(test.text)); over != nil {
				got = over.What
				if !strings.Contains(over.Error(), got) {
					t.Errorf("it says %q", over)
				}
			}
			if got != test.want {
				t.Errorf("over %q, want %q", got, test.want)
			}
			if d := time.Since(start); d > 10*time.Second {
				t.Errorf("took %v", d)
			}
		})
	}
}

// TestOverLimit: of a message that goes over a limit nothing is taken, and who is concerned is told. The others go on.
func TestOverLimit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var log logger
		var told, problems []string
		p := run(t, &log, Options{
			Limits: Limits{StringBytes: 20},
			OnOverLimit: func(method string, params jsontext.Value, err *LimitError) {
				told = append(told, method+" "+string(params[:20])+" "+err.What)
			},
			OnProtocolError: func(err error) { problems = append(problems, err.Error()) },
		})
		long := `{"channel":"c","text":"` + strings.Repeat("x", 21) + `"}`
		p.say(`{"method":"n","params":` + long + `}`)
		p.say(`{"id":1,"method":"r","params":` + long + `}`)
		p.hear(`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"too much: bytes in a string, the limit is 20"}}`)
		p.say(`{"a":` + long + `}`)
		p.say(`{"id":99,"result":` + long + `}`)
		for _, answer := range []string{`{"id":1,"result":` + long + `}`, `{"id":2,"error":{"code":1,"message":"` + strings.Repeat("x", 30) + `"}}`, `{"id":3,"result":1}`} {
			called := make(chan error, 1)
			go func() { called <- p.Call(t.Context(), "m", nil, nil) }()
			if _, err := p.other.Read(t.Context()); err != nil {
				t.Fatal(err)
			}
			p.say(answer)
			var over *LimitError
			if err := <-called; errors.As(err, &over) != (answer != `{"id":3,"result":1}`) {
				t.Errorf("%s: %v", answer, err)
			}
		}
		synctest.Wait()
		if diff := cmp.Diff([]string{`n {"channel":"c","text bytes in a string`}, told); diff != "" || len(log.lines) != 0 {
			t.Errorf("told (-want +got):\n%s\nhandled %q", diff, log.lines)
		}
		if diff := cmp.Diff([]string{"too much: bytes in a string, the limit is 20"}, problems); diff != "" {
			t.Errorf("protocol errors (-want +got):\n%s", diff)
		}
	})
}

// TestMessageBytes: a transport without a limit of its own gets one.
func TestMessageBytes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var log logger
		p := run(t, &log, Options{Limits: Limits{Bytes: 14}})
		p.say(`{"method":"a"}`)
		p.say(`{"method":"ab"}`)
		<-p.Done()
		if err := p.Err(); !errors.Is(err, ErrMessageTooLarge) || !errors.Is(err, ErrClosed) || len(log.lines) != 1 {
			t.Errorf("Err = %v, handled %q", err, log.lines)
		}
	})
}

// FuzzLimits counts with an independent reader.
func FuzzLimits(f *testing.F) {
	f.Add(`[[{"a":"[\"["}]]`, 2, 3, 4)
	f.Add(`{"a":[1,2,3,{"bc":null}],"d":"\\\"x"}`, 9, 2, 9)
	f.Fuzz(func(t *testing.T, text string, depth, size, elements int) {
		if depth < 1 || depth > 100 || size < 1 || elements < 1 || !stdjson.Valid([]byte(text)) {
			return
		}
		limits := Limits{Depth: depth, StringBytes: size, Elements: elements, Values: len(text) + 1}
		over := limits.check([]byte(text))
		deepest, longest, most := measure(text)
		if want := deepest > depth || longest > size || most > elements; (over != nil) != want {
			t.Fatalf("%+v of %q: %v, it is %d deep, %d long, has %d elements", limits, text, over, deepest, longest, most)
		}
	})
}

// measure is what a text has at most of each; the length of a string is that of its spelling.
func measure(text string) (deepest, longest, most int) {
	counts := []int{}
	dec := jsontext.NewDecoder(strings.NewReader(text), tolerant)
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			return deepest, longest, most
		}
		_ = tok
		depth := dec.StackDepth()
		deepest = max(deepest, depth)
		for len(counts) <= depth {
			counts = append(counts, 0)
		}
		kind, n := dec.StackIndex(depth)
		if kind == '{' {
			n = (n + 1) / 2
		}
		if depth > 0 {
			most = max(most, int(n))
		}
		if at := dec.InputOffset(); text[at-1] == '"' {
			longest = max(longest, spelled(text[:at]))
		}
	}
}

// spelled is the length of the string that ends here, between its quotes.
func spelled(text string) int {
	last := len(text) - 1
	for begin := last - 1; ; begin-- {
		slashes := 0
		for begin-slashes > 0 && text[begin-slashes-1] == '\\' {
			slashes++
		}
		if text[begin] == '"' && slashes%2 == 0 {
			return last - begin - 1
		}
	}
}
