package cells

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Wrap breaks a text into lines of at most w columns: at spaces, and between the
// characters of scripts that are written without them. It breaks no word at a hyphen, which
// may be part of a flag or of a name to type. A word longer than a line is broken where the
// line is full, and a character wider than w is left out.
func (m Method) Wrap(s string, w int) (lines []string) {
	for line := range strings.SplitSeq(s, "\n") {
		lines = append(lines, m.wrapLine(line, max(w, 1))...)
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

// wrapLine breaks one line. Spaces at a break are left out.
func (m Method) wrapLine(s string, w int) (lines []string) {
	var line, word []byte // word is what is not to be broken
	var at, wide, gap int // columns of the line, of the word, and spaces before it
	flush := func() {
		if at == 0 || wide == 0 { // indentation, or the end of the line
			gap = max(0, min(gap, w-at-min(wide, w)))
		}
		switch {
		case wide > w:
			for _, part := range m.hardwrapFrom(string(word), at+gap, w) {
				if part.begins {
					lines = append(lines, string(line))
					line = line[:0]
					at = 0
				} else if gap > 0 && at+gap < w {
					line = append(line, strings.Repeat(" ", gap)...)
					at += gap
				}
				gap = 0
				line = append(line, part.text...)
				at += part.wide
			}
		case at > 0 && at+gap+wide > w:
			lines = append(lines, string(line))
			line = line[:0]
			line = append(line, word...)
			at = wide
		default:
			line = append(append(line, strings.Repeat(" ", gap)...), word...)
			at += gap + wide
		}
		gap, wide = 0, 0
		word = word[:0]
	}
	before := ' '
	for s != "" {
		piece, columns := m.next(s)
		s = s[len(piece):]
		r, _ := utf8.DecodeRuneInString(piece)
		switch {
		case piece == " ":
			if len(word) > 0 {
				flush()
			}
			gap++
			before = ' '
			continue
		case columns == 0 || columns > w: // a sequence, or what does not fit anywhere
			if columns == 0 {
				word = append(word, piece...)
			}
			continue
		case len(word) > 0 && mayBreak(before, r):
			flush()
		}
		word = append(word, piece...)
		wide += columns
		before = r
	}
	flush()
	return append(lines, string(line))
}

// mayBreak tells whether a line may break between two characters without a space.
func mayBreak(before, after rune) bool {
	return (breaksAround(before) || breaksAround(after)) && !strings.ContainsRune(closers, after) && !strings.ContainsRune(openers, before)
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
