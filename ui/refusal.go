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
	r.toast.fail(shell.Reason(err))
	_, remedy := shell.Advice(err)
	if remedy.Command == "" && r.styles.Cells.StringWidth(r.toast.text)+4 <= r.w && r.h >= footerFrom {
		return nil
	}
	r.toast.text = ""
	return r.Open(r.explanation("Failed", err))
}

// explanation is a dialog that says why something is not done, with the command that helps
// on a line of its own.
func (r *Root) explanation(title string, err error) shell.Dialog {
	return reason(r, title, func(w int) []string { return shell.Explain(r.styles.Cells, err, w) })
}

// reason is a dialog with a sentence, and whatever follows it.
func reason(r *Root, title string, text func(w int) []string) shell.Dialog {
	return dialog.NewNotice(r, title, func(w int) []string {
		lines := text(w)
		lines[0] = kit.Capitalize(lines[0])
		for i := range lines {
			lines[i] = r.styles.Text.Render(lines[i])
		}
		return lines
	})
}

// refuse says why something cannot be done: in a line where that fits, else in
// a dialog. The key has changed nothing, so the line goes away by itself.
func refuse(r *Root, why string) tea.Cmd {
	if r.env.Changes != nil && len(r.dialogs) == 0 {
		err := r.env.Changes.Editable().ReadOnly
		if err != nil && shell.Reason(err) == why {
			if _, remedy := shell.Advice(err); remedy.Command != "" {
				return r.Open(r.explanation("Not possible", err))
			}
		}
	}
	if why = kit.CleanLine(why); r.styles.Cells.StringWidth(why)+2 <= r.w || len(r.dialogs) > 0 {
		return r.Refuse(why)
	}
	return r.Open(reason(r, "Not possible", func(w int) []string { return r.styles.Cells.Wrap(why, w) }))
}

// announce says what has happened to the database, until a key is pressed.
func (r *Root) announce(text string) {
	if text != "" {
		r.toast.fail(text)
	}
}
