package upkeep

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// targetColumn is a column of a table of the new file.
type targetColumn struct {
	name     string
	notNull  bool
	fallback string // as SQL, what stands in for NULL; "" for nothing
}

// nullDefaults are what a required column gets where the file has NULL, as SQL.
var nullDefaults = map[string]string{
	"sessions.source": `'unknown'`, "sessions.started_at": `0`,
	"messages.role": `'unknown'`, "messages.timestamp": `0`, "messages.session_id": `''`,
}

// targetColumns returns the columns of a table of the new file, none where there is no such
// table.
func (r *salvageRun) targetColumns(ctx context.Context, table string) (columns []targetColumn, err error) {
	err = db.EachRow(ctx, r.conn, `SELECT name, "notnull", dflt_value FROM temp.pragma_table_xinfo(?) WHERE hidden = 0`, []any{table}, func(row db.Row) {
		c := targetColumn{name: row.Text(0), notNull: row.Bool(1)}
		if c.fallback = nullDefaults[table+"."+c.name]; c.fallback == "" && c.notNull {
			c.fallback = row.Text(2)
		}
		columns = append(columns, c)
	})
	return columns, err
}

// sourceColumns returns the columns of a table of the file that is read.
func (r *salvageRun) sourceColumns(ctx context.Context, table string) ([]string, error) {
	if known := r.upkeep.db.Schema.ColumnOrder[table]; len(known) > 0 {
		return known, nil
	}
	return db.QueryTexts(ctx, r.upkeep.db.Pool, `SELECT name FROM temp.pragma_table_xinfo(?) WHERE hidden = 0`, table)
}

// copyTables copies the rows of all tables, as far as they can be read and stored.
func (r *salvageRun) copyTables(ctx context.Context) error {
	for _, table := range r.plan.copied {
		if r.gaps[table] {
			continue // it could not be made
		}
		if err := r.copyTable(ctx, table); err != nil {
			return fmt.Errorf("copy %s: %w", table, err)
		}
	}
	return r.copySequences(ctx)
}

// copyTable copies the rows of one table.
func (r *salvageRun) copyTable(ctx context.Context, table string) error {
	u := r.upkeep
	made, ok := u.db.Schema.Tables[table]
	if !ok {
		return nil // the file has no such table
	}
	stored, err := r.sourceColumns(ctx, table)
	if err != nil && !db.IsCorrupt(err) {
		return err
	}
	columns, err := r.targetColumns(ctx, table)
	if err != nil {
		return err
	}
	into, ownRowid, err := db.ColumnsOf(ctx, r.conn, table, made)
	if err != nil || len(into) == 0 {
		return err
	}
	rowid, err := db.RowidName(ctx, u.db.Pool, table, made)
	if err != nil && !db.IsCorrupt(err) {
		return err
	}
	ownRowid = ownRowid && rowid != ""
	columns = slices.DeleteFunc(columns, func(c targetColumn) bool { return !slices.Contains(stored, c.name) })
	if len(columns) == 0 { // the list of tables does not say which it has
		r.gaps[table] = true
		return nil
	}
	insert, err := r.conn.PrepareContext(ctx, insertStatement(table, columns, ownRowid))
	if err != nil {
		return err
	}
	defer insert.Close() //nolint:errcheck // nothing depends on it
	prompts, err := r.prompts(ctx, table)
	if err != nil {
		return err
	}
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	newer := false // rows behind the damage of the log come last
	store := func(row db.Row) error {
		if isOfZeros(table, names, row) {
			return nil
		}
		var args []any
		if ownRowid {
			args = append(args, row[0])
		}
		for i, v := range row[1 : len(columns)+1] {
			if names[i] == "system_prompt" && prompts != nil {
				if prompt, ok := prompts[row.Text(len(row)-1)]; ok {
					v = prompt
				}
			}
			if slices.Contains(idColumns[table], names[i]) {
				v = textOf(v, row[0], names[i])
				row[i+1] = v
			}
			args = append(args, v)
		}
		if newer {
			if err := r.makeRoom(ctx, table, names, row); err != nil {
				return err
			}
		}
		return r.store(ctx, table, insert, args, names, row)
	}
	list := plainColumns(names)
	if prompts != nil {
		list += `, +system_prompt_hash`
	}
	err = r.readTable(ctx, table, rowid, list, store)
	if err != nil || r.behind == nil || rowid == "" || table != "sessions" && table != "messages" {
		return err
	}
	newer = true
	var failed error
	lost := r.lost[table]
	err = db.EachRow(ctx, r.behind, `SELECT `+rowid+`, `+list+` FROM `+db.Quote(table)+` ORDER BY `+rowid, nil, func(row db.Row) {
		if failed == nil {
			r.added++
			failed = store(row)
		}
	})
	r.added -= r.lost[table] - lost // rows in whose place others are
	r.lost[table] = lost
	return cmp.Or(err, failed)
}

// isOfZeros reports whether no writer wrote a row: a damaged page gives rows without a text, and with
// NULL in all that Hermes writes into each row.
func isOfZeros(table string, names []string, row db.Row) bool {
	required := false
	for i, v := range row[1:] {
		if s, ok := v.(string); ok && s != "" {
			return false
		}
		if _, ok := v.([]byte); ok {
			return false
		}
		if i < len(names) && nullDefaults[table+"."+names[i]] != "" {
			if required = true; v != nil {
				return false
			}
		}
	}
	return required
}

// makeRoom removes a row of the new file of which row is a later version.
func (r *salvageRun) makeRoom(ctx context.Context, table string, names []string, row db.Row) error {
	key := idColumns[table][0]
	session := row[slices.Index(names, key)+1]
	done, err := r.conn.ExecContext(ctx, `DELETE FROM `+db.Quote(table)+` WHERE rowid = ? AND `+key+` = ?`, row[0], session)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		return err
	}
	if table == "sessions" {
		r.Sessions--
	} else {
		r.Messages--
		r.messages[db.AsText(session)]--
	}
	return nil
}

// idColumns are the columns with ids of sessions.
var idColumns = map[string][]string{"sessions": {"id", "parent_session_id"}, "messages": {"session_id"}}

// textOf returns the id of a session as text, by which alone it can be named. A session
// without one gets an id.
func textOf(id, rowid any, column string) any {
	if bytes, ok := id.([]byte); ok {
		return db.ValidUTF8(string(bytes))
	}
	if id == nil && column == "id" {
		return fmt.Sprintf("salvaged-%d", db.AsInt(rowid))
	}
	return id
}

// readTable reads columns of a table by the name of its rowids. Where there is none it reads
// up to a page that cannot be read.
func (r *salvageRun) readTable(ctx context.Context, table, rowid, columns string, store func(db.Row) error) error {
	name := `main.` + db.Quote(table)
	var failed error
	each := func(row db.Row) {
		if failed == nil {
			failed = store(row)
		}
	}
	var err error
	if rowid == "" {
		err = db.EachRow(ctx, r.upkeep.db.Pool, `SELECT 0, `+columns+` FROM `+name, nil, each)
		if db.IsCorrupt(err) {
			r.gaps[table], err = true, nil
		}
	} else {
		r.gaps[table], err = r.upkeep.sessions.Salvage.Rows(ctx, table, `SELECT `+rowid+`, `+columns+` FROM `+name+` NOT INDEXED WHERE `+rowid+` >= ? ORDER BY `+rowid+` LIMIT ?`, each)
	}
	return cmp.Or(err, failed)
}

// insertStatement makes the statement that stores a row. Of an ordinary table the row
// keeps its number, which says what is newer.
func insertStatement(table string, columns []targetColumn, ownRowid bool) string {
	var names, values []string
	if ownRowid {
		names, values = append(names, "rowid"), append(values, "?")
	}
	for _, c := range columns {
		value := "?"
		if c.fallback != "" {
			value = `coalesce(?, ` + c.fallback + `)`
		}
		names, values = append(names, db.Quote(c.name)), append(values, value)
	}
	return `INSERT INTO ` + db.Quote(table) + ` (` + strings.Join(names, ", ") + `) VALUES (` + strings.Join(values, ", ") + `)`
}

// store stores one row, and remembers what is there. A row that breaks a rule of its
// table is lost.
func (r *salvageRun) store(ctx context.Context, table string, insert *sql.Stmt, args []any, names []string, row db.Row) error {
	value := func(name string) any {
		if i := slices.Index(names, name); i >= 0 {
			return row[i+1]
		}
		return nil
	}
	if r.copied++; r.copied%reportEvery == 0 {
		r.upkeep.report(model.Progress{Step: "copying rows", Done: r.copied, Unit: "rows"})
	}
	_, err := insert.ExecContext(ctx, args...)
	if isConstraint(err) {
		r.lost[table]++
		return nil
	}
	if err != nil {
		return err
	}
	switch table {
	case "sessions":
		r.Sessions++
		r.sessionIDs[db.AsText(value("id"))] = true
	case "messages":
		r.Messages++
		session := db.AsText(value("session_id"))
		if r.messages[session]++; r.startedAt[session] == nil {
			r.startedAt[session] = value("timestamp")
		}
	}
	return nil
}

// isConstraint reports whether a row breaks a rule of its table.
func isConstraint(err error) bool {
	code := db.ResultCode(err)
	return code == db.SQLiteConstraint || code == db.SQLiteMismatch
}

// prompts returns the system prompts by their hash where the file keeps them in a table of
// their own and the new file does not (store/README.md#system-prompts); nil otherwise.
func (r *salvageRun) prompts(ctx context.Context, table string) (map[string]any, error) {
	u := r.upkeep
	if table != "sessions" || slices.Contains(r.plan.copied, "system_prompts") || !u.db.Schema.Has("sessions", "system_prompt_hash") || !u.db.Schema.Has("system_prompts", "prompt") {
		return nil, nil
	}
	prompts := map[string]any{}
	gaps, err := u.sessions.Salvage.Rows(ctx, "system_prompts", `SELECT rowid, hash, prompt FROM main.system_prompts NOT INDEXED WHERE rowid >= ? ORDER BY rowid LIMIT ?`, func(row db.Row) {
		prompts[row.Text(1)] = row[2]
	})
	r.gaps["system_prompts"] = gaps
	return prompts, err
}

// copySequences carries over the last number of each table with AUTOINCREMENT, so that
// no number is given twice.
func (r *salvageRun) copySequences(ctx context.Context) error {
	err := db.EachRow(ctx, r.upkeep.db.Pool, `SELECT name, seq FROM main.sqlite_sequence`, nil, func(row db.Row) {
		r.sequences[row.Text(0)] = row.Int(1)
	})
	if err != nil && ctx.Err() != nil {
		return err
	}
	for _, table := range r.plan.copied {
		if seq := r.sequences[table]; seq > 0 {
			if _, err := r.conn.ExecContext(ctx, `UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?`, seq, table); err != nil {
				return err
			}
		}
	}
	return nil
}

// completeSessions makes a row for each session that has messages and no row of its own:
// without one, Hermes shows none of them.
func (r *salvageRun) completeSessions(ctx context.Context) error {
	for _, id := range slices.Sorted(maps.Keys(r.messages)) {
		if r.sessionIDs[id] {
			continue
		}
		started, _ := db.AsFloat(r.startedAt[id])
		if _, err := r.conn.ExecContext(ctx, `INSERT INTO sessions (id, source, started_at) VALUES (?, 'unknown', ?)`, id, started); err != nil {
			return err
		}
		if slices.Contains(r.upkeep.db.Schema.ColumnOrder["sessions"], "message_count") {
			if _, err := r.conn.ExecContext(ctx, `UPDATE sessions SET message_count = ? WHERE id = ?`, r.messages[id], id); err != nil {
				return err
			}
		}
		r.standIns = append(r.standIns, id)
	}
	n := len(r.standIns)
	r.Sessions += n
	if n > 0 {
		r.Notes = append(r.Notes, countNoun(n, "session has", "sessions have")+" messages but no row: added with the source unknown")
	}
	return nil
}

// stateVersion writes the schema version, where it is known.
func (r *salvageRun) stateVersion(ctx context.Context) error {
	if r.plan.version == 0 {
		return nil
	}
	r.lost["schema_version"], r.gaps["schema_version"] = 0, false
	return r.exec(ctx, `CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)`,
		fmt.Sprintf(`DELETE FROM schema_version; INSERT INTO schema_version (version) VALUES (%d);`, r.plan.version))
}
