package output

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"hermes-sessions/ui/kit"
)

// JSON keeps every value and has no character that a terminal obeys.
func TestJSONIsRawAndHarmless(t *testing.T) {
	in := "esc \x1b[2J del \x7f c1 \u009b2J bidi \u202e \u2066 nul \x00 <&> 日本 bad \xff."
	var out bytes.Buffer
	w := NewWriter(&out, nil)
	if err := w.JSON(map[string]string{"v": in}); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, r := range out.String() {
		if r < 0x20 && r != '\n' || r >= 0x7f && r < 0xa0 || kit.IsBidiControl(r) {
			t.Errorf("%U is written as it is", r)
		}
	}
	if !strings.Contains(out.String(), "<&> 日本") {
		t.Errorf("spelt out what needs none: %s", out.String())
	}
	var back map[string]string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if want := strings.ToValidUTF8(in, "\uFFFD"); back["v"] != want {
		t.Errorf("got  %q\nwant %q", back["v"], want)
	}
}

// A character that begins in one call of Write and ends in the next is escaped too.
func TestEscapingAcrossWrites(t *testing.T) {
	t.Parallel()
	const text = "\"a\u202eb\u0085c é数🚀 \xe2\x80\"\n"
	for at := range len(text) {
		var out bytes.Buffer
		w := Escaping(&out)
		for _, part := range []string{text[:at], text[at:]} {
			if n, err := w.Write([]byte(part)); err != nil || n != len(part) {
				t.Error(n, err)
			}
		}
		if want := "\"a\\u202eb\\u0085c é数🚀 \xe2\x80\"\n"; out.String() != want {
			t.Errorf("cut at %d: %q, want %q", at, out.String(), want)
		}
	}
}
