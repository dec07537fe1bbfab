package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
)

// actions are what a reader can do.
func (t *transcript) Handlers() []Handler {
	why := ""
	switch {
	case t.err != nil:
		why = "the conversation could not be read"
	case t.pages == nil:
		why = "the conversation is still being read"
	case t.rows.n == 0:
		why = "the conversation has no messages"
	}
	unread := ""
	if t.err != nil {
		unread = why
	}
	noResults := ""
	if !t.fromList {
		noResults = "this conversation was not opened from the list"
	}
	reading := func(id Action, do func() tea.Cmd) Handler {
		return Handler{Action: id, Why: why, Do: func() tea.Cmd {
			t.then = nil // a newer wish than what is waited for
			return do()
		}}
	}
	step := func(id Action, do func()) Handler {
		return reading(id, func() tea.Cmd { do(); return t.moved() })
	}
	routes := slices.Concat(resumeHandlers(t.sh, "", func() string { return t.conv.ID }),
		outHandlers(t.sh, unread, unread, func() model.Conversation { return t.conv }, func() Subjects { return only(t.conv) }),
		changeHandlers(t.sh, "", "", t.conv, func() Subjects { return only(t.conv) }))
	return append(routes, []Handler{
		{Action: Lineage, Do: t.lineage},
		{Action: Back, Do: func() tea.Cmd { return t.sh.Do(CloseScreen{}) }},
		{Action: Refresh, Do: t.Start},
		step(Up, func() { t.line(-1) }),
		step(Down, func() { t.line(1) }),
		step(PageUp, func() { t.page(-1) }),
		step(PageDown, func() { t.page(1) }),
		step(HalfUp, func() { t.rows.scroll(-max(t.rows.h/2, 1)) }),
		step(HalfDown, func() { t.rows.scroll(max(t.rows.h/2, 1)) }),
		reading(First, func() tea.Cmd { return t.jump(0, func() { t.rows.ends(false) }) }),
		reading(Last, t.toEnd),
		reading(Follow, t.followNow),
		reading(Outline, t.outline),
		step(NextMessage, func() { t.message(1) }),
		step(PreviousMessage, func() { t.message(-1) }),
		reading(NextPrompt, func() tea.Cmd { return t.prompt(1) }),
		reading(PreviousPrompt, func() tea.Cmd { return t.prompt(-1) }),
		step(Fold, func() { t.fold(t.rows.sel) }),
		step(FoldAll, t.foldAll),
		step(Tools, func() { t.refold(func() { t.tools = !t.tools }, true) }),
		step(Reasoning, func() { t.refold(func() { t.reasoning = !t.reasoning }, false) }),
		step(Numbers, func() { t.hold(func() { t.numbered = !t.numbered }) }),
		reading(Wrap, t.wrap),
		reading(GoTo, func() tea.Cmd { t.counter.typing = true; t.Resize(t.w, t.h); return nil }),
		reading(Copy, t.copyMessage),
		reading(CopyMenu, func() tea.Cmd { return t.sh.Do(t.copyMenu()) }),
		reading(Find, t.search.begin),
		reading(FindNext, func() tea.Cmd { return t.search.step(1) }),
		reading(FindPrevious, func() tea.Cmd { return t.search.step(-1) }),
		newHandler(NextResult, noResults, func() tea.Cmd { return t.walk(1, false) }),
		newHandler(PreviousResult, noResults, func() tea.Cmd { return t.walk(-1, false) }),
	}...)
}

// line moves by a line; at an end, where the window can not move, the mark
// does.
func (t *transcript) line(dir int) {
	top, skip := t.rows.top, t.rows.skip
	t.rows.scroll(dir)
	if t.rows.top == top && t.rows.skip == skip {
		t.rows.sel = t.beside(t.rows.sel, dir)
	}
}

// page moves by a page; the mark goes along.
func (t *transcript) page(dir int) {
	top, skip := t.rows.top, t.rows.skip
	t.rows.scroll(dir * max(t.rows.h-1, 1))
	first, last := t.rows.visible()
	switch {
	case t.rows.top == top && t.rows.skip == skip && dir > 0:
		t.rows.sel = last
	case t.rows.top == top && t.rows.skip == skip, dir > 0:
		t.rows.sel = first
	default:
		t.rows.sel = first
	}
}

// message moves the mark to the next message in a direction and brings it into
// the window.
func (t *transcript) message(dir int) {
	if i := t.beside(t.rows.sel, dir); i != t.rows.sel {
		t.rows.move(i)
	}
}

// jump goes to a message, reading what is around it first.
func (t *transcript) jump(i int, place func()) tea.Cmd {
	around := stretch{max(0, i-window/2), min(len(t.pages.gists), i+window/2)}
	if s, ok := t.pages.missing(around, i, func(j int) bool { return j == i || t.shows(j) }); ok && !t.failed {
		return t.need(s, func() tea.Cmd { return t.jump(i, place) })
	}
	place()
	return t.moved()
}

// prompt goes to the next thing that the user said, reading on to find it.
func (t *transcript) prompt(dir int) tea.Cmd { return t.promptFrom(t.rows.sel/2+dir, dir) }

func (t *transcript) promptFrom(i, dir int) tea.Cmd {
	for ; i >= 0 && i < len(t.pages.gists); i += dir {
		switch t.pages.gists[i].Author {
		case model.NoAuthor:
			s := stretch{i, min(i+4*window, len(t.pages.gists))}
			if dir < 0 {
				s = stretch{max(0, i+1-4*window), i + 1}
			}
			return t.need(s, func() tea.Cmd { return t.promptFrom(i, dir) })
		case model.AuthorUser:
			return t.jump(i, func() { t.show(2*i, 0, min(1, t.rows.h/4)) })
		}
	}
	if dir < 0 {
		return t.sh.Say("this is the first prompt")
	}
	return t.sh.Say("this is the last prompt")
}

// fold folds or unfolds a part. Where output was cut short, unfolding goes on
// to its end first.
func (t *transcript) fold(item int) {
	d, i := t.draw(item), item/2
	t.rows.sel = item
	switch {
	case d.cut && !t.wholes[item]:
		t.hold(func() { t.wholes[item] = true })
	case item%2 == 1 && t.pages.weave.RunStart[i] >= 0:
		head := int(2*t.pages.weave.RunStart[i] + 1)
		t.hold(func() {
			open := !t.unfolded(head / 2)
			t.folds[head] = open
			if !open {
				t.unwhole(head)
			}
		})
	case len(d.taps) > 0:
		t.hold(func() {
			usual := t.reasoning
			if t.pages.gists[i].Author == model.AuthorSystem {
				usual = t.systems
			}
			t.folds[item] = !t.foldState(item, usual)
			delete(t.wholes, item)
		})
	case t.wholes[item]:
		t.hold(func() { delete(t.wholes, item) })
	default:
		// The tool work after what was said is what can be meant.
		if next := item + 1; item%2 == 0 && len(t.rows.lines(next)) > 0 {
			t.fold(next)
		}
	}
}

// unwhole shortens the output of a run again.
func (t *transcript) unwhole(head int) {
	for i := head / 2; i < int(t.pages.weave.RunEnd[head/2]); i++ {
		delete(t.wholes, 2*i+1)
	}
}

// foldAll folds everything, or unfolds it when nothing is unfolded.
func (t *transcript) foldAll() {
	open := t.tools || t.systems
	for _, o := range t.folds {
		open = open || o
	}
	t.hold(func() {
		t.tools, t.systems = !open, !open
		clear(t.folds)
		clear(t.wholes)
	})
}

// refold changes what is unfolded; parts that were folded by themselves go
// along when they are of that kind.
func (t *transcript) refold(change func(), work bool) {
	t.hold(func() {
		change()
		for item := range t.folds {
			if (item%2 == 1) == work {
				delete(t.folds, item)
			}
		}
		t.weave()
	})
}

// arrive goes to a message that was looked for and unfolds what hides it. The
// first marked line, or with dir below 0 the last, stands at a third of the
// window.
func (t *transcript) arrive(i, dir int) {
	item := t.unveil(i)
	d := t.draw(item)
	if len(d.hits) == 0 && d.cut && t.pen.match != nil {
		t.wholes[item] = true
		d = t.drawWhole(item)
	}
	line := 0
	if n := len(d.hits); n > 0 && dir < 0 {
		line = d.hits[n-1]
	} else if n > 0 {
		line = d.hits[0]
	}
	for line == 0 && line < len(d.lines)-1 && d.lines[line] == "" {
		line++
	}
	t.show(item, line, t.rows.h/3)
}

// unveil unfolds the part of a message in which the words that are looked for
// stand, and gives it.
func (t *transcript) unveil(i int) int {
	gist, m := t.pages.gists[i], t.pages.held[i]
	said, work := 2*i, 2*i+1
	run := t.pages.weave.RunStart[i]
	matches := func(texts ...string) bool {
		if t.pen.match == nil {
			return false
		}
		for _, text := range texts {
			for _, s := range t.pen.match.Mark(text) {
				if s.Hit {
					return true
				}
			}
		}
		return false
	}
	if m == nil {
		return said
	}
	if gist.Author == model.AuthorTool {
		if caller := t.pages.weave.Caller[i]; caller >= 0 {
			work, run = int(2*caller+1), t.pages.weave.RunStart[caller]
		}
		if run >= 0 {
			t.folds[int(2*run+1)] = true
		}
		return work
	}
	if gist.HasContent && matches(m.Content.Text) || len(m.Calls) == 0 && !matches(m.Reasoning) {
		if gist.Author == model.AuthorSystem {
			t.folds[said] = true
		}
		return said
	}
	var calls []string
	for _, c := range m.Calls {
		calls = append(calls, c.Name, readable(c.Arguments))
	}
	if run >= 0 && (matches(calls...) || !matches(m.Reasoning)) {
		if t.pen.match != nil {
			t.folds[int(2*run+1)] = true
		}
		return work
	}
	if run >= 0 && int(run) != i {
		t.folds[int(2*run+1)] = true
	}
	t.folds[said] = true
	return said
}

func (t *transcript) mouse(msg tea.MouseMsg) tea.Cmd {
	if t.pages == nil || t.err != nil || t.rows.n == 0 {
		return nil
	}
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		switch msg.Button {
		case tea.MouseWheelUp:
			t.rows.scroll(-3)
		case tea.MouseWheelDown:
			t.rows.scroll(3)
		default:
			return nil
		}
		return t.moved()
	case tea.MouseClickMsg:
		y := msg.Y - t.top()
		if msg.Button != tea.MouseLeft || y < 0 || y >= t.rows.h {
			return nil
		}
		if cmd, ok := t.promptAt(msg.X, y); ok {
			return cmd
		}
		item, line := t.rows.at(y)
		if item < 0 {
			return nil
		}
		t.rows.sel = item
		for _, tap := range t.draw(item).taps {
			if tap == line {
				t.fold(item)
				break
			}
		}
		return t.moved()
	}
	return nil
}

// warmed brings drawings that were made in the background.
type warmed struct {
	of    *transcript
	drawn map[partLook]drawing
}

// warm draws the pages after and before the window in the background, so that
// turning the page finds them finished. There is never more than one at it.
func (t *transcript) warm(first int) tea.Cmd {
	if t.warming {
		return nil
	}
	var todo []part
	page := max(12, t.rows.h/2)
	look := func(i, dir int) {
		for n := 0; i >= 0 && i < t.rows.n && n < page; i += dir {
			if p, ok := t.part(i); ok && p.message != nil {
				n++
				if !t.drawn.finished(p.look) {
					todo = append(todo, p)
				}
			}
		}
	}
	look(first, 1) // and what is in sight, where it is rough
	look(first-1, -1)
	if len(todo) == 0 {
		return nil
	}
	t.warming = true
	pen := t.newPen()
	return func() tea.Msg {
		out := warmed{t, make(map[partLook]drawing, len(todo))}
		for _, p := range todo {
			out.drawn[p.look] = pen.draw(p)
		}
		return out
	}
}

// lineage goes to the family tree of the conversation, at the segment that is
// read.
func (t *transcript) lineage() tea.Cmd {
	id := t.conv.ID
	if t.pages != nil && t.rows.n > 0 {
		o := t.pages.outline
		for k, start := range o.SegmentStarts {
			if start <= t.rows.sel/2 && k < len(o.Conversation.Segments) {
				id = o.Conversation.Segments[k]
			}
		}
	}
	return t.sh.Do(OpenLineage{ID: id})
}

// Scroll moves the text where it stands beside something else, which keeps the
// keys.
func (t *transcript) Scroll(by int) tea.Cmd {
	if t.pages == nil || t.rows.n == 0 {
		return nil
	}
	t.rows.scroll(by)
	return t.moved()
}
