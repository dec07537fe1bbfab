package kit

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"hermes-sessions/model"
	"hermes-sessions/theme/cells"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain text stays", "日本 é 👨‍👩‍👧 a\tb\nc", "日本 é 👨‍👩‍👧 a\tb\nc"},
		{"colors go", "\x1b[1;31mred\x1b[0m ok", "red ok"},
		{"cursor and screen control goes", "\x1b[2J\x1b[Hx\x1b[?25l", "x"},
		{"an OSC that ends goes", "a\x1b]0;owned\x07b\x1b]52;c;ZXZpbA==\x1b\\c", "abc"},
		{"a hyperlink leaves its text", "\x1b]8;;http://x\x07link\x1b]8;;\x07", "link"},
		{"an OSC that never ends swallows nothing", "\x1b]0;title and the rest\nline 2", "␛]0;title and the rest\nline 2"},
		{"a DCS that ends goes", "a\x1bPq#0\x1b\\b", "ab"},
		{"a DCS that never ends swallows nothing", "a\x1bPq the rest", "aq the rest"},
		{"APC, PM and SOS that end go", "\x1b_x\x1b\\\x1b^y\x1b\\\x1bXz\x1b\\ok", "ok"},
		{"charset and keypad sequences go", "\x1b(0lqk\x1b(B\x1b=", "lqk"},
		{"a CSI cut short stays readable", "x\x1b[31", "x␛[31"},
		{"a lone escape shows", "a\x1b", "a␛"},
		{"an escaped escape", "\x1b\x1b[31mx", "␛x"},
		{"C1 bytes of UTF-8 do not act", "a\u009b31mb\u009d0;t\u009c", "a\uFFFD31mb\uFFFD0;t\uFFFD"},
		{"C1 bytes alone are not UTF-8", "a\x9b31mb", "a\uFFFD31mb"},
		{"direction marks go", "pro\u202egnp.exe\u2066x\u2069\u200f\u061c", "prognp.exex"},
		{"NUL, bell, backspace and delete show", "a\x00b\x07c\bd\x7f", "a␀b␇c␈d␡"},
		{"CR LF is a line end, CR alone shows", "a\r\nb\rc", "a\nb␍c"},
		{"invalid UTF-8 is replaced", "a\xff\xfeb", "a\uFFFDb"},
		{"a surrogate is replaced", "a\xed\xa0\x80b", "a\uFFFDb"},
	} {
		if got := Clean(c.in); got != c.want {
			t.Errorf("%s: Clean(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func TestCleanLine(t *testing.T) {
	for in, want := range map[string]string{
		"a\nb\t\tc  d":        "a b c d",
		"  \x1b[31mx\x1b[m  ": "x",
		"\n\n":                "",
	} {
		if got := CleanLine(in); got != want {
			t.Errorf("CleanLine(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCleanOutput(t *testing.T) {
	for in, want := range map[string]string{
		"10%\r50%\r100%":             "100%",
		"10%\r100%\r\ndone\r\n":      "100%\ndone\n",
		"a\rb\nc\r\r\nd":             "b\nc\nd",
		"no carriage return":         "no carriage return",
		"\x1b[2K\rstep 1\x1b[2K\rok": "ok",
		"bar\r":                      "bar",
	} {
		if got := CleanOutput(in); got != want {
			t.Errorf("cleanOutput(%q) = %q, want %q", in, got, want)
		}
	}
}

// harmlessText is the promise of everything that cleans.
func harmlessText(t *testing.T, what, in, out string) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Fatalf("%s(%q) = %q, which is not UTF-8", what, in, out)
	}
	for _, r := range out {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			t.Fatalf("%s(%q) = %q, which has %U", what, in, out, r)
		}
	}
}

func TestCleanMessage(t *testing.T) {
	evil := "x\x1b]52;c;ZXZpbA==\x07\u009b\u202e\x00\xff"
	m := CleanMessage(model.Message{
		Role: evil, ToolName: evil, DisplayKind: evil, DecodeError: evil, Reasoning: evil,
		Content: model.Content{Text: evil, Media: []model.Attachment{{Kind: evil, Name: evil, Type: evil}}},
		Calls:   []model.ToolCall{{Name: evil, Arguments: evil}},
	})
	for _, s := range []string{m.Role, m.ToolName, m.DisplayKind, m.DecodeError, m.Reasoning, m.Content.Text, m.Content.Media[0].Kind, m.Content.Media[0].Name, m.Content.Media[0].Type, m.Calls[0].Name, m.Calls[0].Arguments} {
		harmlessText(t, "CleanMessage", evil, s)
		if !strings.HasPrefix(s, "x") {
			t.Errorf("cleaning %q swallowed text: %q", evil, s)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{
		"\x1b[31mred", "\x1b]0;x", "\x1bPq\x1b\\", "a\x9bb", "\u202e", "日本\r\nx\ty", "\x1b\x1b[0m[31m", "\r\x1b[0m\n", "\x1b]8;;\x1b\\", "\x00\x7f\u0085",
		"\u20db \u0301a\u0600", "\u200d\u200b x\ufe0f",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for what, clean := range map[string]func(string) string{"Clean": Clean, "CleanLine": CleanLine, "cleanOutput": CleanOutput} {
			out := clean(s)
			harmlessText(t, what, s, out)
			if again := clean(out); again != out {
				t.Fatalf("%s(%q) = %q, and once more %q", what, s, out, again)
			}
		}
		for what, clean := range map[string]func(string) string{"CleanLine": CleanLine, "cleanPiece": cleanPiece} {
			if out := clean(s); strings.ContainsAny(out, "\n\t") {
				t.Fatalf("%s(%q) = %q, which is not one line", what, s, out)
			}
		}
		if piece := cleanPiece(s); !slices.Equal(strings.Fields(piece), strings.Fields(Clean(s))) {
			t.Fatalf("cleanPiece(%q) = %q, which has other words than %q", s, piece, Clean(s))
		}
	})
}

func TestALineJoinsWithNothingBesideIt(t *testing.T) {
	for text, want := range map[string]string{
		"plain":             "plain",
		"\ufe0f\ufe0ev":     "v",
		"\u200d\u200b x":    "x",
		"\u0301a":           "\u25cc\u0301a",
		"a\u0301":           "a\u0301",
		"\u093e":            "\u25cc\u093e",
		"a\u070f":           "a\u070f\u200b",
		"\u0600\u0661":      "\u0600\u0661",
		"\U000e0001\ufe0f ": "",
	} {
		got := CleanLine(text)
		if got != want {
			t.Errorf("%+q becomes %+q, want %+q", text, got, want)
		}
		if again := CleanLine(got); again != got {
			t.Errorf("%+q becomes %+q, and then %+q", text, got, again)
		}
		for _, m := range []cells.Method{cells.ByCodePoint, cells.ByGrapheme} {
			if beside := m.StringWidth("| " + got + " |"); beside != m.StringWidth(got)+4 {
				t.Errorf("%+q takes %d columns beside others, and %d alone", got, beside-4, m.StringWidth(got))
			}
		}
	}
}
