package store

import (
	"context"
	"sync"

	"hermes-sessions/store/ftsindex"
)

// speakers remembers who said which message, and how. That never changes of one
// that is there, and stands behind no index: it is read once, when a search
// finds the message or, better, before.
type speakers struct {
	mu sync.Mutex
	heard
}

// heard is what was read of messages.
type heard struct {
	known ftsindex.Set // all of them
	tools ftsindex.Set // a tool said these
	mute  ftsindex.Set // these stand in no transcript
	coded ftsindex.Set // these are JSON behind a NUL: they have images
}

// union takes in what else was read.
func (h *heard) union(more *heard) {
	h.known.Union(&more.known)
	h.tools.Union(&more.tools)
	h.mute.Union(&more.mute)
	h.coded.Union(&more.coded)
}

// about gives what is heard of some messages, but for the fact that it is.
func (h *heard) about(ids *ftsindex.Set) *heard {
	return &heard{tools: *ftsindex.Both(ids, &h.tools), mute: *ftsindex.Both(ids, &h.mute), coded: *ftsindex.Both(ids, &h.coded)}
}

// add takes in what was read.
func (r *speakers) add(h *heard) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.union(h)
}

// unread gives the messages of which it is not known.
func (r *speakers) unread(o *owners) *ftsindex.Set {
	r.mu.Lock()
	defer r.mu.Unlock()
	return ftsindex.Without(o.all(), &r.known)
}

// forget drops what is known of other messages than these.
func (r *speakers) forget(o *owners) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range []*ftsindex.Set{&r.known, &r.tools, &r.mute, &r.coded} {
		s.Intersect(o.all())
	}
}

// dense reports whether messages are so many of a stretch of the table that to
// read all of it costs less than to look each of them up.
func dense(ids *ftsindex.Set) bool {
	last, _ := ids.Before(ftsindex.MaxRow + 1)
	for first := range ids.All() {
		return int64(ids.Len())*8 > max(last-first, hearAtOnce)
	}
	return false
}

// learn tells what is known of messages, and reads it of the others; those that
// are not there it takes out of ids. That they are known is left out of the
// answer, which is the caller's: others may forget meanwhile what they do not
// know of.
func (f *finder) learn(ctx context.Context, ids *ftsindex.Set) (*heard, error) {
	r := &f.s.speakers
	r.mu.Lock()
	h := r.about(ids)
	unread := ftsindex.Without(ids, &r.known)
	r.mu.Unlock()
	var read heard
	if dense(unread) {
		if err := f.s.hear(ctx, f.q, unread, &read); err != nil {
			return nil, err
		}
	}
	if rest := ftsindex.Without(unread, &read.known); !rest.Empty() {
		err := f.each(ctx, `SELECT m.id, CASE m.role WHEN 'tool' THEN 1 WHEN 'session_meta' THEN 2 ELSE 0 END, coalesce(m.content < char(1), 0)
			FROM json_each(?) j CROSS JOIN messages m ON m.id = j.value`, []any{list(rest.All())},
			func(scan func(...any) error) error {
				var id int64
				var role int
				var coded bool
				err := scan(&id, &role, &coded)
				read.known.Add(id)
				switch role {
				case 1:
					read.tools.Add(id)
				case 2:
					read.mute.Add(id)
				}
				if coded {
					read.coded.Add(id)
				}
				return err
			})
		r.add(&read) // what was read before a cancellation too
		if err != nil {
			return nil, err
		}
	}
	h.union(read.about(unread))
	ids.Subtract(ftsindex.Without(unread, &read.known)) // gone since the index was asked
	return h, nil
}

// hearAtOnce is how many messages are read between two looks at ctx.
const hearAtOnce = 10_000

// hear reads the stretches of the table in which messages lie, the newest
// first, and remembers what it reads. into gets it too, unless it is nil.
func (s *Store) hear(ctx context.Context, q queryer, ids *ftsindex.Set, into *heard) error {
	to, ok := ids.Before(ftsindex.MaxRow + 1)
	for ; ok; to, ok = ids.Before(to - hearAtOnce + 1) {
		rows, err := q.QueryContext(ctx, `SELECT group_concat(id), group_concat(id) FILTER (WHERE role = 'tool'),
			group_concat(id) FILTER (WHERE role = 'session_meta'), group_concat(id) FILTER (WHERE content < char(1))
			FROM messages WHERE id > ? AND id <= ?`, to-hearAtOnce, to)
		if err != nil {
			return err
		}
		err = eachRecord(rows, func(r Record) error {
			var h heard
			for i, set := range []*ftsindex.Set{&h.known, &h.tools, &h.mute, &h.coded} {
				for id := range idsIn([]byte(text(r[i].Value))) {
					set.Add(id)
				}
			}
			s.speakers.add(&h)
			if into != nil {
				into.union(&h)
			}
			return nil
		})
		if err != nil && !corrupt(err) { // what is missing is looked up by itself
			return err
		}
	}
	return nil
}

// coded gives the messages that are JSON behind a NUL, at which the trigrams of
// older SQLite end. Their first word is known. The set is for reading.
func (f *finder) coded(ctx context.Context) (*ftsindex.Set, error) {
	if f.ground.coded != nil {
		return f.ground.coded, nil
	}
	ids, err := f.match(ctx, &f.words, quoted("json", false))
	if err != nil {
		return nil, err
	}
	h, err := f.learn(ctx, ids)
	if err != nil {
		return nil, err
	}
	f.ground.coded = &h.coded
	if !f.bounded() {
		f.keep()
	}
	return &h.coded, nil
}
