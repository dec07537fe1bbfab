package transcript

import (
	"cmp"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/model/document"
	"hermes-sessions/ui/kit"
)

// CodeBlock is a part of a message that can be copied by itself: a block of code or a link
// in the text, the arguments of a tool call, or its result. Name and Text are safe to draw.
type CodeBlock struct {
	Name string // its language, "code" where it names none, or what it is: "terminal result"
	Text string // without a line break at its end
}

// CodeBlocks lists the blocks of the current message in reading order. It is empty for a
// message without any and for one that has not been read yet.
func (s *Screen) CodeBlocks() []CodeBlock {
	m, results := s.messageAtCursor()
	if m == nil {
		return nil
	}
	if s.Rows.Selected%2 == 0 {
		var out []CodeBlock
		for _, b := range document.Blocks(m.Content.Text) {
			name := cmp.Or(b.Lang, "code")
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

// messageAtCursor returns the message that the cursor is on, nil if it has not been read
// yet, and by call the results that have been read.
func (s *Screen) messageAtCursor() (m *model.Message, results []*model.Message) {
	if s.Pages == nil || s.Rows.Len == 0 {
		return nil, nil
	}
	i := s.Rows.Selected / 2
	m = s.Pages.Messages[i]
	for _, j := range s.Pages.answers(i) {
		if j < 0 {
			results = append(results, nil)
		} else {
			results = append(results, s.Pages.Messages[j])
		}
	}
	return m, results
}
