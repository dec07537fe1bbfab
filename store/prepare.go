package store

import (
	"context"

	"hermes-sessions/model"
	"hermes-sessions/store/ftsindex"
)

// Prepare reads ahead what searches need, so that each of them is quick: the
// sessions, who said which message, the rows of the most common words and of
// their beginnings, and how escapes stand in messages. A search is right without
// it, only slower, and later calls read only what has changed since, and the
// sessions. It is for a goroutine of its own: on a million messages it takes two
// to three seconds. The error is context.Canceled soon after ctx is.
func (s *Store) Prepare(ctx context.Context) error {
	select {
	case s.preparing <- struct{}{}: // one at a time: each takes two connections
		defer func() { <-s.preparing }()
	case <-ctx.Done():
		return s.wrap("prepare the search in", ctx.Err())
	}
	// A search may have caught up only: here there is time to read all sessions.
	if _, err := s.catalog(ctx); err != nil {
		return s.wrap("prepare the search in", err)
	}
	err := s.moment(ctx, func(db queryer, c *catalog) error {
		c.shelf.inOrder(model.ByActivity)
		c.shelf.names()
		if err := s.findOwners(ctx, db, c); err != nil {
			return err
		}
		// The index and who said what take as long as each other, and neither
		// needs the other.
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		return abreast(func() error {
			err := s.prepareIndex(ctx, db, c)
			if err != nil {
				stop()
			}
			return err
		}, func() error { return s.hearApart(ctx, s.speakers.unread(c.owners.Load())) })
	})
	return s.wrap("prepare the search in", err)
}

// hearApart hears on a connection of its own.
func (s *Store) hearApart(ctx context.Context, ids *ftsindex.Set) error {
	if ids.Empty() {
		return nil
	}
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() // gives it back
	err = s.hear(ctx, conn, ids, nil)
	if err == nil && ids.Len() > hearAtOnce {
		err = forgetPages(ctx, conn)
	}
	return err
}

// forgetPages lets a connection give back the memory of the pages that it has
// read: after a walk through all of them they are of no use.
func forgetPages(ctx context.Context, q queryer) error {
	rows, err := q.QueryContext(ctx, `PRAGMA shrink_memory`)
	if err != nil {
		return err
	}
	defer rows.Close()
	return rows.Err()
}

// preparedBytes bounds the memory of prepared words.
const preparedBytes = 20 << 20

// prepareIndex reads the heaviest words and beginnings, where they are not at
// hand.
func (s *Store) prepareIndex(ctx context.Context, db queryer, c *catalog) error {
	f := s.finder(db, model.Query{}, c.version)
	f.known = c.surveyed
	if err := f.survey(ctx); err != nil {
		return err
	}
	first, last, err := f.reach(ctx)
	if err != nil || last == 0 {
		return err
	}
	some := &ftsindex.Set{}
	some.Add(last)
	if err := f.shown(ctx, some); err != nil {
		return err
	}
	if f.words.table == "" || first < 0 {
		return nil
	}
	p := &s.pages
	x, err := p.copyOf(ctx, f.words.table, s.schema.tables[f.words.table])
	if err == nil {
		_, err = x.Begin(ctx, db, last)
	}
	if err == nil && !x.Fits() {
		if err = x.Prepare(ctx, preparedBytes); err == nil {
			err = forgetPages(ctx, db)
		}
	}
	if err != nil {
		return ctx.Err() // a search says what is wrong with the index, and does without
	}
	p.put(f.words.table, x)
	if err := s.prepareGrams(ctx, f, last); err != nil {
		return err
	}
	return f.spellAhead(ctx)
}

// prepareGrams reads where the trigrams stand, which is most of what the first
// search takes that needs them.
func (s *Store) prepareGrams(ctx context.Context, f *finder, last int64) error {
	if err := f.surveyGrams(ctx); err != nil || f.grams.table == "" {
		return err
	}
	x, err := s.pages.copyOf(ctx, f.grams.table, s.schema.tables[f.grams.table])
	if err == nil {
		_, err = x.Begin(ctx, f.q, last)
	}
	if err != nil {
		return ctx.Err() // a search says so too
	}
	s.pages.put(f.grams.table, x)
	return nil
}
