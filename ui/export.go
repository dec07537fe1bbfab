package ui

import (
	"context"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// exportBox asks in which form conversations are to be written, and where.
type exportBox struct {
	root   *Root
	of     subjects
	format int // in Formats
	file   prompt
}

func newExportBox(r *Root, of subjects) *exportBox {
	name := "conversations"
	if len(of.convs) == 1 && r.opt.Outside.FileName != nil {
		name = r.opt.Outside.FileName(of.convs[0])
	}
	return &exportBox{root: r, of: of, file: newPrompt(name + "." + Formats()[0])}
}

func (b *exportBox) update(msg tea.Msg) (bool, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		b.file.update(msg)
		b.follow()
	case tea.KeyPressMsg:
		id, _ := b.root.opt.Keys.match(InDialog, msg)
		switch key := msg.String(); {
		case id == Back:
			return true, nil
		case id == Accept && strings.TrimSpace(b.file.text()) == "":
			return false, nil
		case id == Accept:
			return true, b.root.export(b.of, Exporting{IDs: b.of.ids, Format: Formats()[b.format], File: strings.TrimSpace(b.file.text())})
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

func (b *exportBox) box(w, h int) string {
	s := b.root.styles
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
	s := b.root.styles
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

// export writes behind the screens, and asks first before it replaces a file.
func (r *Root) export(of subjects, e Exporting) tea.Cmd {
	write := r.opt.Outside.Export
	return r.work.add(&job{doing: "exporting " + of.title(), do: func(ctx context.Context, tell func(done, total int)) (func() tea.Cmd, error) {
		out, err := write(ctx, e, tell)
		if errors.Is(err, ErrExists) {
			return func() tea.Cmd { return r.open(newReplaceMenu(r, of, e)) }, nil
		}
		return func() tea.Cmd {
			if err != nil {
				return nil
			}
			return r.say("wrote " + out.File + ", " + bytes(int(out.Bytes)))
		}, err
	}})
}

// newReplaceMenu asks whether a file is to go. What it begins with keeps it.
func newReplaceMenu(r *Root, of subjects, e Exporting) *menu {
	again := newExportBox(r, of)
	again.format = slices.Index(Formats(), e.Format)
	again.file = newPrompt(e.File)
	return &menu{root: r, title: "There is a file “" + CleanLine(e.File) + "”", entries: []entry{
		{letter: "o", label: "take another name", do: func() tea.Cmd { return r.open(again) }},
		{letter: "y", label: "replace the file", do: func() tea.Cmd {
			e.Replace = true
			return r.export(of, e)
		}},
		{letter: "n", label: "leave it, write nothing", do: func() tea.Cmd { return nil }},
	}}
}
