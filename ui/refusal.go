package ui

import (
	"hermes-sessions/ui/dialog"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"

	tea "charm.land/bubbletea/v2"
)

// notDone says why something could not be done, and what helps: in a line where
// that fits, else in a dialog.
func (r *Root) notDone(err error) tea.Cmd {
	text := shell.Reason(err)
	r.toast.fail(text)
	if r.styles.Cells.StringWidth(r.toast.text)+4 <= r.w && r.h >= footerFrom {
		return nil
	}
	r.toast.text = ""
	return r.Open(dialog.NewNotice(r, "Failed", func(w int) []string {
		cause, remedy := shell.Advice(err)
		lines := r.styles.Cells.Wrap(kit.Capitalize(kit.CleanLine(cause)), w)
		if remedy != "" { // on lines of its own, as it may be a command
			lines = append(lines, r.styles.Cells.Wrap(kit.CleanLine(remedy), w)...)
		}
		for i := range lines {
			lines[i] = r.styles.Text.Render(lines[i])
		}
		return lines
	}))
}

// refuse says why something cannot be done: in a line where that fits, else in
// a dialog. The key has changed nothing, so the line goes away by itself.
func (r *Root) refuse(why string) tea.Cmd {
	if why = kit.CleanLine(why); r.styles.Cells.StringWidth(why)+2 <= r.w || len(r.dialogs) > 0 {
		return r.Say(why)
	}
	return r.Open(dialog.NewNotice(r, "Not possible", func(w int) []string {
		lines := r.styles.Cells.Wrap(kit.Capitalize(why), w)
		for i := range lines {
			lines[i] = r.styles.Text.Render(lines[i])
		}
		return lines
	}))
}

// announce says what has happened to the database, until a key is pressed.
func (r *Root) announce(text string) {
	if text != "" {
		r.toast.fail(text)
	}
}
