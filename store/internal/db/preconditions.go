package db

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"strings"
	"time"

	"hermes-sessions/model"
)

// Conditions that forbid a change (store/README.md#newer-files). They are checked inside
// the transaction of the change; only the state of the index, which seldom changes, is
// checked before it.

// CJKTriggers are live where Hermes keeps a third index with a tokenizer that
// only Hermes loads.
var CJKTriggers = [...]string{"messages_fts_cjk_insert", "messages_fts_cjk_delete", "messages_fts_cjk_update"}

// CheckIndexWritable refuses where every INSERT and DELETE on messages would
// fail with "no such tokenizer".
func (d *DB) CheckIndexWritable(t *Tx) error {
	for _, name := range CJKTriggers {
		if _, ok := t.Schema.Tables[name]; ok {
			return &model.Error{
				Kind: model.KindTokenizer, Path: d.Path,
				Message: "messages cannot be changed from here: the index messages_fts_cjk needs the tokenizer cjk_unicode61, which only Hermes loads",
				Remedy:  model.AdviseToRun("make this change with Hermes", "hermes sessions delete ID"),
			}
		}
	}
	return nil
}

// CheckIndexIntegrity refuses where a simple query of a full-text index finds it damaged, or
// in a file of at most [maxCheckedBytes] a look at all of its pages: messages that were
// deleted from such an index may be impossible to insert again.
func (d *DB) CheckIndexIntegrity(ctx context.Context) error {
	for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
		if _, ok := d.Schema.Tables[table]; !ok {
			continue
		}
		_, _, err := FirstValue(ctx, d.Pool, `SELECT 1 FROM `+table+` WHERE `+table+` MATCH 'the' LIMIT 1`)
		if IsCorrupt(err) && d.HasNote(model.NoteDamaged) {
			return d.NewError(model.KindDamaged, err) // the index shares the damage
		}
		if IsCorrupt(err) {
			return d.indexError(err)
		}
		if ctx.Err() != nil {
			return d.WrapError("check", err)
		}
	}
	return errors.Join(d.checkIndexPages(ctx), d.CheckInserts(ctx))
}

// CheckInserts returns an error where messages could be deleted and not be inserted again: the
// table of the last row numbers is damaged, a table would not take its rows again,
// or a constraint needs a function that is not here. CheckIndexWritable names a
// tokenizer that is missing.
func (d *DB) CheckInserts(ctx context.Context) error {
	if _, ok := d.Schema.Tables["sqlite_sequence"]; ok {
		complaint, ok, err := FirstValue(ctx, d.Pool, `PRAGMA integrity_check(sqlite_sequence)`)
		if IsCorrupt(err) || err == nil && ok && AsText(complaint) != "ok" {
			return &model.Error{
				Kind: model.KindDamaged, Path: d.Path, Err: err,
				Message: "the table of the last row numbers is damaged, so deleted messages could not be restored; " + unchanged,
				Remedy:  d.AdviseRecovery(),
			}
		}
	}
	conn, err := d.Pool.Conn(ctx)
	if err != nil {
		return d.WrapError("check", err)
	}
	defer conn.Close()
	// A statement has the code of constraints only where they are not ignored.
	if _, err := conn.ExecContext(ctx, `PRAGMA ignore_check_constraints = 0`); err != nil {
		return d.WrapError("check", err)
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), `PRAGMA ignore_check_constraints = 1`) //nolint:errcheck // a broken connection is not used again
	if err := d.checkConstraints(ctx, conn); err != nil {
		return err
	}
	for _, statement := range []string{
		`EXPLAIN INSERT INTO main.sessions (id, source, started_at, parent_session_id) VALUES (?1, ?1, 0, ?1)`,
		`EXPLAIN UPDATE main.sessions SET parent_session_id = ?1 WHERE id = ?1`,
		`EXPLAIN INSERT INTO main.messages (session_id, role, content, timestamp) VALUES (?1, ?1, ?1, 0)`,
	} {
		rows, err := conn.QueryContext(ctx, statement, "")
		if err == nil {
			err = rows.Close() //nolint:sqlclosecheck // an EXPLAIN runs nothing that could fail before this line
		}
		if LacksExtension(err) && !strings.Contains(err.Error(), "no such tokenizer") {
			return d.WriteError("check", err)
		}
	}
	return nil
}

// maxConstraintCheck is how long a delete may wait for the check of all rows before it.
const maxConstraintCheck = 2 * time.Second

// checkConstraints returns an error where a table has rows that it would not take again. It
// looks for NULLs where none may be once, and in files of moderate size, since nearly every
// table has such columns. What it has not found within maxConstraintCheck it does not report:
// a CHECK may compute for seconds at every row.
func (d *DB) checkConstraints(ctx context.Context, conn *sql.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, maxConstraintCheck)
	defer cancel()
	info, err := os.Stat(d.Path)
	every := err == nil && info.Size() <= maxCheckedBytes && !d.rowsInsertable.Load()
	var odd any
	ok := false
	for _, query := range []string{
		`SELECT replace(quick_check, '*** in database main ***' || char(10), '') FROM tables l, temp.pragma_quick_check(l.name)
			WHERE (?1 OR l.strict OR (SELECT upper(sql) GLOB '*CHECK*' FROM main.sqlite_master m WHERE m.type = 'table' AND m.name = l.name))
			AND (quick_check GLOB 'non-* value in *' AND l.strict OR quick_check GLOB 'NULL value in *' OR quick_check GLOB 'CHECK constraint failed in *' OR quick_check GLOB '*Fragmentation of *')`,
		// The title of a session that has one already is left out.
		`SELECT integrity_check FROM tables l, temp.pragma_integrity_check(l.name) WHERE integrity_check GLOB 'non-unique entry in *'
			AND EXISTS (SELECT 1 FROM temp.pragma_index_list(l.name) i WHERE i."unique" AND i.origin = 'c' AND i.name <> 'idx_sessions_title_unique' AND ?1)`,
		`SELECT 'a row of ' || l.name || ' refers to one that ' || c.parent || ' does not have' FROM tables l, temp.pragma_foreign_key_check(l.name) c
			WHERE lower(c.parent) <> 'sessions' AND EXISTS (SELECT 1 FROM temp.pragma_foreign_key_list(l.name) f WHERE ?1 AND lower(f."table") <> 'sessions')`,
	} {
		odd, ok, err = FirstValue(ctx, conn, `WITH tables AS (SELECT name, strict FROM temp.pragma_table_list WHERE schema = 'main' AND type = 'table' AND name IN ('sessions', 'messages')) `+query, every)
		if err != nil || ok {
			break
		}
	}
	if err == nil && !ok {
		odd, ok, err = failingColumn(ctx, conn)
	}
	if err == nil && ok {
		return &model.Error{
			Kind: model.KindRefused, Path: d.Path,
			Message: "a table would refuse its own rows when they are restored: " + AsText(odd) + "; " + unchanged,
			Remedy:  d.AdviseRecovery(),
		}
	}
	d.rowsInsertable.Store(err == nil)
	return nil
}

// failingColumn looks for a generated column that cannot be computed, and says why.
func failingColumn(ctx context.Context, conn *sql.Conn) (why any, found bool, err error) {
	query, ok, err := FirstValue(ctx, conn, `SELECT group_concat(format('SELECT count(typeof("%w")) FROM main."%w"', x.name, l.name), ' UNION ALL ')
		FROM temp.pragma_table_list l, temp.pragma_table_xinfo(l.name) x WHERE l.schema = 'main' AND l.type = 'table' AND l.name IN ('sessions', 'messages') AND x.hidden IN (2, 3)`)
	if err != nil || !ok || query == nil {
		return nil, false, err
	}
	if _, err := QueryValue(ctx, conn, `SELECT sum("count") FROM (SELECT 0 AS "count" UNION ALL `+AsText(query)+`)`); ResultCode(err) == SQLiteError {
		return "a generated column cannot be computed: " + err.Error(), true, nil
	}
	return nil, false, nil
}

// maxCheckedBytes is the largest file in which each page of the full-text index is checked
// before a change, which takes some tenths of a second for 64 MB.
const maxCheckedBytes = 64 << 20

// tooLargeToCheck reports whether the pages of the file are not checked before a change. Of a
// file that cannot be found the change itself tells.
func (d *DB) tooLargeToCheck() bool {
	info, err := os.Stat(d.Path)
	return err != nil || info.Size() > maxCheckedBytes
}

// checkIndexPages returns an error where a page of a full-text index is damaged. It looks once.
func (d *DB) checkIndexPages(ctx context.Context) error {
	if d.indexPagesSound.Load() || d.tooLargeToCheck() {
		return nil
	}
	for _, index := range []string{"messages_fts", "messages_fts_trigram"} {
		for _, part := range []string{"_data", "_idx", "_content", "_docsize", "_config"} {
			made := d.Schema.Tables[index+part]
			if !strings.HasPrefix(made, "CREATE TABLE") {
				continue
			}
			complaint, ok, err := FirstValue(ctx, d.Pool, `PRAGMA integrity_check(`+Quote(index+part)+`)`)
			text := AsText(complaint)
			switch {
			case ctx.Err() != nil:
				return d.WrapError("check", ctx.Err())
			case IsCorrupt(err):
				return d.indexError(err)
			case err == nil && ok && text != "ok" && !strings.Contains(text, " value in "): // another type does no harm
				return d.indexError(errors.New(text))
			}
		}
	}
	d.indexPagesSound.Store(true)
	return nil
}

// indexError makes the error of a full-text index that does not let messages be changed.
func (d *DB) indexError(err error) *model.Error {
	remedy := d.AdviseReindex()
	remedy.Text += ", or make this change with Hermes"
	return &model.Error{
		Kind: model.KindIndex, Path: d.Path, Err: err, Remedy: remedy,
		Message: "the full-text index is damaged or does not match the messages, so messages cannot be changed",
	}
}
