package transcript

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/document"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// copyMenu offers what can be copied of the message under the cursor, and of
// its conversation.
func (s *Screen) copyMenu() shell.OpenCopyMenu {
	sh := s.sh
	m, _ := s.messageAtCursor()
	why := ""
	if m == nil {
		why, m = "not read yet", &model.Message{}
	}
	text, what := s.copyableText(m)
	if text == "" && why == "" {
		why = "no text"
	}
	message := shell.Entry{Letter: "m", Label: what, Note: kit.TextSize(text), Why: why, Do: func() tea.Cmd { return sh.Do(shell.CopyText{Text: text, What: what + ", " + kit.TextSize(text)}) }}
	if why != "" {
		message.Note = why
	}
	anchor := ""
	if m.ID != 0 {
		anchor = kit.CleanLine(s.Conv.ID) + "#" + strconv.FormatInt(m.ID, 10)
	}
	entries := []shell.Entry{
		message,
		s.pick("b", "code block", s.codeBlocks()),
		s.pick("l", "link", linksOf(text)),
		shell.CopyEntry(sh, "#", "message reference", anchor, "not read yet"),
	}
	return shell.OpenCopyMenu{Toggle: shell.CopyMenu, Entries: entries, Conversation: s.Conv}
}

// copyLetters choose one of several texts.
const copyLetters = "123456789abcdefghijklmnopqrstuvwxyz"

// pick is a menu entry that copies one of several texts: it copies the only one, or opens
// a menu to choose from.
func (s *Screen) pick(letter, label string, texts []codeBlock) shell.Entry {
	switch len(texts) {
	case 0:
		return shell.Entry{Letter: letter, Label: label, Note: "none", Why: "this message has no " + label}
	case 1:
		b := texts[0]
		return shell.Entry{Letter: letter, Label: label, Note: summaryLine(b), Do: func() tea.Cmd { return s.sh.Do(shell.CopyText{Text: b.text, What: summaryLine(b)}) }}
	}
	m := shell.OpenMenu{Title: "Copy which " + label + "?"}
	for i, b := range texts {
		e := shell.Entry{Label: b.name, Note: summaryLine(b), Do: func() tea.Cmd { return s.sh.Do(shell.CopyText{Text: b.text, What: summaryLine(b)}) }}
		if i < len(copyLetters) {
			e.Letter = copyLetters[i : i+1]
		}
		m.Entries = append(m.Entries, e)
	}
	return shell.Entry{Letter: letter, Label: label, Note: kit.Count(len(texts)) + " to choose from", Do: func() tea.Cmd { return s.sh.Do(m) }}
}

// summaryLine describes a text by its first words and its size.
func summaryLine(b codeBlock) string {
	first, _, more := strings.Cut(strings.TrimSpace(b.text), "\n")
	if s := []rune(kit.CleanLine(first)); len(s) > 48 {
		first, more = string(s[:48]), true
	}
	if !more {
		return kit.CleanLine(first)
	}
	return kit.CleanLine(first) + "… (" + kit.TextSize(b.text) + ")"
}

// linksOf returns the web addresses in a text.
func linksOf(text string) (out []codeBlock) {
	for _, l := range document.Links(text) {
		out = append(out, codeBlock{"link", l})
	}
	return out
}

// copyableText returns the text of the item under the cursor and the name of its kind.
func (s *Screen) copyableText(m *model.Message) (text, what string) {
	text, what = m.Content.Text, "message"
	if s.rows.Selected%2 == 1 && m.Author() != model.AuthorTool || text == "" && len(m.Calls) > 0 {
		text, what = "", "tool call"
		for _, c := range m.Calls {
			text += c.Name + "\n" + kit.FormatJSON(c.Arguments) + "\n"
		}
	}
	if text == "" {
		text, what = m.Reasoning, "reasoning"
	}
	return text, what
}

// copyMessage copies the text of the item under the cursor.
func (s *Screen) copyMessage() tea.Cmd {
	m, _ := s.messageAtCursor()
	if m == nil {
		return s.sh.Refuse("not read yet")
	}
	text, what := s.copyableText(m)
	return s.sh.Do(shell.CopyText{Text: text, What: what + ", " + kit.TextSize(text)})
}
