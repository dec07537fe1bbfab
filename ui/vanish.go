package ui

import (
	"slices"

	"hermes-sessions/model"
)

// A row that is being deleted leaves the list before the database knows, and
// stays away until an answer comes that was asked for after the deletion.

// stillThere is the generation of a row whose deletion has not ended.
const stillThere = 0

// vanish takes conversations off the list.
func (r *Root) vanish(roots []string) {
	l := r.list()
	if l.hidden == nil {
		l.hidden = map[string]int{}
	}
	for _, root := range roots {
		l.hidden[root] = stillThere
	}
	l.unmarkRoots(roots)
	l.found = without(l.found, l.hidden, &l.rows.sel)
	l.redraw()
	l.rows.reset(len(l.found.items), l.rows.sel)
	l.rows.reveal()
	l.remark()
}

// vanished says that what made conversations leave the list has ended. Those
// whose tips are left come back, with their marks, and the first of them is current
// again.
func (r *Root) vanished(of subjects, left map[string]bool) {
	l := r.list()
	first := true
	for i, root := range of.roots {
		if !left[of.ids[i]] {
			if _, ok := l.hidden[root]; ok {
				l.hidden[root] = l.read.gen + 1 // of the answer that is asked for next
			}
			continue
		}
		delete(l.hidden, root)
		if of.marked {
			l.marks.put(of.convs[i])
		}
		if first {
			first, l.sought = false, root
		}
	}
}

// list is the screen of conversations, which is always below the others.
func (r *Root) list() *list { return r.screens[0].(*list) }

// reappear shows conversations that came back, and goes to the first of them.
func (r *Root) reappear(roots []string) {
	l := r.list()
	for _, root := range roots {
		delete(l.hidden, root)
	}
	if len(roots) > 0 {
		l.sought = roots[0]
	}
}

// forgetHidden lets go of rows whose deletion an answer already knows.
func (l *list) forgetHidden(gen int) {
	for root, from := range l.hidden {
		if from != stillThere && gen >= from {
			delete(l.hidden, root)
		}
	}
}

// without takes rows out of an answer; a heading moves on to the next row
// below it. sel keeps pointing to the same row, or to the one that took its
// place.
func without(f found, hidden map[string]int, sel *int) found {
	if len(hidden) == 0 {
		return f
	}
	kept := f.items[:0]
	heading, before := "", 0
	for i := range f.items {
		it := &f.items[i]
		if it.heading != "" {
			heading = it.heading
		}
		if _, gone := hidden[it.RootID]; gone {
			f.total--
			f.hits = max(0, f.hits-it.hits)
			if i < *sel {
				before++
			}
			continue
		}
		if len(kept) < i || it.heading != "" {
			it.heading = ""
			if heading != "" {
				it.heading = heading
			}
		}
		heading = ""
		kept = append(kept, *it)
	}
	clear(f.items[len(kept):])
	f.items = kept
	*sel = max(0, min(*sel-before, len(kept)-1))
	return f
}

// subjects are what an action of the list is about: the marked conversations,
// or the current one.
func (l *list) subjects(current model.Conversation) subjects {
	if len(l.marks.roots) == 0 {
		return only(current)
	}
	s := subjects{marked: true}
	for _, root := range l.marks.roots {
		c := l.marks.picked[root]
		s.roots, s.ids, s.titles, s.convs = append(s.roots, root), append(s.ids, c.ID), append(s.titles, named(c)), append(s.convs, c)
	}
	return s
}

// expect shows rows of conversations that are being brought back before the
// database has them; they stay until an answer comes that knows them, or until
// they could not be brought back.
func (l *list) expect(convs []model.Conversation) {
	if len(convs) == 0 || !l.ready || l.err != nil || l.shown.searching() {
		return
	}
	l.coming = convs
	f := l.withComing(l.shown, l.found)
	l.found = f
	if i := slices.IndexFunc(f.items, func(it item) bool { return it.RootID == convs[0].RootID }); i >= 0 {
		l.rows.sel, l.aimed = i, true
	}
	l.redraw()
	l.rows.reset(len(f.items), l.rows.sel)
	l.rows.reveal()
}

// withComing adds the rows that are expected and that an answer does not have.
func (l *list) withComing(a asked, f found) found {
	if len(l.coming) == 0 || a.searching() || a.list.Sort != model.ByActivity {
		return f
	}
	have := make(map[string]bool, len(f.items))
	for i := range f.items {
		have[f.items[i].RootID] = true
	}
	items := slices.Clone(f.items)
	for _, c := range l.coming {
		if !have[c.RootID] && a.list.Shows(c.Scope) {
			items = append(items, newItem(c))
			f.total++
		}
	}
	slices.SortStableFunc(items, func(x, y item) int { return y.LastActive.Compare(x.LastActive) })
	for i := range items {
		items[i].heading = ""
	}
	arrange(items, a, model.NewCalendar(l.root.opt.Clock()))
	f.items = items
	return f
}
