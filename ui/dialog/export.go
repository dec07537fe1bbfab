package dialog

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// redactKey turns the masking of secrets on and off, as the line with this label says.
const (
	redactKey   = "ctrl+r"
	redactLabel = "Redact secrets  "
)

// exportBox asks for the format and the file of an export.
type exportBox struct {
	sh     shell.Shell
	env    *shell.Env
	of     shell.Subjects
	format int // in Formats
	redact bool
	file   kit.Prompt
	drawn  []string // the lines last drawn
}

// formNames are the forms of [shell.Formats] on the screen.
var formNames = []string{"Markdown", "HTML page", "JSON lines"}

// NewExport makes the question for an export of conversations.
func NewExport(sh shell.Shell, of shell.Subjects) *exportBox {
	env, name := sh.Env(), "conversations"
	if len(of.Conversations) == 1 && env.Outside.FileName != nil {
		name = env.Outside.FileName(of.Conversations[0])
	}
	return &exportBox{sh: sh, env: env, of: of, redact: env.Outside.Redact != nil, file: kit.NewPrompt(name + "." + shell.Formats()[0])}
}

// Update handles the choice of the format and the name of the file.
func (b *exportBox) Update(msg tea.Msg) (bool, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		b.file.Update(msg)
		b.follow()
	case tea.KeyPressMsg:
		id, _ := b.env.Keys.Match(shell.InDialog, msg)
		key := msg.String()
		switch {
		case id == shell.Close:
			return true, nil
		case id == shell.ChooseEntry && strings.TrimSpace(b.file.Text()) == "":
			return false, nil
		case id == shell.ChooseEntry:
			return true, b.sh.Do(shell.ExportConversations{Of: b.of, Export: shell.ExportOptions{IDs: b.of.IDs, Format: shell.Formats()[b.format], File: strings.TrimSpace(b.file.Text()), Redact: b.redact}})
		case key == redactKey:
			b.redact = !b.redact
		case key == "tab", id == shell.Down:
			b.turn(1)
		case key == "shift+tab", id == shell.Up:
			b.turn(-1)
		default:
			b.file.Update(msg)
			b.follow()
		}
	}
	return false, nil
}

// turn takes another form; the file's name gets its ending.
func (b *exportBox) turn(by int) {
	was, n := "."+shell.Formats()[b.format], len(shell.Formats())
	b.format = (b.format + by + n) % n
	if base, ok := strings.CutSuffix(b.file.Text(), was); ok {
		b.file.Set(base + "." + shell.Formats()[b.format])
	}
}

// follow takes the form that the ending names.
func (b *exportBox) follow() {
	for i, f := range shell.Formats() {
		if strings.HasSuffix(strings.ToLower(b.file.Text()), "."+f) {
			b.format = i
		}
	}
}

// Box draws the box for a window of w by h.
func (b *exportBox) Box(w, h int) string {
	s := b.sh.Styles()
	inner, tall := inside(w, h)
	var forms []string
	for i, name := range formNames {
		mark := kit.RowMark(s, i == b.format)
		forms = append(forms, s.On(i == b.format, s.Accent).Render(mark+" ")+s.On(i == b.format, s.Text).Render(name+" "))
	}
	lines := kit.Flow(s.Cells, forms, inner)
	if len(lines)+2 > tall { // one of them is enough to know
		lines = []string{s.Cells.Truncate(forms[b.format], inner, s.Glyphs.Ellipsis)}
	}
	lines = append(lines, "", b.field(min(inner, 72)))
	if tall < len(lines) {
		lines = lines[2:] // the name matters most
	}
	mark, state := " ", "off"
	if b.redact {
		mark, state = s.Glyphs.Done, "on"
	}
	if tall > len(lines) {
		lines = append(lines, s.Cells.Truncate(s.Muted.Render(redactLabel)+s.Text.Render(state+" "+mark)+s.Muted.Render(" "+redactKey), inner, s.Glyphs.Ellipsis))
	}
	if help := s.Cells.Wrap("Masks keys, tokens and passwords in known formats, not every secret.", min(inner, 72)); b.redact && tall > len(lines)+len(help) {
		lines = append(lines, "")
		for _, l := range help {
			lines = append(lines, s.Muted.Render(l))
		}
	}
	title := "Export "
	if b.redact { // on a small screen nothing else says so
		title = "Export redacted "
	}
	b.drawn = lines[:min(len(lines), tall)]
	return frame(s, w, h, s.Cells.Truncate(title+b.of.Title(), inner, s.Glyphs.Ellipsis), b.drawn,
		hints(b.env.Keys, "export", "cancel", "tab format")...)
}

// Click takes the form whose name is clicked on, or turns the masking of secrets on and off.
func (b *exportBox) Click(x, y int) (bool, tea.Cmd) {
	if y < 0 || y >= len(b.drawn) {
		return false, nil
	}
	line := ansi.Strip(b.drawn[y])
	if strings.HasPrefix(line, redactLabel) {
		b.redact = !b.redact
	}
	for i, name := range formNames {
		before, _, ok := strings.Cut(line, name)
		if at := b.sh.Styles().Cells.StringWidth(before); ok && x >= at-2 && x < at+len(name) {
			b.turn(i - b.format)
		}
	}
	return false, nil
}

// field draws the name of the file.
func (b *exportBox) field(w int) string {
	s := b.sh.Styles()
	lead := "File  "
	if w < 20 {
		lead = ""
	}
	return s.Muted.Render(lead) + b.file.DrawField(s, max(w-len(lead), 2))
}

// ReplaceMenu asks whether an export may replace a file. Its first entry keeps the file.
func ReplaceMenu(sh shell.Shell, of shell.Subjects, e shell.ExportOptions) shell.OpenMenu {
	again := NewExport(sh, of)
	again.format = slices.Index(shell.Formats(), e.Format)
	again.file = kit.NewPrompt(e.File)
	again.redact = e.Redact
	return shell.OpenMenu{Title: "“" + kit.CleanLine(e.File) + "” already exists", Entries: []shell.Entry{
		{Letter: "o", Label: "choose another name", Do: func() tea.Cmd { return sh.Open(again) }},
		{Letter: "y", Label: "replace the file", Do: func() tea.Cmd {
			e.Replace = true
			return sh.Do(shell.ExportConversations{Of: of, Export: e})
		}},
		{Letter: "n", Label: "cancel", Do: func() tea.Cmd { return nil }},
	}}
}
