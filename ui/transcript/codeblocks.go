package transcript

import (
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/model/document"
	"hermes-sessions/ui/kit"
)

// CodeBlock is a piece of a message that somebody may want by itself: code of
// the prose, or what a tool was given and what it answered. All of it is clean.
type CodeBlock struct {
	Name string // its language, "code" where it names none, or what it is: "terminal result"
	Text string // without a line break at its end
}

// CodeBlocks lists the blocks of the current message in reading order, none
// where it has none or has not been read.
func (t *Screen) CodeBlocks() []CodeBlock {
	m, results := t.messageAtCursor()
	if m == nil {
		return nil
	}
	if t.Rows.Selected%2 == 0 {
		var out []CodeBlock
		for _, b := range document.Blocks(m.Content.Text) {
			name := b.Lang
			if name == "" {
				name = "code"
			}
			if text := strings.Trim(b.Text, "\n"); b.Code && text != "" {
				out = append(out, CodeBlock{name, text})
			}
		}
		return out
	}
	var out []CodeBlock
	add := func(name, text string) {
		if text = strings.Trim(text, "\n"); strings.TrimSpace(text) != "" {
			out = append(out, CodeBlock{name, text})
		}
	}
	for k, c := range m.Calls {
		add(c.Name, kit.FormatJSON(c.Arguments))
		if k < len(results) && results[k] != nil {
			add(c.Name+" result", kit.FormatJSON(results[k].Content.Text))
		}
	}
	if m.Author() == model.AuthorTool {
		add(strings.TrimSpace(m.ToolName+" result"), kit.FormatJSON(m.Content.Text))
	}
	return out
}

// messageAtCursor gives the message that the cursor is on, nil where it has not been
// read, with the results at hand of its calls.
func (t *Screen) messageAtCursor() (m *model.Message, results []*model.Message) {
	if t.Pages == nil || t.Rows.Len == 0 {
		return nil, nil
	}
	i := t.Rows.Selected / 2
	m = t.Pages.Messages[i]
	for _, j := range t.Pages.answers(i) {
		if j < 0 {
			results = append(results, nil)
		} else {
			results = append(results, t.Pages.Messages[j])
		}
	}
	return m, results
}
