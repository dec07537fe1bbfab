package pyjson_test

import (
	"encoding/json"
	"testing"

	"hermes-sessions/store/pyjson"
)

func TestAppendString(t *testing.T) {
	for in, want := range map[string]string{
		"":                  `""`,
		"plain":             `"plain"`,
		"é":                 `"\u00e9"`,
		"\x7f\t\"/<&>":      `"\u007f\t\"/<&>"`,
		"😀":                 `"\ud83d\ude00"`,
		"大别山":               `"\u5927\u522b\u5c71"`,
		"a\nb\r\f\b\\c\x00": `"a\nb\r\f\b\\c\u0000"`,
		"\x1b[31m":          `"\u001b[31m"`,
		"\xff":              `"\ufffd"`,
		"\U0010ffff\uffff":  `"\udbff\udfff\uffff"`,
	} {
		if got := string(pyjson.AppendString(nil, in)); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}

func FuzzAppendString(f *testing.F) {
	f.Add("naïve 😀 \x00 \xff")
	f.Fuzz(func(t *testing.T, s string) {
		out := pyjson.AppendString(nil, s)
		var back string
		if err := json.Unmarshal(out, &back); err != nil {
			t.Fatalf("%q gives %s: %v", s, out, err)
		}
		if want := string([]rune(s)); back != want {
			t.Fatalf("%q comes back as %q", want, back)
		}
		for _, c := range out {
			if c < ' ' || c > '~' {
				t.Fatalf("%s holds the byte %#x", out, c)
			}
		}
	})
}
