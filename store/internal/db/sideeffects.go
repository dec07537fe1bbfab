package db

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"hermes-sessions/model"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"
)

// A change is judged by the rows that it changes, not by the texts of the triggers that it
// fires, so that those of a later Hermes need not be known. What the statements of a change do
// themselves is its plan. Triggers and foreign keys may besides
//
//   - write to full-text tables,
//   - change rows of the sessions of the plan, but not what identifies a row, and not what a
//     message says: [DB] reads that, see messageColumns,
//   - remove rows that refer to a removed row with ON DELETE CASCADE.
//
// Anything else ends the change, and is rolled back.

// maxStall is how long a statement may run without changing a row: less than a Hermes waits
// for the lock (store/README.md#write-rules).
const maxStall = 10 * time.Second

// SideEffect is a cell that a trigger has changed, in a row that the change keeps and that was
// there before.
type SideEffect struct {
	Table   string // "sessions" or "messages"
	ID      any    // of the row
	Session string
	Column  string

	Before, After any
}

// rowKey is a row of sessions or messages. Its id is an integer or a text.
type rowKey struct {
	table string
	id    any
}

// cell is a column of a row.
type cell struct {
	rowKey
	column string
}

// cascade is a column of another table whose rows are removed with the row that it names.
type cascade struct {
	position int
	parent   string
}

// watch sees what one transaction changes, through SQLite's pre-update hook. SQLite calls it
// while a statement runs, in the goroutine that runs it.
type watch struct {
	db       *DB
	schema   Schema
	cascades map[string][]cascade // by table
	stop     context.CancelFunc   // of the statement that runs
	ended    error                // of the statement that was stopped

	plan    map[string]bool     // sessions that the statements have changed, or messages of them
	reached map[string]sideStep // sessions that triggers have changed, until they are known to be of the plan
	last    rowKey              // the row that a statement has changed last
	deleted bool                // last was removed
	added   map[rowKey]bool     // rows that the statements have added
	touched map[rowKey]bool     // rows that triggers have changed and that are still there
	edited  map[cell]bool       // cells that the statements have changed
	beyond  *sideStep           // the first change that may not be made
	removes bool                // the statement that runs is to remove rows
	rows    atomic.Int64        // changed so far
}

// sideStep is a change of one row by a trigger or a foreign key.
type sideStep struct {
	action sqlite.AuthorizerActionCode
	table  string
	column string // that was changed and may not be, "" where any change is refused
	does   string // ends "the trigger would …"
}

// watched runs f while a watch sees what it changes.
func (t *Tx) watched(ctx context.Context, d *DB, f func(*Tx) error) error {
	w := &watch{
		db: d, schema: t.Schema, cascades: d.Writer.cascades,
		plan: map[string]bool{}, reached: map[string]sideStep{}, added: map[rowKey]bool{}, touched: map[rowKey]bool{}, edited: map[cell]bool{},
	}
	// What is written to the file before the commit would keep the pool from reading it where
	// there is no write-ahead log.
	if _, err := t.conn.ExecContext(ctx, `PRAGMA cache_spill = OFF`); err != nil {
		return err
	}
	defer t.conn.ExecContext(context.WithoutCancel(ctx), `PRAGMA cache_spill = ON`) //nolint:errcheck // a broken connection is not used again
	if err := setHook(t.conn, w.see); err != nil {
		return err
	}
	defer setHook(t.conn, nil) //nolint:errcheck // a broken connection is not used again
	t.watch = w
	if err := f(t); err != nil {
		return err
	}
	_, err := t.SideEffects(ctx) // of a change that keeps no undo, too
	return err
}

// setHook sets the pre-update hook of a connection, nil for none.
func setHook(conn *sql.Conn, see sqlite.PreUpdateHookFn) error {
	return conn.Raw(func(driver any) error {
		driver.(sqlite.HookRegisterer).RegisterPreUpdateHook(see)
		return nil
	})
}

// readCascades returns the columns of tables that remove their rows with those of sessions
// and messages.
func readCascades(ctx context.Context, q Querier) (map[string][]cascade, error) {
	all := map[string][]cascade{}
	err := EachRow(ctx, q, `SELECT m.name, x.cid, lower(f."table") FROM main.sqlite_master m, temp.pragma_foreign_key_list(m.name) f, temp.pragma_table_xinfo(m.name) x
		WHERE m.type = 'table' AND m.sql LIKE 'CREATE TABLE%' AND m.sql LIKE '%CASCADE%'
		AND x.name = f."from" AND f.on_delete = 'CASCADE' AND lower(f."table") IN ('sessions', 'messages')`, nil, func(r Row) {
		all[r.Text(0)] = append(all[r.Text(0)], cascade{int(r.Int(1)), r.Text(2)})
	})
	return all, err
}

// see is called before each change of a row.
func (w *watch) see(u sqlite.SQLitePreUpdateData) {
	w.rows.Add(1)
	if w.beyond != nil || u.DatabaseName != "main" {
		return
	}
	direct, table := u.Depth() == 0, strings.ToLower(u.TableName)
	switch {
	case table == "sessions" || table == "messages":
		w.seeSession(table, direct, &u)
	case direct || w.schema.isShadow(u.TableName):
	case u.Op == int32(sqlite.AuthDelete) && w.isCascade(&u):
	default:
		w.refuse(sideStep{sqlite.AuthorizerActionCode(u.Op), u.TableName, "", "would also change the table " + u.TableName})
	}
}

// seeSession is called before each change of a row of sessions or messages.
func (w *watch) seeSession(table string, direct bool, u *sqlite.SQLitePreUpdateData) {
	action := sqlite.AuthorizerActionCode(u.Op)
	at := w.schema.positions[table]
	need := max(at["id"], at["session_id"]) + 1
	if action == sqlite.AuthUpdate {
		need = u.Count()
	}
	before, after := make([]any, need), make([]any, need)
	if action == sqlite.AuthInsert {
		before = after
	} else if err := u.Old(before...); err != nil {
		w.refuse(sideStep{action, table, "", "changes a row that cannot be read: " + err.Error()})
		return
	}
	if action == sqlite.AuthDelete {
		after = before
	} else if err := u.New(after...); err != nil {
		w.refuse(sideStep{action, table, "", "changes a row to one that cannot be read: " + err.Error()})
		return
	}
	session := func(row []any) string {
		if table == "messages" {
			return AsText(row[at["session_id"]])
		}
		return AsText(row[at["id"]])
	}
	key := rowKey{table, after[at["id"]]}
	if _, blob := key.id.([]byte); blob {
		key.id = "" // no call can name such a row, so that it is in no plan
	}
	if direct && action == sqlite.AuthDelete && !w.removes { // by ON CONFLICT REPLACE of the table
		w.refuse(sideStep{action, table, "", "would also replace " + table})
		return
	}
	if direct {
		w.plan[session(before)], w.plan[session(after)] = true, true
		w.last, w.deleted = key, action == sqlite.AuthDelete
		switch action {
		case sqlite.AuthInsert:
			w.added[key] = true
		case sqlite.AuthDelete:
			delete(w.touched, key)
		default:
			for _, c := range w.schema.ColumnOrder[table] {
				if !reflect.DeepEqual(before[at[c]], after[at[c]]) {
					w.edited[cell{key, c}] = true
				}
			}
		}
		w.checkReached()
		return
	}
	switch action {
	case sqlite.AuthDelete:
		w.refuse(sideStep{action, table, "", "would also delete " + table})
	case sqlite.AuthInsert:
		w.refuse(sideStep{action, table, "", "would also add " + table})
	default:
		for _, c := range w.schema.ColumnOrder[table] {
			if !MayDiffer(table, c) && !reflect.DeepEqual(before[at[c]], after[at[c]]) {
				w.refuse(keyStep(table, c))
				return
			}
		}
		w.touched[key] = true
		if id := session(after); !w.plan[id] {
			w.reached[id] = sideStep{action, table, "", "would also change other " + table}
		}
	}
}

// MayDiffer reports whether triggers may change a column of sessions or messages: not what
// identifies a row, and not what this program reads of a message.
func MayDiffer(table, column string) bool {
	return column != "id" && (table == "sessions" || !slices.Contains(messageColumns[:], column))
}

// keyStep is a change of a column that no trigger may change.
func keyStep(table, column string) sideStep {
	return sideStep{sqlite.AuthUpdate, table, column, "would also change the " + column + " of " + table}
}

// checkReached refuses what triggers have changed in sessions that are not of the plan. All
// triggers of a row have run when the next one is changed, or the statement ends.
func (w *watch) checkReached() {
	for session, step := range w.reached {
		if !w.plan[session] {
			w.refuse(step)
			return
		}
	}
	clear(w.reached)
}

// isCascade reports whether a removed row refers to the row that was removed last.
func (w *watch) isCascade(u *sqlite.SQLitePreUpdateData) bool {
	for _, c := range w.cascades[u.TableName] {
		row := make([]any, c.position+1)
		if w.deleted && c.parent == w.last.table && u.Old(row...) == nil && AsText(row[c.position]) == AsText(w.last.id) {
			return true
		}
	}
	return false
}

// refuse ends the statement that runs.
func (w *watch) refuse(step sideStep) {
	if w.beyond = cmp.Or(w.beyond, &step); w.stop != nil {
		w.stop()
	}
}

// err returns the error of a change that may not be made, nil for none.
func (w *watch) err(ctx context.Context) error {
	if w.checkReached(); w.beyond == nil {
		return nil
	}
	step := *w.beyond
	return w.refusal(ctx, step.does, func(e triggerEffect) bool {
		return e.action == step.action && strings.EqualFold(e.table, step.table) && (step.column == "" || strings.EqualFold(e.column, step.column))
	})
}

// refusal says which triggers do what may not be done.
func (w *watch) refusal(ctx context.Context, does string, guilty func(triggerEffect) bool) error {
	names, err := w.db.triggersThat(context.WithoutCancel(ctx), guilty)
	subject := "a trigger or a reference of the database"
	if len(names) > 0 {
		for i, name := range names {
			names[i] = fmt.Sprintf("%q", name)
		}
		subject = "the trigger " + strings.Join(names, " or ") + " of the database"
	}
	return &model.Error{Kind: model.KindRefused, Path: w.db.Path, Err: err, Message: subject + " " + does + "; " + unchanged, Remedy: askHermes}
}

// run runs a statement of the change, and ends it where it does what it may not or does not
// end. SQLite has rolled back then, so that no later statement may run.
func (w *watch) run(ctx context.Context, query string, statement func(context.Context) error) error {
	if w.ended != nil {
		return w.ended
	}
	w.removes = strings.HasPrefix(query, "DELETE")
	limit := cmp.Or(w.db.Writer.MaxStall, maxStall)
	running, stop := context.WithCancel(ctx)
	defer stop()
	w.stop = stop
	var timer *time.Timer
	var stalled atomic.Bool
	seen := w.rows.Load()
	timer = time.AfterFunc(time.Hour, func() {
		now := w.rows.Load()
		if running.Err() == nil && (now != seen || !w.mayNotEnd(running)) {
			seen = now
			timer.Reset(limit)
			return
		}
		stalled.Store(true)
		stop()
	})
	timer.Reset(limit) // only now may it fire: it uses the variable
	err := statement(running)
	timer.Stop()
	if w.ended = w.err(ctx); w.ended == nil && err != nil && stalled.Load() && ctx.Err() == nil {
		w.ended = w.refusal(ctx, fmt.Sprintf("has changed no row for %v and was stopped", limit), isRecursive)
	}
	return cmp.Or(w.ended, err)
}

// mayNotEnd reports whether a trigger has a query that may run for ever. Without one a statement
// ends: to index one long text alone takes a minute.
func (w *watch) mayNotEnd(ctx context.Context) bool {
	names, err := w.db.triggersThat(ctx, isRecursive)
	return err == nil && len(names) > 0
}

func isRecursive(e triggerEffect) bool { return e.action == sqlite.AuthRecursive }

// SideEffects returns what triggers, and nothing else, have changed so far in rows that the
// transaction keeps and that were there before it. No order is promised but that of the columns of one row.
func (t *Tx) SideEffects(ctx context.Context) (all []SideEffect, err error) {
	w := t.watch
	if w.ended = cmp.Or(w.ended, w.err(ctx)); w.ended != nil {
		return nil, w.ended
	}
	for _, table := range []string{"sessions", "messages"} {
		var ids []any
		for key := range w.touched {
			if key.table == table && !w.added[key] {
				ids = append(ids, key.id)
			}
		}
		if err := InChunks(ids, func(where string, args []any) error {
			some, err := w.compare(ctx, t, table, where, args)
			all = append(all, some...)
			return err
		}); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// compare returns in which cells the rows of a table whose id is as where says differ from what
// they were before the transaction, but for those that statements have changed.
func (w *watch) compare(ctx context.Context, t *Tx, table, where string, ids []any) (all []SideEffect, err error) {
	query := `SELECT ` + rawColumns(t.Schema, table) + ` FROM main.` + table + ` WHERE id ` + where
	after := map[any]Record{}
	rows, err := t.QueryContext(ctx, query, ids...)
	if err != nil {
		return nil, err
	}
	if err := ScanRecords(rows, func(r Record) error { after[r.Get("id")] = r; return nil }); err != nil {
		return nil, err
	}
	// The pool sees the rows before the transaction, and all of a text with a NUL, of which the
	// hook gives the beginning.
	if rows, err = w.db.Pool.QueryContext(ctx, query, ids...); err != nil {
		return nil, err
	}
	err = ScanRecords(rows, func(row Record) error {
		now, there := after[row.Get("id")]
		if !there {
			return nil
		}
		for i, was := range row {
			e := SideEffect{Table: table, ID: row.Get("id"), Session: AsText(row.Get("id")), Column: was.Name, Before: was.Value, After: now[i].Value}
			if table == "messages" {
				e.Session = AsText(row.Get("session_id"))
			}
			switch {
			case reflect.DeepEqual(e.Before, e.After) || w.edited[cell{rowKey{table, e.ID}, e.Column}]:
			case !MayDiffer(table, e.Column):
				w.refuse(keyStep(table, e.Column))
				w.ended = w.err(ctx)
				return w.ended
			default:
				all = append(all, e)
			}
		}
		return nil
	})
	return all, err
}

// RevertSideEffects takes back what [Tx.SideEffects] returns.
func (t *Tx) RevertSideEffects(ctx context.Context) error {
	effects, err := t.SideEffects(ctx)
	for _, e := range effects {
		if _, err := t.Exec(ctx, `UPDATE `+e.Table+` SET `+Quote(e.Column)+` = ? WHERE id = ?`, e.Before, e.ID); err != nil {
			return err
		}
	}
	return err
}

// rawColumns lists the columns of a table. A "+" hides the declared type, by which the driver
// would change the value.
func rawColumns(s Schema, table string) string {
	var all []string
	for _, name := range s.ColumnOrder[table] {
		all = append(all, "+"+Quote(name)+" AS "+Quote(name))
	}
	return strings.Join(all, ", ")
}

// ChangedByTriggers reports whether triggers have changed a row of sessions or messages.
func (t *Tx) ChangedByTriggers(table string, id any) bool {
	_, blob := id.([]byte)
	return !blob && t.watch.touched[rowKey{table, id}]
}
