package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/db"
)

// More of SQLite's result codes.
const (
	sqliteConstraint           = 19
	SqliteConstraintForeignKey = 19 | 3<<8
	sqliteConstraintPrimaryKey = 19 | 6<<8
	sqliteConstraintUnique     = 19 | 8<<8
	sqliteConstraintRowid      = 19 | 10<<8
)

// Restorer puts the rows of one backup back.
type Restorer struct {
	Store        *Transfer
	Rows         *Spool
	DropTitles   bool // titles that are taken
	skipExisting bool // what exists and differs, and bad lines, instead of failing; for Import

	strict      bool // but not bad lines
	maxBadLines int  // the last bad line that was reported
	report      ImportReport
	Progress    func(done, total int)

	total, restored int // messages
	chunker         db.Chunker
	totals          ImportReport
	skipped         map[string]bool // ids of sessions that exist and differ
	danglingRows    []*backedUpRow  // links to parents that were not there before either
	dangling        map[string]bool // the sessions that have them
}

// restoreTx is what one transaction knows.
type restoreTx struct {
	tx     *db.Tx
	tables map[string]*targetTable

	queue      rowBatch       // messages that wait to be put back
	queuedRows []*backedUpRow // the lines they come from
}

// targetTable is a table to insert into.
type targetTable struct {
	columns  map[string]bool
	required map[string]bool // NOT NULL: where nothing is known the default stands
	rowid    bool
}

func (r *Restorer) Run(ctx context.Context) error {
	if r.Progress == nil {
		r.Progress = func(int, int) {}
	}
	r.skipped = map[string]bool{}
	r.danglingRows, r.dangling = nil, map[string]bool{}
	size := 0
	if err := r.eachBackedUp(func(k *backedUpRow) error {
		if k.dangling {
			r.danglingRows, r.dangling[db.AsText(k.parentID)] = append(r.danglingRows, k), true
		}
		if k.table == "messages" {
			r.total++
		}
		if k.file == "" {
			size += k.memorySize()
		}
		return nil
	}); err != nil {
		return r.Store.db.WrapError("read the backup for", err)
	}
	var err error
	if size <= db.MaxSingleTxBytes {
		err = r.runChunk(ctx, func(t *db.Tx) error {
			r.totals, r.restored = ImportReport{}, 0
			r.skipped = map[string]bool{}
			return r.restoreAll(ctx, t)
		})
	} else {
		err = r.restoreInChunks(ctx)
	}
	if err == nil {
		err = r.restoreDangling(ctx)
	}
	if err != nil {
		return err
	}
	r.totals.add(r.report)
	r.Progress(r.restored, r.total)
	return r.restoreFiles()
}

// eachBackedUp gives the lines of the backup.
func (r *Restorer) eachBackedUp(f func(*backedUpRow) error) error {
	return eachLine(r.Rows.reader(), func(n int, line []byte) error {
		k, ok, err := parseBackedUpRow(string(line))
		switch {
		case err != nil && r.skipExisting && !r.strict:
			if n > r.maxBadLines {
				r.maxBadLines = n
				r.report.addBad(n, err)
			}
			return nil
		case err != nil:
			return r.Store.badLineError(n, err)
		case !ok:
			return nil
		}
		return f(&k)
	})
}

// The order in which rows come back: prompts before the sessions that name
// them, sessions before their messages (the index of newer files looks them
// up), parents when all sessions are there.
const restorePasses = 4

// passOf reports what a line has to do in one of the passes.
func passOf(k *backedUpRow) int {
	switch {
	case k.table == "system_prompts":
		return 0
	case k.table == "sessions":
		return 1
	case k.table != "":
		return 2
	}
	return 3
}

// restoreAll puts everything back in one transaction.
func (r *Restorer) restoreAll(ctx context.Context, t *db.Tx) error {
	in := &restoreTx{tx: t, tables: map[string]*targetTable{}}
	for p := range restorePasses {
		if err := r.eachBackedUp(func(k *backedUpRow) error { return r.restoreRow(ctx, in, k, p) }); err != nil {
			return err
		}
		if err := r.insertQueued(ctx, in); err != nil {
			return err
		}
	}
	return nil
}

// queueRow collects messages, to put back many with one statement.
func (r *Restorer) queueRow(ctx context.Context, in *restoreTx, k *backedUpRow) error {
	tg, err := in.target(ctx, "messages")
	if err != nil {
		return err
	}
	row := r.knownColumns(tg, k)
	if !in.queue.hasRoom(row) {
		if err := r.insertQueued(ctx, in); err != nil {
			return err
		}
	}
	in.queue.add(row)
	in.queuedRows = append(in.queuedRows, k)
	return nil
}

// insertQueued puts the collected messages back. If one of them is there already,
// each is looked at by itself.
func (r *Restorer) insertQueued(ctx context.Context, in *restoreTx) error {
	kept, rows := in.queuedRows, in.queue.drain()
	in.queuedRows = nil
	if len(rows) == 0 {
		return nil
	}
	err := in.insert(ctx, "messages", rows...)
	if db.ResultCode(err) == sqliteConstraint {
		for _, k := range kept {
			if err := r.restoreMessage(ctx, in, k); err != nil {
				return err
			}
		}
		return nil
	}
	if err == nil {
		r.totals.Messages += len(rows)
		r.restored += len(rows)
	}
	return err
}

// knownColumns gives the columns of a row that the table has, and reports the others.
func (r *Restorer) knownColumns(tg *targetTable, k *backedUpRow) pyjson.Object {
	columns := make(pyjson.Object, 0, len(k.row)+1)
	for _, f := range k.row {
		if !tg.columns[f.Name] {
			r.totals.addUnknown(k.table + "." + f.Name)
			continue
		}
		columns = append(columns, f)
	}
	return columns
}

// restoreRow does what a line asks for in a pass.
func (r *Restorer) restoreRow(ctx context.Context, in *restoreTx, k *backedUpRow, p int) error {
	if k.file != "" {
		return nil
	}
	if p == 3 {
		switch {
		case k.dangling || k.table == "sessions" && r.dangling[db.AsText(k.value("id"))]:
			return nil // see dangle
		case k.parentID != nil:
			return r.setParent(ctx, in.tx, k.parentID, k.parentKey)
		case k.table == "sessions" && k.value("parent_session_id") != nil && !r.skipped[db.AsText(k.value("id"))]:
			return r.setParent(ctx, in.tx, k.value("id"), k.value("parent_session_id"))
		}
		return nil
	}
	if passOf(k) != p {
		return nil
	}
	switch k.table {
	case "sessions":
		return r.restoreSession(ctx, in, k)
	case "messages":
		if r.skipped[db.AsText(k.value("session_id"))] {
			return nil
		}
		return r.queueRow(ctx, in, k)
	}
	if id := k.value("session_id"); id != nil && r.skipped[db.AsText(id)] {
		return nil
	}
	_, err := r.insertRow(ctx, in, k)
	return err
}

// setParent gives a session its parent back, if it has none and the parent is there.
func (r *Restorer) setParent(ctx context.Context, t *db.Tx, id, parent any) error {
	n, err := t.Exec(ctx, `UPDATE sessions SET parent_session_id = ?2 WHERE id = ?1 AND parent_session_id IS NULL
		AND EXISTS (SELECT 1 FROM sessions WHERE id = ?2)`, id, parent)
	if err != nil || n > 0 {
		return err
	}
	if _, linked, err := t.One(ctx, `SELECT 1 FROM sessions WHERE id = ? AND parent_session_id IS NOT NULL`, id); err != nil || linked {
		return err
	}
	r.totals.Unlinked++
	return nil
}

// restoreDangling gives sessions their parent back that is not there and was not there
// before: SQLite has to be told not to look.
func (r *Restorer) restoreDangling(ctx context.Context) error {
	for some := range slices.Chunk(r.danglingRows, db.MaxVariables) {
		if err := db.SleepContext(ctx, db.ChunkPause); err != nil {
			return err
		}
		if err := r.Store.db.WriteUnreferenced(ctx, "restore into", func(t *db.Tx) error {
			for _, k := range some {
				if r.skipped[db.AsText(k.parentID)] {
					continue
				}
				if _, err := t.Exec(ctx, `UPDATE sessions SET parent_session_id = ? WHERE id = ? AND parent_session_id IS NULL`, k.parentKey, k.parentID); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// restoreSession puts one session back, without its parent if that is not there yet.
func (r *Restorer) restoreSession(ctx context.Context, in *restoreTx, k *backedUpRow) error {
	id := k.value("id")
	parent := k.value("parent_session_id")
	_, there, err := in.tx.One(ctx, `SELECT 1 FROM sessions WHERE id = ?`, id)
	if err != nil {
		return err
	}
	if there {
		same, err := r.equalsStored(ctx, in, k, "id", "parent_session_id")
		if err != nil || same {
			return err
		}
		if !r.skipExisting {
			return &db.Error{
				Kind: db.KindExists, Path: r.Store.db.Path,
				Message: fmt.Sprintf("there is another session with the id %s by now; nothing was restored", db.AsText(id)),
				Remedy:  "hermes-sessions show " + model.ShellWord(db.AsText(id)),
			}
		}
		r.skipped[db.AsText(id)] = true
		r.totals.Skipped++
		return nil
	}
	if parent != nil {
		_, there, err := in.tx.One(ctx, `SELECT 1 FROM sessions WHERE id = ?`, parent)
		if err != nil {
			return err
		}
		if !there {
			k.row = slices.Clone(k.row)
			k.setValue("parent_session_id", nil)
			defer k.setValue("parent_session_id", parent)
		}
	}
	added, err := r.insertRow(ctx, in, k)
	if c := db.ExtendedCode(err); c == sqliteConstraintUnique {
		title := db.AsText(k.value("title"))
		owner, taken, err2 := in.tx.One(ctx, `SELECT id FROM sessions WHERE title = ?`, title)
		if err2 != nil || !taken {
			return errors.Join(err, err2)
		}
		if !r.DropTitles {
			return r.Store.db.TitleTakenError(title, db.AsText(owner))
		}
		k.setValue("title", nil)
		r.totals.Untitled++
		added, err = r.insertRow(ctx, in, k)
	}
	if err != nil {
		return err
	}
	if added {
		r.totals.Sessions++
	}
	return nil
}

func (k *backedUpRow) setValue(column string, v any) {
	for i := range k.row {
		if k.row[i].Name == column {
			k.row[i].Value = v
		}
	}
}

// restoreMessage puts one message back.
func (r *Restorer) restoreMessage(ctx context.Context, in *restoreTx, k *backedUpRow) error {
	added, err := r.insertRow(ctx, in, k)
	if c := db.ExtendedCode(err); c == sqliteConstraintPrimaryKey || c == sqliteConstraintRowid {
		same, err := r.equalsStored(ctx, in, k, "id", "")
		if err != nil {
			return err
		}
		if !same {
			if !r.skipExisting {
				return &db.Error{
					Kind: db.KindExists, Path: r.Store.db.Path,
					Message: fmt.Sprintf("another message has the number %v by now; nothing was restored", k.value("id")),
					Remedy:  "import the backup into another database",
				}
			}
			again := *k
			again.row = slices.Clone(k.row)
			again.setValue("id", nil)
			if added, err = r.insertRow(ctx, in, &again); err != nil {
				return err
			}
			r.totals.Renumbered++
		}
		if added {
			r.totals.Messages++
		}
		r.restored++
		return nil
	}
	if err != nil {
		return err
	}
	r.totals.Messages++
	r.restored++
	return nil
}

// equalsStored reports whether the row with the same key is equal to the one kept, one
// column left out.
func (r *Restorer) equalsStored(ctx context.Context, in *restoreTx, k *backedUpRow, key, except string) (bool, error) {
	tg, err := in.target(ctx, k.table)
	if err != nil {
		return false, err
	}
	var names []string
	var want []any
	for _, f := range k.row {
		if tg.columns[f.Name] && f.Name != except {
			names, want = append(names, "+"+db.Quote(f.Name)), append(want, f.Value)
		}
	}
	rows, err := in.tx.QueryContext(ctx, `SELECT `+strings.Join(names, ", ")+` FROM `+db.Quote(k.table)+` WHERE `+db.Quote(key)+` = ?`, k.value(key))
	if err != nil {
		return false, err
	}
	defer rows.Close()
	have := make([]any, len(names))
	into := make([]any, len(names))
	for i := range have {
		into[i] = &have[i]
	}
	if !rows.Next() {
		return false, rows.Err()
	}
	if err := rows.Scan(into...); err != nil {
		return false, err
	}
	return reflect.DeepEqual(have, want), nil
}

// target looks at a table once per transaction.
func (in *restoreTx) target(ctx context.Context, table string) (*targetTable, error) {
	if tg := in.tables[table]; tg != nil {
		return tg, nil
	}
	tg := &targetTable{columns: map[string]bool{}, required: map[string]bool{}}
	in.tables[table] = tg
	ddl, ok := in.tx.Schema.Tables[table]
	if !ok {
		return tg, nil
	}
	columns, rowid, err := db.ColumnsOf(ctx, in.tx, table, ddl)
	if err != nil {
		return nil, err
	}
	tg.rowid = rowid
	for _, c := range columns {
		tg.columns[c] = true
	}
	rows, err := in.tx.QueryContext(ctx, `SELECT name FROM pragma_table_info(?) WHERE "notnull" AND dflt_value IS NOT NULL`, table)
	if err != nil {
		return nil, err
	}
	return tg, db.ScanRecords(rows, func(r db.Record) error {
		tg.required[db.AsText(r[0].Value)] = true
		return nil
	})
}

// restorable are the tables that a backup may fill: not the bookkeeping of
// Hermes, whatever a file says.
func restorable(t *db.Tx, table string) bool {
	switch table {
	case "sessions", "messages", "system_prompts":
		return true
	}
	return strings.Contains(strings.ToLower(t.Schema.Tables[table]), "references sessions")
}

// insertRow inserts a row as it was. Columns and tables that the database does not
// have are left out and reported. Of tables other than sessions and messages
// an equal row may be there already; added then is false.
func (r *Restorer) insertRow(ctx context.Context, in *restoreTx, k *backedUpRow) (added bool, err error) {
	tg, err := in.target(ctx, k.table)
	if err != nil {
		return false, err
	}
	if len(tg.columns) == 0 || !restorable(in.tx, k.table) {
		r.totals.addUnknown(k.table)
		return false, nil
	}
	columns := r.knownColumns(tg, k)
	if tg.rowid && k.rowid != nil {
		// Its old place, unless another row has that by now.
		_, taken, err := in.tx.One(ctx, `SELECT 1 FROM `+db.Quote(k.table)+` WHERE rowid = ?`, k.rowid)
		if err != nil {
			return false, err
		}
		if !taken {
			columns = append(columns, pyjson.Field{Name: "rowid", Value: k.rowid})
		}
	}
	err = in.insert(ctx, k.table, columns)
	if c := db.ExtendedCode(err); k.table != "sessions" && k.table != "messages" && (c == sqliteConstraintPrimaryKey || c == sqliteConstraintUnique || c == sqliteConstraintRowid) {
		return false, nil // somebody has made it anew
	}
	if db.ExtendedCode(err) == SqliteConstraintForeignKey {
		return false, fmt.Errorf("a row of %s refers to what is gone: %w", k.table, err)
	}
	return err == nil, err
}

// restoreInChunks puts much back without keeping others from writing for long. The
// conflicts are looked for first, so that none is met half way.
func (r *Restorer) restoreInChunks(ctx context.Context) error {
	if err := r.conflicts(ctx); err != nil {
		return err
	}
	for p := range restorePasses {
		var some []*backedUpRow
		size := 0
		flush := func() error {
			if len(some) == 0 {
				return nil
			}
			before, done := r.totals, r.restored
			err := r.runChunk(ctx, func(t *db.Tx) error {
				r.chunker.Account(size)
				r.totals, r.restored = before, done
				in := &restoreTx{tx: t, tables: map[string]*targetTable{}}
				// A part of a long conversation was kept newest first.
				slices.SortStableFunc(some, func(a, b *backedUpRow) int { return cmp.Compare(db.AsInt(a.value("id")), db.AsInt(b.value("id"))) })
				for _, k := range some {
					if err := r.restoreRow(ctx, in, k, p); err != nil {
						return err
					}
				}
				return r.insertQueued(ctx, in)
			})
			if err != nil {
				r.totals, r.restored = before, done
			}
			some, size = some[:0], 0
			r.Progress(r.restored, r.total)
			return err
		}
		err := r.eachBackedUp(func(k *backedUpRow) error {
			if k.file != "" || p < 3 && passOf(k) != p || p == 3 && k.parentID == nil && k.table != "sessions" {
				return nil
			}
			cost := k.memorySize()
			if size+cost > r.chunker.Limit() {
				if err := flush(); err != nil {
					return err
				}
			}
			some, size = append(some, k), size+cost
			return nil
		})
		if err == nil {
			err = flush()
		}
		if err != nil {
			if r.totals.Sessions == 0 && r.restored == 0 {
				return err
			}
			return &db.Error{
				Kind: db.KindIncompleteWrite, Path: r.Store.db.Path, Err: err,
				Message: fmt.Sprintf("stopped when %d of %d messages were back: %s", r.restored, r.total, db.CauseOf(err)),
				Remedy:  "restore again to go on",
			}
		}
	}
	return nil
}

// conflicts tries the sessions without changing anything.
func (r *Restorer) conflicts(ctx context.Context) error {
	if r.skipExisting {
		return nil
	}
	return r.Store.db.ReadOnlyTx(ctx, func(t *db.Tx) error {
		in := &restoreTx{tx: t, tables: map[string]*targetTable{}}
		return r.eachBackedUp(func(k *backedUpRow) error {
			if k.table != "sessions" {
				return nil
			}
			if _, there, err := t.One(ctx, `SELECT 1 FROM sessions WHERE id = ?`, k.value("id")); err != nil {
				return err
			} else if there {
				return r.restoreSession(ctx, in, k)
			}
			title := k.value("title")
			if title == nil || r.DropTitles || t.Schema.Tables["idx_sessions_title_unique"] == "" {
				return nil
			}
			owner, taken, err := t.One(ctx, `SELECT id FROM sessions WHERE title = ?`, title)
			if err != nil || !taken {
				return err
			}
			return r.Store.db.TitleTakenError(db.AsText(title), db.AsText(owner))
		})
	})
}

// runChunk makes one transaction.
func (r *Restorer) runChunk(ctx context.Context, f func(*db.Tx) error) error {
	return r.chunker.RunChunk(ctx, r.Store.db, "restore into", func(t *db.Tx) error {
		if err := r.Store.db.CheckIndexWritable(t); r.total > 0 && err != nil {
			return err
		}
		return f(t)
	})
}

// restoreFiles puts the transcript files back.
func (r *Restorer) restoreFiles() error {
	back := fileRestore{dir: r.Store.db.Transcripts}
	err := r.eachBackedUp(func(k *backedUpRow) error {
		if k.file == "" {
			return nil
		}
		return back.write(k)
	})
	if err = errors.Join(err, back.close()); err != nil {
		return fmt.Errorf("the sessions are back in %s, but not all of their files: %w", r.Store.db.Path, err)
	}
	return nil
}
