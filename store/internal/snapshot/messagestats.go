package snapshot

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"hash/maphash"
	"math"

	"hermes-sessions/store/internal/btree"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/sessiontable"
)

// messageStats is the number of messages of a session that are active, or not, and the
// time of the last one.
type messageStats struct {
	id      string
	visible bool
	count   int
	lastAt  any // as stored; text where one timestamp is text
}

// queryMessageStats reads the stats of the messages that a WHERE clause selects.
func queryMessageStats(ctx context.Context, q db.Querier, schema db.Schema, where string, args []any) (all []messageStats, err error) {
	// Each of these is answered from an index alone where the file has it.
	active, groups := "1", "session_id"
	if schema.Has("messages", "active") {
		active, groups = "coalesce(active, 1)", "session_id, active"
	}
	err = db.EachRow(ctx, q, `SELECT session_id, `+active+`, count(*), max(timestamp) FROM messages`+where+` GROUP BY `+groups, args, func(r db.Row) {
		all = append(all, messageStats{r.Text(0), r.Bool(1), int(r.Int(2)), r[3]})
	})
	return all, err
}

// readAllMessageStats reads the stats of all messages. Where mapped is not nil and an index
// can be read by its pages, mapped gets each message with the place of its stats in all, and
// ok is true. With the error [btree.ErrUnordered] all has the stats, too.
func readAllMessageStats(ctx context.Context, q db.Querier, schema db.Schema, mapped *MessageSessionsBuilder) (all []messageStats, ok bool, err error) {
	var each func(at int32, id int64)
	if mapped != nil {
		each = mapped.addOne
	}
	if all, err = messageStatsByPages(ctx, q, schema, each); err == nil || ctx.Err() != nil {
		return all, mapped != nil, cmp.Or(ctx.Err(), err)
	}
	unordered := errors.Is(err, btree.ErrUnordered)
	all, err = queryMessageStats(ctx, q, schema, "", nil) // a statement reads what the pages did not give
	if err == nil && unordered {
		err = btree.ErrUnordered
	}
	return all, false, err
}

// messageStatsByPages reads the stats of all messages from the pages of an index. each, unless it
// is nil, is called with each message and the place of its stats in all.
func messageStatsByPages(ctx context.Context, q db.Querier, schema db.Schema, each func(at int32, id int64)) (all []messageStats, err error) {
	columns := []string{"session_id", "timestamp"}
	if schema.Has("messages", "active") {
		columns = append(columns, "active")
	}
	type group struct {
		id      string
		visible bool
	}
	places := map[group]int{}
	var last []byte
	at := -1
	var newest []float64 // times of the last messages, which all has as values of any type
	err = btree.Scan(ctx, q, "messages", columns, func(v []btree.Value, id int64) error {
		name, ok := v[0].Text()
		when, timed := v[1].Number()
		if !ok || !timed {
			return btree.ErrUnsupported // SQLite compares values of all types
		}
		visible := true
		if len(v) > 2 && v[2].Type > 0 {
			active, ok := v[2].Int()
			if visible = active != 0; !ok {
				return btree.ErrUnsupported
			}
		}
		if at < 0 || visible != all[at].visible || !bytes.Equal(name, last) {
			last = append(last[:0], name...)
			if at, ok = places[group{string(name), visible}]; !ok {
				at = len(all)
				g := group{string(name), visible}
				places[g] = at
				all, newest = append(all, messageStats{id: g.id, visible: visible}), append(newest, when)
			}
		}
		all[at].count++
		if when > newest[at] {
			newest[at] = when
		}
		if each != nil {
			each(int32(at), id)
		}
		return nil
	})
	for i := range all {
		all[i].lastAt = newest[i]
	}
	return all, err
}

// applyMessageStats adds stats to the sessions of a table. all is how many messages each
// of them has, invisible ones too, and lost the doubts about messages without a session.
func (s *Sessions) applyMessageStats(ctx context.Context, q db.Querier, of *sessiontable.Table, stats []messageStats) (all []int32, lost doubts, err error) {
	var odd []int
	all = make([]int32, of.Len())
	for _, a := range stats {
		i, ok := of.Position(a.id)
		if !ok {
			lost.orphaned += a.count // messages without a session
			lost.hash += maphash.String(s.Indexes.seed, a.id)
			continue
		}
		all[i] += int32(min(a.count, math.MaxInt32/2))
		m := of.Session(i)
		if a.visible {
			m.VisibleMessages += a.count
		}
		if _, isText := a.lastAt.(string); isText {
			odd = append(odd, i)
		} else if at := db.AsTime(a.lastAt); at.After(m.LastMessageAt) {
			m.LastMessageAt = at
		}
		of.SetMessageStats(i, m.VisibleMessages, m.LastMessageAt)
	}
	// Text sorts above all numbers, so one bad row hides the real maximum.
	for _, i := range odd {
		last, err := db.QueryValue(ctx, q, `SELECT max(timestamp) FROM messages WHERE session_id = ? AND typeof(timestamp) <> 'text'`, of.ID(i))
		if err != nil {
			return nil, lost, err
		}
		of.SetMessageStats(i, of.Session(i).VisibleMessages, db.AsTime(last))
	}
	return all, lost, nil
}

// readMessageStats sets the message counts and the last times of the sessions with ids
// in a table, and returns the doubts that arise.
func (s *Sessions) readMessageStats(ctx context.Context, q db.Querier, of *sessiontable.Table, ids []string) (found doubts, err error) {
	err = db.InChunks(ids, func(where string, args []any) error {
		stats, err := queryMessageStats(ctx, q, s.db.Schema, ` WHERE session_id `+where, args)
		if err != nil {
			return err
		}
		return s.addMessageStats(ctx, q, of, args, stats, &found)
	})
	if err == nil {
		err = s.Indexes.addNewest(ctx, q, &found)
	}
	return found, err
}

// addMessageStats is applyMessageStats for the sessions with ids alone, with the doubts that arise.
func (s *Sessions) addMessageStats(ctx context.Context, q db.Querier, of *sessiontable.Table, ids []any, stats []messageStats, found *doubts) error {
	all, lost, err := s.applyMessageStats(ctx, q, of, stats)
	if err != nil {
		return err
	}
	found.add(lost)
	found.add(s.Indexes.doubtCounts(of, func(yield func(int) bool) {
		for _, id := range ids {
			if i, ok := of.Position(id.(string)); ok && !yield(i) {
				return
			}
		}
	}, all))
	return nil
}
