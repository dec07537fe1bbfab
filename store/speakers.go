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
	mu   sync.Mutex
	all  *heard
	lent bool // somebody reads it: it is copied before it changes
}

// heard is what was read of messages.
type heard struct {
	known ftsindex.Set // all of them
	tools ftsindex.Set // a tool said these
	calls ftsindex.Set // these call tools
	mute  ftsindex.Set // these stand in no transcript
	coded ftsindex.Set // these are JSON behind a NUL: they have images
}

// all gives what it has.
func (h *heard) all() [5]*ftsindex.Set {
	return [...]*ftsindex.Set{&h.known, &h.tools, &h.calls, &h.mute, &h.coded}
}

// union takes in what else was read.
func (h *heard) union(more *heard) {
	for i, set := range more.all() {
		h.all()[i].Union(set)
	}
}

func (h *heard) clone() *heard {
	c := &heard{}
	c.union(h)
	return c
}

// read gives what is known, for reading: it stays as it is.
func (r *speakers) read() *heard {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil {
		r.all = &heard{}
	}
	r.lent = true
	return r.all
}

// change lets what is known be changed.
func (r *speakers) change(f func(*heard)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.all == nil:
		r.all = &heard{}
	case r.lent:
		r.all, r.lent = r.all.clone(), false
	}
	f(r.all)
}

// unread gives the messages of which it is not known.
func (r *speakers) unread(o *owners) *ftsindex.Set { return ftsindex.Without(o.all(), &r.read().known) }

// forget drops what is known of other messages than these.
func (r *speakers) forget(o *owners) {
	r.change(func(h *heard) {
		for _, set := range h.all() {
			set.Intersect(o.all())
		}
	})
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

// learn tells what is known of messages, and reads it of those of which nothing
// is; those that are not there it takes out of ids. The answer is for reading,
// and has other messages too.
func (f *finder) learn(ctx context.Context, ids *ftsindex.Set) (*heard, error) {
	r := &f.s.speakers
	h := r.read()
	unread := ftsindex.Without(ids, &h.known)
	if unread.Empty() {
		return h, nil
	}
	var read heard
	if dense(unread) {
		if err := f.s.hear(ctx, f.q, unread, &read); err != nil {
			return nil, err
		}
	}
	if rest := ftsindex.Without(unread, &read.known); !rest.Empty() {
		err := f.each(ctx, `SELECT m.id, CASE m.role WHEN 'tool' THEN 1 WHEN 'session_meta' THEN 2 ELSE 0 END, `+f.s.schema.calls("m")+`, coalesce(m.content < char(1), 0)
			FROM json_each(?) j CROSS JOIN messages m ON m.id = j.value`, []any{list(rest.All())},
			func(scan func(...any) error) error {
				var id int64
				var role int
				var calls, coded bool
				err := scan(&id, &role, &calls, &coded)
				read.known.Add(id)
				switch role {
				case 1:
					read.tools.Add(id)
				case 2:
					read.mute.Add(id)
				}
				if calls {
					read.calls.Add(id)
				}
				if coded {
					read.coded.Add(id)
				}
				return err
			})
		r.change(func(h *heard) { h.union(&read) }) // what was read before a cancellation too
		if err != nil {
			return nil, err
		}
	}
	ids.Subtract(ftsindex.Without(unread, &read.known)) // gone since the index was asked
	read.union(h)                                       // and not what is known now: others may have forgotten some of these
	return &read, nil
}

// hearAtOnce is how many messages are read between two looks at ctx.
const hearAtOnce = 10_000

// hear reads the stretches of the table in which messages lie, the newest
// first, and remembers what it reads, with their roles. into gets it too, unless
// it is nil.
func (s *Store) hear(ctx context.Context, q queryer, ids *ftsindex.Set, into *heard) error {
	to, ok := ids.Before(ftsindex.MaxRow + 1)
	for ; ok; to, ok = ids.Before(to - hearAtOnce + 1) {
		rows, err := q.QueryContext(ctx, `SELECT group_concat(id), group_concat(id) FILTER (WHERE role = 'tool'),
			group_concat(id) FILTER (WHERE `+s.schema.calls("messages")+`),
			group_concat(id) FILTER (WHERE role = 'session_meta'), group_concat(id) FILTER (WHERE content < char(1)),
			group_concat(id) FILTER (WHERE role = 'user'),
			group_concat(id) FILTER (WHERE coalesce(role, '') NOT IN ('user', 'assistant', 'tool', 'session_meta'))
			FROM messages WHERE id > ? AND id <= ?`, to-hearAtOnce, to)
		if err != nil {
			return err
		}
		err = eachRecord(rows, func(r Record) error {
			var h heard
			var users, others ftsindex.Set
			all := h.all()
			for i, set := range append(all[:], &users, &others) {
				for id := range idsIn([]byte(text(r[i].Value))) {
					set.Add(id)
				}
			}
			s.speakers.change(func(all *heard) { all.union(&h) })
			agents := h.known.Clone()
			for _, set := range []*ftsindex.Set{&h.tools, &h.mute, &users, &others} {
				agents.Subtract(set)
			}
			s.casting.add(map[string]*ftsindex.Set{"tool": &h.tools, "session_meta": &h.mute, "user": &users, "assistant": agents})
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
	f.ground.coded = ftsindex.Both(ids, &h.coded)
	if !f.bounded() {
		f.keep()
	}
	return f.ground.coded, nil
}
