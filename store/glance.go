package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"hermes-sessions/model"
)

// From so many messages on, the first rows are found without reading all
// sessions; below, all sessions are read in the time of two frames.
const glanceFrom = 20_000

// How many messages are looked at before all sessions are read after all:
// one session may own the whole end of the table.
const glanceMost = 30_000

// How many sessions may have begun after the last row of a page and be found
// only by that. There are many where an old history was imported into a younger
// one: then messages do not stand in the order of their times.
const glanceLate = 2_000

// glance gives the first page of the list by activity from the end of the
// messages table. ok is false where the whole list must be read instead.
func (s *Store) glance(ctx context.Context, q model.ListQuery) (page model.Page, ok bool, err error) {
	if s.cached() != nil || q.Sessions || len(q.Filters) > 0 || q.Sort != model.ByActivity || q.Limit <= 0 || q.Offset > 0 {
		return page, false, nil
	}
	err = s.snapshot(ctx, func(db queryer) error {
		newest, err := s.newestMessage(ctx, db)
		if err != nil || newest < glanceFrom {
			return err
		}
		page, ok, err = s.newest(ctx, db, q, newest)
		return err
	})
	if corrupt(err) {
		return page, false, nil // the whole list reads around it
	}
	return page, ok, s.wrap("read the newest sessions of", err)
}

func (s *Store) newestMessage(ctx context.Context, db queryer) (id int64, err error) {
	rows, err := db.QueryContext(ctx, `SELECT max(id) FROM messages`)
	if err != nil {
		return 0, err
	}
	err = eachRecord(rows, func(r Record) error {
		id = number(r[0].Value)
		return nil
	})
	return id, err
}

// newest reads messages backwards from an id until the sessions that they
// belong to make a page. Ids stand for times: where a clock was set back
// across sessions, the whole list, read next, corrects the order.
func (s *Store) newest(ctx context.Context, db queryer, q model.ListQuery, from int64) (model.Page, bool, error) {
	var none model.Page
	c := s.emptyCatalog()
	seen := map[string]bool{}
	// Families are whole: who is not yet in c is tied to nobody there.
	add := func(ids []string) error {
		more, err := s.family(ctx, db, slices.DeleteFunc(ids, func(id string) bool { _, ok := c.index[id]; return ok }))
		if err != nil {
			return err
		}
		c.conv = append(c.conv, more.conv...)
		for id, i := range more.index {
			c.index[id] = i
		}
		return nil
	}
	asked, err := s.sift(ctx, c, nil, q, false)
	if err != nil {
		return none, false, err
	}
	next, scanned := from+1, 0
	for want := q.Limit + q.Limit/2; ; want += q.Limit {
		var ids []string
		for len(seen) < want && next > 1 && scanned < glanceMost {
			writers, last := 0, ""
			low, n, err := s.writersBefore(ctx, db, next, func(id string) {
				writers, last = writers+1, id
				if !seen[id] {
					seen[id] = true
					ids = append(ids, id)
				}
			})
			if err != nil {
				return none, false, err
			}
			if n == 0 {
				next = 0
				break
			}
			next, scanned = low, scanned+n
			if writers == 1 {
				if next, err = s.skipRun(ctx, db, last, next); err != nil {
					return none, false, err
				}
			}
		}
		if err := add(ids); err != nil {
			return none, false, err
		}
		page := asked.page(c.conv)
		if len(page.Conversations) < q.Limit {
			if next <= 1 || scanned >= glanceMost {
				return none, false, nil // all is needed
			}
			continue
		}
		late, err := s.startedAfter(ctx, db, page.Conversations[q.Limit-1].LastActive)
		if err != nil {
			return none, false, err
		}
		if len(late) > glanceLate {
			return none, false, nil // an old history came last: all is needed
		}
		if err := add(late); err != nil {
			return none, false, err
		}
		page = asked.page(c.conv)
		page.Partial = true
		return page, true, nil
	}
}

// writersBefore gives the sessions of up to 1,000 messages before an id, the
// lowest id among them, and their number.
func (s *Store) writersBefore(ctx context.Context, db queryer, id int64, each func(string)) (low int64, n int, err error) {
	rows, err := db.QueryContext(ctx, `SELECT session_id, min(id), count(*)
		FROM (SELECT id, session_id FROM messages WHERE id < ? ORDER BY id DESC LIMIT 1000) GROUP BY session_id`, id)
	if err != nil {
		return 0, 0, err
	}
	low = id
	err = eachRecord(rows, func(r Record) error {
		each(text(r[0].Value))
		low = min(low, number(r[1].Value))
		n += int(number(r[2].Value))
		return nil
	})
	return low, n, err
}

// skipRun follows the run of one session's messages down from an id that
// belongs to it and gives the lowest id that surely does too. The index of the
// session's messages says whether all ids of a stretch are its own, at a tenth
// of what reading their rows costs.
func (s *Store) skipRun(ctx context.Context, db queryer, session string, id int64) (int64, error) {
	const query = `SELECT CASE (SELECT session_id FROM messages WHERE id = ?1) WHEN ?2 THEN (SELECT count(*) FROM messages
		WHERE session_id = ?2 AND id >= ?1 AND id < ?3
		AND timestamp BETWEEN (SELECT timestamp FROM messages WHERE id = ?1) AND (SELECT timestamp FROM messages WHERE id = ?3)) END`
	for step := int64(1000); step >= 1000; {
		rows, err := db.QueryContext(ctx, query, id-step, session, id)
		if err != nil {
			return id, err
		}
		whole := false
		err = eachRecord(rows, func(r Record) error {
			whole = number(r[0].Value) == step
			return nil
		})
		switch {
		case err != nil:
			return id, err
		case whole:
			id, step = id-step, step*2
		default:
			step /= 2
		}
	}
	return id, nil
}

// startedAfter gives the sessions that began after a moment, those without
// messages among them.
func (s *Store) startedAfter(ctx context.Context, db queryer, at time.Time) ([]string, error) {
	rows, err := db.QueryContext(ctx, `SELECT id FROM sessions WHERE started_at > ?`, float64(at.UnixNano())/1e9)
	if err != nil {
		return nil, err
	}
	var late []string
	err = eachRecord(rows, func(r Record) error {
		late = append(late, text(r[0].Value))
		return nil
	})
	return late, err
}

// giant is from how many messages on a session is not counted for a glance.
const giant = 5_000

// family is a catalog of some sessions and all that are tied to them: their
// ancestors, and all descendants of those. What it says of each of them is
// what the whole catalog says, but for the message counts of giants.
func (s *Store) family(ctx context.Context, db queryer, ids []string) (*catalog, error) {
	c := s.emptyCatalog()
	for chunk := range slices.Chunk(ids, 10_000) {
		args := make([]any, len(chunk))
		for i, id := range chunk {
			args[i] = id
		}
		sessions, err := s.readSessions(ctx, db, `s.id IN (
			WITH RECURSIVE want(id) AS (VALUES `+strings.TrimSuffix(strings.Repeat("(?),", len(chunk)), ",")+`),
			up(id) AS ( -- VALUES itself may only stand here with 500 rows
				SELECT id FROM want
				UNION SELECT p.parent_session_id FROM sessions p JOIN up ON p.id = up.id WHERE p.parent_session_id IS NOT NULL),
			tree(id) AS (
				SELECT id FROM up
				UNION SELECT d.id FROM sessions d JOIN tree ON d.parent_session_id = tree.id)
			SELECT id FROM tree)`, args, len(chunk))
		if err != nil {
			return nil, err
		}
		for _, m := range sessions {
			if _, ok := c.index[m.ID]; !ok {
				c.index[m.ID] = len(c.sessions)
				c.sessions = append(c.sessions, m)
			}
		}
	}
	var members []string
	for i := range c.sessions {
		m := &c.sessions[i]
		if m.MessageCount < giant {
			members = append(members, m.ID)
			continue
		}
		// Counting is all that would take time here, so the writer's own
		// count stands in until the whole catalog is read.
		rows, err := db.QueryContext(ctx, `SELECT max(timestamp) FROM messages WHERE session_id = ?`, m.ID)
		if err != nil {
			return nil, err
		}
		err = eachRecord(rows, func(r Record) error {
			m.Visible, m.LastMessageAt = m.MessageCount, moment(r[0].Value)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for chunk := range slices.Chunk(members, 1000) {
		if err := s.readActivity(ctx, db, c, chunk); err != nil {
			return nil, err
		}
	}
	s.join(c)
	return c, nil
}

// familyOf gives the catalog if it is up to date, and otherwise the family of
// one session, which is read in no time.
func (s *Store) familyOf(ctx context.Context, id string) (*catalog, error) {
	version, err := s.DataVersion(ctx)
	if err != nil {
		return nil, err
	}
	if c := s.cached(); c != nil && c.version == version {
		return c, nil
	}
	var c *catalog
	err = s.snapshot(ctx, func(q queryer) error {
		var err error
		c, err = s.family(ctx, q, []string{id})
		return err
	})
	if corrupt(err) {
		return s.catalog(ctx)
	}
	return c, s.wrap("read "+id+" of", err)
}
