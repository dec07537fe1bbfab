package transfer

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
	"slices"

	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
)

// ExportOptions say which sessions to export.
type ExportOptions struct {
	IDs    []string // these sessions, in this order; nil for all
	Source string   // of all, only this source
}

// Export writes sessions as JSON lines, one at a time; see store.Store.Export for
// the contract. Each session is read in one transaction, message by message.
func (t *Transfer) Export(ctx context.Context, w io.Writer, o ExportOptions) (int, error) {
	e := exporter{transfer: t, out: bufio.NewWriterSize(w, 1<<16), columns: t.db.SessionRow()}
	ids := o.IDs
	if ids == nil {
		e.columns += ", " + t.db.LastActiveExpr()
		var err error
		if ids, err = t.recentIDs(ctx, o.Source); db.IsCorrupt(err) {
			ids, err = t.remainingIDs(ctx, o.Source)
		}
		if err != nil {
			return 0, t.db.WrapError("export", err)
		}
	}
	n := 0
	for _, id := range ids {
		found, err := e.exportSession(ctx, id)
		switch {
		case db.IsCorrupt(err):
			e.sessions++
		case err != nil:
			return n, t.db.WrapError("export "+id+" of", err)
		case found:
			n++
		case o.IDs != nil && e.sessions == 0:
			return n, t.db.NotFoundError(id)
		}
	}
	if err := e.out.Flush(); err != nil {
		return n, fmt.Errorf("export %s: %w", t.db.Path, err)
	}
	if e.sessions == 0 && !e.damagedPages {
		return n, nil
	}
	t.db.AddNote(db.NoteDamaged)
	return n, &db.Error{
		Kind: db.KindIncomplete, Path: t.db.Path,
		Message: fmt.Sprintf("the database is damaged: at least %d sessions and %d messages could not be read; everything else was exported", e.sessions, e.messages),
		Remedy:  t.db.RecoveryAdvice(),
	}
}

// remainingIDs gives the ids of sessions that can be read in a damaged database,
// latest active first.
func (t *Transfer) remainingIDs(ctx context.Context, source string) ([]string, error) {
	c, err := t.sessions.CurrentSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	var left []int
	for i, m := range c.All() {
		if source == "" || m.Source == source {
			left = append(left, i)
		}
	}
	slices.SortStableFunc(left, func(a, b int) int { return c.LastActive(b).Compare(c.LastActive(a)) })
	ids := make([]string, len(left))
	for at, i := range left {
		ids[at] = c.ID(i)
	}
	return ids, nil
}

// recentIDs gives all ids in the order of sessiondb.DB.RecentSessions.
func (t *Transfer) recentIDs(ctx context.Context, source string) ([]string, error) {
	return t.db.QueryIDs(ctx, t.db.Pool, `SELECT s.id, `+t.db.LastActiveExpr()+` FROM sessions s
		WHERE ? = '' OR s.source = ? ORDER BY last_active DESC, s.started_at DESC, s.id DESC`, source, source)
}

// exporter writes sessions and counts what it could not read.
type exporter struct {
	transfer *Transfer
	out      *bufio.Writer
	columns  string // of a session

	sessions, messages int  // known to be lost
	damagedPages       bool // a page of messages could not be read
	salvaged           map[string]*snapshot.SalvagedMessages
	sessionRowIDs      map[string]int64 // rowids of sessions that can be read
}

// salvageSession reads the row of one session without any index, and without the
// time of its last message.
func (e *exporter) salvageSession(ctx context.Context, q db.Querier, id string) (map[string]db.Record, error) {
	if e.sessionRowIDs == nil {
		e.sessionRowIDs = map[string]int64{}
		if err := e.transfer.sessions.SalvageRows(ctx, `SELECT s.rowid, s.id FROM sessions s NOT INDEXED WHERE s.rowid >= ? ORDER BY s.rowid LIMIT ?`, func(r db.Record) {
			e.sessionRowIDs[db.AsText(r[1].Value)] = db.AsInt(r[0].Value)
		}); err != nil {
			return nil, err
		}
	}
	found := map[string]db.Record{}
	rows, err := q.QueryContext(ctx, `SELECT `+e.transfer.db.SessionRow()+` FROM sessions s NOT INDEXED WHERE s.rowid = ?`, e.sessionRowIDs[id])
	if err != nil {
		return nil, err
	}
	err = db.ScanRecords(rows, func(r db.Record) error {
		found[id] = r
		return nil
	})
	if err == nil && len(found) == 0 {
		e.sessions++
	}
	return found, err
}

// exportSession writes one session and its messages; found is false where no row
// has this id.
func (e *exporter) exportSession(ctx context.Context, id string) (found bool, err error) {
	tx, err := e.transfer.db.Pool.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return false, err
	}
	defer tx.Rollback() // ends the read
	rows, err := e.transfer.db.ReadRecords(ctx, tx, []string{id}, e.columns)
	if db.IsCorrupt(err) {
		rows, err = e.salvageSession(ctx, tx, id)
	}
	if err != nil || len(rows) == 0 {
		return false, err
	}
	line := pyjson.Append(nil, rows[id])
	line = append(line[:len(line)-1], `, "messages": [`...)
	first, last := true, int64(0)
	write := func(r db.Record) error {
		if !first {
			line = append(line, ", "...)
		}
		first, last = false, db.AsInt(r.Get("id"))
		line = pyjson.Append(line, r)
		_, err := e.out.Write(line)
		line = line[:0]
		return err
	}
	if err = e.transfer.db.EachMessage(ctx, tx, id, write); db.IsCorrupt(err) {
		err = e.exportMessages(ctx, tx, id, last, write)
	}
	if err != nil {
		return true, err
	}
	_, err = e.out.Write(append(line, "]}\n"...))
	return true, err
}

// exportMessages writes the messages after the last one that could be read, as far
// as they are readable.
func (e *exporter) exportMessages(ctx context.Context, q db.Querier, id string, last int64, write func(db.Record) error) (err error) {
	e.damagedPages = true
	if e.salvaged == nil {
		if e.salvaged, err = e.transfer.sessions.SalvagedBySession(ctx); err != nil {
			return err
		}
	}
	r := e.salvaged[id]
	if r == nil {
		return nil
	}
	for _, message := range r.Active {
		if message <= last {
			continue
		}
		err := e.transfer.db.ReadMessageRows(ctx, q, `m.id = ? AND `+e.transfer.db.Schema.ActiveRows("m"), []any{message}, write)
		if db.IsCorrupt(err) {
			e.messages++
		} else if err != nil {
			return err
		}
	}
	return nil
}
