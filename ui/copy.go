package ui

import (
	"context"
	"encoding/base64"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
)

// mostCopied is how many bytes terminals take: 100,000 in their spelling.
// More is cut off or dropped by many, without a word.
const mostCopied = 74_994

// copied says whether a text has come to the clipboard.
type copied struct {
	text, what string
	err        error
}

// copy puts text into the clipboard and says so: through the terminal, which
// does not tell whether it took it, so neither do we.
func (r *Root) copy(text, what string) tea.Cmd {
	if strings.TrimSpace(text) == "" {
		return r.say("there is no text to copy")
	}
	if len(text) > mostCopied {
		return r.say(what + " is too large to copy: " + bytes(len(text)) + ", and terminals take " + bytes(mostCopied) +
			"; the editor, the pager or an export give it whole")
	}
	put := r.opt.Outside.Clipboard
	if put == nil {
		return tea.Batch(tea.SetClipboard(text), r.say("sent to the terminal's clipboard: "+what))
	}
	ctx := r.ctx
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, heldFor*20)
		defer cancel()
		return copied{text, what, put(ctx, text)}
	}
}

// landCopy tells of it. Where the other way fails, the terminal is asked, once
// for us and once past a multiplexer that would keep it to itself.
func (r *Root) landCopy(c copied) tea.Cmd {
	if c.err == nil {
		return r.say("copied: " + c.what)
	}
	past := "\x1bPtmux;\x1b\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(c.text)) + "\a\x1b\\"
	return tea.Batch(tea.SetClipboard(c.text), tea.Raw(past), r.say("sent to the terminal's clipboard: "+c.what))
}

// copyEntry is a line of a copy menu; missing says why there is nothing.
func (r *Root) copyEntry(letter, label, text, missing string) entry {
	e := entry{letter: letter, label: label, note: text, do: func() tea.Cmd { return r.copy(text, text) }}
	if text == "" {
		e.note, e.why = missing, missing
	}
	return e
}

// factEntries are what can be copied of any conversation.
func (r *Root) factEntries(c model.Conversation) []entry {
	return []entry{
		r.copyEntry("i", "id", CleanLine(c.ID), "it has none"),
		r.copyEntry("c", "resume command", r.opt.Command(c.ID), "there is none"),
		r.copyEntry("t", "title", CleanLine(c.Title), "it has none"),
		r.copyEntry("f", "folder", CleanLine(c.CWD), "it is not known"),
	}
}

// newCopyMenu offers what can be copied of a conversation.
func newCopyMenu(r *Root, c model.Conversation) *menu {
	return &menu{root: r, title: "Copy", toggle: Copy, entries: r.factEntries(c)}
}

// newCopyMenu offers what can be copied of the message under the cursor, and of
// its conversation.
func (t *transcript) newCopyMenu() *menu {
	r := t.root
	m, _ := t.under()
	why := ""
	if m == nil {
		why, m = "it has not been read yet", &model.Message{}
	}
	text, what := t.said(m)
	if text == "" && why == "" {
		why = "it has no text"
	}
	message := entry{letter: "m", label: what, note: sized(text), why: why, do: func() tea.Cmd { return r.copy(text, what+", "+sized(text)) }}
	if why != "" {
		message.note = why
	}
	anchor := ""
	if m.ID != 0 {
		anchor = CleanLine(t.conv.ID) + "#" + strconv.FormatInt(m.ID, 10)
	}
	entries := []entry{
		message,
		r.pick("b", "code block", t.codeBlocks()),
		r.pick("l", "link", linksOf(text)),
		r.copyEntry("#", "place of the message", anchor, "it has not been read yet"),
	}
	return &menu{root: r, title: "Copy", toggle: CopyMenu, entries: append(entries, r.factEntries(t.conv)...)}
}

// pick is an entry for one of several texts: the only one, or a menu of them.
func (r *Root) pick(letter, label string, texts []codeBlock) entry {
	switch len(texts) {
	case 0:
		return entry{letter: letter, label: label, note: "it has none", why: "this message has no " + label}
	case 1:
		b := texts[0]
		return entry{letter: letter, label: label, note: glimpse(b), do: func() tea.Cmd { return r.copy(b.text, glimpse(b)) }}
	}
	const letters = "123456789abcdefghijklmnopqrstuvwxyz"
	m := &menu{root: r, title: "Copy which " + label + "?"}
	for i, b := range texts {
		e := entry{label: b.name, note: glimpse(b), do: func() tea.Cmd { return r.copy(b.text, glimpse(b)) }}
		if i < len(letters) {
			e.letter = letters[i : i+1]
		}
		m.entries = append(m.entries, e)
	}
	return entry{letter: letter, label: label, note: count(len(texts)) + " of them", do: func() tea.Cmd { return r.open(m) }}
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

func sized(text string) string {
	if n := lineCount(text); n > 1 {
		return some(n, "line", "lines")
	}
	return some(len([]rune(text)), "character", "characters")
}

// linksOf gives the addresses in a text.
func linksOf(text string) (out []codeBlock) {
	for _, l := range model.Links(text) {
		out = append(out, codeBlock{"link", l})
	}
	return out
}

// said is the text of the part under the cursor, and what it is.
func (t *transcript) said(m *model.Message) (text, what string) {
	text, what = m.Content.Text, "message"
	if t.rows.sel%2 == 1 && m.Speaker() != model.Tool || text == "" && len(m.Calls) > 0 {
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
		return t.root.say("this message has not been read yet")
	}
	text, what := t.said(m)
	return t.root.copy(text, what+", "+sized(text))
}
