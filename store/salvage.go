package store

import (
	"context"
	"slices"
	"time"

	"hermes-sessions/model"
)

// A damaged page makes every statement fail that comes across it. What follows
// reads around such pages, slowly: it is used only after a statement failed.

// corrupt reports whether an error comes from a damaged page.
func corrupt(err error) bool { return code(err) == sqliteCorrupt }

// lostMessage stands in for a message whose page is damaged.
const lostMessage = "this message can not be read: the database is damaged"

// remains are the messages of one session that are left.
type remains struct {
	ids     []int64 // visible ones, and those of which only the id is left
	active  []int64 // and those that are active but not shown
	rewound int
	last    time.Time
}

// farthest is how far behind a damaged page readable rows are looked for.
const farthest = 1 << 33

// walk reads a table by rowid and leaves out what can not be read. The query
// takes the first rowid and a limit, and gives the rowid first.
func (s *Store) walk(ctx context.Context, query string, each func(Record)) error {
	read := func(from int64, limit int, each func(Record)) (last int64, err error) {
		last = from - 1
		rows, err := s.db.QueryContext(ctx, query, from, limit)
		if err != nil {
			return last, err
		}
		err = eachRecord(rows, func(r Record) error {
			last = number(r[0].Value)
			each(r)
			return nil
		})
		return last, err
	}
	probe := func(from int64) (ok bool, err error) {
		if _, err = read(from, 1, func(Record) {}); corrupt(err) {
			return false, nil
		}
		return err == nil, err
	}
	for from := int64(0); ; {
		last, err := read(from, -1, each)
		if !corrupt(err) {
			return err
		}
		// Somewhere behind the damaged page the rows go on: first leap, then
		// come back to the first that can be read.
		bad, good := last+1, int64(0)
		for step := int64(1); good == 0; step *= 2 {
			if step > farthest {
				return nil
			}
			next := last + 1 + step
			ok, err := probe(next)
			if err != nil {
				return err
			}
			if ok {
				good = next
			} else {
				bad = next
			}
		}
		for good-bad > 1 {
			middle := bad + (good-bad)/2
			ok, err := probe(middle)
			if err != nil {
				return err
			}
			if ok {
				good = middle
			} else {
				bad = middle
			}
		}
		from = good
	}
}

// remains finds all messages that are left, by session.
func (s *Store) remains(ctx context.Context) (map[string]*remains, error) {
	s.note(NoteDamaged)
	left := map[string]*remains{}
	of := func(session any) *remains {
		r := left[text(session)]
		if r == nil {
			r = &remains{}
			left[text(session)] = r
		}
		return r
	}
	readable := map[int64]bool{}
	err := s.walk(ctx, `SELECT m.id, m.session_id, m.timestamp, `+s.schema.visible("m")+`, `+s.schema.said("m")+`, `+s.schema.active("m")+`
		FROM messages m NOT INDEXED WHERE m.id >= ? ORDER BY m.id LIMIT ?`, func(row Record) {
		id, r := number(row[0].Value), of(row[1].Value)
		readable[id] = true
		if truth(row[3].Value) {
			r.ids = append(r.ids, id)
		}
		if !truth(row[4].Value) {
			r.rewound++
		}
		if truth(row[5].Value) {
			r.active = append(r.active, id)
		}
		if at := moment(row[2].Value); at.After(r.last) {
			r.last = at
		}
	})
	if err != nil {
		return nil, err
	}
	// The index may still know of messages whose rows are gone.
	rows, err := s.db.QueryContext(ctx, `SELECT session_id, id, timestamp FROM messages ORDER BY session_id, timestamp`)
	if err == nil {
		err = eachRecord(rows, func(row Record) error {
			if id := number(row[1].Value); !readable[id] {
				r := of(row[0].Value)
				r.ids, r.active = append(r.ids, id), append(r.active, id)
				if at := moment(row[2].Value); at.After(r.last) {
					r.last = at
				}
			}
			return nil
		})
	}
	if err != nil && !corrupt(err) {
		return nil, err
	}
	for _, r := range left {
		slices.Sort(r.ids)
		slices.Sort(r.active)
	}
	return left, nil
}

// salvageCatalog reads the sessions that are left. A session of which only the
// id is known, because its messages or an index name it, is shown by that.
func (s *Store) salvageCatalog(ctx context.Context) (*catalog, error) {
	c := s.emptyCatalog()
	all, seen := enrol(0), map[string]bool{}
	add := func(m model.Session) {
		if !seen[m.ID] {
			seen[m.ID] = true
			all.add(&m)
		}
	}
	err := s.walk(ctx, `SELECT s.rowid, `+s.sessionColumns()+` FROM sessions s NOT INDEXED WHERE s.rowid >= ? ORDER BY s.rowid LIMIT ?`, func(r Record) {
		values := make([]any, len(r)-1)
		for i := range values {
			values[i] = r[i+1].Value
		}
		add(scanSession(values))
	})
	if err != nil {
		return nil, err
	}
	left, err := s.remains(ctx)
	if err != nil {
		return nil, err
	}
	for id := range left {
		if !seen[id] {
			add(model.Session{ID: id, StartedAt: left[id].last, EndedAt: left[id].last})
		}
	}
	rows, err := s.db.QueryContext(ctx, `SELECT id FROM sessions ORDER BY id`)
	if err == nil {
		err = eachRecord(rows, func(r Record) error {
			add(model.Session{ID: text(r[0].Value)})
			return nil
		})
	}
	if err != nil && !corrupt(err) {
		return nil, err
	}
	c.roll = all.roll()
	for i := range c.Len() {
		if r := left[c.id(i)]; r != nil {
			c.heard(i, len(r.ids), r.last)
		}
	}
	s.join(c)
	return c, nil
}

// salvageMessages reads messages one by one; one that can not be read says so.
func (s *Store) salvageMessages(ctx context.Context, ids []int64, found map[int64]model.Message) error {
	s.note(NoteDamaged)
	for _, id := range ids {
		err := s.readMessages(ctx, s.db, []int64{id}, found)
		if corrupt(err) {
			found[id] = model.Message{ID: id, Broken: lostMessage}
		} else if err != nil {
			return err
		}
	}
	return nil
}

// salvageDresses looks up previews one by one and does without those that can
// not be read.
func (s *Store) salvageDresses(ctx context.Context, ids []string, condition string, each func(id, said, role string)) ([]string, error) {
	s.note(NoteDamaged)
	var silent []string
	for _, id := range ids {
		more, err := s.readDresses(ctx, []string{id}, condition, each)
		if err != nil && !corrupt(err) {
			return nil, err
		}
		silent = append(silent, more...)
	}
	return silent, nil
}

// salvageOutline makes an outline of the messages that are left.
func (s *Store) salvageOutline(ctx context.Context, o *model.Outline) error {
	left, err := s.remains(ctx)
	if err != nil {
		return err
	}
	o.IDs, o.Starts, o.Models, o.Rewound = nil, nil, nil, 0
	o.Repeated, o.Repeats = nil, nil
	for _, segment := range o.Conversation.Segments {
		o.Starts = append(o.Starts, len(o.IDs))
		if r := left[segment]; r != nil {
			o.IDs = append(o.IDs, r.ids...)
			o.Rewound += r.rewound
		}
	}
	return nil
}
