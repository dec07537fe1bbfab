package store

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
	"slices"

	"hermes-sessions/model"
)

// ExportOptions say what to export.
type ExportOptions struct {
	IDs    []string // these sessions, in this order; nil for all
	Source string   // of all, only this source
}

// Export writes sessions with their messages as JSON lines in the documented
// shape (store/README.md#export) and gives how many it wrote. All sessions come
// latest active first and carry last_active. It holds one message at a time in
// memory; each session is of one moment. An id that is not there is an error
// before anything of it is written.
//
// Of a damaged database it writes what can be read, and then gives an error of
// [KindIncomplete]; the documented calls that answer from memory, as
// [Store.Messages], [Store.ChatMessages] or [Store.Sessions], give one of
// [KindDamaged] instead of an answer with holes. [Store.Outline] and
// [Store.MessagesByID] read around damaged pages and say where something is
// missing.
func (s *Store) Export(ctx context.Context, w io.Writer, o ExportOptions) (int, error) {
	e := exporter{s: s, out: bufio.NewWriterSize(w, 1<<16), columns: s.sessionRow()}
	ids := o.IDs
	if ids == nil {
		e.columns += ", " + s.lastActive()
		var err error
		if ids, err = s.recentIDs(ctx, o.Source); corrupt(err) {
			ids, err = s.remainingIDs(ctx, o.Source)
		}
		if err != nil {
			return 0, s.wrap("export", err)
		}
	}
	n := 0
	for _, id := range ids {
		found, err := e.session(ctx, id)
		switch {
		case corrupt(err):
			e.sessions++
		case err != nil:
			return n, s.wrap("export "+id+" of", err)
		case found:
			n++
		case o.IDs != nil && e.sessions == 0:
			return n, s.notFound(id)
		}
	}
	if err := e.out.Flush(); err != nil {
		return n, fmt.Errorf("export %s: %w", s.path, err)
	}
	if e.sessions == 0 && !e.holes {
		return n, nil
	}
	s.note(NoteDamaged)
	return n, &Error{
		Kind: KindIncomplete, Path: s.path,
		Message: fmt.Sprintf("the database is damaged: at least %d sessions and %d messages could not be read; everything else was exported", e.sessions, e.messages),
		Remedy:  s.recovery(),
	}
}

// remainingIDs gives the ids of sessions that are left in a damaged database,
// latest active first.
func (s *Store) remainingIDs(ctx context.Context, source string) ([]string, error) {
	c, err := s.catalog(ctx)
	if err != nil {
		return nil, err
	}
	var left []int
	for i, m := range c.all() {
		if source == "" || m.Source == source {
			left = append(left, i)
		}
	}
	slices.SortStableFunc(left, func(a, b int) int { return c.active(b).Compare(c.active(a)) })
	ids := make([]string, len(left))
	for at, i := range left {
		ids[at] = c.id(i)
	}
	return ids, nil
}

// recentIDs gives all ids in the order of [Store.RecentSessions].
func (s *Store) recentIDs(ctx context.Context, source string) ([]string, error) {
	return s.ids(ctx, s.db, `SELECT s.id, `+s.lastActive()+` FROM sessions s
		WHERE ? = '' OR s.source = ? ORDER BY last_active DESC, s.started_at DESC, s.id DESC`, source, source)
}

// exporter writes sessions and counts what it could not read.
type exporter struct {
	s       *Store
	out     *bufio.Writer
	columns string

	sessions, messages int // known to be lost
	holes              bool
	left               map[string]*remains
	places             map[string]int64 // rowids of sessions that can be read
}

// remaining reads the row of one session without any index, and without the
// time of its last message.
func (e *exporter) remaining(ctx context.Context, q queryer, id string) (map[string]Record, error) {
	if e.places == nil {
		e.places = map[string]int64{}
		if err := e.s.walk(ctx, `SELECT s.rowid, s.id FROM sessions s NOT INDEXED WHERE s.rowid >= ? ORDER BY s.rowid LIMIT ?`, func(r Record) {
			e.places[text(r[1].Value)] = number(r[0].Value)
		}); err != nil {
			return nil, err
		}
	}
	found := map[string]Record{}
	rows, err := q.QueryContext(ctx, `SELECT `+e.s.sessionRow()+` FROM sessions s NOT INDEXED WHERE s.rowid = ?`, e.places[id])
	if err != nil {
		return nil, err
	}
	err = eachRecord(rows, func(r Record) error {
		found[id] = r
		return nil
	})
	if err == nil && len(found) == 0 {
		e.sessions++
	}
	return found, err
}

func (e *exporter) session(ctx context.Context, id string) (found bool, err error) {
	tx, err := e.s.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return false, err
	}
	defer tx.Rollback() // ends the read
	rows, err := e.s.readRecords(ctx, tx, []string{id}, e.columns)
	if corrupt(err) {
		rows, err = e.remaining(ctx, tx, id)
	}
	if err != nil || len(rows) == 0 {
		return false, err
	}
	line := model.AppendJSON(nil, rows[id])
	line = append(line[:len(line)-1], `, "messages": [`...)
	first, last := true, int64(0)
	write := func(r Record) error {
		if !first {
			line = append(line, ", "...)
		}
		first, last = false, number(r.Get("id"))
		line = model.AppendJSON(line, r)
		_, err := e.out.Write(line)
		line = line[:0]
		return err
	}
	if err = e.s.eachMessage(ctx, tx, id, write); corrupt(err) {
		err = e.rest(ctx, tx, id, last, write)
	}
	if err != nil {
		return true, err
	}
	_, err = e.out.Write(append(line, "]}\n"...))
	return true, err
}

// rest writes the messages behind one that could be read, as far as they can.
func (e *exporter) rest(ctx context.Context, q queryer, id string, last int64, write func(Record) error) (err error) {
	e.holes = true
	if e.left == nil {
		if e.left, err = e.s.remains(ctx); err != nil {
			return err
		}
	}
	r := e.left[id]
	if r == nil {
		return nil
	}
	for _, message := range r.active {
		if message <= last {
			continue
		}
		err := e.s.readMessageRows(ctx, q, `m.id = ? AND `+e.s.schema.active("m"), []any{message}, write)
		if corrupt(err) {
			e.messages++
		} else if err != nil {
			return err
		}
	}
	return nil
}
