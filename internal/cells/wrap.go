package cells

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Wrap breaks a text into lines of at most w columns, between words where that is
// possible, and between the characters of scripts that are written without spaces. A
// character wider than w is left out.
func (m Method) Wrap(s string, w int) []string {
	w = max(w, 1)
	if strings.IndexFunc(s, breaksAround) >= 0 {
		var lines []string
		for line := range strings.SplitSeq(s, "\n") {
			lines = append(lines, m.wrapMixed(line, w)...)
		}
		return lines
	}
	lines := strings.Split(ansi.Method(m).Wrap(s, w, ""), "\n")
	for i := range lines {
		if m.StringWidth(lines[i]) > w { // behind a space, Wrap may break a column late
			broken := make([]string, 0, len(lines)+1)
			for _, l := range lines {
				broken = append(broken, m.hardwrap(l, w)...)
			}
			return broken
		}
	}
	return lines
}

// breaksAround tells whether a line may break before and after a character: Chinese
// characters, kana and their punctuation. Korean breaks at spaces.
func breaksAround(r rune) bool {
	return r >= 0x2E80 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo) ||
		r >= 0x3000 && r <= 0x303F || r >= 0xFF01 && r <= 0xFF65)
}

// What no line begins with, and what no line ends with.
const (
	closers = "、。，．：；！？）］｝」』】〕〉》”’…‥・ー々〻％%)]},.:;!?ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ"
	openers = "（［｛「『【〔〈《“‘([{"
)

// wrapMixed breaks a line that has such characters. Spaces at a break are left out.
func (m Method) wrapMixed(s string, w int) (lines []string) {
	var line, word strings.Builder // word is what is not to be broken
	at, wide, gap := 0, 0, 0       // columns of the line, of the word, and spaces before it
	flush := func() {
		if at == 0 || wide == 0 { // indentation, or the end of the line
			gap = max(0, min(gap, w-at-min(wide, w)))
		}
		switch {
		case wide > w:
			for _, part := range m.hardwrapFrom(word.String(), at+gap, w) {
				if part.begins {
					lines = append(lines, line.String())
					line.Reset()
					at = 0
				} else if gap > 0 && at+gap < w {
					line.WriteString(strings.Repeat(" ", gap))
					at += gap
				}
				gap = 0
				line.WriteString(part.text)
				at += part.wide
			}
		case at > 0 && at+gap+wide > w:
			lines = append(lines, line.String())
			line.Reset()
			line.WriteString(word.String())
			at = wide
		default:
			line.WriteString(strings.Repeat(" ", gap) + word.String())
			at += gap + wide
		}
		gap, wide = 0, 0
		word.Reset()
	}
	before := ' '
	for s != "" {
		piece, columns := m.next(s)
		s = s[len(piece):]
		r, _ := utf8.DecodeRuneInString(piece)
		switch {
		case piece == " ":
			if word.Len() > 0 {
				flush()
			}
			gap++
			before = ' '
			continue
		case columns == 0 || columns > w: // a sequence, or what does not fit anywhere
			if columns == 0 {
				word.WriteString(piece)
			}
			continue
		case word.Len() > 0 && mayBreak(before, r):
			flush()
		}
		word.WriteString(piece)
		wide += columns
		before = r
	}
	flush()
	return append(lines, line.String())
}

// mayBreak tells whether a line may break between two characters without a space.
func mayBreak(before, after rune) bool {
	if strings.ContainsRune(closers, after) || strings.ContainsRune(openers, before) {
		return false
	}
	return breaksAround(before) || breaksAround(after) || before == '-' && unicode.IsLetter(after)
}

// part is a piece of a word, which begins a line or stands behind what is there.
type part struct {
	text   string
	wide   int
	begins bool
}

// hardwrapFrom breaks a word wherever w columns are full, if its line has some already.
func (m Method) hardwrapFrom(s string, at, w int) (parts []part) {
	p := part{begins: at >= w}
	if p.begins {
		at = 0
	}
	for s != "" {
		piece, wide := m.next(s)
		s = s[len(piece):]
		if at+wide > w {
			parts = append(parts, p)
			p, at = part{begins: true}, 0
		}
		p.text += piece
		p.wide, at = p.wide+wide, at+wide
	}
	return append(parts, p)
}

// hardwrap breaks a line wherever w columns are full.
func (m Method) hardwrap(s string, w int) (lines []string) {
	var b strings.Builder
	for at := 0; s != ""; {
		piece, wide := m.next(s)
		s = s[len(piece):]
		if wide > w {
			continue
		}
		if at+wide > w {
			lines = append(lines, b.String())
			b.Reset()
			at = 0
		}
		b.WriteString(piece)
		at += wide
	}
	return append(lines, b.String())
}
