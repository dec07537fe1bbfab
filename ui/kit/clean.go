package kit

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"hermes-sessions/model"
	"hermes-sessions/model/prose"
)

// Escapes matches complete terminal sequences. An OSC or DCS without an end does not
// match: removing it would remove the rest of the text too.
var Escapes = regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]" +
	"|\x1b\\][^\x07\x1b\n]*(?:\x07|\x1b\\\\)" +
	"|\x1b[PX^_][^\x1b\n]*\x1b\\\\" +
	"|\x1b[ -/]+[0-~]|\x1b[0-Z\\\\^-~]")

// Clean makes text of unknown origin safe to draw: it comes back as valid
// UTF-8 without terminal sequences, direction marks or control bytes other
// than newline and tab. What is not a whole sequence stays readable, with its
// control bytes drawn as symbols. Clean(Clean(s)) == Clean(s).
func Clean(s string) string {
	if clean(s) {
		return s
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = Escapes.ReplaceAllString(strings.ReplaceAll(s, "\r\n", "\n"), "")
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
		case IsBidiControl(r):
			return -1
		}
		return r
	}, s)
}

// clean reports whether a text needs no cleaning. Nearly every text needs none.
func clean(s string) bool {
	for i := 0; i < len(s); {
		if b := s[i]; b < utf8.RuneSelf {
			if b < 0x20 && b != '\n' && b != '\t' || b == 0x7f {
				return false
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if n == 1 || r < 0xa0 || IsBidiControl(r) {
			return false
		}
		i += n
	}
	return true
}

// IsBidiControl reports whether a character changes the direction of text.
func IsBidiControl(r rune) bool {
	return r == 0x061c || r == 0x200e || r == 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// CleanLine is Clean for one line: every run of white space becomes a space. Its first and
// last characters join with none beside the line, so that it is as wide there as alone.
func CleanLine(s string) string {
	return separate(strings.Join(strings.Fields(Clean(s)), " "))
}

const (
	dottedCircle   = "\u25cc" // carries a mark that has no letter
	zeroWidthSpace = "\u200b" // ends a grapheme cluster
)

// separate keeps a line from forming a grapheme cluster with what is drawn beside it:
// with what is before it by beginning with a combining mark, and with what is behind it
// by ending in a character that belongs to the next one.
func separate(s string) string {
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		if r < 0x300 || !unicode.In(r, unicode.M, unicode.Cf) || unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
			break
		}
		if unicode.Is(unicode.M, r) && !unicode.Is(unicode.Variation_Selector, r) {
			s = dottedCircle + s
			break
		}
		s = strings.TrimLeft(s[n:], " ")
	}
	if r, _ := utf8.DecodeLastRuneInString(s); r >= 0x600 && unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
		s += zeroWidthSpace
	}
	return s
}

// CleanMessage makes all text of a message safe to draw, as [Clean] says. Of
// a line that a program overwrote, only the last state stays. Pictures and files in base64
// become placeholders.
func CleanMessage(m model.Message) model.Message {
	m.Content.Text = model.ReplaceData(m.Content.Text)
	m.Role = CleanLine(m.Role)
	m.ToolName = CleanLine(m.ToolName)
	m.DisplayKind = CleanLine(m.DisplayKind)
	m.DecodeError = CleanLine(m.DecodeError)
	if m.Role == "tool" {
		m.Content.Text = CleanOutput(m.Content.Text)
	} else {
		m.Content.Text = Clean(m.Content.Text)
	}
	m.Reasoning = Clean(m.Reasoning)
	media := make([]model.Attachment, len(m.Content.Media))
	for i, a := range m.Content.Media {
		media[i] = model.Attachment{Kind: CleanLine(a.Kind), Name: CleanLine(a.Name), Type: CleanLine(a.Type), Size: a.Size}
	}
	m.Content.Media = media
	calls := make([]model.ToolCall, len(m.Calls))
	for i, c := range m.Calls {
		calls[i] = model.ToolCall{ID: c.ID, Name: CleanLine(c.Name), Arguments: Clean(model.ReplaceData(c.Arguments))}
	}
	m.Calls = calls
	return m
}

// CleanOutput is Clean for the output of programs: of a line that was overwritten, as a
// progress bar is, only the last state stays.
func CleanOutput(s string) string {
	if strings.Contains(s, "\r") {
		lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
		for i, l := range lines {
			l = strings.TrimRight(l, "\r")
			lines[i] = l[strings.LastIndex(l, "\r")+1:]
		}
		s = strings.Join(lines, "\n")
	}
	return Clean(s)
}

// CleanConversation makes all texts of a conversation safe to draw, in their
// place. Ids stay as stored, because requests use them.
func CleanConversation(c *model.Conversation) {
	c.Title = CleanLine(c.Title)
	c.Preview = CleanLine(prose.Inline(c.Preview))
	c.Model = CleanLine(c.Model)
	c.Source = CleanLine(c.Source)
	c.CWD = CleanLine(c.CWD)
	c.GitBranch = CleanLine(c.GitBranch)
	c.EndReason = CleanLine(c.EndReason)
}

// TitleOf returns the name of a cleaned conversation. substitute reports that it has no
// title and that the name is its preview or its id.
func TitleOf(c *model.Conversation) (title string, substitute bool) {
	switch {
	case c.Title != "":
		return c.Title, false
	case c.Preview != "":
		return c.Preview, true
	}
	return "untitled " + CleanLine(c.ID), true
}

// cleanPiece is CleanLine for a part of a line: a space at either end is kept, and a
// combining mark that belongs to the letter before the part stays as it is.
func cleanPiece(s string) string {
	clean := Clean(s)
	line := strings.Join(strings.Fields(clean), " ")
	space := func(r byte) bool { return r == ' ' || r == '\n' || r == '\t' }
	switch {
	case clean == "":
		return ""
	case line == "":
		return " "
	}
	if space(clean[0]) {
		line = " " + line
	}
	if space(clean[len(clean)-1]) {
		line += " "
	}
	return line
}
