package ui

import (
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/model/document"
)

// codeBlock is a piece of a message that somebody may want by itself: code of
// the prose, or what a tool was given and what it answered. All of it is clean.
type codeBlock struct {
	name string // its language, "code" where it names none, or what it is: "terminal result"
	text string // without a line break at its end
}

// codeBlocks lists the blocks of the current message in reading order, none
// where it has none or has not been read.
func (t *transcript) codeBlocks() []codeBlock {
	m, results := t.under()
	if m == nil {
		return nil
	}
	if t.rows.sel%2 == 0 {
		var out []codeBlock
		for _, b := range document.Blocks(m.Content.Text) {
			name := b.Lang
			if name == "" {
				name = "code"
			}
			if text := strings.Trim(b.Text, "\n"); b.Code && text != "" {
				out = append(out, codeBlock{name, text})
			}
		}
		return out
	}
	var out []codeBlock
	add := func(name, text string) {
		if text = strings.Trim(text, "\n"); strings.TrimSpace(text) != "" {
			out = append(out, codeBlock{name, text})
		}
	}
	for k, c := range m.Calls {
		add(c.Name, readable(c.Arguments))
		if k < len(results) && results[k] != nil {
			add(c.Name+" result", readable(results[k].Content.Text))
		}
	}
	if m.Author() == model.AuthorTool {
		add(strings.TrimSpace(m.ToolName+" result"), readable(m.Content.Text))
	}
	return out
}

// under gives the message that the cursor is on, nil where it has not been
// read, with the results at hand of its calls.
func (t *transcript) under() (m *model.Message, results []*model.Message) {
	if t.pages == nil || t.rows.n == 0 {
		return nil, nil
	}
	i := t.rows.sel / 2
	m = t.pages.held[i]
	for _, j := range t.pages.answers(i) {
		if j < 0 {
			results = append(results, nil)
		} else {
			results = append(results, t.pages.held[j])
		}
	}
	return m, results
}
