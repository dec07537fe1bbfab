package transcript

import (
	"slices"
	"strings"
	"testing"

	"hermes-sessions/model/document"
	"hermes-sessions/model/match"
	"hermes-sessions/theme"
	"hermes-sessions/theme/cells"
)

func TestWrappedLinesOfADiffHangBehindTheSign(t *testing.T) {
	for line, want := range map[string][]string{
		"+one two three four":   {"+one two", "  three", "  four"},
		"-   one two six":       {"-   one", "     two", "     six"},
		" short":                {" short"},
		"@@ -1,2 +1,2 @@ place": {"@@ -1,2", "+1,2 @@", "place"},
		"":                      {""},
	} {
		if got := wrapDiffLine(cells.ByCodePoint, line, 10); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// needle marks a word.
type needle string

func (n needle) Mark(text string) (spans []match.Span) {
	for {
		before, after, found := strings.Cut(text, string(n))
		if spans = append(spans, match.Span{Text: before}); !found {
			return spans
		}
		spans, text = append(spans, match.Span{Text: string(n), Hit: true}), after
	}
}

func TestAHitKeepsTheGroundOfItsLine(t *testing.T) {
	t.Parallel()
	s := theme.New(theme.Dark, false)
	buf := buffer{renderer: &renderer{styles: s, match: needle("kettle")}, width: 30}
	buf.diff(document.Change{Diff: " a kettle\n+the kettle", Signs: true}, 2, "", true)
	buf.mark(0)
	on := s.Hit.Background(s.Added.GetBackground()).Render("kettle")
	if !strings.Contains(buf.lines[1], on) || strings.Contains(buf.lines[0], on) || !strings.Contains(buf.lines[0], s.Hit.Render("kettle")) {
		t.Errorf("%q", buf.lines)
	}
}
