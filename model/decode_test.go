package model

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"hermes-sessions/model/pyjson"
)

func TestDecodeContent(t *testing.T) {
	for stored, want := range map[string]struct {
		text   string
		media  []Attachment
		broken bool
	}{
		"plain":                   {text: "plain"},
		"":                        {},
		"[1]":                     {text: "[1]"},
		"\x00json:\"quoted\"":     {text: "quoted"},
		"\x00json:{oops":          {text: "{oops", broken: true},
		"\x00json:[\"a\", \"b\"]": {text: "a\n\nb"},
		"\x00json:[5]":            {text: "5", broken: true},
		"\x00json:null":           {},
		`` + "\x00json:" + `[{"type": "text", "text": "\u5927\u522b look"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}]`: {text: "大别 look", media: []Attachment{{Kind: "image", Type: "image/png", Size: 1}}},
		"\x00json:" + `[{"type": "image_url", "image_url": {"url": "https://example.com/a/cat.png?x=1"}}]`:                                            {media: []Attachment{{Kind: "image", Name: "cat.png"}}},
		"\x00json:" + `[{"type": "file", "file": {"filename": "dir/report.pdf"}}, {"type": "input_audio"}]`:                                           {media: []Attachment{{Kind: "file", Name: "report.pdf"}, {Kind: "audio"}}},
		"\x00json:" + `{"type": "text", "text": "alone"}`:                                                                                             {text: "alone"},
		"\x00json:" + `[{"odd": 1.0}]`: {text: `{"odd": 1.0}`, broken: true},
	} {
		c, broken := DecodeContent(stored)
		if c.Text != want.text || !slices.Equal(c.Media, want.media) || (broken != "") != want.broken {
			t.Errorf("%q: %+v, %q", stored, c, broken)
		}
	}
}

func TestDecodeCalls(t *testing.T) {
	for stored, want := range map[string]struct {
		calls  []ToolCall
		broken bool
	}{
		"":      {},
		"[]":    {},
		"{}":    {},
		"null":  {},
		"{bad":  {broken: true},
		`"str"`: {broken: true},
		"5":     {broken: true},
		`[{"id": "1", "type": "function", "function": {"name": "read_file", "arguments": "{\"path\": 1}"}}]`: {calls: []ToolCall{{"1", "read_file", `{"path": 1}`}}},
		`{"id": "1", "function": {"name": "terminal", "arguments": {"b": 1, "a": NaN}}}`:                     {calls: []ToolCall{{"1", "terminal", `{"b": 1, "a": NaN}`}}},
		`"[{\"id\": \"1\", \"name\": \"x\", \"input\": \"y\"}]"`:                                             {calls: []ToolCall{{"1", "x", "y"}}},
		`[{"id": NaN}, 7]`: {calls: []ToolCall{{"", "unknown", ""}, {"", "unknown", "7"}}, broken: true},
	} {
		calls, broken := DecodeCalls(stored)
		if !slices.Equal(calls, want.calls) || (broken != "") != want.broken {
			t.Errorf("%q: %+v, %q", stored, calls, broken)
		}
	}
}

// The heads of calls are those that decoding all of them gives, wherever a text breaks off or
// has a byte that JSON does not.
func TestCallHeads(t *testing.T) {
	same := func(stored string) {
		t.Helper()
		want, _ := DecodeCalls(stored)
		got := CallHeads(stored)
		for i := range want {
			want[i].Arguments = ""
		}
		for i := range got {
			got[i].Arguments = ""
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %+v, want %+v", stored, got, want)
		}
	}
	const one = `{"id": "a\u00e9", "type": "function", "function": {"name": "x\n", "arguments": "{\"p\": \"\\\\ \u00e9\"}"}}`
	const other = `{"id": "b", "call_id": "c", "type": "function", "function": {"name": "y", "arguments": ""}}`
	for _, stored := range []string{"[" + one + "]", "[" + other + ", " + one + "]", one, `[{"id": "", "call_id": "c"` + other[len(`{"id": "b", "call_id": "c"`):] + "]"} {
		for i := range len(stored) + 1 {
			same(stored[:i])
			for _, with := range []string{"\n", `\`, `"`, " ", "\xff", "é"} {
				same(stored[:i] + with + stored[i:])
			}
		}
	}
	if c := CallHeads("[" + one + "]"); len(c) != 1 || c[0].Arguments != "" {
		t.Errorf("%+v: the arguments were decoded", c)
	}
}

func TestDecodeReasoning(t *testing.T) {
	for _, c := range []struct {
		in   [4]string
		want string
	}{
		{[4]string{"a", "b", "", ""}, "a"},
		{[4]string{" ", "b", "", ""}, "b"},
		{[4]string{"", "", `[{"type": "reasoning.text", "text": "c"}]`, ""}, "c"},
		{[4]string{"", "", "{oops", `[{"type": "reasoning", "summary": [{"type": "summary_text", "text": "d"}], "encrypted_content": "x"}]`}, "d"},
		{[4]string{"", "", `[{"type": "reasoning.encrypted", "data": "zzz"}]`, ""}, ""},
	} {
		if got, _ := DecodeReasoning(c.in[0], c.in[1], c.in[2], c.in[3]); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
	if _, broken := DecodeReasoning("", "", "{oops", ""); broken == "" {
		t.Error("junk was not named")
	}
}

func TestPreview(t *testing.T) {
	long := strings.Repeat("é", 70)
	for in, want := range map[string]string{
		"a\r\nb":                         "a  b",
		"  x ":                           "x",
		long:                             strings.Repeat("é", 60) + "...",
		strings.Repeat("e", 60):          strings.Repeat("e", 60),
		strings.Repeat(" ", 70):          "",
		"bad \xff byte":                  "bad \uFFFD byte",
		strings.Repeat("a", 60) + "   b": strings.Repeat("a", 60),
	} {
		if got := Preview(in); got != want {
			t.Errorf("Preview(%q) = %q, want %q", in, got, want)
		}
	}
}

// JSON is read and written as Python does.
func TestJSONLikePython(t *testing.T) {
	for in, want := range map[string]string{
		`{"b": 1, "a": [1.0, 1e+21, 0.00001, 1e15, -0.0], "b": 2}`: `{"b": 2, "a": [1.0, 1e+21, 1e-05, 1000000000000000.0, -0.0]}`,
		`[NaN, Infinity, -Infinity, true, null]`:                   `[NaN, Infinity, -Infinity, true, null]`,
		`"\u00e9\ud83d\ude00\u007f\t\"\/<&>"`:                      "\"é😀\x7f\\t\\\"/<&>\"",
		`"\ud800x"`:                                                "\"\uFFFDx\"",
		`123456789012345678901234567890`:                           `123456789012345678901234567890`,
		` {  } `:                                                   `{}`,
	} {
		v, err := pyjson.Parse(in)
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if got := string(pyjson.Append(nil, v)); got != want {
			t.Errorf("%s gives %s, want %s", in, got, want)
		}
	}
	for _, in := range []string{"", "{", "[1,]", "01", "1.", "+1", "'a'", "\"\n\"", "nul", "{1: 2}", "[1] 2", strings.Repeat("[", 1000)} {
		if v, err := pyjson.Parse(in); err == nil {
			t.Errorf("%q gives %v", in, v)
		}
	}
}

// Decoding neither fails on any stored value nor loses what it wrote
// itself.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{"", "plain", "\x00json:[{\"type\": \"text\", \"text\": \"x\"}]", `[{"id": NaN}]`, `"\ud83d"`, "\x00json:{\"content\": [[[]]]}", "\xff\xfe", `{"summary": [{"text": 1e999}]}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		DecodeContent(s)
		DecodeCalls(s)
		DecodeReasoning("", "", s, s)
		if p := Preview(s); utf8.RuneCountInString(p) > 63 || strings.ContainsAny(p, "\r\n") {
			t.Errorf("preview %q", p)
		}
		v, err := pyjson.Parse(s)
		if err != nil {
			return
		}
		once := pyjson.Append(nil, v)
		again, err := pyjson.Parse(string(once))
		if err != nil {
			t.Fatalf("%q was written as %q, which cannot be read", s, once)
		}
		if twice := pyjson.Append(nil, again); string(twice) != string(once) {
			t.Errorf("%q, then %q", once, twice)
		}
	})
}
