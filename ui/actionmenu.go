package ui

import (
	"slices"
	"sort"

	"hermes-sessions/ui/shell"
)

// actionMenu lists the actions of the screen with the letters that follow Ctrl+X, in
// three groups; behind them come those that are not possible now, with the reasons.
func (r *Root) actionMenu() shell.OpenMenu {
	return shell.OpenMenu{Title: "Actions", Toggle: shell.More, Entries: actionEntries(r), Again: func() []shell.Entry { return actionEntries(r) }}
}

func actionEntries(r *Root) []shell.Entry {
	can := map[shell.Action]shell.Handler{}
	for _, a := range r.can() {
		can[a.Action] = a
	}
	var entries []shell.Entry
	for _, b := range r.opt.Keys.In(r.top().Context()) {
		a, ok := can[b.Action]
		if !ok || b.Letter == "" || !a.Offered() {
			continue
		}
		note := a.Why
		if note == "" && len(b.Keys) > 0 {
			note = r.styles.Spell(b.KeyLabel())
		}
		entries = append(entries, shell.Entry{Letter: b.Letter, Label: r.hintOf(b), Note: note, Group: menuGroup(b.Action), Why: a.Why, Do: a.Do})
	}
	groups := []string{"Act", "Read", "Find and move"}
	rank := func(e shell.Entry) int {
		if e.Why != "" {
			return len(groups)
		}
		return slices.Index(groups, e.Group)
	}
	sort.SliceStable(entries, func(i, j int) bool { return rank(entries[i]) < rank(entries[j]) })
	return entries
}

// menuGroup returns the group of an action in the menu.
func menuGroup(a shell.Action) string {
	switch shell.GroupOf(a) {
	case shell.Acts:
		return "Act"
	case shell.Reads:
		return "Read"
	}
	return "Find and move"
}
