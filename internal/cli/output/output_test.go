package output

import (
	"testing"
	"time"
)

// Relative times are those of Hermes, to the second (store/README.md#command-line).
func TestAgo(t *testing.T) {
	now := time.Date(2026, 11, 14, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		before time.Duration
		want   string
	}{
		{-25 * time.Hour, now.Add(25 * time.Hour).Local().Format("2006-01-02")},
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
		if got := Ago(now, now.Add(-c.before)); got != c.want {
			t.Errorf("%v ago: %q, want %q", c.before, got, c.want)
		}
	}
	if got := Ago(now, time.Time{}); got != "?" {
		t.Errorf("no time: %q", got)
	}
}

// A column keeps its width whatever its cells hold.
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
		if got := Cell(c.in, 6, 8); got != c.want {
			t.Errorf("cell(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 hits", 1: "1 hit", 999: "999 hits", 1204: "1,204 hits", 1234567: "1,234,567 hits"} {
		if got := Count(n, "hit", "hits"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
