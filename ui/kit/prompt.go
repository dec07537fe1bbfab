package kit

import (
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/model/query"
)

// Prompt is a line in which something is typed. Bubbles edits it; it is drawn
// here, because the cursor must stand right behind wide characters too.
type Prompt struct {
	input textinput.Model
	read  struct { // the text as last understood
		text  string
		query query.Query
		begin int // of the query in the text, in bytes
	}
}

func NewPrompt(text string) Prompt {
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
	return Prompt{input: in}
}

// Put replaces the bytes from start to end of the text and leaves the cursor
// behind what came in.
func (p *Prompt) Put(start, end int, text string) {
	v := p.input.Value()
	p.input.SetValue(v[:start] + text + v[end:])
	p.input.SetCursor(len([]rune(v[:start] + text)))
}

// CaretByte gives where the cursor is, in bytes.
func (p *Prompt) CaretByte() int {
	runes := []rune(p.input.Value())
	return len(string(runes[:min(p.input.Position(), len(runes))]))
}

func (p *Prompt) Text() string { return p.input.Value() }
func (p *Prompt) Empty() bool  { return p.input.Value() == "" }
func (p *Prompt) Clear()       { p.input.Reset() }

// Set puts another text in its place, with the cursor behind it.
func (p *Prompt) Set(text string) {
	p.input.SetValue(CleanLine(text))
	p.input.CursorEnd()
}

// AtEnd reports whether the cursor is behind the last character.
func (p *Prompt) AtEnd() bool { return p.input.Position() == len([]rune(p.input.Value())) }

// Update edits the text and reports whether it has changed. One paste is one
// change.
func (p *Prompt) Update(msg tea.Msg) bool {
	before := p.input.Value()
	switch m := msg.(type) {
	case tea.PasteMsg:
		msg = tea.PasteMsg{Content: pasted(m.Content)}
	case tea.KeyPressMsg:
		m.Text = Clean(m.Text)
		msg = m
	default:
		return false
	}
	p.input, _ = p.input.Update(msg)
	return p.input.Value() != before
}

// maxPaste is how much of a paste is looked at, in bytes: more than the line
// holds, whatever the cleaning takes out.
const maxPaste = 16 << 10

// pasted makes one line of a paste. Its outer spaces count, because they part it
// from what is there; the end of a copied line does not.
func pasted(text string) string {
	text = strings.TrimRight(text, "\r\n")
	if len(text) > maxPaste {
		text = strings.ToValidUTF8(text[:maxPaste], "")
	}
	return CleanPiece(text)
}

// Draw gives the part of the text around the cursor that fits w columns, and
// the cursor's column in it.
func (p *Prompt) Draw(w int) (string, int) {
	from, to, col := p.Window(w)
	return p.input.Value()[from:to], col
}

// Window says which part of the text around the cursor fits w columns, in
// bytes, and the cursor's column in it.
func (p *Prompt) Window(w int) (from, to, col int) {
	pos := p.CaretByte()
	before, after := p.input.Value()[:pos], p.input.Value()[pos:]
	if over := ansi.StringWidth(before) - (w - 1); over > 0 {
		// Cut at a third more than needed, so that the text does not move with
		// every key.
		before = ansi.TruncateLeft(before, over+w/3, "")
	}
	from = pos - len(before)
	to = from + len(ansi.Truncate(before+after, max(w, 0), ""))
	return from, to, min(ansi.StringWidth(before), max(w-1, 0))
}

// SearchText is what is to be looked for: a text may begin with a space or a
// backslash to begin with a character that would act. A space behind the last
// word says that it is finished.
func (p *Prompt) SearchText() string {
	text := strings.TrimLeft(p.input.Value(), " ")
	if len(text) > 1 && text[0] == '\\' && strings.ContainsRune("?:/", rune(text[1])) {
		text = text[1:]
	}
	return text
}

// Query is what is to be looked for as a query, and where in the text it
// begins.
func (p *Prompt) Query() (query.Query, int) {
	if text := p.input.Value(); p.read.text != text {
		searched := p.SearchText()
		p.read.text, p.read.begin = text, len(text)-len(searched)
		p.read.query = query.Parse(searched, true)
	}
	return p.read.query, p.read.begin
}
