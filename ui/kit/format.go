package kit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/model"
)

// Pad cuts or fills a text to exactly w columns. A wide character that does
// not fit becomes a space.
func Pad(s string, w int, tail string) string {
	if ansi.StringWidth(s) > w {
		s = ansi.Truncate(s, w, tail)
	}
	return s + strings.Repeat(" ", max(0, w-ansi.StringWidth(s)))
}

// PadLeft cuts or fills a text to exactly w columns, with the text at the right edge.
func PadLeft(s string, w int, tail string) string {
	if ansi.StringWidth(s) > w {
		s = ansi.Truncate(s, w, tail)
	}
	return strings.Repeat(" ", max(0, w-ansi.StringWidth(s))) + s
}

// Wrap breaks a text into lines of at most w columns. A character
// wider than w is left out.
func Wrap(s string, w int) []string {
	w = max(w, 1)
	lines := strings.Split(ansi.Wrap(s, w, ""), "\n")
	for i := 0; i < len(lines); i++ {
		if ansi.StringWidth(lines[i]) <= w {
			continue
		}
		// Behind a space, Wrap may break a column late.
		pieces := strings.Split(ansi.Hardwrap(lines[i], w, true), "\n")
		for k, p := range pieces {
			pieces[k] = ansi.Truncate(p, w, "")
		}
		lines = slices.Replace(lines, i, i+1, pieces...)
		i += len(pieces) - 1
	}
	return lines
}

// Count writes a number with thin spaces between the thousands: 1 204.
func Count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "\u2009" + s[i:]
	}
	return s
}

// Plural writes a number with its noun: "1 hit", "2 hits".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n) + " " + many
}

// Progress writes a position in a text: 12/40.
func Progress(at, of int) string { return fmt.Sprintf("%d/%d", at, of) }

// Flow puts pieces of text beside each other and wraps between them at w columns.
func Flow(pieces []string, w int) (lines []string) {
	line := ""
	for _, p := range pieces {
		if line != "" && ansi.StringWidth(line)+2+ansi.StringWidth(p) > w {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += "  "
		}
		line += p
	}
	return append(lines, line)
}

// Size writes a size: 412 kB.
func Size(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n) + " bytes"
	case n < 1_000_000:
		return strconv.Itoa(n/1000) + " kB"
	}
	return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " MB"
}

// LineCount counts the lines of a text without the line breaks at its end.
func LineCount(s string) int { return strings.Count(strings.TrimRight(s, "\n"), "\n") + 1 }

// TextSize writes the size of a text: in lines, or in characters if it has one line.
func TextSize(text string) string {
	if n := LineCount(text); n > 1 {
		return Plural(n, "line", "lines")
	}
	return Plural(len([]rune(text)), "character", "characters")
}

// ScopeName is the name of a scope inside a sentence.
func ScopeName(sc model.Scope) string {
	switch sc {
	case model.ScopeAutomation:
		return "automation"
	case model.ScopeSubagents:
		return "subagents"
	case model.ScopeArchived:
		return "the archive"
	case model.ScopeAll:
		return "the database"
	}
	return "conversations"
}
