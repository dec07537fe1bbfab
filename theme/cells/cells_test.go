package cells_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/theme/cells"
)

const (
	family = "👨‍👩‍👧‍👦" // 8 columns by code point, 2 by grapheme
	thumb  = "👍🏽"      // 4 and 2
	heart  = "❤️"      // 1 and 2
	keycap = "1️⃣"     // 1 and 2
	hindi  = "क्षि"    // 3 and 1
)

func texts() []string {
	return []string{
		"", "plain", "日本語abc", family + "a" + thumb + "b" + heart + keycap + "c" + hindi + "กำ" + "\u1112\u1161\u11ab",
		"\x1b[31mred " + family + "\x1b[m and " + hindi + hindi + hindi, "\x1b]8;;https://example.com\ahindi " + hindi + "\x1b]8;;\a", strings.Repeat(family, 9),
	}
}

// A cut text has the columns it was cut to, less at most what a wide character takes, and
// nothing of it is invented.
func TestCutsAreWithinTheirWidth(t *testing.T) {
	t.Parallel()
	for _, m := range []cells.Method{cells.ByCodePoint, cells.ByGrapheme} {
		for _, s := range texts() {
			whole := m.StringWidth(s)
			for w := range whole + 3 {
				left, right := m.Truncate(s, w, ""), m.TruncateLeft(s, w, "")
				if m.StringWidth(left) > w || !strings.HasPrefix(ansi.Strip(s), ansi.Strip(left)) {
					t.Errorf("method %d: %q cut to %d: %q", m, s, w, left)
				}
				if m.StringWidth(right) > max(whole-w, 0) || !strings.HasSuffix(ansi.Strip(s), ansi.Strip(right)) {
					t.Errorf("method %d: %q without %d columns: %q", m, s, w, right)
				}
				if strings.Count(left, "\x1b") != strings.Count(s, "\x1b") || strings.Count(right, "\x1b") != strings.Count(s, "\x1b") {
					t.Errorf("method %d: %q at %d lost a sequence: %q and %q", m, s, w, left, right)
				}
				if tail := m.Truncate(s, w, "…"); m.StringWidth(tail) > w || w > 0 && w < whole && !strings.Contains(tail, "…") {
					t.Errorf("method %d: %q cut to %d with a tail: %q", m, s, w, tail)
				}
				if got := m.Pad(s, w, "…"); m.StringWidth(got) != w {
					t.Errorf("method %d: %q padded to %d: %q", m, s, w, got)
				}
				if w >= 8 {
					if got := strings.Join(m.Wrap(s, w), ""); ansi.Strip(strings.ReplaceAll(got, " ", "")) != ansi.Strip(strings.ReplaceAll(s, " ", "")) {
						t.Errorf("method %d: %q wrapped at %d: %q", m, s, w, got)
					}
				}
				for _, l := range m.Wrap(s, w) {
					if m.StringWidth(l) > max(w, 1) {
						t.Errorf("method %d: %q wrapped at %d: a line %q", m, s, w, l)
					}
				}
			}
		}
	}
}

func TestSpliceKeepsTheColumnsAround(t *testing.T) {
	t.Parallel()
	for _, m := range []cells.Method{cells.ByCodePoint, cells.ByGrapheme} {
		line := strings.Repeat(family+"日", 4) + "│"
		w := m.StringWidth(line)
		for x := range w - 5 {
			got := m.Splice(line, x, 4, "[ab]", w)
			before, after, _ := strings.Cut(got, "[ab]")
			if m.StringWidth(before) != x || m.StringWidth(got) != w || !strings.HasSuffix(after, "│") {
				t.Errorf("method %d at %d: %q", m, x, got)
			}
		}
	}
}

// With separators, a text measures by grapheme as it does by code point.
func TestSeparationsMakeBothMeasuresAgree(t *testing.T) {
	t.Parallel()
	for _, s := range texts() {
		s = ansi.Strip(s)
		var b strings.Builder
		last := 0
		for _, at := range cells.Separations(s) {
			b.WriteString(s[last:at] + cells.Separator)
			last = at
		}
		b.WriteString(s[last:])
		if g, c := cells.ByGrapheme.StringWidth(b.String()), cells.ByCodePoint.StringWidth(s); g != c {
			t.Errorf("%q: %d columns by grapheme, %d by code point", s, g, c)
		}
		if strings.ReplaceAll(b.String(), cells.Separator, "") != s {
			t.Errorf("%q changed", s)
		}
	}
}

// Emoji sequences that are taken apart have the columns they had by code point, whichever
// way they are measured; other text stays.
func TestSplitEmojiKeepsWidths(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		family: "👨👩👧👦", thumb: "👍  ", heart: "❤", keycap: "1\u20e3", "👩🏽‍🚀": "👩  🚀", "🙂‍↔️": "🙂↔", "🏴‍☠️x": "🏴☠x",
		"🇫🇷": "🇫🇷", "🏽": "🏽", "क\u200dष": "क\u200dष", "\x1b[1m" + thumb + "\x1b[m": "\x1b[1m👍  \x1b[m",
	} {
		got := cells.SplitEmoji(s)
		if got != want {
			t.Errorf("%q became %q", s, got)
		}
		if cells.ByCodePoint.StringWidth(got) != cells.ByCodePoint.StringWidth(s) {
			t.Errorf("%q: the width changed", s)
		}
	}
}

// A text that ends in an ellipsis of its own, as previews do, is not cut to two of them.
func TestACutHasOneEllipsis(t *testing.T) {
	for w, want := range map[int]string{8: "cold...", 7: "cold...", 6: "cold…", 5: "cold…", 4: "col…"} {
		if got := cells.ByCodePoint.Truncate("cold...", w, "…"); got != want {
			t.Errorf("in %d columns %q, want %q", w, got, want)
		}
	}
	if got := cells.ByCodePoint.Truncate("worker.log", 8, "…"); got != "worker.…" {
		t.Errorf("a name with a dot becomes %q", got)
	}
}
