package list

import (
	"slices"

	"hermes-sessions/model"
	"hermes-sessions/ui/shell"
)

// Remove takes conversations off the list while the database is still being changed, and
// gives their rows. Call [Screen.Removed] when the change has ended; optimistic.go explains
// how these verbs work together.
func (s *Screen) Remove(roots []string) []RemovedRow {
	r := &s.results
	r.optimistic.hide(roots)
	rows := make([]RemovedRow, 0, len(roots))
	here := make(map[string]bool, len(roots))
	r.found = r.optimistic.without(r.found, &r.rows.Selected, func(i int, it *Item) {
		rows = append(rows, RemovedRow{Item: *it, answer: r.shown, at: i})
		here[it.RootID] = true
	})
	for _, root := range roots {
		if c, ok := r.marks.picked[root]; ok && !here[root] { // marked and not shown
			rows = append(rows, rowOf(c))
		}
	}
	r.marks.removeRoots(roots)
	r.reset()
	r.placeMarks()
	return rows
}

// Removed says that the change for which conversations left the list has
// ended. Those whose tips are in remaining come back, with their marks, and the
// first of them becomes the current row.
func (s *Screen) Removed(of shell.Subjects, remaining map[string]bool) {
	r, first := &s.results, true
	for i, root := range of.Roots {
		if !remaining[of.IDs[i]] {
			r.optimistic.removed(root, s.fetch.generation()+1)
			continue
		}
		r.optimistic.show(root)
		if of.Marked {
			r.marks.put(of.Conversations[i])
		}
		if first {
			first = false
			r.pending.seek(root)
		}
	}
}

// Restore shows rows that are being brought back, and goes to the first. Call
// [Screen.EndRestoring] when the change behind it has ended.
func (s *Screen) Restore(rows []RemovedRow) {
	r := &s.results
	if len(rows) == 0 || !r.ready || r.err != nil {
		return
	}
	r.optimistic.restoring = rows
	r.found = r.optimistic.with(r.shown, r.found, r.clock())
	for _, d := range rows {
		if i := slices.IndexFunc(r.found.items, func(it Item) bool { return it.RootID == d.RootID }); i >= 0 {
			r.rows.Selected, r.chosenByHand = i, true
			break
		}
	}
	r.reset()
}

// EndRestoring says that the next answer knows whether the rows are back.
func (s *Screen) EndRestoring() { s.results.optimistic.restoring = nil }

// Restored says that conversations have been brought back, and goes to the
// first of them when it appears.
func (s *Screen) Restored(roots []string) {
	for _, root := range roots {
		s.results.optimistic.show(root)
	}
	if len(roots) > 0 {
		s.results.pending.seek(roots[0])
	}
}

// reset gives the view the rows as they are now, around the current one.
func (r *results) reset() {
	r.lines.clear()
	r.rows.Reset(len(r.found.items), r.rows.Selected)
	r.rows.Reveal()
}

// subjects are what an action of the list is about: the marked conversations,
// or the current one.
func (m *marks) subjects(current model.Conversation) shell.Subjects {
	if len(m.roots) == 0 {
		return shell.Single(current)
	}
	s := shell.Subjects{Marked: true}
	for _, root := range m.roots {
		c := m.picked[root]
		s.Roots = append(s.Roots, root)
		s.IDs = append(s.IDs, c.ID)
		s.Titles = append(s.Titles, shell.ConversationName(c))
		s.Conversations = append(s.Conversations, c)
	}
	return s
}
