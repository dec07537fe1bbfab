// Package cells measures, cuts and wraps text in the columns of a terminal.
//
// How wide a text is depends on the terminal. By code point (wcwidth), a family of three is
// three emoji in six columns, and a Devanagari conjunct takes one column for each consonant.
// By grapheme cluster (mode 2027), the family takes two columns and the conjunct one. Bubble
// Tea's renderer counts by code point until the terminal reports mode 2027, and clips what it
// finds to be beyond the right edge. A line that was measured the other way loses its end,
// or moves what is right of it.
//
// The rule: all text on the screen is measured by the [Method] in theme.Styles, which the
// root model keeps equal to that of the renderer. A report of mode 2027 changes it in the way
// that another background changes the colors: every screen lays itself out again. Functions
// of ansi and lipgloss that count by graphemes, such as ansi.StringWidth, lipgloss.Width or a
// style with a border, are not called; a test of package ui checks that. The functions of
// ansi.Method that cut are not called either: they compare widths by grapheme first.
//
// Two things remain:
//
//   - Glamour measures by grapheme. It pads and cuts only tables, so by code point their
//     cells go to it with a [Separator] inside each cluster that measures differently, see
//     [Separations]. A separated cluster measures the same both ways. The separators are
//     removed from the result.
//   - A terminal that has not reported mode 2027 may nevertheless draw a sequence of emoji
//     as one. [SplitEmoji] takes the sequences in a finished screen apart without changing its
//     widths by code point, so that every terminal draws them alike.
package cells

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Method is a way to measure text. Escape sequences take no columns.
type Method ansi.Method

// The methods. ByCodePoint is what holds until a terminal reports otherwise.
const (
	ByCodePoint = Method(ansi.WcWidth)
	ByGrapheme  = Method(ansi.GraphemeWidth)
)

// StringWidth returns how many columns a text takes.
func (m Method) StringWidth(s string) int { return ansi.Method(m).StringWidth(s) }

// next returns the first escape sequence, control character or grapheme cluster of a text
// that is not empty, and how many columns it takes.
func (m Method) next(s string) (piece string, wide int) {
	if c := s[0]; c >= ' ' && c < 0x7f && (len(s) == 1 || s[1] < 0x80) {
		return s[:1], 1
	}
	if c := s[0]; c >= ' ' && c != 0x7f {
		return ansi.FirstGraphemeCluster(s, ansi.Method(m))
	}
	_, wide, n, _ := ansi.Method(m).DecodeSequenceInString(s, ansi.NormalState, nil)
	return s[:max(n, 1)], wide
}

// Truncate cuts a text that takes more than w columns, and ends it with the tail. Escape
// sequences behind the cut stay. Of dots that it is cut in, none stay before the tail.
func (m Method) Truncate(s string, w int, tail string) string {
	if m.StringWidth(s) <= w {
		return s
	}
	if w -= m.StringWidth(tail); w < 0 {
		return ""
	}
	var b strings.Builder
	for cut := false; s != ""; {
		piece, wide := m.next(s)
		s = s[len(piece):]
		if !cut && wide > w {
			cut = true
			if text := b.String(); tail != "" && piece == "." { // in an ellipsis of the text's own
				b.Reset()
				b.WriteString(strings.TrimRight(text, "."))
			}
			b.WriteString(tail)
		}
		if !cut || piece[0] == ansi.ESC {
			w -= wide
			b.WriteString(piece)
		}
	}
	return b.String()
}

// TruncateLeft removes the first w columns of a text, a character that is only in part in
// them included. Escape sequences in them stay. The prefix goes before the rest.
func (m Method) TruncateLeft(s string, w int, prefix string) string {
	if w <= 0 {
		return s
	}
	var b strings.Builder
	for s != "" {
		piece, wide := m.next(s)
		switch {
		case piece[0] == ansi.ESC:
			b.WriteString(piece)
		case w <= 0 && wide > 0:
			return b.String() + prefix + s
		}
		w -= wide
		s = s[len(piece):]
	}
	return b.String()
}

// Cut returns the columns of a text from left up to right.
func (m Method) Cut(s string, left, right int) string {
	if right <= left {
		return ""
	}
	return m.TruncateLeft(m.Truncate(s, right, ""), left, "")
}

// Pad cuts or fills a text to exactly w columns. A wide character that does
// not fit becomes a space.
func (m Method) Pad(s string, w int, tail string) string {
	s = m.Truncate(s, w, tail)
	return s + strings.Repeat(" ", max(0, w-m.StringWidth(s)))
}

// PadLeft cuts or fills a text to exactly w columns, with the text at the right edge.
func (m Method) PadLeft(s string, w int, tail string) string {
	s = m.Truncate(s, w, tail)
	return strings.Repeat(" ", max(0, w-m.StringWidth(s))) + s
}

// Splice puts a piece of wide columns into a line of at most w, at column x.
func (m Method) Splice(line string, x, wide int, piece string, w int) string {
	left, right := m.Pad(line, x, ""), ""
	if rest := m.StringWidth(line) - x - wide; rest > 0 {
		right = m.TruncateLeft(line, x+wide, "")
		right = strings.Repeat(" ", max(0, rest-m.StringWidth(right))) + right // a wide character was cut
	}
	return m.Truncate(left+piece+right, w, "")
}

// Separator splits a grapheme cluster: an invisible character of width 0.
const Separator = "\u2063"

// Separations returns the positions in a text at which it needs separators to measure the
// same both ways.
func Separations(s string) (at []int) {
	for i := 0; i < len(s); {
		if i+1 >= len(s) || s[i+1] < 0x80 { // nothing follows that could join
			i++
			continue
		}
		cluster, wide := ansi.FirstGraphemeCluster(s[i:], ansi.GraphemeWidth)
		if wide != ByCodePoint.StringWidth(cluster) {
			for k := range cluster {
				if k > 0 {
					at = append(at, i+k)
				}
			}
		}
		i += max(len(cluster), 1)
	}
	return at
}

const (
	joiner       = '\u200d' // between the emoji of one sequence
	presentation = '\ufe0f' // makes an emoji of the symbol before it
)

// SplitEmoji writes sequences of emoji as the single emoji that are counted by code point:
// families and professions as their members, and spaces in the place of a skin tone.
func SplitEmoji(screen string) string {
	if !strings.ContainsRune(screen, joiner) && !strings.ContainsRune(screen, presentation) && !strings.Contains(screen, "\xf0\x9f\x8f") {
		return screen
	}
	var b strings.Builder
	b.Grow(len(screen) + 16)
	emoji := false // the code point before is one
	for i, r := range screen {
		switch {
		case r == presentation:
			continue
		case r == joiner && emoji && unicode.IsSymbol(firstRune(screen[i+len(string(joiner)):])):
			continue
		case r >= 0x1f3fb && r <= 0x1f3ff && emoji:
			b.WriteString("  ")
			continue
		}
		emoji = unicode.Is(unicode.So, r)
		b.WriteRune(r)
	}
	return b.String()
}

func firstRune(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}
