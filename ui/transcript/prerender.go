package transcript

import tea "charm.land/bubbletea/v2"

// prerendered brings items that were rendered in the background.
type prerendered struct {
	of    *Screen
	drawn map[itemKey]rendered
}

// prerender renders the pages after and before the window in the background, so that the
// next page is finished when the reader turns to it. One such command runs at a time.
func (s *Screen) prerender(first int) tea.Cmd {
	if s.prerendering {
		return nil
	}
	var todo []renderItem
	page := max(12, s.rows.Height/2)
	collect := func(i, dir int) {
		for n := 0; i >= 0 && i < s.rows.Len && n < page; i += dir {
			if p, ok := s.itemAt(i); ok && p.message != nil {
				n++
				if !s.cache.finished(p.key) {
					todo = append(todo, p)
				}
			}
		}
	}
	collect(first, 1) // including rough items in the window
	collect(first-1, -1)
	if len(todo) == 0 {
		return nil
	}
	s.prerendering = true
	r := s.newRenderer()
	return func() tea.Msg {
		out := prerendered{s, make(map[itemKey]rendered, len(todo))}
		for _, p := range todo {
			out.drawn[p.key] = r.render(p)
		}
		return out
	}
}
