package ui

import (
	tea "charm.land/bubbletea/v2"
)

// Chosen gives the ids that were decided upon: that of the outcome, or of all
// that were marked where many may be picked.
func (r *Root) Chosen() []string {
	if r.chosen == nil && r.out.ID != "" {
		return []string{r.out.ID}
	}
	return r.chosen
}

// hand ends the program with the ids that a script waits for: the marked ones,
// else the one that is pointed at.
func (r *Root) hand(id string) tea.Cmd {
	if marked := r.list().Marked(); r.opt.Multi && len(marked) > 0 {
		r.chosen, id = marked, marked[0]
	}
	return r.finish(Outcome{ID: id})
}

// height is the height to draw in, of a terminal of h lines.
func (r *Root) height(h int) int {
	if r.opt.Height > 0 {
		h = min(h, r.opt.Height)
	}
	return max(h, 1)
}
