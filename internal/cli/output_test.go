package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// Relative times are those of Hermes, to the second (store/README.md#command-line).
func TestAgo(t *testing.T) {
	now := time.Date(2026, 11, 14, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		before time.Duration
		want   string
	}{
		{-time.Hour, "just now"},
		{0, "just now"},
		{59 * time.Second, "just now"},
		{time.Minute, "1m ago"},
		{time.Hour - time.Second, "59m ago"},
		{time.Hour, "1h ago"},
		{24*time.Hour - time.Second, "23h ago"},
		{24 * time.Hour, "yesterday"},
		{48*time.Hour - time.Second, "yesterday"},
		{48 * time.Hour, "2d ago"},
		{7*24*time.Hour - time.Second, "6d ago"},
		{7 * 24 * time.Hour, now.AddDate(0, 0, -7).Local().Format("2006-01-02")},
	} {
		if got := ago(now, now.Add(-c.before)); got != c.want {
			t.Errorf("%v ago: %q, want %q", c.before, got, c.want)
		}
	}
	if got := ago(now, time.Time{}); got != "?" {
		t.Errorf("no time: %q", got)
	}
}

// A column keeps its width whatever stands in it.
func TestCell(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", "        "},
		{"short", "short   "},
		{"longer than that", "longer  "},
		{"日本語のセッション", "日本語  "},
		{"a\nb\tc", "a b c   "},
		{"\x1b[31mred\x1b[0m\x1b]0;x\x07", "red     "},
		{"\u202eabc", "abc     "},
	} {
		if got := cell(c.in, 6, 8); got != c.want {
			t.Errorf("cell(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

// JSON keeps every value and is harmless to look at in a terminal.
func TestJSONIsRawAndHarmless(t *testing.T) {
	in := "esc \x1b[2J del \x7f c1 \u009b2J bidi \u202e \u2066 nul \x00 <&> 日本 bad \xff."
	var out bytes.Buffer
	a := app{Process: Process{}}
	a.out = bufio.NewWriter(&out)
	if err := a.printJSON(map[string]string{"v": in}); err != nil {
		t.Fatal(err)
	}
	if err := a.out.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, r := range out.String() {
		if r < 0x20 && r != '\n' || r >= 0x7f && r < 0xa0 || isDirection(r) {
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

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 hits", 1: "1 hit", 999: "999 hits", 1204: "1 204 hits", 1234567: "1 234 567 hits"} {
		if got := count(n, "hit", "hits"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
