package store

import (
	"bytes"
	"context"
	"iter"
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
}

// ownerSheet has the numbers of sessions, by id; nil where there is no message.
type ownerSheet [ownerPage]int32

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
		o.pages[n][id%ownerPage] = session
		o.known.Add(id)
	}
}

func newOwnerSheet() *ownerSheet {
	s := new(ownerSheet)
	for i := range s {
		s[i] = unknown
	}
	return s
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
		return o.pages[n][id%ownerPage]
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
	c.owners.Store(o)
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
