package syntax

import "strings"

// Language is what tells the words of a language apart.
type Language struct {
	comments []string // that go to the end of the line
	spans    []span
	quotes   string // what strings that end in their line stand in
	raw      bool   // nothing is escaped in single quotes
	keywords string // with blanks between them
	names    string // constants and types that are built in

	fold      bool // capitals do not count
	calls     bool // a word before ( is a function
	types     bool // a word with a capital is a type
	dollar    bool // names may begin with $
	dashes    bool // words may have dashes in them
	lifetimes bool // a single quote may begin a name
	key       byte // stands between a key and its value; 0 for none
	diff      bool
	markup    bool
}

// span is something that may go over several lines.
type span struct {
	open, close string
	class       Class
	escapes     bool // a backslash takes its meaning from what follows
	nests       bool
}

// Of is the language of a name, such as the info string of a fenced code block (CommonMark 0.31, section 4.5) begins with;
// nil if it is not known.
func Of(info string) *Language {
	name, _, _ := strings.Cut(strings.TrimLeft(strings.TrimSpace(info), "{."), " ")
	name = strings.ToLower(strings.TrimRight(name, ",}"))
	for _, family := range []func(string) *Language{compiled, scripted, written} {
		if l := family(name); l != nil {
			return l
		}
	}
	return nil
}

func slashes() []string { return []string{"//"} }

// starred is the comment of the languages that come from C.
func starred() span { return span{open: "/*", close: "*/", class: Comment} }

// likeC is a language that has C's comments and strings.
func likeC(keywords, names string) *Language {
	return &Language{comments: slashes(), spans: []span{starred()}, quotes: `"'`, keywords: keywords, names: names, calls: true}
}

// compiled are the languages that are compiled.
func compiled(name string) *Language {
	var l *Language
	switch name {
	case "go", "golang":
		l = likeC("break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var",
			"true false nil iota any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr append cap clear close copy delete len make max min new panic print println recover")
		l.spans = append(l.spans, span{open: "`", close: "`", class: String})
	case "c", "h", "cpp", "c++", "cc", "cxx", "hpp", "objc", "objective-c", "arduino", "cuda", "glsl", "hlsl":
		l = likeC("alignas alignof and asm auto break case catch class const consteval constexpr const_cast continue co_await co_return co_yield decltype default delete do dynamic_cast else enum explicit export extern final for friend goto if inline mutable namespace new noexcept operator or override private protected public register reinterpret_cast requires return sizeof static static_assert static_cast struct switch template this throw try typedef typeid typename union using virtual volatile while include define ifdef ifndef endif pragma undef",
			"true false nullptr NULL bool char char8_t char16_t char32_t double float int long short signed unsigned void size_t ssize_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t wchar_t")
	case "cs", "csharp", "c#":
		l = likeC("abstract as async await base break case catch checked class const continue default delegate do else enum event explicit extern finally fixed for foreach get goto if implicit in init interface internal is lock namespace new operator out override params partial private protected public readonly record ref return sealed set sizeof stackalloc static struct switch this throw try typeof unchecked unsafe using var virtual volatile when where while with yield",
			"true false null bool byte char decimal double float int long object sbyte short string uint ulong ushort void dynamic")
		l.types = true
	case "java", "groovy", "gradle", "scala", "kotlin", "kt", "kts", "dart":
		l = likeC("abstract as assert break by case catch class companion const constructor continue data def default do else enum extends external final finally for fun get given goto if implements implicit import in infix init inline instanceof interface internal is late lateinit lazy match mixin native new object open operator out override package permits private protected public record reified required return sealed set static strictfp super suspend switch synchronized tailrec this throw throws trait transient try typealias using val var vararg volatile when where while with yield",
			"true false null boolean byte char double float int long short void")
		l.types = true
		l.spans = append(l.spans, span{open: `"""`, close: `"""`, class: String})
	case "rust", "rs":
		l = likeC("as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod move mut pub ref return self static struct super trait type union unsafe use where while",
			"true false Self bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize Some None Ok Err")
		l.types, l.lifetimes = true, true
		l.spans = []span{{open: "/*", close: "*/", class: Comment, nests: true}, {open: `r#"`, close: `"#`, class: String}}
	case "swift":
		l = likeC("actor as associatedtype async await break case catch class continue default defer deinit do else enum extension fallthrough fileprivate final for func get guard if import in indirect init inout internal is isolated lazy let mutating nonisolated open operator override private protocol public repeat required rethrows return set some static struct subscript super switch throw throws try typealias unowned var weak where while",
			"true false nil self Self Any")
		l.types = true
		l.spans = []span{{open: "/*", close: "*/", class: Comment, nests: true}, {open: `"""`, close: `"""`, class: String, escapes: true}}
	case "zig":
		l = likeC("align allowzero and anytype asm async await break catch comptime const continue defer else enum errdefer error export extern fn for if inline noalias nosuspend or orelse packed pub resume return struct suspend switch test threadlocal try union unreachable usingnamespace var volatile while",
			"true false null undefined bool void type anyerror u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64")
	case "haskell", "hs", "elm":
		l = &Language{
			comments: []string{"--"}, spans: []span{{open: "{-", close: "-}", class: Comment, nests: true}}, quotes: `"`, types: true,
			keywords: "case class data deriving do else foreign if import in infix infixl infixr instance let module newtype of qualified then type where",
		}
	case "proto", "protobuf":
		l = likeC("enum extend import message oneof option package public repeated required optional reserved returns rpc service stream syntax",
			"true false bool bytes double fixed32 fixed64 float int32 int64 sint32 sint64 string uint32 uint64 map")
	}
	return l
}

// scripted are the languages that are interpreted.
func scripted(name string) *Language {
	hash := []string{"#"}
	switch name {
	case "js", "javascript", "jsx", "mjs", "cjs", "ts", "typescript", "tsx", "mts":
		l := likeC("abstract any as async await break case catch class const continue debugger declare default delete do else enum export extends finally for from function get if implements import in infer instanceof interface is keyof let module namespace new of override private protected public readonly return satisfies set static super switch this throw try type typeof var while with yield",
			"true false null undefined NaN Infinity boolean number string symbol bigint object unknown never void")
		l.types, l.dollar = true, true
		l.spans = append(l.spans, span{open: "`", close: "`", class: String, escapes: true})
		return l
	case "py", "python", "python3", "pyi", "pycon", "starlark", "bzl":
		return &Language{
			comments: hash, quotes: `"'`, calls: true, types: true,
			spans:    []span{{open: `"""`, close: `"""`, class: String, escapes: true}, {open: "'''", close: "'''", class: String, escapes: true}},
			keywords: "and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield",
			names:    "True False None self cls bool bytes dict float frozenset int list object set str tuple type print len range isinstance super",
		}
	case "sh", "bash", "shell", "zsh", "ksh", "console", "shell-session", "shellscript", "fish":
		return &Language{
			comments: hash, quotes: `"'`, raw: true, dollar: true, dashes: true,
			keywords: "if then else elif fi for while until do done case esac in function select time return exit break continue local export readonly declare unset set shift source alias trap eval exec end begin switch and or not",
			names:    "true false cd echo printf read test",
		}
	case "rb", "ruby":
		return &Language{
			comments: hash, quotes: `"'`, calls: true, types: true, spans: []span{{open: "=begin", close: "=end", class: Comment}},
			keywords: "alias and begin break case class def defined do else elsif end ensure for if in module next not or redo rescue retry return super then undef unless until when while yield require require_relative attr_accessor attr_reader attr_writer",
			names:    "true false nil self",
		}
	case "php":
		l := likeC("abstract and array as break callable case catch class clone const continue declare default do echo else elseif enum extends final finally fn for foreach function global goto if implements include include_once instanceof interface isset list match namespace new or print private protected public readonly require require_once return static switch throw trait try unset use var while xor yield",
			"true false null self parent int float string bool void mixed")
		l.comments, l.dollar, l.types = append(l.comments, "#"), true, true
		return l
	case "lua":
		return &Language{
			comments: []string{"--"}, quotes: `"'`, calls: true, spans: []span{{open: "--[[", close: "]]", class: Comment}, {open: "[[", close: "]]", class: String}},
			keywords: "and break do else elseif end for function goto if in local not or repeat return then until while", names: "true false nil self",
		}
	case "perl", "pl":
		return &Language{
			comments: hash, quotes: `"'`, calls: true, dollar: true,
			keywords: "and cmp do else elsif eq for foreach ge gt if last le local lt my ne next no not or our package print redo require return sub unless until use while xor",
		}
	case "r":
		return &Language{comments: hash, quotes: `"'`, calls: true, keywords: "break else for function if in next repeat return while library", names: "TRUE FALSE NULL NA Inf NaN"}
	case "elixir", "ex", "exs":
		return &Language{
			comments: hash, quotes: `"'`, calls: true, types: true, spans: []span{{open: `"""`, close: `"""`, class: String}},
			keywords: "after alias and case catch cond def defmacro defmodule defp defstruct do else end fn for if import in not or quote raise receive require rescue try unless unquote use when with", names: "true false nil",
		}
	case "powershell", "ps1", "pwsh":
		return &Language{
			comments: hash, quotes: `"'`, raw: true, dollar: true, dashes: true, fold: true, spans: []span{{open: "<#", close: "#>", class: Comment}},
			keywords: "begin break catch class continue data do else elseif end exit filter finally for foreach from function if in param process return switch throw trap try until using while",
		}
	}
	return nil
}

// written are the languages in which data and documents are written.
func written(name string) *Language {
	hash := []string{"#"}
	switch name {
	case "json", "jsonc", "json5", "jsonl", "ndjson":
		return &Language{comments: slashes(), spans: []span{starred()}, quotes: `"'`, names: "true false null", key: ':'}
	case "yaml", "yml":
		return &Language{comments: hash, quotes: `"'`, raw: true, names: "true false null yes no on off", key: ':', dashes: true}
	case "toml", "ini", "conf", "cfg", "properties", "dotenv", "env", "editorconfig", "gitconfig":
		return &Language{
			comments: []string{"#", ";"}, quotes: `"'`, raw: true, names: "true false", key: '=', dashes: true,
			spans: []span{{open: `"""`, close: `"""`, class: String, escapes: true}, {open: "'''", close: "'''", class: String}},
		}
	case "hcl", "terraform", "tf", "nix":
		return &Language{
			comments: []string{"#", "//"}, spans: []span{starred()}, quotes: `"`, key: '=', calls: true, dashes: true, names: "true false null",
			keywords: "resource data variable output module provider locals terraform for in if else let with rec inherit",
		}
	case "sql", "postgres", "postgresql", "mysql", "sqlite", "plsql":
		return &Language{
			comments: []string{"--"}, spans: []span{starred()}, quotes: `"'`, raw: true, fold: true, calls: true,
			keywords: "add all alter and any as asc begin between by cascade case check column commit constraint create cross database default delete desc distinct drop else end except exists explain foreign from full function grant group having if in index inner insert intersect into is join key left like limit not of offset on or order outer over partition primary procedure references returning revoke right rollback select set table then to transaction trigger truncate union unique update using values view when where with",
			names:    "true false null bigint bit blob boolean char date decimal double float int integer interval json jsonb numeric real serial smallint text time timestamp uuid varchar",
		}
	case "css", "scss", "less", "sass":
		return &Language{comments: slashes(), spans: []span{starred()}, quotes: `"'`, key: ':', dashes: true, dollar: true, calls: true, keywords: "important"}
	case "html", "htm", "xml", "svg", "xhtml", "vue", "svelte", "plist", "xsl":
		return &Language{markup: true, spans: []span{{open: "<!--", close: "-->", class: Comment}, {open: "<![CDATA[", close: "]]>", class: String}}}
	case "diff", "patch":
		return &Language{diff: true}
	case "dockerfile", "docker", "containerfile":
		return &Language{
			comments: hash, quotes: `"'`, dollar: true, dashes: true,
			keywords: "FROM AS RUN CMD LABEL EXPOSE ENV ADD COPY ENTRYPOINT VOLUME USER WORKDIR ARG ONBUILD STOPSIGNAL HEALTHCHECK SHELL",
		}
	case "make", "makefile", "mk", "cmake":
		return &Language{comments: hash, quotes: `"'`, dollar: true, dashes: true, key: ':', keywords: "ifeq ifneq ifdef ifndef else endif include define endef export override"}
	case "graphql", "gql":
		return &Language{
			comments: hash, quotes: `"`, spans: []span{{open: `"""`, close: `"""`, class: String}}, dollar: true, types: true,
			keywords: "query mutation subscription fragment on type input enum interface union scalar schema extend implements directive", names: "true false null",
		}
	}
	return nil
}
