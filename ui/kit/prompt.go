package kit

import (
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model/query"
	"hermes-sessions/theme"
	"hermes-sessions/theme/cells"
)

// Prompt is a one-line text input. Bubbles edits the text; Prompt draws it, because the
// cursor must be in the right column after wide characters too.
type Prompt struct {
	input textinput.Model
	named []query.Named // what @name stands for
	read  struct {      // the text parsed last
		text  string
		query query.Query
		begin int // where the query begins in the text, in bytes
	}
}

// MaxPrompt is how many characters a prompt holds.
const MaxPrompt = 2000

// NewPrompt makes a prompt with a text in it and the cursor at its end.
func NewPrompt(text string) Prompt {
	in := textinput.New()
	in.Prompt = ""
	in.CharLimit = MaxPrompt
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

// CaretByte returns the position of the cursor, in bytes.
func (p *Prompt) CaretByte() int {
	runes := []rune(p.input.Value())
	return len(string(runes[:min(p.input.Position(), len(runes))]))
}

// Text returns the typed text.
func (p *Prompt) Text() string { return p.input.Value() }

// Empty reports whether there is no text.
func (p *Prompt) Empty() bool { return p.input.Value() == "" }

// Clear removes the text.
func (p *Prompt) Clear() { p.input.Reset() }

// Set replaces the text and puts the cursor at its end.
func (p *Prompt) Set(text string) {
	p.input.SetValue(CleanLine(text))
	p.input.CursorEnd()
}

// Name sets the queries that @name stands for.
func (p *Prompt) Name(named []query.Named) {
	p.named = named
	p.read.text = ""
	p.read.query = query.Query{}
	p.read.begin = 0
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
	// Deleting the word after the cursor panics in the library on the last character.
	p.input.KeyMap.DeleteWordForward.SetEnabled(p.input.Position()+1 < len([]rune(p.input.Value())))
	p.input, _ = p.input.Update(msg)
	return p.input.Value() != before
}

// maxPaste is how many bytes of a paste are used: more than the line holds, whatever the
// cleaning removes.
const maxPaste = 16 << 10

// pasted makes one line of a paste. Spaces at its ends stay, because they separate it from
// the text around it; line breaks at its end do not.
func pasted(text string) string {
	text = strings.TrimRight(text, "\r\n")
	if len(text) > maxPaste {
		text = strings.ToValidUTF8(text[:maxPaste], "")
	}
	return cleanPiece(text)
}

// Draw returns the part of the text around the cursor that fits w columns, and
// the cursor's column in it.
func (p *Prompt) Draw(measure cells.Method, w int) (string, int) {
	from, to, col := p.Window(measure, w)
	return p.input.Value()[from:to], col
}

// DrawField draws the part of the text around the cursor in exactly w columns, and marks
// where the next letter goes.
func (p *Prompt) DrawField(s *theme.Styles, w int) string {
	text, col := p.Draw(s.Cells, w)
	before := s.Cells.Truncate(text, col, "")
	line := s.Text.Render(before) + InField + s.Text.Render(text[len(before):])
	return line + strings.Repeat(" ", max(0, w-s.Cells.StringWidth(line)))
}

// Window says which part of the text around the cursor fits w columns, in
// bytes, and the cursor's column in it.
func (p *Prompt) Window(measure cells.Method, w int) (from, to, col int) {
	pos := p.CaretByte()
	before, after := p.input.Value()[:pos], p.input.Value()[pos:]
	if over := measure.StringWidth(before) - (w - 1); over > 0 {
		// Cut by thirds of the room, so that the text does not move with every key.
		third := max(w/3, 1)
		before = measure.TruncateLeft(before, (over+third-1)/third*third, "")
	}
	from = pos - len(before)
	to = from + len(measure.Truncate(before+after, max(w, 0), ""))
	return from, to, min(measure.StringWidth(before), max(w-1, 0))
}

// SearchText returns the text to search for. A leading space or backslash is dropped; it lets
// a text begin with a character that is a key otherwise. A space after the last word
// stays: it says that the word is complete.
func (p *Prompt) SearchText() string {
	text := strings.TrimLeft(p.input.Value(), " ")
	if len(text) > 1 && text[0] == '\\' && strings.ContainsRune("?:/", rune(text[1])) {
		text = text[1:]
	}
	return text
}

// Query returns the text as a query, and the byte of the text at which the query begins.
func (p *Prompt) Query() (query.Query, int) {
	if text := p.input.Value(); p.read.text != text {
		searched := p.SearchText()
		p.read.text, p.read.begin = text, len(text)-len(searched)
		p.read.query = query.ParseNamed(searched, true, p.named)
	}
	return p.read.query, p.read.begin
}
