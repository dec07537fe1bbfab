package list

import (
	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// Claims implements [shell.Screen]: what can be typed is typed, and moving in
// the text comes before moving in the list.
func (s *Screen) Claims(msg tea.KeyPressMsg) bool {
	if s.completion.takes(msg) || s.named.number(msg) >= 0 {
		return true
	}
	if len(msg.Text) > 0 {
		return !s.mode.acts(msg, s.prompt.Empty())
	}
	switch msg.Code {
	case tea.KeyRight, tea.KeyDelete:
		return !s.prompt.AtEnd()
	case tea.KeyHome, tea.KeyEnd:
		return !s.prompt.Empty() && !msg.Mod.Contains(tea.ModCtrl)
	}
	return false
}

// typed takes a key that no action took.
func (s *Screen) typed(msg tea.KeyPressMsg) tea.Cmd {
	i := s.named.number(msg)
	switch {
	case i >= 0:
		return s.named.press(i)
	case s.mode.acting:
		return nil // nothing is typed
	case s.completion.takes(msg):
		return s.completion.press(msg)
	}
	return s.edit(msg)
}

// edit hands input to the prompt. Of a long paste the line holds what is searched for.
func (s *Screen) edit(msg tea.Msg) tea.Cmd {
	if paste, ok := msg.(tea.PasteMsg); ok {
		msg = tea.PasteMsg{Content: query.Condense(paste.Content, kit.MaxPrompt-len(s.prompt.Text()))}
	}
	return s.edited(s.prompt.Update(msg))
}

// retype replaces what is typed.
func (s *Screen) retype(text string) tea.Cmd {
	s.prompt.Put(0, len(s.prompt.Text()), text)
	return s.edited(true)
}

// edited follows the prompt. A query that has changed is asked at once.
func (s *Screen) edited(changed bool) tea.Cmd {
	s.named.follow(&s.filters)
	offers := s.completion.suggest()
	if len(chipLines(s.sh.Styles(), s.remarks(), s.layout.w)) != s.layout.chips {
		s.relayout()
	}
	if !changed {
		return offers
	}
	s.results.chosenByHand, s.results.pending.then = false, ""
	if q := s.rowsQuery(); q.same(s.fetch.asked) && s.results.err == nil {
		return offers
	}
	return tea.Batch(offers, s.ask(FirstPage))
}

// wheel scrolls the rows, or the preview where the pointer is over it.
func (s *Screen) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	by := shell.Wheel(msg)
	if by == 0 {
		return nil
	}
	if s.layout.pane.Has(msg.X, msg.Y) {
		s.pane.Scroll(by)
		return nil
	}
	if r := &s.results; r.rows.Len > 0 && r.err == nil {
		r.pending.cancel()
		r.rows.Scroll(by)
		r.chosenByHand = true
	}
	return tea.Batch(s.follow(), s.More())
}

// click takes an offer, or chooses a row and opens it with the second click.
func (s *Screen) click(msg tea.MouseClickMsg) tea.Cmd {
	if i := s.completion.at(msg.X, msg.Y); i >= 0 && msg.Button == tea.MouseLeft {
		return s.completion.accept(i)
	}
	r, st := &s.results, s.sh.Styles()
	if msg.Button != tea.MouseLeft {
		return nil
	}
	if s.layout.header && msg.Y == 0 {
		h := newHeadLine(s)
		if a := h.at(st.Cells.StringWidth, r, msg.X); a != "" {
			return s.sh.Do(shell.RunAction{Screen: s, Action: a})
		}
		return nil
	}
	if i := s.named.bar.At(msg.X); s.layout.tabs && msg.Y == 1 && i >= 0 {
		if s.named.bar.Queries[i].Name == s.named.active {
			i = leave
		}
		return s.named.press(i)
	}
	if i := s.chipAt(msg.X, msg.Y); i >= 0 {
		return s.removeChip(i)
	}
	if by, ok := orderAt(s.layout, msg.X, msg.Y); ok && r.rows.Len > 0 {
		s.filters.orderBy(by, s.rowsQuery().searching())
		return s.ask(FirstPage)
	}
	if !s.layout.rows.Has(msg.X, msg.Y) || r.err != nil {
		return nil
	}
	i, line := r.rows.At(msg.Y - s.layout.rows.Y)
	if i < 0 {
		return nil
	}
	if r.furtherBelow(i) && line == len(r.lines.of(i, i == r.rows.Selected))-1 {
		return s.openFurther()
	}
	second := s.clicks.Second(i, s.env.Clock())
	r.chosenByHand = true
	r.pending.cancel()
	r.rows.Move(i)
	if second {
		return s.sh.Do(shell.RunAction{Screen: s, Action: shell.Read})
	}
	return tea.Batch(s.follow(), s.More())
}
