package protocol

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// wtf8 is what the content of a text made of these UTF-16 units has to be: the
// test's own word on it, written without the code under test.
func wtf8(units []uint16) string {
	var b strings.Builder
	for i := 0; i < len(units); i++ {
		u := rune(units[i])
		switch {
		case u < 0xd800 || u > 0xdfff:
			b.WriteRune(u)
		case u < 0xdc00 && i+1 < len(units) && units[i+1]>>10 == 0xdc00>>10:
			b.WriteRune(utf16.DecodeRune(u, rune(units[i+1])))
			i++
		default:
			b.Write([]byte{byte(0xe0 | u>>12), byte(0x80 | u>>6&0x3f), byte(0x80 | u&0x3f)})
		}
	}
	return b.String()
}

// jsText is the text that a host in JavaScript would send for these units: lone
// surrogates as escapes, the rest as it is.
func jsText(t testing.TB, units []uint16) Text {
	t.Helper()
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(units); i++ {
		r := rune(units[i])
		if i+1 < len(units) && utf16.DecodeRune(r, rune(units[i+1])) != utf8.RuneError {
			b.WriteRune(utf16.DecodeRune(r, rune(units[i+1])))
			i++
			continue
		}
		if utf16.IsSurrogate(r) || r < ' ' || r == '"' || r == '\\' {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	b.WriteByte('"')
	var text Text
	if err := Unmarshal([]byte(b.String()), &text); err != nil {
		t.Fatalf("decode %s: %v", b.String(), err)
	}
	return text
}

func TestTextZeroAndEmpty(t *testing.T) {
	t.Parallel()
	var absent Text
	empty := NewText("")
	if !absent.IsZero() || empty.IsZero() {
		t.Errorf("absent %v, empty %v", absent.IsZero(), empty.IsZero())
	}
	if got := absent.Append(empty); got.IsZero() {
		t.Error("nothing with an empty text appended is present")
	}
	if got := absent.AppendString(""); got.IsZero() {
		t.Error("nothing with an empty string appended is present")
	}
	if got := absent.Append(absent); !got.IsZero() {
		t.Error("nothing and nothing is nothing")
	}
	if got := empty.Append(absent); got.IsZero() || got.Len() != 0 || got.String() != "" {
		t.Errorf("empty and absent is %q", got.String())
	}
	if got := absent.Append(NewText("a")).AppendString("b"); got.String() != "ab" {
		t.Errorf("got %q", got.String())
	}
}

func TestTextJoinsHalvesAtAnyCut(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"😀", "a😀b", "😀😀", "👩\u200d👩\u200d👧", "é😀\U0010ffff\ud7ff\ue000x"} {
		units := utf16.Encode([]rune(s))
		for i := range len(units) + 1 {
			for k := i; k <= len(units); k++ {
				text := jsText(t, units[:i])
				first := text.String()
				text = text.Append(jsText(t, units[i:k]))
				second := text.String()
				whole := text.Append(jsText(t, units[k:]))
				if whole.String() != s {
					t.Errorf("%q cut at %d and %d became %q", s, i, k, whole.String())
				}
				if whole.Len() != len(s) {
					t.Errorf("%q cut at %d and %d has length %d", s, i, k, whole.Len())
				}
				if first != wtf8(units[:i]) || second != wtf8(units[:k]) || text.String() != second {
					t.Errorf("%q cut at %d and %d: earlier values changed", s, i, k)
				}
			}
		}
	}
}

// TestTextHalvesThatDoNotMeet: halves that never find each other stay halves.
func TestTextHalvesThatDoNotMeet(t *testing.T) {
	t.Parallel()
	const high, low = 0xd83d, 0xde00
	for _, parts := range [][][]uint16{
		{{high}},
		{{low}},
		{{high}, {high}},
		{{high}, {'a'}},
		{{high}, {high}, {low}},
		{{low}, {high}},
		{{'a', high}, {high, low}},
		{{high}, {}, {low}},
		{{high}, {low, low}},
	} {
		var text Text
		var units []uint16
		for _, p := range parts {
			text = text.Append(jsText(t, p))
			units = append(units, p...)
		}
		if text.String() != wtf8(units) {
			t.Errorf("%x became %q, want %q", parts, text.String(), wtf8(units))
		}
		if text.Len() != len(wtf8(units)) {
			t.Errorf("%x has length %d", parts, text.Len())
		}
		if again := NewText(text.String()).AppendString(wtf8([]uint16{low})); again.String() != wtf8(append(units, low)) {
			t.Errorf("%x, made from a string, became %q", parts, again.String())
		}
	}
}

var textUnits = rapid.SliceOfN(rapid.SampledFrom([]uint16{'a', '"', '\\', '\n', 0, 0xe9, 0xd55c, 0x20ac, 0xd83d, 0xde00, 0xdbff, 0xdfff, 0xfffd}), 0, 12)

// TestTextBranches grows a tree of texts and compares each with a plain copy of
// what it must be, again after everything else has grown.
func TestTextBranches(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		type branch struct {
			text  Text
			units []uint16
		}
		start := textUnits.Draw(rt, "start")
		branches := []branch{{}, {jsText(t, start), start}, {NewText("x"), []uint16{'x'}}}
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			from := branches[rapid.IntRange(0, len(branches)-1).Draw(rt, "from")]
			more := textUnits.Draw(rt, "more")
			var grown Text
			switch rapid.IntRange(0, 2).Draw(rt, "how") {
			case 0:
				grown = from.text.Append(jsText(t, more))
			case 1:
				grown = from.text.AppendString(wtf8(more))
			default: // another branch, as it is
				other := branches[rapid.IntRange(0, len(branches)-1).Draw(rt, "other")]
				grown, more = from.text.Append(other.text), other.units
			}
			if grown.Extends(from.text) && !strings.HasPrefix(grown.String(), from.text.String()) {
				rt.Fatalf("%q does not extend %q", grown.String(), from.text.String())
			}
			branches = append(branches, branch{grown, slices.Concat(from.units, more)})
		}
		for _, b := range branches {
			want := wtf8(b.units)
			if b.text.String() != want || b.text.Len() != len(want) {
				rt.Fatalf("%x is %q of length %d, want %q", b.units, b.text.String(), b.text.Len(), want)
			}
			checkTextCoding(rt, b.text)
		}
	})
}

func checkTextCoding(t rapid.TB, text Text) {
	t.Helper()
	raw, err := Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	if !stdjson.Valid(raw) || !utf8.Valid(raw) {
		t.Fatalf("%q is encoded as %q", text.String(), raw)
	}
	var again Text
	if err := Unmarshal(raw, &again); err != nil {
		t.Fatal(err)
	}
	if again.String() != text.String() || again.IsZero() {
		t.Fatalf("%q came back as %q", text.String(), again.String())
	}
}

func TestTextExtends(t *testing.T) {
	t.Parallel()
	base := NewText("base").AppendString(" grown") // owns a buffer with room
	longer := base.AppendString("!")
	rival := base.AppendString("?")
	half := base.AppendString(wtf8([]uint16{0xd83d}))
	whole := half.AppendString(wtf8([]uint16{0xde00}))
	for _, tt := range []struct {
		name    string
		t, prev Text
		want    bool
	}{
		{"itself", base, base, true},
		{"longer", longer, base, true},
		{"shorter", base, longer, false},
		{"the branch that lost", rival, longer, false},
		{"half a pair more", half, base, true},
		{"a pair from a half", whole, half, false}, // the half is gone
		{"a pair", half, half, true},
		{"absent", Text{}, Text{}, false},
		{"another text", NewText("base"), NewText(strings.Clone("base")), false},
	} {
		if got := tt.t.Extends(tt.prev); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// TestTextGrowsFromSeveralGoroutines lets two branches claim the same tail while
// a reader looks at what there is; the race detector does the rest.
func TestTextGrowsFromSeveralGoroutines(t *testing.T) {
	t.Parallel()
	const rounds = 2000
	start := NewText("start").AppendString(":") // owns a buffer with room
	var published [2]atomic.Pointer[Text]
	var writers, reader sync.WaitGroup
	done := make(chan struct{})
	for w := range published {
		published[w].Store(&start)
		writers.Go(func() {
			text := start
			for i := range rounds {
				text = text.AppendString(strconv.Itoa(w))
				if i%100 == 0 {
					text = text.AppendString(wtf8([]uint16{0xd83d})).AppendString(wtf8([]uint16{0xde00}))
				}
				now := text // the variable goes on changing
				published[w].Store(&now)
				start.AppendString("lost to all")
			}
		})
	}
	reader.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			for w := range published {
				s := strings.ReplaceAll(published[w].Load().String(), "😀", "")
				if rest := strings.TrimPrefix(s, "start:"); strings.Trim(rest, strconv.Itoa(w)+wtf8([]uint16{0xd83d})) != "" {
					t.Errorf("branch %d reads %q", w, s)
					return
				}
			}
			if s := start.String(); s != "start:" {
				t.Errorf("the trunk reads %q", s)
				return
			}
		}
	})
	writers.Wait()
	close(done)
	reader.Wait()
	for w := range published {
		s := published[w].Load().String()
		if got := strings.Count(s, strconv.Itoa(w)); got != rounds {
			t.Errorf("branch %d has %d of its %d appends", w, got, rounds)
		}
	}
}

// TestTextAppendIsAmortised counts allocations: a stream of appends allocates
// only when the buffer doubles, also on the branch that lost the first buffer.
func TestTextAppendIsAmortised(t *testing.T) {
	const appends = 100_000
	more := NewText("0123456789")
	for _, tt := range []struct {
		name  string
		start func() Text
	}{
		{"from nothing", func() Text { return Text{} }},
		{"from decoded text", func() Text { return jsText(t, []uint16{'x'}) }},
		{"from a branch that lost", func() Text {
			trunk := NewText("trunk").AppendString("!")
			trunk.AppendString("the winner")
			return trunk
		}},
	} {
		var text Text
		allocs := testing.AllocsPerRun(1, func() {
			text = tt.start()
			for range appends {
				text = text.Append(more)
			}
		})
		if text.Len() < appends*more.Len() {
			t.Fatalf("%s: only %d bytes", tt.name, text.Len())
		}
		if allocs > 60 { // 2 for each of the 15 doublings of 64 bytes, and some for the start
			t.Errorf("%s: %.0f allocations for %d appends", tt.name, allocs, appends)
		}
		if room := len(text.buf.data); room > 4*text.Len() {
			t.Errorf("%s: %d bytes hold %d", tt.name, room, text.Len())
		}
	}
}

func TestTextJSON(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, raw, content, encoded string }{
		{"plain", `"abc"`, "abc", `"abc"`},
		{"empty", `""`, "", `""`},
		{"escapes", `"\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC"`, "\"\\/\b\f\n\r\tAé€", `"\"\\/\b\f\n\r\tAé€"`},
		{"escaped pair", `"\ud83d\uDE00"`, "😀", `"😀"`},
		{"lone high", `"a\ud83d"`, "a\xed\xa0\xbd", `"a\ud83d"`},
		{"lone low", `"\ude00b"`, "\xed\xb8\x80b", `"\ude00b"`},
		{"high inside", `"\uD83Db\n"`, "\xed\xa0\xbdb\n", `"\ud83db\n"`},
		{"two highs", `"\ud83d\ud83d\ude00"`, "\xed\xa0\xbd😀", `"\ud83d😀"`},
		{"high before another escape", `"\ud83d\u0041"`, "\xed\xa0\xbdA", `"\ud83dA"`},
		{"escaped backslash before u", `"\\ud83d\\\u0041\\"`, `\ud83d\A\`, `"\\ud83d\\A\\"`},
		{"letters next to surrogates", "\"\ud7ff\ue000\"", "\ud7ff\ue000", "\"\ud7ff\ue000\""},
		{"control characters", `"\u0000\u001f\u007f"`, "\x00\x1f\x7f", "\"\\u0000\\u001f\x7f\""},
		{"invalid UTF-8", "\"a\xff\xc3b\"", "a\ufffdb", "\"a\ufffdb\""},
		{"surrogate in raw bytes", "\"\xed\xa0\xbd\xed\xb8\x80\"", "\ufffd", "\"\ufffd\""},
		{"null", `null`, "", `""`},
	} {
		var text Text
		if err := Unmarshal([]byte(tt.raw), &text); err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if text.String() != tt.content {
			t.Errorf("%s: content %q, want %q", tt.name, text.String(), tt.content)
		}
		encoded, err := Marshal(text)
		if err != nil || string(encoded) != tt.encoded {
			t.Errorf("%s: encoded as %s (%v), want %s", tt.name, encoded, err, tt.encoded)
		}
	}
	for _, raw := range []string{`1`, `true`, `[]`, `{}`, `"a`, ``} {
		if err := Unmarshal([]byte(raw), new(Text)); err == nil {
			t.Errorf("%q was read as a text", raw)
		}
	}
}

// TestTextOddStringsAreLinear decodes and encodes a megabyte of what is awkward to
// code. What takes quadratic time takes minutes here, not seconds.
func TestTextOddStringsAreLinear(t *testing.T) {
	const size = 1 << 20
	for _, unit := range []string{`\u00e9`, `\ud83d\ude00`, `\ude00`, `\ud83d`, `a\ude00\\u\n`, `\\`, `\\\\u`, "\ud55c", "\xff", "\xed\xa0", `"`} {
		raw := []byte(`"` + strings.Repeat(unit, size/len(unit)) + `"`)
		if unit == `"` {
			raw = mustMarshal(t, strings.Repeat(unit, size))
		}
		start := time.Now()
		var text Text
		if err := Unmarshal(raw, &text); err != nil {
			t.Fatal(err)
		}
		if allocs := testing.AllocsPerRun(1, func() { appendUnquoted(make([]byte, 0, len(raw)), raw) }); allocs > 12 { // growth, where a byte becomes three
			t.Errorf("%q: unquoting takes %.0f allocations", unit, allocs)
		}
		checkTextCoding(t, text)
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%q: %v for %d bytes", unit, took, len(raw))
		}
	}
}

// FuzzText holds unquote and quote against the standard library's, which knows
// no lone surrogates.
func FuzzText(f *testing.F) {
	for _, s := range []string{`"abc"`, `"\ud83d\ude00\ud83d"`, `"\\\u005c\"\/\b"`, "\"\xff\xed\xa0\xbd\"", `"\uD83D\\ude00"`, ` "\ude00\ud83d" `} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var want string
		if stdjson.Unmarshal(raw, &want) != nil {
			return
		}
		value := jsontext.Value(bytes.TrimSpace(raw))
		if value.Kind() != '"' {
			return
		}
		got := appendUnquoted(nil, value)
		if replaced := withoutSurrogates(got); replaced != want {
			t.Fatalf("%q: %q, want %q", raw, replaced, want)
		}
		quoted := quote(got)
		if again := appendUnquoted(nil, quoted); !bytes.Equal(again, got) {
			t.Fatalf("%q: quoted as %q, which reads %q", got, quoted, again)
		}
		var text string
		if err := stdjson.Unmarshal(quoted, &text); err != nil || text != want {
			t.Fatalf("%q reads %q elsewhere (%v), want %q", quoted, text, err, want)
		}
		if utf8.Valid(got) {
			plain, err := json.Marshal(string(got))
			if err != nil || !bytes.Equal(plain, quoted) {
				t.Fatalf("%q is quoted as %q, want %q (%v)", got, quoted, plain, err)
			}
		}
	})
}

// withoutSurrogates replaces each surrogate as the standard library does.
func withoutSurrogates(b []byte) string {
	var out strings.Builder
	for len(b) > 0 {
		if _, ok := decodeSurrogate(b); ok {
			out.WriteRune(utf8.RuneError)
			b = b[surrogateLen:]
			continue
		}
		r, n := utf8.DecodeRune(b)
		out.WriteRune(r)
		b = b[n:]
	}
	return out.String()
}
