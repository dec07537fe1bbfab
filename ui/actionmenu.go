package ui

import "hermes-sessions/ui/shell"

// actionMenu lists the actions of the screen with the letters that follow Ctrl+X,
// and the reasons why some are not possible now.
func (r *Root) actionMenu() shell.OpenMenu {
	can := map[shell.Action]shell.Handler{}
	for _, a := range r.can() {
		can[a.Action] = a
	}
	m := shell.OpenMenu{Title: "Actions", Toggle: shell.Menu}
	for _, b := range r.opt.Keys.In(r.top().Context()) {
		a, ok := can[b.Action]
		if !ok || b.Letter == "" || !a.Offered() {
			continue
		}
		note := a.Why
		if note == "" && len(b.Keys) > 0 {
			note = b.KeyLabel()
		}
		m.Entries = append(m.Entries, shell.Entry{Letter: b.Letter, Label: r.hintOf(b), Note: note, Why: a.Why, Do: a.Do})
	}
	return m
}
