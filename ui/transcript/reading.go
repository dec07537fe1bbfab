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

// prerendered brings items that were rendered in the background.
type prerendered struct {
	of    *Screen
	drawn map[ItemKey]rendered
}

// prerender renders the pages after and before the window in the background, so that the
// next page is finished when the reader turns to it. One such command runs at a time.
func (t *Screen) prerender(first int) tea.Cmd {
	if t.Prerendering {
		return nil
	}
	var todo []RenderItem
	page := max(12, t.Rows.Height/2)
	collect := func(i, dir int) {
		for n := 0; i >= 0 && i < t.Rows.Len && n < page; i += dir {
			if p, ok := t.itemAt(i); ok && p.Message != nil {
				n++
				if !t.Cache.finished(p.Key) {
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
	t.Prerendering = true
	r := t.NewRenderer()
	return func() tea.Msg {
		out := prerendered{t, make(map[ItemKey]rendered, len(todo))}
		for _, p := range todo {
			out.drawn[p.Key] = r.Render(p)
		}
		return out
	}
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

// Scroll moves the text by a number of lines. It is for a transcript beside another
// screen, which has the keys.
func (t *Screen) Scroll(by int) tea.Cmd {
	if t.Pages == nil || t.Rows.Len == 0 {
		return nil
	}
	t.Rows.Scroll(by)
	return t.moved()
}
