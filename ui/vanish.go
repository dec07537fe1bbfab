package ui

import "hermes-sessions/model"

// A row that is being deleted leaves the list before the database knows, and
// stays away until an answer comes that was asked for after the deletion.

// stillThere is the generation of a row whose deletion has not ended.
const stillThere = 0

// remove takes conversations off the list, and gives their rows.
func (l *list) remove(roots []string) (left []departed) {
	if l.hidden == nil {
		l.hidden = map[string]int{}
	}
	for _, root := range roots {
		l.hidden[root] = stillThere
	}
	left = make([]departed, 0, len(roots))
	here := make(map[string]bool, len(roots))
	l.found = without(l.found, l.hidden, &l.rows.sel, func(i int, it *item) {
		left = append(left, departed{item: *it, answer: l.shown, at: i})
		here[it.RootID] = true
	})
	for _, root := range roots {
		if c, ok := l.marks.picked[root]; ok && !here[root] { // marked and not shown
			left = append(left, departed{item: newItem(&c), answer: asked{}, at: -1})
		}
	}
	l.unmarkRoots(roots)
	l.redraw()
	l.rows.reset(len(l.found.items), l.rows.sel)
	l.rows.reveal()
	l.remark()
	return left
}

// removed says that what made conversations leave the list has ended. Those
// whose tips are left come back, with their marks, and the first of them is current
// again.
func (l *list) removed(of Subjects, left map[string]bool) {
	first := true
	for i, root := range of.Roots {
		if !left[of.IDs[i]] {
			if _, ok := l.hidden[root]; ok {
				l.hidden[root] = l.read.gen + 1 // of the answer that is asked for next
			}
			continue
		}
		delete(l.hidden, root)
		if of.Marked {
			l.marks.put(of.Conversations[i])
		}
		if first {
			first = false
			l.seek(root)
		}
	}
}

// restored shows conversations that came back, and goes to the first of them.
func (l *list) restored(roots []string) {
	for _, root := range roots {
		delete(l.hidden, root)
	}
	if len(roots) > 0 {
		l.seek(roots[0])
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
// place. left is given each row that goes, and where it stood.
func without(f found, hidden map[string]int, sel *int, left func(at int, it *item)) found {
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
			left(i, it)
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
func (l *list) subjects(current model.Conversation) Subjects {
	if len(l.marks.roots) == 0 {
		return only(current)
	}
	s := Subjects{Marked: true}
	for _, root := range l.marks.roots {
		c := l.marks.picked[root]
		s.Roots, s.IDs, s.Titles, s.Conversations = append(s.Roots, root), append(s.IDs, c.ID), append(s.Titles, named(c)), append(s.Conversations, c)
	}
	return s
}
