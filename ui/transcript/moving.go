package transcript

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/shell"
)

// jump reads the messages around position i if they are missing, and then calls place.
func (s *Screen) jump(i int, place func()) tea.Cmd {
	around := positions{max(0, i-window/2), min(len(s.pages.skeletons), i+window/2)}
	if span, ok := s.pages.missing(around, i, func(j int) bool { return j == i || s.shows(j) }); ok && !s.failed {
		return s.need(span, func() tea.Cmd { return s.jump(i, place) })
	}
	place()
	return s.moved()
}

// prompt goes to the next message of the user in a direction, reading more messages to
// find it.
func (s *Screen) prompt(dir int) tea.Cmd { return s.promptFrom(s.rows.Selected/2+dir, dir) }

func (s *Screen) promptFrom(i, dir int) tea.Cmd {
	for ; i >= 0 && i < len(s.pages.skeletons); i += dir {
		switch s.pages.skeletons[i].Author {
		case model.NoAuthor:
			span := positions{i, min(i+4*window, len(s.pages.skeletons))}
			if dir < 0 {
				span = positions{max(0, i+1-4*window), i + 1}
			}
			return s.need(span, func() tea.Cmd { return s.promptFrom(i, dir) })
		case model.AuthorUser:
			return s.jump(i, func() { s.show(2*i, 0, min(1, s.rows.Height/4)) })
		}
	}
	if dir < 0 {
		return s.sh.Refuse("this is the first prompt")
	}
	return s.sh.Refuse("this is the last prompt")
}

// mouse scrolls with the wheel; a click makes an item current, and folds or unfolds it at a
// fold point.
func (s *Screen) mouse(msg tea.MouseMsg) tea.Cmd {
	if s.pages == nil || s.err != nil || s.rows.Len == 0 {
		return nil
	}
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		by := shell.Wheel(msg)
		if by == 0 {
			return nil
		}
		s.rows.Scroll(by)
		return s.moved()
	case tea.MouseClickMsg:
		y := msg.Y - s.top()
		if msg.Button != tea.MouseLeft || y < 0 || y >= s.rows.Height {
			return nil
		}
		if cmd, ok := s.prompts.click(msg.X, y); ok {
			return cmd
		}
		item, line := s.rows.At(y)
		if item < 0 {
			return nil
		}
		s.rows.Selected = item
		if slices.Contains(s.render(item).foldPoints, line) {
			s.fold(item)
		}
		return s.moved()
	}
	return nil
}

// Scroll moves the text by a number of lines. It is for a transcript beside another
// screen, which has the keys.
func (s *Screen) Scroll(by int) tea.Cmd {
	if s.pages == nil || s.rows.Len == 0 {
		return nil
	}
	s.rows.Scroll(by)
	return s.moved()
}
