package transcript

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/shell"
)

// jump reads the messages around position i if they are missing, and then calls place.
func (t *Screen) jump(i int, place func()) tea.Cmd {
	around := positions{max(0, i-window/2), min(len(t.Pages.Skeletons), i+window/2)}
	if s, ok := t.Pages.missing(around, i, func(j int) bool { return j == i || t.shows(j) }); ok && !t.failed {
		return t.need(s, func() tea.Cmd { return t.jump(i, place) })
	}
	place()
	return t.moved()
}

// prompt goes to the next message of the user in a direction, reading more messages to
// find it.
func (t *Screen) prompt(dir int) tea.Cmd { return t.promptFrom(t.Rows.Selected/2+dir, dir) }

func (t *Screen) promptFrom(i, dir int) tea.Cmd {
	for ; i >= 0 && i < len(t.Pages.Skeletons); i += dir {
		switch t.Pages.Skeletons[i].Author {
		case model.NoAuthor:
			s := positions{i, min(i+4*window, len(t.Pages.Skeletons))}
			if dir < 0 {
				s = positions{max(0, i+1-4*window), i + 1}
			}
			return t.need(s, func() tea.Cmd { return t.promptFrom(i, dir) })
		case model.AuthorUser:
			return t.jump(i, func() { t.show(2*i, 0, min(1, t.Rows.Height/4)) })
		}
	}
	if dir < 0 {
		return t.sh.Refuse("this is the first prompt")
	}
	return t.sh.Refuse("this is the last prompt")
}

// mouse scrolls with the wheel; a click makes an item current, and folds or unfolds it at a
// fold point.
func (t *Screen) mouse(msg tea.MouseMsg) tea.Cmd {
	if t.Pages == nil || t.err != nil || t.Rows.Len == 0 {
		return nil
	}
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		by := shell.Wheel(msg)
		if by == 0 {
			return nil
		}
		t.Rows.Scroll(by)
		return t.moved()
	case tea.MouseClickMsg:
		y := msg.Y - t.top()
		if msg.Button != tea.MouseLeft || y < 0 || y >= t.Rows.Height {
			return nil
		}
		if cmd, ok := t.prompts.click(msg.X, y); ok {
			return cmd
		}
		item, line := t.Rows.At(y)
		if item < 0 {
			return nil
		}
		t.Rows.Selected = item
		if slices.Contains(t.Render(item).foldPoints, line) {
			t.fold(item)
		}
		return t.moved()
	}
	return nil
}

// Scroll moves the text by a number of lines. It is for a transcript beside another
// screen, which has the keys.
func (t *Screen) Scroll(by int) tea.Cmd {
	if t.Pages == nil || t.Rows.Len == 0 {
		return nil
	}
	t.Rows.Scroll(by)
	return t.moved()
}
