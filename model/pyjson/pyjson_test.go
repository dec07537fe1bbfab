package pyjson

import (
	"bytes"
	"strings"
	"testing"
)

func TestAppendStoredJSON(t *testing.T) {
	for in, want := range map[string]string{
		"plain":             `"plain"`,
		"é\x7f\t\"/<&>":     `"\u00e9\u007f\t\"/<&>"`,
		"😀":                 `"\ud83d\ude00"`,
		"大别山":               `"\u5927\u522b\u5c71"`,
		"a\nb\r\f\b\\c\x00": `"a\nb\r\f\b\\c\u0000"`,
		"\x1b[31m":          `"\u001b[31m"`,
		"\xff":              `"\ufffd"`,
		"\U0010ffff\uffff":  `"\udbff\udfff\uffff"`,
	} {
		if got := string(AppendASCII(nil, in)); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
	in := Object{{Name: "é", Value: []any{Int("1"), 1.0, 1e21, true, nil}}}
	if got, want := string(AppendASCII(nil, in)), `{"\u00e9": [1, 1.0, 1e+21, true, null]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func FuzzAppendStoredJSON(f *testing.F) {
	f.Add("naïve 😀 \x00 \xff")
	f.Fuzz(func(t *testing.T, s string) {
		out := string(AppendASCII(nil, s))
		back, err := Parse(out)
		if err != nil {
			t.Fatalf("%q gives %s: %v", s, out, err)
		}
		if want := string([]rune(s)); back != want {
			t.Fatalf("%q comes back as %q", want, back)
		}
		for _, c := range []byte(out) {
			if c < ' ' || c > '~' {
				t.Fatalf("%s holds the byte %#x", out, c)
			}
		}
	})
}

// Write gives the bytes of Append, whatever a piece of a long text ends in.
func TestWriteInPieces(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"plain ", "é", "数据", "🚀", "\x80", "\xf0\x9f", "\"\\\n\x01"} {
		for before := range 2 {
			long := strings.Repeat("x", before) + strings.Repeat(unit, 3*pieceSize/len(unit)/2)
			for _, v := range []any{Object{{"a", []any{long, nil, 1.5}}, {"é", long}}, []any{}, Object{}} {
				var b bytes.Buffer
				if err := Write(&b, v); err != nil || b.String() != string(Append(nil, v)) {
					t.Errorf("%q after %d: %v, or other bytes", unit, before, err)
				}
			}
		}
	}
}
