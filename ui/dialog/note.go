package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// noteBox asks for the note or the tags of a conversation, or the note on a message.
type noteBox struct {
	sh     shell.Shell
	env    *shell.Env
	q      shell.AskNote
	prompt kit.Prompt
}

// NewNote makes the box, with what is noted already.
func NewNote(sh shell.Shell, q shell.AskNote) *noteBox {
	text := q.On.Note
	if q.Tags {
		text = strings.Join(q.On.Tags, " ")
	}
	return &noteBox{sh: sh, env: sh.Env(), q: q, prompt: kit.NewPrompt(text)}
}

// Update handles typing, and saves on Enter.
func (b *noteBox) Update(msg tea.Msg) (bool, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		b.prompt.Update(msg)
	case tea.KeyPressMsg:
		switch id, _ := b.env.Keys.Match(shell.InDialog, msg); id {
		case shell.Close:
			return true, nil
		case shell.ChooseEntry:
			on := b.env.Annotations.On(b.q.On.Root, b.q.On.Message) // now, which another program may have changed
			on.Title = b.q.On.Title
			if b.q.Tags {
				on.Tags = shell.ParseTags(b.prompt.Text())
			} else {
				on.Note = strings.TrimSpace(b.prompt.Text())
			}
			return true, b.sh.Do(shell.Annotate{Annotation: on})
		}
		b.prompt.Update(msg)
	}
	return false, nil
}

// Box draws the box for a window of w by h.
func (b *noteBox) Box(w, h int) string {
	s := b.sh.Styles()
	inner, tall := inside(w, h)
	wide := min(inner, 72)
	title, help := "Note", "An empty note removes it."
	switch {
	case b.q.Tags:
		title, help = "Tags", "Spaces separate tags; tag:word finds them."
	case b.q.On.Message != 0:
		title = "Note on this message"
	}
	lines := []string{s.Accent.Render(s.Glyphs.Cursor+" ") + b.prompt.DrawField(s, max(wide-2, 2))}
	for _, l := range s.Cells.Wrap(help, wide) {
		lines = append(lines, s.Muted.Render(l))
	}
	if b.q.On.Message == 0 {
		title += " on “" + b.q.On.Title + "”"
	}
	return frame(s, w, h, s.Cells.Truncate(title, wide, s.Glyphs.Ellipsis), lines[:min(len(lines), tall)], saveHints(b.env.Keys)...)
}
