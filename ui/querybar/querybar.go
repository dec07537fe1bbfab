// Package querybar is the line of named queries over the list of conversations, with the
// number of conversations that each finds.
package querybar

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// Bar is the line. It counts in the background, one query after the other, when
// nothing else is read.
type Bar struct {
	Queries []query.Named

	clock   func() time.Time
	read    *kit.Latest[query.Named, int]
	counts  []int         // of the queries, -1 while unknown
	next    int           // the query to count next; len(counts) when all are counted
	version int64         // of the database that they were counted in
	begun   time.Time     // when the last count of all began
	took    time.Duration // that it took
	places  []place       // where the tabs were drawn last
}

// place is where a tab is in the line.
type place struct{ from, to, query int }

// recount is how long counts are kept at least while other processes write.
const recount = 5 * time.Second

// New makes the line of queries.
func New(env *shell.Env, queries []query.Named) *Bar {
	b := &Bar{clock: env.Clock}
	b.read = kit.NewLatest(env.Context, func(ctx context.Context, n query.Named) (int, error) { return count(ctx, env, n) })
	b.Set(queries)
	return b
}

// count counts the conversations that a query finds.
func count(ctx context.Context, env *shell.Env, n query.Named) (int, error) {
	q, lib := query.Parse(n.Text, false), env.Library
	q.Filters = query.Resolve(q.Filters, env.Known)
	o := query.ListOptions{Scope: n.Scope, Filters: q.Filters, Limit: 1}
	if q.FiltersOnly() {
		page, err := lib.Conversations(ctx, o)
		return page.Total, err
	}
	found, err := lib.Search(ctx, q, o)
	return found.Conversations, err
}

// Set replaces the queries.
func (b *Bar) Set(queries []query.Named) {
	b.Cancel()
	b.Queries = queries
	b.next = 0
	b.version = 0
	b.counts = make([]int, len(queries))
	for i := range b.counts {
		b.counts[i] = -1
	}
}

// Recount makes all counts due: something that is not in the database has changed.
func (b *Bar) Recount() { b.next = 0 }

// Cancel stops counting. [Bar.Count] goes on with it.
func (b *Bar) Cancel() { b.read.Cancel() }

// Count counts what has not been counted at a version of the database, nil where that is
// not due.
func (b *Bar) Count(version int64) tea.Cmd {
	now := b.clock()
	switch {
	case len(b.Queries) == 0 || !b.read.Settled():
		return nil
	case b.next == len(b.counts) && b.version != version && now.Sub(b.begun) >= max(recount, shell.RefreshPause*b.took):
		b.next = 0
	}
	if b.next == len(b.counts) {
		return nil
	}
	if b.next == 0 {
		b.begun, b.version = now, version
	}
	return b.read.Ask(b.Queries[b.next])
}

// Update takes an answer; ok is false for every other message.
func (b *Bar) Update(msg tea.Msg) (cmd tea.Cmd, ok bool) {
	switch msg := msg.(type) {
	case kit.Answer[query.Named, int]:
		if msg.From != b.read {
			return nil, false
		}
		shown, next := b.read.Take(msg)
		if b.next >= len(b.Queries) || b.Queries[b.next].Name != msg.Query.Name || !shown && msg.Err == nil {
			return next, true
		}
		if msg.Err != nil && errors.Is(msg.Err, context.Canceled) {
			return next, true // counted when nothing else is read
		}
		if b.counts[b.next] = msg.Value; msg.Err != nil {
			b.counts[b.next] = -1 // the list says what is wrong
		}
		if b.next++; b.next == len(b.counts) {
			b.took = b.clock().Sub(b.begun)
			return next, true
		}
		return tea.Batch(next, b.Count(b.version)), true
	}
	return nil, false
}

// Line draws the line in w columns; active is the name of the query in force.
func (b *Bar) Line(sh shell.Shell, active string, w int) string {
	s := sh.Styles()
	var drawn []string
	var wide []int
	at := 0
	for i, n := range b.Queries {
		text := " "
		if n.Name == active { // not by its color alone
			text = s.Glyphs.Cursor
		}
		if i < 9 {
			text += strconv.Itoa(i+1) + " "
		}
		text += kit.CleanLine(n.Name)
		if b.counts[i] >= 0 {
			text += " " + kit.Count(b.counts[i])
		}
		text += " "
		wide = append(wide, s.Cells.StringWidth(text))
		if n.Name == active {
			at = i
			drawn = append(drawn, s.Chip.Render(text))
		} else {
			drawn = append(drawn, s.Muted.Render(text))
		}
	}
	from := at // as many before the active one as fit
	for room := w - 2 - wide[at]; from > 0 && wide[from-1]+1 <= room; from-- {
		room -= wide[from-1] + 1
	}
	line, x := " ", 1
	if from > 0 {
		line, x = s.Faint.Render(s.Glyphs.Ellipsis), s.Cells.StringWidth(s.Glyphs.Ellipsis)
	}
	b.places = b.places[:0]
	var out strings.Builder
	out.WriteString(line)
	for i := from; i < len(drawn) && x < w; i++ {
		b.places = append(b.places, place{x, x + wide[i], i})
		out.WriteString(drawn[i] + " ")
		x += wide[i] + 1
	}
	return s.Cells.Truncate(out.String(), w, s.Glyphs.Ellipsis)
}

// At returns the query that was drawn at column x, -1 for none.
func (b *Bar) At(x int) int {
	for _, p := range b.places {
		if x >= p.from && x < p.to {
			return p.query
		}
	}
	return -1
}
