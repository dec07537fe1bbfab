package pyjson

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// Unescape accepts the same hexadecimal digits as Go.
func TestUnescapeDecodesHexadecimal(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`\u6570`: "数", `\u636E`: "据", `\u00`: `\u00`, `\u+123`: `\u+123`, `\u1_23`: `\u1_23`, `\u12g4`: `\u12g4`, `\u12` + "\u00e9": `\u12é`, `\\\u6570\\u636e`: "数据",
		`\ud83d\ude80`: "🚀", `\\ud83d\\ude80x`: "🚀x", `\ud83d\u6570`: "\ufffd数", `\U6570`: `\U6570`, `\u\u6570`: `\u数`, `\u6\u6570`: `\u6数`,
	} {
		if got := Unescape(in); got != want {
			t.Errorf("%s is %q, want %q", in, got, want)
		}
	}
}

// escapeAt finds the first of several escapes at every position of a text.
func TestEscapeAtFindsTheFirstEscape(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	const signs = "\\\\uUx\u90e8]"
	found := 0
	for range 20_000 {
		b := make([]byte, r.IntN(40))
		for i := range b {
			b[i] = signs[r.IntN(len(signs))]
		}
		for range r.IntN(3) { // few have one early
			b = bytes.ReplaceAll(b, []byte(`\u`), []byte(`\x`))
		}
		s := string(b)
		got, want := escapeAt(s), strings.Index(s, `\u`)
		if got != want {
			t.Fatalf("%q: %d, want %d", s, got, want)
		}
		if got > 8 {
			found++
		}
	}
	if found < 500 {
		t.Errorf("only %d behind the first eight bytes", found)
	}
}
