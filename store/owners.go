package store

import (
	"bytes"
	"context"
	"iter"
	"slices"
	"strconv"

	"hermes-sessions/store/ftsindex"
)

// owners tells which session each message belongs to, by its id: to look that
// up in the table costs more than to find the message. A nil *owners knows no
// message.
type owners struct {
	pages []*ownerSheet
	known ftsindex.Set // the messages
	made  int          // pages
	added int          // messages

	homeless int // of them
}

// ownerSheet has the numbers of sessions, by id.
type ownerSheet struct {
	of [ownerPage]int32
	// turns has a bit for each message whose neighbour before it is of another
	// session. What follows mostly is of the same one, and counted with it.
	turns [ownerPage / 64]uint64
}

// What owners say besides the number of a session.
const (
	homeless = -1 // it belongs to a session that is not there
	unknown  = -2 // it is not known: to be looked up
)

const (
	ownerPage = 1 << 14
	// Who chose ids by hand, far apart, must not cost a page for each.
	ownerRoom = 64
)

// add says that messages are of a session, given by its number or as homeless.
// Those with ids that no index is read for are left out.
func (o *owners) add(session int32, ids iter.Seq[int64]) {
	for id := range ids {
		if id < 0 || id > ftsindex.MaxRow {
			continue
		}
		o.added++
		if session == homeless {
			o.homeless++
		}
		n := int(id / ownerPage)
		if n >= len(o.pages) {
			o.pages = append(o.pages, make([]*ownerSheet, n+1-len(o.pages))...)
		}
		if o.pages[n] == nil {
			if o.made*ownerPage > 1<<20+o.added*ownerRoom {
				continue
			}
			o.made++
			o.pages[n] = newOwnerSheet()
		}
		o.pages[n].of[id%ownerPage] = session
		o.known.Add(id)
	}
}

func newOwnerSheet() *ownerSheet {
	s := new(ownerSheet)
	for i := range s.of {
		s.of[i] = unknown
	}
	return s
}

// settle is called when all messages were added.
func (o *owners) settle() *owners {
	for _, s := range o.pages {
		if s == nil {
			continue
		}
		for i := 1; i < len(s.of); i++ {
			if s.of[i] != s.of[i-1] {
				s.turns[i/64] |= 1 << (i % 64)
			}
		}
	}
	return o
}

// idsIn reads the ids of messages that SQLite's group_concat has listed.
func idsIn(b []byte) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for rest := b; len(rest) > 0; {
			var digits []byte
			digits, rest, _ = bytes.Cut(rest, []byte{','})
			if id, err := strconv.ParseInt(string(digits), 10, 64); err == nil && !yield(id) {
				return
			}
		}
	}
}

// of gives the number of the session that a message belongs to.
func (o *owners) of(id int64) int32 {
	if o == nil {
		return unknown
	}
	if n := id / ownerPage; 0 <= id && n < int64(len(o.pages)) && o.pages[n] != nil {
		return o.pages[n].of[id%ownerPage]
	}
	return unknown
}

// sheet gives what is known of 64 messages, the first of them given, and more; nil
// where it is nothing.
func (o *owners) sheet(first int64) *ownerSheet {
	if n := first / ownerPage; o != nil && 0 <= n && n < int64(len(o.pages)) {
		return o.pages[n]
	}
	return nil
}

// all gives the messages that are known.
func (o *owners) all() *ftsindex.Set {
	if o == nil {
		return nil
	}
	return &o.known
}

// findOwners reads whose the messages are, at the moment of c, which db is at.
// Where they can not all be read, none is known.
func (s *Store) findOwners(ctx context.Context, db queryer, c *catalog) error {
	if c.owners.Load() != nil {
		return nil
	}
	o := &owners{}
	rows, err := db.QueryContext(ctx, `SELECT session_id, group_concat(id) FROM messages GROUP BY session_id`)
	if err == nil {
		err = eachRecord(rows, func(r Record) error {
			o.add(c.number(text(r[0].Value)), idsIn([]byte(text(r[1].Value))))
			return nil
		})
	}
	if err != nil {
		if corrupt(err) {
			return nil
		}
		return err
	}
	c.owners.Store(o.settle())
	s.speakers.forget(o)
	s.casting.forget(o)
	return nil
}

// oddOnes is of how many sessions the messages are read one by one.
const oddOnes = 100

// carryOwners takes over what an older catalog knows of whose the messages are,
// as far as the sums of ids at the moment of c, which db is at, say that it is
// true still, and reads the rest.
func (s *Store) carryOwners(ctx context.Context, db queryer, was, c *catalog, now []activity) error {
	old := was.owners.Load()
	o := &owners{pages: make([]*ownerSheet, len(old.pages)), known: *old.known.Clone(), made: old.made, added: old.added, homeless: old.homeless}
	numbers := make([]int32, was.Len()) // in c
	for i := range numbers {
		numbers[i] = c.number(was.id(i))
	}
	over := make([]float64, c.Len()+1) // what the sums are over those known, the last for the homeless
	sum := func(session int32) *float64 {
		if session == homeless {
			return &over[c.Len()]
		}
		return &over[session]
	}
	for _, a := range now {
		*sum(c.number(a.id)) += a.ids
	}
	for n, sheet := range old.pages {
		if sheet == nil {
			continue
		}
		o.pages[n] = new(ownerSheet)
		for k, session := range sheet.of {
			id := int64(n*ownerPage + k)
			if session >= 0 {
				if session = numbers[session]; session == homeless { // its session is gone
					session = unknown
					o.known.Remove(id)
				}
			}
			if o.pages[n].of[k] = session; session != unknown {
				*sum(session) -= float64(id)
			}
		}
	}
	last, _ := o.known.Before(ftsindex.MaxRow + 1)
	rows, err := db.QueryContext(ctx, `SELECT id, session_id FROM messages WHERE id > ?`, last)
	if err == nil {
		err = eachRecord(rows, func(r Record) error {
			n := c.number(text(r[1].Value))
			id := number(r[0].Value)
			*sum(n) -= float64(id)
			o.add(n, slices.Values([]int64{id}))
			return nil
		})
	}
	if err != nil {
		return err
	}
	odd := map[int32]bool{}
	for i, left := range over {
		if left != 0 {
			odd[int32(i)] = true
		}
	}
	if len(odd) > oddOnes || over[c.Len()] != 0 {
		return nil // all is read
	}
	if len(odd) > 0 {
		for n, sheet := range o.pages {
			for k := range ownerPage {
				if sheet != nil && odd[sheet.of[k]] {
					sheet.of[k] = unknown
					o.known.Remove(int64(n*ownerPage + k))
				}
			}
		}
	}
	for i := range odd {
		ids, err := s.one(ctx, db, `SELECT group_concat(id) FROM messages WHERE session_id = ?`, c.id(int(i)))
		if err != nil {
			return err
		}
		o.add(i, idsIn([]byte(text(ids))))
	}
	c.owners.Store(o.settle())
	s.speakers.forget(o)
	return nil
}

// strangers are messages that owners do not know, having come later, with the
// numbers of their sessions.
type strangers map[int64]int32

// strange looks up whose messages are, in c, as far as it is not known.
func (f *finder) strange(ctx context.Context, c *catalog, ids *ftsindex.Set) (strangers, error) {
	ids = ftsindex.Without(ids, c.owners.Load().all())
	if ids.Empty() {
		return nil, nil
	}
	of := strangers{}
	return of, f.each(ctx, `SELECT m.id, m.session_id FROM json_each(?) j CROSS JOIN messages m ON m.id = j.value`, []any{list(ids.All())},
		func(scan func(...any) error) error {
			var id int64
			var session any
			err := scan(&id, &session)
			of[id] = c.number(text(session))
			return err
		})
}

// number gives the number of a session.
func (c *catalog) number(id string) int32 {
	if i, ok := c.find(id); ok {
		return int32(i)
	}
	return homeless
}
