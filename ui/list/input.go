package list

import (
	tea "charm.land/bubbletea/v2"

	"hermes-sessions/ui/shell"
)

// Claims implements [shell.Screen]: what can be typed is typed, and moving in
// the text comes before moving in the list.
func (l *Screen) Claims(msg tea.KeyPressMsg) bool {
	if l.completion.takes(msg) || l.named.number(msg) >= 0 {
		return true
	}
	if len(msg.Text) > 0 {
		return !l.mode.acts(msg, l.prompt.Empty())
	}
	switch msg.Code {
	case tea.KeyRight, tea.KeyDelete:
		return !l.prompt.AtEnd()
	case tea.KeyHome, tea.KeyEnd:
		return !l.prompt.Empty() && !msg.Mod.Contains(tea.ModCtrl)
	}
	return false
}

// typed takes a key that no action took.
func (l *Screen) typed(msg tea.KeyPressMsg) tea.Cmd {
	switch i := l.named.number(msg); {
	case i >= 0:
		return l.named.press(i)
	case l.mode.acting:
		return nil // nothing is typed
	case l.completion.takes(msg):
		return l.completion.press(msg)
	}
	return l.edit(msg)
}

// edit hands input to the prompt.
func (l *Screen) edit(msg tea.Msg) tea.Cmd { return l.edited(l.prompt.Update(msg)) }

// retype replaces what is typed.
func retype(l *Screen, text string) tea.Cmd {
	l.prompt.Put(0, len(l.prompt.Text()), text)
	return l.edited(true)
}

// edited follows the prompt. A query that has changed is asked at once.
func (l *Screen) edited(changed bool) tea.Cmd {
	l.named.follow(&l.filters)
	offers := l.completion.suggest()
	if len(chipLines(l.sh.Styles(), l.remarks(), l.layout.w)) != l.layout.chips {
		l.relayout()
	}
	if !changed {
		return offers
	}
	l.results.chosenByHand, l.results.pending.read = false, ""
	if q := l.question(); q.same(l.fetch.asked) && l.results.err == nil {
		return offers
	}
	return tea.Batch(offers, l.ask(FirstPage))
}

// wheel scrolls the rows, or the preview where the pointer is over it.
func (l *Screen) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	by := shell.Wheel(msg)
	if by == 0 {
		return nil
	}
	if l.layout.pane.Has(msg.X, msg.Y) {
		l.pane.Scroll(by)
		return nil
	}
	if r := &l.results; r.rows.Len > 0 && r.err == nil {
		r.pending.cancel()
		r.rows.Scroll(by)
		r.chosenByHand = true
	}
	return tea.Batch(l.follow(), l.More())
}

// click takes an offer, or chooses a row and opens it with the second click.
func (l *Screen) click(msg tea.MouseClickMsg) tea.Cmd {
	if i := l.completion.at(msg.X, msg.Y); i >= 0 && msg.Button == tea.MouseLeft {
		return l.completion.accept(i)
	}
	r, s := &l.results, l.sh.Styles()
	if msg.Button != tea.MouseLeft {
		return nil
	}
	if l.layout.header && msg.Y == 0 {
		h := newHeadLine(l)
		if h.offer != "" && msg.X >= h.offerX && msg.X < h.offerX+s.Cells.StringWidth("tab "+h.offer) {
			return l.completion.accept(l.completion.sel)
		}
		if a := h.at(s.Cells.StringWidth, r, msg.X); a != "" {
			return l.sh.Do(shell.RunAction{Screen: l, Action: a})
		}
		return nil
	}
	if i := l.named.bar.At(msg.X); l.layout.tabs && msg.Y == 1 && i >= 0 {
		return l.named.open(i)
	}
	if by, ok := orderAt(l.layout, msg.X, msg.Y); ok && r.rows.Len > 0 {
		l.filters.orderBy(by, l.question().Searching())
		return l.ask(FirstPage)
	}
	if !l.layout.rows.Has(msg.X, msg.Y) || r.err != nil {
		return nil
	}
	i, _ := r.rows.At(msg.Y - l.layout.rows.Y)
	if i < 0 {
		return nil
	}
	second := l.clicks.Second(i, l.env.Clock())
	r.chosenByHand = true
	r.pending.cancel()
	r.rows.Move(i)
	if second {
		return l.sh.Do(shell.RunAction{Screen: l, Action: shell.Open})
	}
	return tea.Batch(l.follow(), l.More())
}
