package ui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// prompt is a line in which something is typed. Bubbles edits it; it is drawn
// here, because the cursor must stand right behind wide characters too.
type prompt struct{ input textinput.Model }

func newPrompt(text string) prompt {
	in := textinput.New()
	in.Prompt = ""
	in.CharLimit = 2000
	in.SetVirtualCursor(false)
	// Moving and acting on rows have these keys; pasting is the terminal's.
	in.KeyMap.DeleteAfterCursor = key.NewBinding()
	in.KeyMap.DeleteCharacterForward = key.NewBinding(key.WithKeys("delete"))
	in.KeyMap.CharacterBackward = key.NewBinding(key.WithKeys("left"))
	in.KeyMap.Paste = key.NewBinding()
	in.KeyMap.AcceptSuggestion = key.NewBinding()
	in.KeyMap.NextSuggestion = key.NewBinding()
	in.KeyMap.PrevSuggestion = key.NewBinding()
	in.SetValue(CleanLine(text))
	in.CursorEnd()
	in.Focus()
	return prompt{in}
}

func (p *prompt) text() string { return p.input.Value() }
func (p *prompt) empty() bool  { return p.input.Value() == "" }
func (p *prompt) clear()       { p.input.Reset() }

// set puts another text in its place, with the cursor behind it.
func (p *prompt) set(text string) {
	p.input.SetValue(CleanLine(text))
	p.input.CursorEnd()
}

// atEnd reports whether the cursor is behind the last character.
func (p *prompt) atEnd() bool { return p.input.Position() == len([]rune(p.input.Value())) }

// update edits the text and reports whether it has changed. One paste is one
// change.
func (p *prompt) update(msg tea.Msg) bool {
	before := p.input.Value()
	switch m := msg.(type) {
	case tea.PasteMsg:
		msg = tea.PasteMsg{Content: CleanLine(m.Content)}
	case tea.KeyPressMsg:
		m.Text = Clean(m.Text)
		msg = m
	default:
		return false
	}
	p.input, _ = p.input.Update(msg)
	return p.input.Value() != before
}

// draw gives the part of the text around the cursor that fits w columns, and
// the cursor's column in it.
func (p *prompt) draw(w int) (string, int) {
	runes := []rune(p.input.Value())
	pos := min(p.input.Position(), len(runes))
	before, after := string(runes[:pos]), string(runes[pos:])
	if over := ansi.StringWidth(before) - (w - 1); over > 0 {
		// Cut at a third more than needed, so that the text does not move with
		// every key.
		before = ansi.TruncateLeft(before, over+w/3, "")
	}
	col := ansi.StringWidth(before)
	return ansi.Truncate(before+after, max(w, 0), ""), min(col, max(w-1, 0))
}

// sought is what is to be looked for: a text may begin with a space or a
// backslash to begin with a character that would act.
func (p *prompt) sought() string {
	text := strings.TrimSpace(p.input.Value())
	if len(text) > 1 && text[0] == '\\' && strings.ContainsRune("?:/", rune(text[1])) {
		text = text[1:]
	}
	return text
}
