package list

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// A large history is tens of thousands of rows, of which the user looks at a
// few. So answers are read by pages: each is the head of the whole, grows long
// before its end is in sight, and shrinks again when the view is back at the
// top. What needs a row further down waits for it.

const (
	// FirstPage is how many rows are read with a key: enough for a terminal of 80 lines.
	// Each reads a message and makes a snippet of it.
	FirstPage = 60
	// FirstRows is how many rows the program starts with: each row delays the
	// first picture, and few terminals show more.
	FirstRows = 50
	// WholePage is how many rows are read first of a listing in its final order
	// and with its totals.
	WholePage = 500
	// firstFrame is how long it takes at most until the first layout is on the
	// screen: a frame, and the time to draw it.
	firstFrame = 16 * time.Millisecond
)

// fetch asks the library for rows; only the answer to the latest query counts.
type fetch struct {
	read  *kit.Latest[RowsQuery, rowsAnswer]
	clock func() time.Time
	asked RowsQuery // the latest query
	at    time.Time // when it was asked
	took  time.Duration
}

func newFetch(env *shell.Env) fetch {
	lib, clock := env.Library, env.Clock
	return fetch{clock: clock, read: kit.NewLatest(env.Context, func(ctx context.Context, q RowsQuery) (rowsAnswer, error) {
		return readList(ctx, lib, clock, q)
	})}
}

// ask requests the rows of a query. It cancels a search for the closest conversations,
// so that a key does not wait for those of the previous query.
func (f *fetch) ask(q RowsQuery) tea.Cmd {
	if f.asked.List.Closest && !q.List.Closest {
		f.read.Cancel()
	}
	f.asked, f.at = q, f.clock()
	return f.read.Ask(q)
}

// generation counts the queries so far.
func (f *fetch) generation() int { return f.read.Generation }

// settled reports whether the latest query has been answered.
func (f *fetch) settled() bool { return f.read.Settled() }

// late reports whether the answer has been awaited long enough to say so.
func (f *fetch) late() bool { return f.read.Late }

// noteDuration notes how long the answer took.
func (f *fetch) noteDuration() { f.took = f.clock().Sub(f.at) }

// An open list rests beside a busy writer 32 times as long as reading took, so that it takes three in a
// hundred of the time; but not longer than this, unless that is less than is usual.
const longestRest = 15 * time.Second

// mustPause reports whether reading again must wait: beside a busy writer, the pause
// grows with the time that reading takes, and each reading is let end. One that is begun anew
// at each write would never end where it takes longer than a writer waits.
func (f *fetch) mustPause(now time.Time) bool {
	rest := max(min(32*f.took, longestRest), shell.RefreshPause*f.took)
	return !f.settled() || now.Sub(f.at) < rest
}

type firstDrawn struct{ list *Screen }

// afterFirst waits until the first rows are on the screen before it asks for
// more: reading at the same time makes drawing them slower.
func (s *Screen) afterFirst() tea.Cmd {
	return tea.Tick(firstFrame, func(time.Time) tea.Msg { return firstDrawn{s} })
}

// rowsQuery is what the screen would ask now.
func (s *Screen) rowsQuery() RowsQuery {
	q, _ := s.prompt.Query()
	return s.filters.rowsQuery(q)
}

// ask asks something new, for the first rows before the totals.
func (s *Screen) ask(limit int) tea.Cmd {
	s.results.pending.step = ""
	return s.fetchRows(limit, true)
}

// fetchRows asks for a number of rows, 0 for all. With firstPage the rows come at
// once and without totals, which are asked for when the rows are there.
func (s *Screen) fetchRows(limit int, firstPage bool) tea.Cmd {
	s.named.bar.Cancel()
	s.watch.asked()
	q := s.rowsQuery()
	q.List.Limit = s.results.atMost(limit)
	q.List.FirstPage = firstPage && limit > 0 && q.List.Limit == limit && limit != s.env.List.Limit
	q.List.Closest = !firstPage && q.searching()
	q.List.Further = q.List.Closest && q.Query.Text == s.furtherFor
	return s.fetch.ask(q)
}

// reask asks the same again, for as much as the view needs.
func (s *Screen) reask() tea.Cmd {
	return s.fetchRows(s.results.rowsNeeded(s.rowsQuery().searching()), false)
}

// More reads on where the answer is too short for the view; nil where it is
// not.
func (s *Screen) More() tea.Cmd {
	r := &s.results
	if !r.ready || !s.fetch.settled() || r.err != nil || r.whole() {
		return nil
	}
	searching := s.rowsQuery().searching()
	n, have := r.atMost(r.rowsNeeded(searching)), r.shown.List.Limit
	switch {
	case r.found.uncounted, r.closestDue():
	case have == 0, n > 0 && (n <= have || !r.near(have, searching)):
		return nil
	}
	return s.fetchRows(n, false)
}

func (s *Screen) answered(msg kit.Answer[RowsQuery, rowsAnswer]) tea.Cmd {
	late := s.fetch.late()
	ok, next := s.fetch.read.Take(msg)
	r := &s.results
	first := !r.ready
	if ok {
		next = s.take(msg, next, late)
	}
	if then := r.pending.then; then != "" && s.fetch.settled() && r.waitReason() == "" {
		r.pending.then = ""
		if it := r.current(); r.err == nil && it != nil {
			return tea.Batch(next, s.read(then, it))
		}
	}
	if ok && r.err == nil {
		next = tea.Batch(next, s.prepare())
	}
	if first {
		return tea.Batch(next, s.afterFirst())
	}
	return tea.Batch(next, s.More(), s.follow(), s.named.count())
}

// take puts an answer on the screen, or asks for more where it is too short to
// tell what has become of the current row. late says that the answer was late.
func (s *Screen) take(msg kit.Answer[RowsQuery, rowsAnswer], next tea.Cmd, late bool) tea.Cmd {
	r := &s.results
	s.fetch.noteDuration()
	if shell.FileLost(msg.Err) && r.ready && r.err == nil && msg.Query.same(r.shown) {
		r.pending.step = ""
		return next
	}
	r.err = msg.Err
	switch {
	case msg.Err != nil:
		r.pending.step = ""
		return next
	case r.skips(msg.Query, msg.Value, next != nil):
		if next == nil {
			next = s.fetch.askClosest(msg.Query, late)
		}
		return next
	case next == nil && r.overtaken(msg.Query, msg.Value):
		return s.fetchRows(msg.Query.List.Limit*2, false)
	}
	r.optimistic.answered(msg.Generation)
	// Rows without totals say that there are folders, and only at the start that there are none.
	counted := !msg.Query.searching() && !msg.Value.uncounted
	s.noFolders = msg.Value.noFolders && (s.noFolders || counted || !r.ready)
	in := r.take(msg.Query, msg.Value)
	s.relayout()
	r.settle(in)
	r.finishStep()
	return tea.Batch(next, r.guard.wait(), s.running.ask(r.found.items))
}

// prepare lets the library read ahead what searches need.
func (s *Screen) prepare() tea.Cmd {
	return s.preparation.start(s.env.Context, s.env.Library, s.watch.version, !s.results.found.uncounted, s.results.shown.searching(), s.env.Clock())
}

// GoTo makes a conversation the current row, however far down it is. The query is
// cleared and what is hidden shown where they hide it.
func (s *Screen) GoTo(c model.Conversation) tea.Cmd {
	s.results.pending.cancel()
	if s.results.goTo(c) {
		return s.follow()
	}
	s.prompt.Clear()
	s.named.follow(&s.filters)
	if !s.rowsQuery().List.ShowsScope(c.Scope) {
		s.filters.scope = model.ScopeAll
	}
	s.results.pending.seek(c.RootID)
	return s.ask(FirstPage)
}

// ShowQuery types a query in place of the one in force, and shows all scopes, sources and
// folders until it is left.
func (s *Screen) ShowQuery(text string) tea.Cmd {
	s.results.pending.cancel()
	return s.named.lend(text)
}

// Neighbor returns the row before (-1) or after (1) a conversation in the answer,
// and makes it the current one; with matching, the nearest that has a matching
// message. ok is false at the end of what has been read; then partial says
// whether there is more to come. then reads on and may be nil.
func (s *Screen) Neighbor(c model.Conversation, dir int, matching bool) (n shell.Neighbor, ok, partial bool, then tea.Cmd) {
	if n, ok = s.results.neighbor(c, dir, matching); ok {
		return n, true, false, tea.Batch(s.follow(), s.More())
	}
	return n, false, dir > 0 && !s.results.whole(), s.More()
}
