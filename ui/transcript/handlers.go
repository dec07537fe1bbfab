package transcript

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/shell"
)

// Handlers lists the actions of a transcript, each with the reason why it is not possible
// now.
func (s *Screen) Handlers() []shell.Handler {
	why := ""
	switch {
	case s.err != nil:
		why = "the conversation could not be read"
	case s.pages == nil:
		why = "still reading the conversation"
	case s.rows.Len == 0:
		why = "the conversation has no messages"
	}
	unread := ""
	if s.err != nil {
		unread = why
	}
	noResults := ""
	if !s.FromList {
		noResults = "this conversation was not opened from the list"
	}
	reading := func(id shell.Action, do func() tea.Cmd) shell.Handler {
		return shell.Handler{Action: id, Why: why, Do: func() tea.Cmd {
			s.then, s.search.seeking = nil, false // this action replaces what waits for messages or hits
			return do()
		}}
	}
	find := reading(shell.Find, s.search.begin)
	if s.pages == nil {
		find.Why = unread
	}
	hit := func(id shell.Action, dir int) shell.Handler {
		h := reading(id, func() tea.Cmd { return s.search.step(dir) })
		if h.Why == "" && s.search.empty() {
			h.Why = "no search yet: " + s.env.Keys.Find(shell.InTranscript, shell.Find).KeyText() + " finds in this conversation"
		}
		return h
	}
	step := func(id shell.Action, do func()) shell.Handler {
		return reading(id, func() tea.Cmd { do(); return s.moved() })
	}
	routes := slices.Concat(shell.ResumeHandlers(s.sh, "", func() string { return s.Conv.ID }),
		shell.OutsideHandlers(s.sh, unread, unread, func() model.Conversation { return s.Conv }, func() shell.Subjects { return shell.Single(s.Conv) }),
		shell.ChangeHandlers(s.sh, "", "", s.Conv, func() shell.Subjects { return shell.Single(s.Conv) }))
	return append(append(routes, noteHandlers(s, why)...), []shell.Handler{
		{Action: shell.Lineage, Do: s.lineage},
		s.parent(why),
		{Action: shell.Back, Do: func() tea.Cmd { return s.sh.Do(shell.CloseScreen{}) }},
		{Action: shell.Reload, Do: s.Start},
		step(shell.Up, func() { s.line(-1) }),
		step(shell.Down, func() { s.line(1) }),
		step(shell.PageUp, func() { s.page(-1) }),
		step(shell.PageDown, func() { s.page(1) }),
		step(shell.HalfUp, func() { s.rows.Scroll(-max(s.rows.Height/2, 1)) }),
		step(shell.HalfDown, func() { s.rows.Scroll(max(s.rows.Height/2, 1)) }),
		reading(shell.First, func() tea.Cmd { return s.jump(0, func() { s.rows.GoToEnd(false) }) }),
		reading(shell.Last, s.toEnd),
		reading(shell.Follow, s.followNow),
		reading(shell.Outline, s.prompts.toggle),
		step(shell.NextMessage, func() { s.message(1) }),
		step(shell.PreviousMessage, func() { s.message(-1) }),
		reading(shell.NextPrompt, func() tea.Cmd { return s.prompt(1) }),
		reading(shell.PreviousPrompt, func() tea.Cmd { return s.prompt(-1) }),
		reading(shell.NextFailure, s.failures.next),
		step(shell.Fold, func() { s.fold(s.rows.Selected) }),
		step(shell.FoldAll, s.foldAll),
		step(shell.Tools, func() { s.refold(func() { s.tools = !s.tools }, true) }),
		step(shell.Reasoning, func() { s.refold(func() { s.reasoning = !s.reasoning }, false) }),
		step(shell.Numbers, func() { s.hold(func() { s.numbered = !s.numbered }) }),
		reading(shell.Wrap, s.toggleWrap),
		reading(shell.GoTo, func() tea.Cmd { s.numberInput.typing = true; s.Resize(s.w, s.h); return nil }),
		reading(shell.Copy, s.copyMessage),
		reading(shell.CopyMenu, func() tea.Cmd { return s.sh.Do(s.copyMenu()) }),
		find,
		hit(shell.NextMatch, 1), hit(shell.PreviousMatch, -1),
		shell.NewHandler(shell.NextConversation, noResults, func() tea.Cmd { return s.walk(1, false) }),
		shell.NewHandler(shell.PreviousConversation, noResults, func() tea.Cmd { return s.walk(-1, false) }),
	}...)
}

// lineage opens the family tree of the conversation at the current segment.
func (s *Screen) lineage() tea.Cmd {
	id := s.Conv.ID
	if s.pages != nil && s.rows.Len > 0 {
		o := s.pages.outline
		for k, start := range o.SegmentStarts {
			if start <= s.rows.Selected/2 && k < len(o.Conversation.Segments) {
				id = o.Conversation.Segments[k]
			}
		}
	}
	return s.sh.Do(shell.OpenLineage{ID: id})
}

// toggleWrap switches long lines of code between cut at the edge and wrapped.
func (s *Screen) toggleWrap() tea.Cmd {
	s.hold(func() { s.chopped = !s.chopped })
	say := "long code lines wrap"
	if s.chopped {
		say = "long code lines are cut off"
	}
	return tea.Batch(s.moved(), s.sh.Say(say))
}
