package transfer

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math"
	"sort"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/salvage"
)

// Export writes sessions as JSON lines, one at a time; see store.Store.Export for
// the contract. Each session is read in one transaction, message by message.
func (t *Transfer) Export(ctx context.Context, w io.Writer, o model.ExportOptions) (int, error) {
	e := exporter{transfer: t, out: bufio.NewWriterSize(w, 1<<16), columns: t.db.SessionRow(), prepare: func(r db.Record) db.Record { return r }}
	if o.NullNonFinite || o.Redact != nil {
		e.prepare = func(r db.Record) db.Record {
			if o.Redact != nil {
				r = o.Redact(r)
			}
			if o.NullNonFinite {
				r, _ = pyjson.NullNonFinite(r).(pyjson.Object)
			}
			return r
		}
	}
	ids, err := t.exportedIDs(ctx, o)
	if err != nil {
		return 0, t.db.WrapError("export", err)
	}
	if o.IDs == nil && !t.db.IndexesBypassed.Load() {
		e.columns += ", " + t.db.LastActiveExpr()
	}
	n := 0
	for i, id := range ids {
		if o.Progress != nil {
			o.Progress(i, len(ids))
		}
		found, err := e.exportSession(ctx, id)
		switch {
		case db.IsCorrupt(err):
			e.lostSessions++
		case err != nil:
			return n, errors.Join(t.db.WrapError("export "+id+" of", err), e.out.Flush())
		case found:
			n++
		case o.IDs != nil && e.lostSessions == 0:
			return n, t.db.NotFoundError(id)
		}
	}
	if err := e.out.Flush(); err != nil {
		return n, fmt.Errorf("export %s: %w", t.db.Path, err)
	}
	if e.lostSessions+e.lostMessages == 0 && !e.damagedPages {
		return n, t.Gaps(ctx, o)
	}
	t.db.AddNote(model.NoteDamaged)
	if e.lostSessions+e.lostMessages == 0 {
		return n, t.Gaps(ctx, o)
	}
	return n, t.incompleteError(fmt.Sprintf("the database is damaged: at least %s and %s could not be read; everything else was exported",
		model.Quantity(e.lostSessions, "session"), model.Quantity(e.lostMessages, "message")))
}

// exportedIDs returns the ids of the sessions to export. An export of everything reads
// every row in any case, so it first compares the indexes that it uses with the tables.
// For named sessions, the counts of their messages decide about that.
func (t *Transfer) exportedIDs(ctx context.Context, o model.ExportOptions) ([]string, error) {
	if o.IDs != nil {
		_, err := t.sessions.FamilySnapshot(ctx, o.IDs...)
		return o.IDs, err
	}
	sound, err := t.sessions.Indexes.Compare(ctx)
	if err != nil {
		return nil, err
	}
	if sound {
		ids, err := t.recentIDs(ctx, o.Source)
		if !db.IsCorrupt(err) {
			return ids, err
		}
	}
	return t.remainingIDs(ctx, o.Source)
}

// remainingIDs returns the ids of sessions that can be read in a damaged database,
// latest active first.
func (t *Transfer) remainingIDs(ctx context.Context, source string) ([]string, error) {
	snap, err := t.sessions.CurrentSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	var left []model.Session
	for _, m := range snap.All() {
		if source == "" || m.Source == source {
			left = append(left, m)
		}
	}
	sort.SliceStable(left, func(i, j int) bool { return left[i].LastActive().After(left[j].LastActive()) })
	ids := make([]string, len(left))
	for i := range left {
		ids[i] = left[i].ID
	}
	return ids, nil
}

// recentIDs returns all ids in the order of sessiondb.DB.RecentSessions.
func (t *Transfer) recentIDs(ctx context.Context, source string) ([]string, error) {
	return db.QueryTexts(ctx, t.db.Pool, `SELECT s.id, `+t.db.LastActiveExpr()+` FROM sessions s
		WHERE (? = '' OR s.source = ?) AND NOT `+t.db.Schema.UnnamedSessions()+` ORDER BY last_active DESC, s.started_at DESC, s.id DESC`, source, source)
}

// exporter writes sessions and counts what it could not read.
type exporter struct {
	transfer *Transfer
	out      *bufio.Writer
	columns  string                    // of a session
	prepare  func(db.Record) db.Record // gives the row that is written for one that was read

	lostSessions, lostMessages int  // that are known of
	damagedPages               bool // a page of messages could not be read
	salvaged                   map[string]*salvage.Messages
	sessionKeys                map[string]any // see [db.Schema.RowKey], of sessions that can be read
}

// salvageSession reads the row of one session without any index, and without the
// time of its last message. Where the row is lost it makes one of what the messages
// tell; found is then false. row is nil where there is nothing of the session.
func (e *exporter) salvageSession(ctx context.Context, q db.Querier, id string) (row db.Record, found bool, err error) {
	key := e.transfer.db.Schema.RowKey("sessions")
	if e.sessionKeys == nil {
		e.sessionKeys = map[string]any{}
		if _, err := e.transfer.sessions.Salvage.Sessions(ctx, `s.id, s.`+key, func(r db.Row) {
			e.sessionKeys[r.Text(1)] = r[2]
		}); err != nil {
			return nil, false, err
		}
	}
	if value, ok := e.sessionKeys[id]; ok {
		err := e.eachSource(ctx, q, "sessions", func(q db.Querier) (bool, error) {
			rows, err := q.QueryContext(ctx, `SELECT `+e.transfer.db.SessionRow()+` FROM main.sessions s NOT INDEXED WHERE s.`+key+` = ?`, value)
			if err == nil {
				err = db.ScanRecords(rows, func(r db.Record) error {
					if db.AsText(r.Get("id")) == id {
						row = r
					}
					return nil
				})
			}
			return row != nil, err
		})
		if err != nil || row != nil {
			return row, row != nil, err
		}
	}
	left, err := e.salvagedMessages(ctx, id)
	if err != nil {
		return nil, false, err
	}
	if snap := e.transfer.sessions.CachedSnapshot(); left == nil && snap != nil {
		if _, known := snap.Position(id); !known {
			return nil, false, nil
		}
	}
	e.lostSessions++
	if left == nil || left.All == 0 {
		return nil, false, nil
	}
	started, _ := db.AsFloat(left.First) // 0 where the value is no time
	return db.Record{
		{Name: "id", Value: id},
		{Name: "source", Value: "unknown"},
		{Name: "started_at", Value: started},
		{Name: "message_count", Value: int64(left.All)},
	}, false, nil
}

// exportSession writes one session and its messages; found is false where no row
// has this id.
func (e *exporter) exportSession(ctx context.Context, id string) (found bool, err error) {
	tx, err := e.transfer.db.Pool.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return false, err
	}
	defer tx.Rollback() // ends the read
	q := e.transfer.db.CachedStatements(tx)
	bypassed := e.transfer.db.IndexesBypassed.Load()
	var row db.Record
	if !bypassed {
		var rows map[string]db.Record
		rows, err = e.transfer.db.ReadRecords(ctx, q, []string{id}, e.columns)
		row, found = rows[id], rows[id] != nil
	}
	if bypassed || db.IsCorrupt(err) {
		row, found, err = e.salvageSession(ctx, q, id)
	}
	if err != nil || row == nil {
		return false, err
	}
	// A closing brace follows its messages.
	line := pyjson.Append(nil, e.prepare(row))
	line = append(line[:len(line)-1], `, "messages": [`...)
	if _, err := e.out.Write(line); err != nil {
		return false, err
	}
	first, last := true, int64(math.MinInt64)
	write := func(r db.Record) error {
		if !first {
			_, _ = e.out.WriteString(", ") // an error of a buffered writer stays
		}
		first, last = false, db.AsInt(r.Get("id"))
		return pyjson.Write(e.out, e.prepare(r))
	}
	if !bypassed {
		err = e.transfer.db.EachMessage(ctx, q, id, write)
	}
	if bypassed || db.IsCorrupt(err) {
		e.damagedPages = e.damagedPages || !bypassed
		err = e.exportMessages(ctx, q, id, last, db.AsInt(row.Get("message_count")), write)
	}
	// A line is never torn, whatever ends it.
	if _, failed := e.out.WriteString("]}\n"); err == nil {
		err = failed
	}
	return found, err
}

// salvagedMessages returns the messages of a session that are left, nil for none.
func (e *exporter) salvagedMessages(ctx context.Context, id string) (_ *salvage.Messages, err error) {
	if e.salvaged == nil {
		if e.salvaged, err = e.transfer.sessions.Salvage.BySession(ctx); err != nil {
			return nil, err
		}
	}
	return e.salvaged[id], nil
}

// eachSource reads what a damaged table has: with q, and where that does not find it, from what
// else is left in its pages.
func (e *exporter) eachSource(ctx context.Context, q db.Querier, table string, read func(db.Querier) (found bool, err error)) error {
	found, err := read(q)
	if found || err != nil && !db.IsCorrupt(err) {
		return err
	}
	rest, err := e.transfer.sessions.Salvage.Rest(ctx, table)
	if err == nil && rest != nil {
		_, err = read(rest)
	}
	return err
}

// exportMessages writes the messages after the last one that could be read, as far
// as they are readable. stated is how many the writer has counted: where there are fewer
// than that, the difference is lost.
func (e *exporter) exportMessages(ctx context.Context, q db.Querier, id string, last, stated int64, write func(db.Record) error) (err error) {
	r, err := e.salvagedMessages(ctx, id)
	if err != nil {
		return err
	}
	if r == nil {
		r = &salvage.Messages{}
	}
	unreadable := 0
	defer func() { e.lostMessages += max(unreadable, int(min(stated, math.MaxInt32))-r.All) }()
	for _, message := range r.Active {
		if message <= last {
			continue
		}
		read := false
		err := e.eachSource(ctx, q, "messages", func(q db.Querier) (bool, error) {
			var found []db.Record // a damaged page may give one of several
			err := e.transfer.db.ReadMessageRows(ctx, q, `m.id = ? AND `+e.transfer.db.Schema.ActiveRows("m"), []any{message}, func(r db.Record) error {
				found = append(found[:0], r)
				return nil
			})
			if read = len(found) > 0 && err == nil; read {
				err = write(found[0])
			}
			return read, err
		})
		if err != nil {
			return err
		}
		if !read {
			unreadable++
		}
	}
	return nil
}
