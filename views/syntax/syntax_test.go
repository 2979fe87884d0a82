package syntax_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ahptui/views/syntax"
)

var short = map[syntax.Class]string{
	syntax.Comment: "comment", syntax.String: "string", syntax.Number: "number", syntax.Keyword: "keyword", syntax.Name: "name",
	syntax.Call: "call", syntax.Key: "key", syntax.Added: "added", syntax.Removed: "removed", syntax.Heading: "heading",
}

// told is code with the class of each piece that is not plain before it.
func told(l *syntax.Language, code string) string {
	var b strings.Builder
	var s syntax.State
	for i, line := range strings.Split(code, "\n") {
		if i > 0 {
			b.WriteString("\n")
		}
		s = l.Line(s, line, func(class syntax.Class, piece string) {
			if name := short[class]; name != "" {
				piece = name + "<" + piece + ">"
			}
			b.WriteString(piece)
		})
	}
	return b.String()
}

func TestLanguages(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ language, code, want string }{
		{"go", "func f(n int) string { // x\n\treturn `a\nb` + \"\\\"c\" /* d */ + 'e' }", "keyword<func> call<f>(n name<int>) name<string> { comment<// x>\n\tkeyword<return> string<`a>\nstring<b`> + string<\"\\\"c\"> comment</* d */> + string<'e'> }"},
		{"Go title=x", "x1 := 0x1F + 1.5e3", "x1 := number<0x1F> + number<1.5e3>"},
		{"python", "@cache\ndef f(x): # y\n    \"\"\"doc\n    more\"\"\"\n    return None", "name<@cache>\nkeyword<def> call<f>(x): comment<# y>\n    string<\"\"\"doc>\nstring<    more\"\"\">\n    keyword<return> name<None>"},
		{"ts", "const x: Foo = `a ${b}\\``; // c", "keyword<const> x: name<Foo> = string<`a ${b}\\``>; comment<// c>"},
		{"rust", "fn f<'a>(x: &'a str) -> char { '\\'' } /* a /* b */ c */", "keyword<fn> f<'a>(x: &'a name<str>) -> name<char> { string<'\\''> } comment</* a /* b */ c */>"},
		{"bash", "for f in *.go; do echo \"$f\" $HOME 'a\\'; done # x$#y", "keyword<for> f keyword<in> *.go; keyword<do> name<echo> string<\"$f\"> name<$HOME> string<'a\\'>; keyword<done> comment<# x$#y>"},
		{"json", `{"a": [1, true, "b"]}`, `{key<"a">: [number<1>, name<true>, string<"b">]}`},
		{"yaml", "a-b: 'c' # d\n- e: true", "key<a-b>: string<'c'> comment<# d>\n- key<e>: name<true>"},
		{"toml", "[x]\na = \"b\" # c", "[x]\nkey<a> = string<\"b\"> comment<# c>"},
		{"sql", "SELECT count(*) FROM t -- x", "keyword<SELECT> call<count>(*) keyword<FROM> t comment<-- x>"},
		{"html", "<a href=\"x\"\n  id=b>text</a><!-- c\nd -->", "keyword<<a> key<href>=string<\"x\">\n  key<id>=key<b>keyword<>>textkeyword<</a>keyword<>>comment<<!-- c>\ncomment<d -->>"},
		{"diff", "@@ -1 +1 @@\n-a\n+b\n c", "heading<@@ -1 +1 @@>\nremoved<-a>\nadded<+b>\n c"},
		{"c", "#include <x.h>\nint main(void) { return 0; }", "#keyword<include> <x.h>\nname<int> call<main>(name<void>) { keyword<return> number<0>; }"},
	} {
		l := syntax.Of(tt.language)
		if l == nil {
			t.Errorf("%s is not known", tt.language)
			continue
		}
		if got := told(l, tt.code); got != tt.want {
			t.Errorf("%s:\n got %q\nwant %q", tt.language, got, tt.want)
		}
	}
	for _, unknown := range []string{"", "text", "brainfuck", "\x1b[m", "{}"} {
		if syntax.Of(unknown) != nil {
			t.Errorf("%q is known", unknown)
		}
	}
}

func someLanguage() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{"go", "c", "cs", "java", "rust", "swift", "zig", "haskell", "proto", "js", "python", "sh", "ruby", "php", "lua", "perl", "r", "elixir", "ps1", "json", "yaml", "toml", "tf", "sql", "css", "html", "diff", "dockerfile", "make", "graphql"})
}

// Whatever a line has in it, its pieces are the line, each is something, and what was read alone is as what was drawn.
func TestPiecesAreTheLine(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{"a", "Z9", " ", "\t", `"`, "'", "`", `"""`, "'''", "\\", "/*", "*/", "//", "#", "--", "[[", "]]", "<", "</", ">", "<!--", "-->", "=", ":", "(", "@", "$", "0x1", ".", "é", "日", "\u0301", "\xff", "r#\"", "\"#", "{-", "-}", "func", "true"})
	rapid.Check(t, func(t *rapid.T) {
		l := syntax.Of(someLanguage().Draw(t, "language"))
		var drawn, read syntax.State
		for _, line := range rapid.SliceOfN(rapid.Map(rapid.SliceOfN(piece, 0, 12), func(p []string) string { return strings.Join(p, "") }), 0, 5).Draw(t, "lines") {
			var all strings.Builder
			drawn = l.Line(drawn, line, func(_ syntax.Class, piece string) {
				if piece == "" && line != "" {
					t.Fatalf("an empty piece in %q", line)
				}
				all.WriteString(piece)
			})
			if read = l.Line(read, line, nil); read != drawn {
				t.Fatalf("%+v when it is drawn, %+v when it is read, after %q", drawn, read, line)
			}
			if all.String() != line {
				t.Fatalf("%q of %q", all.String(), line)
			}
		}
	})
}

// The time for a line grows with it and no faster, whatever stands in it.
func BenchmarkLine(b *testing.B) {
	for name, unit := range map[string]string{"code": "x := call(\"text\", 12) // and so on ", "quotes": `"`, "comments": "/* */", "words": "a ", "backslashes": "\\"} {
		for _, size := range []int{1 << 10, 1 << 17} {
			line := strings.Repeat(unit, size/len(unit))
			l := syntax.Of("go")
			b.Run(fmt.Sprint(name, "/", size), func(b *testing.B) {
				b.SetBytes(int64(len(line)))
				for b.Loop() {
					l.Line(syntax.State{}, line, nil)
				}
			})
		}
	}
}
