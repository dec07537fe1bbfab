package transcript

import (
	"cmp"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/model/document"
	"hermes-sessions/ui/kit"
)

// codeBlock is a part of a message that can be copied by itself: a block of code or a link
// in the text, the arguments of a tool call, or its result. name and text are safe to draw.
type codeBlock struct {
	name string // its language, "code" where it names none, or what it is: "terminal result"
	text string // without a line break at its end
}

// codeBlocks lists the blocks of the current message in reading order. It is empty for a
// message without any and for one that has not been read yet.
func (s *Screen) codeBlocks() []codeBlock {
	m, results := s.messageAtCursor()
	if m == nil {
		return nil
	}
	if s.rows.Selected%2 == 0 {
		var out []codeBlock
		for _, b := range document.Blocks(m.Content.Text) {
			name := cmp.Or(b.Lang, "code")
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
	if s.pages == nil || s.rows.Len == 0 {
		return nil, nil
	}
	i := s.rows.Selected / 2
	m = s.pages.messages[i]
	for _, j := range s.pages.answers(i) {
		if j < 0 {
			results = append(results, nil)
		} else {
			results = append(results, s.pages.messages[j])
		}
	}
	return m, results
}
