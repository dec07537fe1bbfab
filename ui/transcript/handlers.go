package transcript

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/shell"
)

// Handlers lists the actions of a transcript, each with the reason why it is not possible
// now.
func (t *Screen) Handlers() []shell.Handler {
	why := ""
	switch {
	case t.err != nil:
		why = "the conversation could not be read"
	case t.Pages == nil:
		why = "still reading the conversation"
	case t.Rows.Len == 0:
		why = "the conversation has no messages"
	}
	unread := ""
	if t.err != nil {
		unread = why
	}
	noResults := ""
	if !t.FromList {
		noResults = "this conversation was not opened from the list"
	}
	reading := func(id shell.Action, do func() tea.Cmd) shell.Handler {
		return shell.Handler{Action: id, Why: why, Do: func() tea.Cmd {
			t.then, t.Search.seeking = nil, false // this action replaces what waits for messages or hits
			return do()
		}}
	}
	find := reading(shell.Find, t.Search.begin)
	if t.Pages == nil {
		find.Why = unread
	}
	step := func(id shell.Action, do func()) shell.Handler {
		return reading(id, func() tea.Cmd { do(); return t.moved() })
	}
	routes := slices.Concat(shell.ResumeHandlers(t.sh, "", func() string { return t.Conv.ID }),
		shell.OutsideHandlers(t.sh, unread, unread, func() model.Conversation { return t.Conv }, func() shell.Subjects { return shell.Single(t.Conv) }),
		shell.ChangeHandlers(t.sh, "", "", t.Conv, func() shell.Subjects { return shell.Single(t.Conv) }))
	return append(append(routes, noteHandlers(t, why)...), []shell.Handler{
		{Action: shell.Lineage, Do: t.lineage},
		{Action: shell.Back, Do: func() tea.Cmd { return t.sh.Do(shell.CloseScreen{}) }},
		{Action: shell.Refresh, Do: t.Start},
		step(shell.Up, func() { t.line(-1) }),
		step(shell.Down, func() { t.line(1) }),
		step(shell.PageUp, func() { t.page(-1) }),
		step(shell.PageDown, func() { t.page(1) }),
		step(shell.HalfUp, func() { t.Rows.Scroll(-max(t.Rows.Height/2, 1)) }),
		step(shell.HalfDown, func() { t.Rows.Scroll(max(t.Rows.Height/2, 1)) }),
		reading(shell.First, func() tea.Cmd { return t.jump(0, func() { t.Rows.GoToEnd(false) }) }),
		reading(shell.Last, t.toEnd),
		reading(shell.Follow, t.followNow),
		reading(shell.Outline, t.prompts.toggle),
		step(shell.NextMessage, func() { t.message(1) }),
		step(shell.PreviousMessage, func() { t.message(-1) }),
		reading(shell.NextPrompt, func() tea.Cmd { return t.prompt(1) }),
		reading(shell.PreviousPrompt, func() tea.Cmd { return t.prompt(-1) }),
		reading(shell.NextFailure, t.failures.next),
		step(shell.Fold, func() { t.fold(t.Rows.Selected) }),
		step(shell.FoldAll, t.foldAll),
		step(shell.Tools, func() { t.refold(func() { t.Tools = !t.Tools }, true) }),
		step(shell.Reasoning, func() { t.refold(func() { t.reasoning = !t.reasoning }, false) }),
		step(shell.Numbers, func() { t.hold(func() { t.numbered = !t.numbered }) }),
		reading(shell.Wrap, t.toggleWrap),
		reading(shell.GoTo, func() tea.Cmd { t.numberInput.typing = true; t.Resize(t.w, t.h); return nil }),
		reading(shell.Copy, t.copyMessage),
		reading(shell.CopyMenu, func() tea.Cmd { return t.sh.Do(t.copyMenu()) }),
		find,
		reading(shell.FindNext, func() tea.Cmd { return t.Search.step(1) }),
		reading(shell.FindPrevious, func() tea.Cmd { return t.Search.step(-1) }),
		shell.NewHandler(shell.NextResult, noResults, func() tea.Cmd { return t.walk(1, false) }),
		shell.NewHandler(shell.PreviousResult, noResults, func() tea.Cmd { return t.walk(-1, false) }),
	}...)
}

// lineage opens the family tree of the conversation at the current segment.
func (t *Screen) lineage() tea.Cmd {
	id := t.Conv.ID
	if t.Pages != nil && t.Rows.Len > 0 {
		o := t.Pages.Outline
		for k, start := range o.SegmentStarts {
			if start <= t.Rows.Selected/2 && k < len(o.Conversation.Segments) {
				id = o.Conversation.Segments[k]
			}
		}
	}
	return t.sh.Do(shell.OpenLineage{ID: id})
}

// toggleWrap switches long lines of code between cut at the edge and wrapped.
func (t *Screen) toggleWrap() tea.Cmd {
	t.hold(func() { t.chopped = !t.chopped })
	say := "long code lines wrap"
	if t.chopped {
		say = "long code lines are cut off"
	}
	return tea.Batch(t.moved(), t.sh.Say(say))
}
