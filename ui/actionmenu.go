package ui

// actionMenu lists what can be done on the screen, with the letters that
// follow Ctrl+X, and the reasons against what can not.
func (r *Root) actionMenu() OpenMenu {
	can := map[Action]Handler{}
	for _, a := range r.can() {
		can[a.Action] = a
	}
	m := OpenMenu{Title: "Do", Toggle: Menu}
	for _, b := range r.opt.Keys.in(r.top().Context()) {
		a, ok := can[b.Action]
		if !ok || b.Letter == "" || !a.offered() {
			continue
		}
		note := a.Why
		if note == "" && len(b.Keys) > 0 {
			note = b.label()
		}
		m.Entries = append(m.Entries, Entry{Letter: b.Letter, Label: r.hintOf(b), Note: note, Why: a.Why, Do: a.Do})
	}
	return m
}
