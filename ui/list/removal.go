package list

import (
	"hermes-sessions/model"
	"hermes-sessions/ui/shell"
)

// A row that is being deleted leaves the list before the database knows, and
// stays away until an answer comes that was asked for after the deletion.

// deletePending is the generation of a row whose deletion has not ended.
const deletePending = 0

// Remove takes conversations off the list, and gives their rows.
func (l *Screen) Remove(roots []string) (left []RemovedRow) {
	if l.Hidden == nil {
		l.Hidden = map[string]int{}
	}
	for _, root := range roots {
		l.Hidden[root] = deletePending
	}
	left = make([]RemovedRow, 0, len(roots))
	here := make(map[string]bool, len(roots))
	l.Found = without(l.Found, l.Hidden, &l.Rows.Selected, func(i int, it *Item) {
		left = append(left, RemovedRow{Item: *it, answer: l.Shown, at: i})
		here[it.RootID] = true
	})
	for _, root := range roots {
		if c, ok := l.Marks.picked[root]; ok && !here[root] { // marked and not shown
			left = append(left, RemovedRow{Item: NewItem(&c), answer: ListQuery{}, at: -1})
		}
	}
	l.UnmarkRoots(roots)
	l.redraw()
	l.Rows.Reset(len(l.Found.Items), l.Rows.Selected)
	l.Rows.Reveal()
	l.remark()
	return left
}

// Removed says that what made conversations leave the list has ended. Those
// whose tips are left come back, with their marks, and the first of them is current
// again.
func (l *Screen) Removed(of shell.Subjects, left map[string]bool) {
	first := true
	for i, root := range of.Roots {
		if !left[of.IDs[i]] {
			if _, ok := l.Hidden[root]; ok {
				l.Hidden[root] = l.read.Generation + 1 // of the answer that is asked for next
			}
			continue
		}
		delete(l.Hidden, root)
		if of.Marked {
			l.Marks.put(of.Conversations[i])
		}
		if first {
			first = false
			l.setPending(root)
		}
	}
}

// Restored shows conversations that came back, and goes to the first of them.
func (l *Screen) Restored(roots []string) {
	for _, root := range roots {
		delete(l.Hidden, root)
	}
	if len(roots) > 0 {
		l.setPending(roots[0])
	}
}

// forgetHidden lets go of rows whose deletion an answer already knows.
func (l *Screen) forgetHidden(gen int) {
	for root, from := range l.Hidden {
		if from != deletePending && gen >= from {
			delete(l.Hidden, root)
		}
	}
}

// without takes rows out of an answer; a heading moves on to the next row
// below it. sel keeps pointing to the same row, or to the one that took its
// place. left is given each row that goes, and where it stood.
func without(f ListAnswer, hidden map[string]int, sel *int, left func(at int, it *Item)) ListAnswer {
	if len(hidden) == 0 {
		return f
	}
	kept := f.Items[:0]
	heading, before := "", 0
	for i := range f.Items {
		it := &f.Items[i]
		if it.Heading != "" {
			heading = it.Heading
		}
		if _, gone := hidden[it.RootID]; gone {
			left(i, it)
			f.Total--
			f.hits = max(0, f.hits-it.Hits)
			if i < *sel {
				before++
			}
			continue
		}
		if len(kept) < i || it.Heading != "" {
			it.Heading = ""
			if heading != "" {
				it.Heading = heading
			}
		}
		heading = ""
		kept = append(kept, *it)
	}
	clear(f.Items[len(kept):])
	f.Items = kept
	*sel = max(0, min(*sel-before, len(kept)-1))
	return f
}

// subjects are what an action of the list is about: the marked conversations,
// or the current one.
func (l *Screen) subjects(current model.Conversation) shell.Subjects {
	if len(l.Marks.Roots) == 0 {
		return shell.Single(current)
	}
	s := shell.Subjects{Marked: true}
	for _, root := range l.Marks.Roots {
		c := l.Marks.picked[root]
		s.Roots, s.IDs, s.Titles, s.Conversations = append(s.Roots, root), append(s.IDs, c.ID), append(s.Titles, shell.ConversationName(c)), append(s.Conversations, c)
	}
	return s
}
