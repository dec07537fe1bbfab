package ui

import (
	"regexp"
	"strings"
)

// escapes are whole terminal sequences. An OSC or DCS that never ends is not
// one: taking it away would swallow the rest of the text.
var escapes = regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]" +
	"|\x1b\\][^\x07\x1b\n]*(?:\x07|\x1b\\\\)" +
	"|\x1b[PX^_][^\x1b\n]*\x1b\\\\" +
	"|\x1b[ -/]+[0-~]|\x1b[0-Z\\\\^-~]")

// Clean makes text of unknown origin safe to draw: it comes back as valid
// UTF-8 without terminal sequences, direction marks or control bytes other
// than newline and tab. What is not a whole sequence stays readable, with its
// control bytes drawn as symbols. Clean(Clean(s)) == Clean(s).
func Clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = escapes.ReplaceAllString(strings.ReplaceAll(s, "\r\n", "\n"), "")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < 0x20:
			return 0x2400 + r // ␀ … ␟
		case r == 0x7f:
			return '␡'
		case r >= 0x80 && r < 0xa0:
			return '\uFFFD'
		case r == 0x061c, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return -1 // direction marks
		}
		return r
	}, s)
}

// CleanLine is Clean for one line: every run of white space becomes a space.
func CleanLine(s string) string { return strings.Join(strings.Fields(Clean(s)), " ") }
