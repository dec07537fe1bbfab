package ui

import (
	"cmp"
	"slices"

	"hermes-sessions/ui/shell"
)

// actionMenu lists what can be done on the screen now, with the letters that follow the key of
// the menu, in groups. What cannot be done, only moves or is seldom asked for is found by its
// name; its letter works.
func (r *Root) actionMenu() shell.OpenMenu {
	shown, hidden := actionEntries(r)
	return shell.OpenMenu{
		Title: "Actions", Toggle: shell.More, Entries: shown, Hidden: hidden,
		Hint:  r.opt.Keys.Find(r.top().Context(), shell.Commands).KeyText() + " all by name",
		Again: func() (shown, hidden []shell.Entry) { return actionEntries(r) },
	}
}

func actionEntries(r *Root) (shown, hidden []shell.Entry) {
	can := map[shell.Action]shell.Handler{}
	for _, a := range r.can() {
		can[a.Action] = a
	}
	rows := r.opt.Keys.In(r.top().Context())
	slices.SortStableFunc(rows, func(a, b shell.Binding) int { return cmp.Compare(shell.GroupOf(a.Action), shell.GroupOf(b.Action)) })
	for _, b := range rows {
		a, ok := can[b.Action]
		letters, listed := b.Letters()
		if !ok || len(letters) == 0 || !a.Offered() {
			continue
		}
		e := shell.Entry{Letter: letters[0], Label: r.hintOf(b), Group: shell.GroupOf(b.Action).String(), Why: a.Why, Do: a.Do}
		if len(b.Keys) > 0 && b.Keys[0] != e.Letter {
			e.Note = r.styles.Spell(b.KeyText())
		}
		if listed && a.Why == "" {
			shown, letters = append(shown, e), letters[1:]
		}
		for _, e.Letter = range letters {
			hidden = append(hidden, e)
		}
	}
	return shown, hidden
}
