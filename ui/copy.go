package ui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/document"
)

// copyMenu offers what can be copied of the message under the cursor, and of
// its conversation.
func (t *transcript) copyMenu() OpenCopyMenu {
	sh := t.sh
	m, _ := t.under()
	why := ""
	if m == nil {
		why, m = "it has not been read yet", &model.Message{}
	}
	text, what := t.said(m)
	if text == "" && why == "" {
		why = "it has no text"
	}
	message := Entry{Letter: "m", Label: what, Note: sized(text), Why: why, Do: func() tea.Cmd { return sh.Do(CopyText{Text: text, What: what + ", " + sized(text)}) }}
	if why != "" {
		message.Note = why
	}
	anchor := ""
	if m.ID != 0 {
		anchor = CleanLine(t.conv.ID) + "#" + strconv.FormatInt(m.ID, 10)
	}
	entries := []Entry{
		message,
		t.pick("b", "code block", t.codeBlocks()),
		t.pick("l", "link", linksOf(text)),
		copyEntry(sh, "#", "place of the message", anchor, "it has not been read yet"),
	}
	return OpenCopyMenu{Toggle: CopyMenu, Entries: entries, Conversation: t.conv}
}

// pick is an entry for one of several texts: the only one, or a menu of them.
func (t *transcript) pick(letter, label string, texts []codeBlock) Entry {
	switch len(texts) {
	case 0:
		return Entry{Letter: letter, Label: label, Note: "it has none", Why: "this message has no " + label}
	case 1:
		b := texts[0]
		return Entry{Letter: letter, Label: label, Note: glimpse(b), Do: func() tea.Cmd { return t.sh.Do(CopyText{Text: b.text, What: glimpse(b)}) }}
	}
	const letters = "123456789abcdefghijklmnopqrstuvwxyz"
	m := OpenMenu{Title: "Copy which " + label + "?"}
	for i, b := range texts {
		e := Entry{Label: b.name, Note: glimpse(b), Do: func() tea.Cmd { return t.sh.Do(CopyText{Text: b.text, What: glimpse(b)}) }}
		if i < len(letters) {
			e.Letter = letters[i : i+1]
		}
		m.Entries = append(m.Entries, e)
	}
	return Entry{Letter: letter, Label: label, Note: count(len(texts)) + " of them", Do: func() tea.Cmd { return t.sh.Do(m) }}
}

// glimpse tells a text by its first words and its size.
func glimpse(b codeBlock) string {
	first, _, more := strings.Cut(strings.TrimSpace(b.text), "\n")
	if s := []rune(CleanLine(first)); len(s) > 48 {
		first, more = string(s[:48]), true
	}
	if !more {
		return CleanLine(first)
	}
	return CleanLine(first) + "… (" + sized(b.text) + ")"
}

// linksOf gives the addresses in a text.
func linksOf(text string) (out []codeBlock) {
	for _, l := range document.Links(text) {
		out = append(out, codeBlock{"link", l})
	}
	return out
}

// said is the text of the part under the cursor, and what it is.
func (t *transcript) said(m *model.Message) (text, what string) {
	text, what = m.Content.Text, "message"
	if t.rows.sel%2 == 1 && m.Author() != model.AuthorTool || text == "" && len(m.Calls) > 0 {
		text, what = "", "tool call"
		for _, c := range m.Calls {
			text += c.Name + "\n" + readable(c.Arguments) + "\n"
		}
	}
	if text == "" {
		text, what = m.Reasoning, "reasoning"
	}
	return text, what
}

// copyMessage copies what the part under the cursor says.
func (t *transcript) copyMessage() tea.Cmd {
	m, _ := t.under()
	if m == nil {
		return t.sh.Say("this message has not been read yet")
	}
	text, what := t.said(m)
	return t.sh.Do(CopyText{Text: text, What: what + ", " + sized(text)})
}
