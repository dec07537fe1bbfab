package transcript

import tea "charm.land/bubbletea/v2"

// prerendered brings items that were rendered in the background.
type prerendered struct {
	of    *Screen
	drawn map[ItemKey]rendered
}

// prerender renders the pages after and before the window in the background, so that the
// next page is finished when the reader turns to it. One such command runs at a time.
func (s *Screen) prerender(first int) tea.Cmd {
	if s.Prerendering {
		return nil
	}
	var todo []RenderItem
	page := max(12, s.Rows.Height/2)
	collect := func(i, dir int) {
		for n := 0; i >= 0 && i < s.Rows.Len && n < page; i += dir {
			if p, ok := s.itemAt(i); ok && p.Message != nil {
				n++
				if !s.Cache.finished(p.Key) {
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
	s.Prerendering = true
	r := s.NewRenderer()
	return func() tea.Msg {
		out := prerendered{s, make(map[ItemKey]rendered, len(todo))}
		for _, p := range todo {
			out.drawn[p.Key] = r.Render(p)
		}
		return out
	}
}
