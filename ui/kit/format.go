package kit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"hermes-sessions/model"
	"hermes-sessions/theme"
	"hermes-sessions/theme/cells"
)

// MaxCopied is how many bytes of text terminals take into their clipboard: 100,000 in
// base64. Many cut off or drop a longer text silently.
const MaxCopied = 74_994

// Count writes a number with commas between the thousands: 1,204.
func Count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// ShortCount writes a number in at most w columns where that is possible: 1,204 in five,
// 1.2k in four.
func ShortCount(n, w int) string {
	s := Count(n)
	if n < 1000 || len([]rune(s)) <= w {
		return s
	}
	unit, of := "k", 1000.0
	if n >= 1_000_000 {
		unit, of = "M", 1e6
	}
	if s = strconv.FormatFloat(float64(n)/of, 'f', 1, 64) + unit; len(s) <= w {
		return s
	}
	return strconv.FormatFloat(float64(n)/of, 'f', 0, 64) + unit
}

// Plural writes a number with its noun: "1 match", "2 matches".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n) + " " + many
}

// Progress writes a position in a text: 12/40.
func Progress(at, of int) string { return fmt.Sprintf("%d/%d", at, of) }

// Flow puts pieces of text beside each other and wraps between them at w columns.
func Flow(measure cells.Method, pieces []string, w int) (lines []string) {
	line := ""
	for _, p := range pieces {
		if line != "" && measure.StringWidth(line)+2+measure.StringWidth(p) > w {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += "  "
		}
		line += p
	}
	return append(lines, line)
}

// Facts joins the facts that are not empty: "cli · hermes-4-70b · 3d".
func Facts(facts ...string) string {
	return strings.Join(slices.DeleteFunc(facts, func(f string) bool { return f == "" }), " · ")
}

// Fit returns the first of several forms of a text that fits w columns, the last where none
// does.
func Fit(measure cells.Method, w int, forms ...string) string {
	for _, f := range forms {
		if measure.StringWidth(f) <= w {
			return f
		}
	}
	return forms[len(forms)-1]
}

// WithoutClause takes the last clause from a sentence, and a list behind a colon or in
// parentheses as a whole.
// It returns "" where no clause would be left.
func WithoutClause(sentence string) string {
	for _, sep := range []string{"; ", ": ", ", "} {
		if i := strings.LastIndex(sentence, sep); i > 0 && strings.Contains(sentence[:i], " ") {
			if open := strings.LastIndex(sentence[:i], " ("); open > strings.LastIndex(sentence[:i], ")") {
				i = open
			}
			return sentence[:i]
		}
	}
	if i := strings.LastIndex(sentence, " ("); i > 0 && strings.HasSuffix(sentence, ")") {
		return sentence[:i]
	}
	return ""
}

// Clauses returns as many of a sentence's first clauses as w columns have room for, "" where
// there is no room for one: a sentence is not cut elsewhere.
func Clauses(measure cells.Method, sentence string, w int) string {
	for measure.StringWidth(sentence) > w {
		sentence = WithoutClause(sentence)
	}
	return sentence
}

// ShareBar draws a share of a whole as a bar, of which the whole takes w columns.
func ShareBar(s *theme.Styles, share float64, w int) string {
	eighths := int(share * float64(8*w))
	switch {
	case !(share > 0):
		return ""
	case s.Glyphs.Bar == "|": // no characters but ASCII
		return strings.Repeat("#", max(eighths/8, 1))
	}
	eighths = max(eighths, 1)
	return strings.Repeat("█", eighths/8) + []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}[eighths%8]
}

// BarWidth is the width of the bar that shows how far work is, and movingBlock that of the
// block that moves in it where nothing is counted, by one column in every movingPace updates.
const BarWidth, movingBlock, movingPace = 20, 4, 2

// ProgressBar draws a bar of which a part is full, from a column on.
func ProgressBar(s *theme.Styles, at int, part float64) string {
	full := ShareBar(s, part, BarWidth)
	rule := func(n int) string {
		if n == 0 {
			return ""
		}
		return s.Border.Render(strings.Repeat(s.Glyphs.Rule, n))
	}
	return rule(at) + s.Accent.Render(full) + rule(BarWidth-at-s.Cells.StringWidth(full))
}

// MovingBar draws a bar in which a block moves to and fro, updated so many times.
func MovingBar(s *theme.Styles, updates int) string {
	const way = BarWidth - movingBlock
	at := updates / movingPace % (2 * way)
	return ProgressBar(s, min(at, 2*way-at), float64(movingBlock)/BarWidth)
}

// Waiting says in w columns what is being done, such as "reading", with a bar where moves is
// not 0 and there is room.
func Waiting(s *theme.Styles, w int, doing string, moves int) string {
	text := s.Cells.Truncate(s.Spell(doing+"…"), max(w, 1), "")
	if moves == 0 || s.Cells.StringWidth(text)+1+BarWidth > w {
		return s.Faint.Render(text)
	}
	return s.Faint.Render(text+" ") + MovingBar(s, moves)
}

// Size writes a size: 412 kB.
func Size(n int) string { return model.ByteSize(int64(n)) }

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

// Capitalize makes a sentence of a text: it begins with a capital letter, unless its
// first word is a file name, a path or a command, which is as it is.
func Capitalize(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	word, _, _ := strings.Cut(text, " ")
	if first == utf8.RuneError || strings.ContainsAny(strings.TrimRight(word, ".,;:!?"), `./\_`) {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// ModelName is a model without its vendor and the date of its release, which have no room
// in a list.
func ModelName(name string) string {
	name = name[strings.LastIndexByte(name, '/')+1:]
	const date = len("-20260131")
	if at := len(name) - date; at > 0 && strings.HasPrefix(name[at:], "-20") && strings.Trim(name[at+1:], "0123456789") == "" {
		return name[:at]
	}
	return name
}

// Folder is the end of a path, which tells folders apart.
func Folder(path string) string {
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' })
	if len(parts) == 0 {
		return ""
	}
	return parts[len(parts)-1] + "/"
}
