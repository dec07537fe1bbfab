package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// exportBox asks in which form conversations are to be written, and where.
type exportBox struct {
	sh     Shell
	env    *Env
	of     Subjects
	format int // in Formats
	file   prompt
}

func newExportBox(sh Shell, of Subjects) *exportBox {
	env, name := sh.Env(), "conversations"
	if len(of.Conversations) == 1 && env.Outside.FileName != nil {
		name = env.Outside.FileName(of.Conversations[0])
	}
	return &exportBox{sh: sh, env: env, of: of, file: newPrompt(name + "." + Formats()[0])}
}

func (b *exportBox) Update(msg tea.Msg) (bool, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		b.file.update(msg)
		b.follow()
	case tea.KeyPressMsg:
		id, _ := b.env.Keys.match(InDialog, msg)
		switch key := msg.String(); {
		case id == Back:
			return true, nil
		case id == Accept && strings.TrimSpace(b.file.text()) == "":
			return false, nil
		case id == Accept:
			return true, b.sh.Do(ExportConversations{Of: b.of, Export: Exporting{IDs: b.of.IDs, Format: Formats()[b.format], File: strings.TrimSpace(b.file.text())}})
		case key == "tab", id == Down:
			b.turn(1)
		case key == "shift+tab", id == Up:
			b.turn(-1)
		default:
			b.file.update(msg)
			b.follow()
		}
	}
	return false, nil
}

// turn takes another form; the file's name gets its ending.
func (b *exportBox) turn(by int) {
	was, n := "."+Formats()[b.format], len(Formats())
	b.format = (b.format + by + n) % n
	if base, ok := strings.CutSuffix(b.file.text(), was); ok {
		b.file.set(base + "." + Formats()[b.format])
	}
}

// follow takes the form that the ending names.
func (b *exportBox) follow() {
	for i, f := range Formats() {
		if strings.HasSuffix(strings.ToLower(b.file.text()), "."+f) {
			b.format = i
		}
	}
}

func (b *exportBox) Box(w, h int) string {
	s := b.sh.Styles()
	inner, tall := inside(w, h)
	var forms []string
	for i, name := range []string{"Markdown", "HTML page", "JSON lines"} {
		mark := " "
		if i == b.format {
			mark = s.Glyphs.Cursor
		}
		forms = append(forms, s.On(i == b.format, s.Accent).Render(mark+" ")+s.On(i == b.format, s.Text).Render(name+" "))
	}
	lines := flow(forms, inner)
	if len(lines)+2 > tall { // one of them is enough to know
		lines = []string{ansi.Truncate(forms[b.format], inner, s.Glyphs.Ellipsis)}
	}
	lines = append(lines, "", b.field(min(inner, 72)))
	if tall < len(lines) {
		lines = lines[2:] // the name needs an eye most
	}
	help := wrap("Tab takes another form, Enter writes it. ~ is your home; other names begin where the program was started.", min(inner, 72))
	if tall > len(lines)+len(help) {
		lines = append(lines, "")
		for _, l := range help {
			lines = append(lines, s.Muted.Render(l))
		}
	}
	return frame(s, w, h, ansi.Truncate("Export "+b.of.title(), inner, s.Glyphs.Ellipsis), lines[:min(len(lines), tall)])
}

// field draws the name of the file, with the cursor in it.
func (b *exportBox) field(w int) string {
	s := b.sh.Styles()
	lead := "File  "
	if w < 20 {
		lead = ""
	}
	text, col := b.file.draw(max(w-len(lead), 2))
	before, after := ansi.Truncate(text, col, ""), ansi.TruncateLeft(text, col, "")
	under := ansi.Truncate(after, 1, "")
	if under == "" {
		under = " "
	}
	return s.Muted.Render(lead) + s.Text.Render(before) + s.Text.Reverse(true).Render(under) +
		s.Text.Render(ansi.TruncateLeft(after, ansi.StringWidth(under), ""))
}

// replaceMenu asks whether a file is to go. What it begins with keeps it.
func replaceMenu(sh Shell, of Subjects, e Exporting) OpenMenu {
	again := newExportBox(sh, of)
	again.format = slices.Index(Formats(), e.Format)
	again.file = newPrompt(e.File)
	return OpenMenu{Title: "There is a file “" + CleanLine(e.File) + "”", Entries: []Entry{
		{Letter: "o", Label: "take another name", Do: func() tea.Cmd { return sh.Open(again) }},
		{Letter: "y", Label: "replace the file", Do: func() tea.Cmd {
			e.Replace = true
			return sh.Do(ExportConversations{Of: of, Export: e})
		}},
		{Letter: "n", Label: "leave it, write nothing", Do: func() tea.Cmd { return nil }},
	}}
}
