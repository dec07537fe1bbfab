package transcript

import (
	"cmp"
	"strings"

	"github.com/charmbracelet/x/ansi"

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
		return blocksOf(m.Content.Text)
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

// blocksOf lists the blocks of code in a text.
func blocksOf(text string) (out []codeBlock) {
	for _, b := range document.Blocks(text) {
		if text := strings.Trim(b.Text, "\n"); b.Code && text != "" {
			out = append(out, codeBlock{cmp.Or(b.Lang, "code"), text})
		}
	}
	return out
}

// nameCode names the blocks of code in a text at the right of their first lines, as the menu
// of copies does. The text is drawn in the lines from a line on.
func (buf *buffer) nameCode(from int, text string) {
	if !buf.copies || !strings.Contains(text, "```") && !strings.Contains(text, "~~~") {
		return
	}
	blocks := blocksOf(text)
	for k, b := range blocks {
		first, _, _ := strings.Cut(b.text, "\n")
		first = squeezed(first)
		for i := from; i < len(buf.lines); i++ {
			plain := strings.TrimRight(ansi.Strip(buf.lines[i]), " ")
			if !strings.HasPrefix(plain, "  ") || squeezed(plain) != first {
				continue
			}
			name := kit.CleanLine(b.name)
			if len(blocks) > 1 && k < len(copyLetters) {
				name += " " + copyLetters[k:k+1]
			}
			wide := buf.styles.Cells.StringWidth(plain)
			if gap := buf.width - wide - buf.styles.Cells.StringWidth(name); gap >= 2 {
				buf.lines[i] = buf.styles.Cells.Truncate(buf.lines[i], wide, "") + strings.Repeat(" ", gap) + buf.styles.Faint.Render(name)
			}
			from = i + 1
			break
		}
	}
}

// squeezed returns a text without white space.
func squeezed(text string) string { return strings.Join(strings.Fields(text), "") }

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
