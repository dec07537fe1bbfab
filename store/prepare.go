package store

import (
	"context"

	"hermes-sessions/model"
	"hermes-sessions/store/ftsindex"
)

// Prepare reads ahead what searches need, so that each of them is quick: the
// sessions, who said which message, in a small file who speaks in each session,
// the rows of the most common words and of their beginnings, and how messages are
// written. A search is right without
// it, only slower, and later calls read only what has changed since, and the
// sessions. It is for a goroutine of its own: on a million messages it takes two
// to three seconds. The error is context.Canceled soon after ctx is.
func (s *Store) Prepare(ctx context.Context) error {
	select {
	case s.preparing <- struct{}{}: // one at a time: each takes three connections
		defer func() { <-s.preparing }()
	case <-ctx.Done():
		return s.wrap("prepare the search in", ctx.Err())
	}
	// They take as long as each other, and neither needs the other: what is kept
	// of an index says itself of which of its pages it is true.
	return s.wrap("prepare the search in", abreast(
		func() error { return s.prepareTables(ctx) },
		func() error { return s.prepareIndexes(ctx) }))
}

// prepareTables reads the sessions, whose the messages are and who said them.
func (s *Store) prepareTables(ctx context.Context) error {
	// A search may have caught up only: here there is time to read all sessions.
	if _, err := s.catalog(ctx); err != nil {
		return err
	}
	return s.moment(ctx, func(db queryer, c *catalog) error {
		c.shelf.inOrder(model.ByActivity)
		c.shelf.names()
		if err := s.findOwners(ctx, db, c); err != nil {
			return err
		}
		messages := c.owners.Load()
		if err := s.hear(ctx, db, s.speakers.unread(messages), nil); err != nil || messages == nil || messages.all().Len() > listenedAhead {
			return err
		}
		var ids []string
		for _, m := range c.all() {
			ids = append(ids, m.ID)
		}
		_, err := s.voices(ctx, c, ids)
		return err
	})
}

// listenedAhead is of how many messages it is read who speaks in their sessions,
// and which tools, before a filter asks. Of more this takes seconds.
const listenedAhead = 150_000

// preparedBytes bounds the memory of prepared words.
const preparedBytes = 20 << 20

// prepareIndexes reads what the indexes say, at a moment of their own.
func (s *Store) prepareIndexes(ctx context.Context) error {
	return s.snapshot(ctx, func(db queryer) error {
		return s.finder(db, model.Query{}, s.atOnce(ctx, db)).readAhead(ctx)
	})
}

// readAhead reads the heaviest words and beginnings, where they are not at
// hand, where the trigrams stand, and how messages are written.
func (f *finder) readAhead(ctx context.Context) error {
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
	p := &f.s.pages
	x, err := p.copyOf(ctx, f.words.table, f.s.schema.tables[f.words.table])
	if err == nil {
		_, err = x.Begin(ctx, f.q, last)
	}
	if err == nil && !x.Fits() {
		err = x.Prepare(ctx, preparedBytes)
	}
	if err != nil {
		return ctx.Err() // a search says what is wrong with the index, and does without
	}
	p.put(f.words.table, x)
	if err := f.prepareGrams(ctx, last); err != nil {
		return err
	}
	if err := f.spellAhead(ctx); err != nil {
		return err
	}
	return f.writeAhead(ctx, last)
}

// prepareGrams reads where the trigrams stand, which is most of what the first
// search takes that needs them.
func (f *finder) prepareGrams(ctx context.Context, last int64) error {
	if err := f.surveyGrams(ctx); err != nil || f.grams.table == "" {
		return err
	}
	x, err := f.s.pages.copyOf(ctx, f.grams.table, f.s.schema.tables[f.grams.table])
	if err == nil {
		_, err = x.Begin(ctx, f.q, last)
	}
	if err != nil {
		return ctx.Err() // a search says so too
	}
	f.s.pages.put(f.grams.table, x)
	return nil
}
