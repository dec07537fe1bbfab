package store

import (
	"context"
	"errors"
	"sync"

	"hermes-sessions/store/ftsindex"
)

// pages reads the full-text tables without FTS5, which is many times faster.
// Where it can not, FTS5 is asked as before.
type pages struct {
	turn    chan struct{} // held while an index is read
	indexes map[string]*ftsindex.Index
	begun   map[string]*surveyed // table → the moment that its reader is at, where it is a catalog's

	mu      sync.Mutex
	refused map[string]string // table → why it was not read the last time
}

func newPages() pages {
	return pages{turn: make(chan struct{}, 1), indexes: map[string]*ftsindex.Index{}, begun: map[string]*surveyed{}, refused: map[string]string{}}
}

// refusals says why full-text tables could not be read without FTS5.
func (p *pages) refusals() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []string
	for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
		if why := p.refused[table]; why != "" {
			out = append(out, why)
		}
	}
	return out
}

// tell keeps why a table could not be read; nil for that it could.
func (p *pages) tell(table string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.refused, table)
	if err != nil {
		p.refused[table] = err.Error()
	}
}

// examine finds out which tables can be read without FTS5 at this moment. The
// error is that of ctx.
func (p *pages) examine(ctx context.Context, q queryer, tables map[string]string) error {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
		ddl, ok := tables[table]
		if !ok {
			continue
		}
		delete(p.begun, table)
		x, err := p.index(table, ddl)
		if err == nil {
			_, err = x.Begin(ctx, q, 0)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		p.tell(table, err)
	}
	return nil
}

// index gives the reader of a table, whose turn it must be.
func (p *pages) index(table, ddl string) (*ftsindex.Index, error) {
	if x := p.indexes[table]; x != nil {
		return x, nil
	}
	x, err := ftsindex.New(table, ddl)
	if err == nil {
		p.indexes[table] = x
	}
	return x, err
}

// copyOf gives a reader of a table to use beside the others.
func (p *pages) copyOf(ctx context.Context, table, ddl string) (*ftsindex.Index, error) {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	x, err := p.index(table, ddl)
	if err != nil {
		return nil, err
	}
	return x.Copy(), nil
}

// put makes a copy the reader of a table.
func (p *pages) put(table string, x *ftsindex.Index) {
	p.turn <- struct{}{}
	defer func() { <-p.turn }()
	p.indexes[table] = x
	delete(p.begun, table)
}

// begin gives the reader of a table, whose turn it must be, at the moment of a
// finder. That of a catalog is told to it once.
func (p *pages) begin(ctx context.Context, f *finder, table string, last int64) (*ftsindex.Index, error) {
	x, err := p.index(table, f.s.schema.tables[table])
	if err != nil {
		return nil, err
	}
	if f.kept == nil {
		f.kept = f.s.prepared(f.q)
	}
	if f.known != nil && p.begun[table] == f.known {
		x.Again(f.kept)
		return x, nil
	}
	delete(p.begun, table)
	if _, err := x.Begin(ctx, f.kept, last); err != nil {
		return nil, err
	}
	if f.known != nil {
		p.begun[table] = f.known
	}
	return x, nil
}

// matchPages asks a full-text table by its pages, for some messages only unless
// among is nil: then others may be among those it gives. ok is false where FTS5
// must be asked; an error is that of ctx.
func (f *finder) matchPages(ctx context.Context, x *index, q question, among *ftsindex.Set) (ids *ftsindex.Set, ok bool, err error) {
	first, last, err := f.reach(ctx)
	if err != nil || first < 0 {
		return nil, false, ctx.Err()
	}
	p := &f.s.pages
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
	ids, err = p.find(ctx, f, x.table, last, q, among)
	if err != nil {
		if ctx.Err() == nil && !errors.Is(err, errOther) {
			p.tell(x.table, err)
		}
		return nil, false, ctx.Err()
	}
	f.by("the pages of " + x.table)
	if f.bounded() {
		ids.Clip(f.from, f.to)
	}
	return ids, true, nil
}

// since gives the moment of a full-text table and the messages that it was told
// of after another one, nil for any. ok is false where it can not be read.
func (f *finder) since(ctx context.Context, x *index, m ftsindex.Moment) (now ftsindex.Moment, changed *ftsindex.Set, ok bool, err error) {
	_, last, err := f.reach(ctx)
	if err != nil {
		return now, nil, false, err
	}
	p := &f.s.pages
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return now, nil, false, ctx.Err()
	}
	pages, err := p.begin(ctx, f, x.table, last)
	if err != nil {
		return now, nil, false, ctx.Err()
	}
	changed, ok, err = pages.Since(ctx, m)
	if ctx.Err() != nil {
		return now, nil, false, ctx.Err()
	}
	if err != nil || !ok {
		changed = nil
	}
	return pages.Moment(), changed, true, nil
}

// errOther is that a question is one for FTS5, although the index is not.
var errOther = errors.New("only FTS5 reads this text")

func (p *pages) find(ctx context.Context, f *finder, table string, last int64, q question, among *ftsindex.Set) (*ftsindex.Set, error) {
	x, err := p.begin(ctx, f, table, last)
	if err != nil {
		return nil, err
	}
	e, ok := q.expr(x)
	if !ok {
		return nil, errOther
	}
	ids, err := x.FindAmong(ctx, e, among)
	if err != nil {
		delete(p.begun, table)
	}
	return ids, err
}

// reach gives the smallest and the greatest id of messages, 0 for none.
func (f *finder) reach(ctx context.Context) (first, last int64, err error) {
	if f.last == 0 {
		err = f.each(ctx, `SELECT (SELECT min(id) FROM messages), (SELECT max(id) FROM messages)`, nil, func(scan func(...any) error) error {
			var a, b any
			err := scan(&a, &b)
			f.first, f.last = number(a), number(b)
			return err
		})
		if err == nil {
			f.keep()
		}
	}
	return f.first, f.last, err
}
