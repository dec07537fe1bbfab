package upkeep

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/store/ddl"
	"hermes-sessions/store/internal/db"
)

// migrationPlan is what a file needs to become one of schema 11.
type migrationPlan struct {
	newFile     bool
	fromVersion int
	toVersion   int      // 0 for 11
	statements  []string // SQL, in order; none where the file lacks nothing
	repairs     []string // the faults that are mended, one sentence each
}

// addRepair adds the statements that mend a fault, which is a sentence.
func (m *migrationPlan) addRepair(fault string, steps ...string) {
	m.statements = append(m.statements, steps...)
	m.repairs = append(m.repairs, fault)
}

const setVersionStatement = `DELETE FROM schema_version; INSERT INTO schema_version (version) VALUES (11);`

// planMigration plans all statements. complaints is what SQLite said about the
// full-text tables.
func (u *Upkeep) planMigration(ctx context.Context, t *db.Tx, complaints []string) (migrationPlan, error) {
	if len(t.Schema.Tables) == 0 && u.Newest {
		return migrationPlan{newFile: true, toVersion: ddl.NewestVersion, statements: []string{ddl.Newest, ddl.LaterColumns}}, nil
	}
	if len(t.Schema.Tables) == 0 {
		return migrationPlan{newFile: true, statements: []string{
			ddl.Tables, ddl.TitleIndex, ddl.Index, ddl.Triggers, setVersionStatement,
		}}, nil
	}
	var m migrationPlan
	stated, want, err := u.checkVersions(ctx, t, t.Schema)
	if err != nil {
		return m, err
	}
	if len(stated) > 0 {
		m.fromVersion = slices.Min(stated)
	}
	m.planTables(t.Schema, want)
	if err := m.planTitles(ctx, t); err != nil {
		return m, err
	}
	if err := m.planIndex(ctx, t, complaints); err != nil {
		return m, err
	}
	switch {
	case len(stated) == 0:
		m.addRepair("the database had no schema version", setVersionStatement)
	case len(stated) > 1:
		m.addRepair(fmt.Sprintf("the database had %d schema versions", len(stated)), setVersionStatement)
	case m.fromVersion < ddl.Version:
		m.statements = append(m.statements, setVersionStatement)
	}
	return m, nil
}

// checkVersions refuses a file that is not of schema 1 to 11. It returns the versions
// that the file states, and the columns that it should have.
func (u *Upkeep) checkVersions(ctx context.Context, q db.Querier, sc db.Schema) (stated []int, want map[string][]columnDef, err error) {
	u.db.Schema = sc
	if err := u.db.CheckHeader(db.MigratableColumns); err != nil {
		return nil, nil, err
	}
	if err := u.db.CheckNames(sc); err != nil {
		return nil, nil, err
	}
	if stated, err = u.statedVersions(ctx, q); err != nil {
		return nil, nil, err
	}
	if want, err = declaredColumns(ctx); err != nil {
		return nil, nil, err
	}
	return stated, want, u.checkColumnsKnown(want)
}

// statedVersions returns the schema versions that the file states: none, one, or by a
// fault of Hermes several.
func (u *Upkeep) statedVersions(ctx context.Context, q db.Querier) ([]int, error) {
	if !u.db.Schema.Has("schema_version", "version") {
		return nil, nil
	}
	var stated []any
	if err := db.EachRow(ctx, q, `SELECT version FROM schema_version`, nil, func(r db.Row) { stated = append(stated, r[0]) }); err != nil {
		return nil, err
	}
	var found []int
	for _, v := range stated {
		n, ok := v.(int64)
		if !ok {
			return nil, &model.Error{
				Kind: model.KindDamaged, Path: u.db.Path,
				Message: fmt.Sprintf("the schema version is not a number: '%s'", db.AsText(v)),
				Remedy:  u.db.AdviseStatement("show its versions", `SELECT rowid, version FROM schema_version`),
			}
		}
		if n > ddl.Version {
			return nil, u.newerSchemaError(fmt.Sprintf("schema %d", n))
		}
		found = append(found, int(n))
	}
	return found, nil
}

// newerSchemaError makes the error of a file beyond schema 11.
func (u *Upkeep) newerSchemaError(by string) *model.Error {
	return &model.Error{
		Kind: model.KindNewer, Path: u.db.Path,
		Message: fmt.Sprintf("written by a newer Hermes (%s) than schema %d, to which it would be upgraded", by, ddl.Version),
		Remedy:  model.Advise("no action needed: it can be read and edited as it is"),
	}
}

// columnDef is one column of the declared schema.
type columnDef struct {
	name, definition string // definition as ALTER TABLE … ADD COLUMN takes it
}

// declaredColumns returns the columns of schema 11 by table, as SQLite understands the
// statements that make them.
func declaredColumns(ctx context.Context) (map[string][]columnDef, error) {
	q, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer q.Close()      //nolint:errcheck // a database in memory
	q.SetMaxOpenConns(1) // each connection has its own database in memory
	if _, err := q.ExecContext(ctx, ddl.Tables); err != nil {
		return nil, err
	}
	found := map[string][]columnDef{}
	err = db.EachRow(ctx, q, `SELECT m.name, c.name, c.type, c."notnull", c.dflt_value
		FROM sqlite_master m, temp.pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY m.name, c.cid`, nil, func(r db.Row) {
		table, name := r.Text(0), r.Text(1)
		definition := db.Quote(name) + " " + r.Text(2)
		if r.Bool(3) {
			definition += " NOT NULL"
		}
		if r[4] != nil {
			definition += " DEFAULT " + r.Text(4)
		}
		found[table] = append(found[table], columnDef{name, definition})
	})
	return found, err
}

// checkColumnsKnown refuses a file with columns that schema 11 does not have, whatever
// version it states: their meaning must not be guessed.
func (u *Upkeep) checkColumnsKnown(want map[string][]columnDef) error {
	for _, table := range []string{"sessions", "messages"} {
		for _, name := range u.db.Schema.ColumnOrder[table] {
			if !slices.ContainsFunc(want[table], func(c columnDef) bool { return c.name == name }) {
				return u.newerSchemaError("it has " + table + "." + name)
			}
		}
	}
	return nil
}

// planTables adds the tables, indexes and columns that are missing.
func (m *migrationPlan) planTables(sc db.Schema, want map[string][]columnDef) {
	var missing []string
	for _, name := range []string{"idx_sessions_source", "idx_sessions_parent", "idx_sessions_started", "idx_messages_session"} {
		if _, ok := sc.Tables[name]; !ok {
			missing = append(missing, name)
		}
	}
	var columns []string
	for _, table := range []string{"schema_version", "sessions", "messages", "state_meta"} {
		if _, ok := sc.Tables[table]; !ok {
			missing = append(missing, table)
			continue
		}
		for _, c := range want[table] {
			if !sc.Has(table, c.name) {
				columns = append(columns, "ALTER TABLE "+table+" ADD COLUMN "+c.definition)
				missing = append(missing, table+"."+c.name)
			}
		}
	}
	if len(missing) == 0 {
		return
	}
	// Columns first: an index may need one of them.
	m.statements = append(append(m.statements, columns...), ddl.Tables)
	if m.fromVersion == ddl.Version {
		m.repairs = append(m.repairs, "missing, and added: "+strings.Join(missing, ", "))
	}
}

// planTitles makes titles unique. Of several sessions with one title the
// newest row keeps it (store/README.md#q15).
func (m *migrationPlan) planTitles(ctx context.Context, t *db.Tx) error {
	if _, ok := t.Schema.Tables["idx_sessions_title_unique"]; ok {
		return nil
	}
	if t.Schema.Has("sessions", "title") {
		key := t.Schema.RowKey("sessions")
		err := db.EachRow(ctx, t, `SELECT id, title FROM (`+olderTitles(key)+`) ORDER BY title, id`, nil, func(r db.Row) {
			m.repairs = append(m.repairs, fmt.Sprintf("session %s lost its title '%s': a newer session has the same", r.Text(0), r.Text(1)))
		})
		if err != nil {
			return err
		}
		m.statements = append(m.statements, dropTitles(key))
	}
	m.statements = append(m.statements, ddl.TitleIndex)
	if m.fromVersion == ddl.Version {
		m.repairs = append(m.repairs, "missing, and added: idx_sessions_title_unique")
	}
	return nil
}

// olderTitles selects the sessions whose title a newer row has too, by the key of rows that
// says which is newer.
func olderTitles(key string) string {
	return `SELECT id, title, row FROM (
	SELECT id, title, ` + key + ` AS row, max(` + key + `) OVER (PARTITION BY title) AS newest FROM sessions WHERE title IS NOT NULL
) WHERE row < newest`
}

// dropTitles makes the statement that removes the titles that olderTitles selects.
func dropTitles(key string) string {
	return `UPDATE sessions SET title = NULL WHERE ` + key + ` IN (SELECT row FROM (` + olderTitles(key) + `))`
}

// planIndex rebuilds the full-text index where it does not have the shape of schema
// 11, lacks a part, or is out of step with the messages (store/README.md#q16).
func (m *migrationPlan) planIndex(ctx context.Context, t *db.Tx, complaints []string) error {
	reason, err := indexRepair(ctx, t, complaints)
	if err != nil || reason == "" {
		return err
	}
	for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
		for _, event := range []string{"insert", "delete", "update"} {
			m.statements = append(m.statements, "DROP TRIGGER IF EXISTS "+table+"_"+event)
		}
		m.statements = append(m.statements, "DROP TABLE IF EXISTS "+table)
	}
	m.statements = append(m.statements, ddl.Index, ddl.FillWords, ddl.FillTrigrams, ddl.FitTrigrams, ddl.Triggers)
	if m.fromVersion == ddl.Version || m.fromVersion == 0 {
		m.repairs = append(m.repairs, "the full-text index was rebuilt: "+reason)
	}
	return nil
}

// indexRepair returns the reason why the full-text index must be rebuilt, "" for none.
func indexRepair(ctx context.Context, t *db.Tx, complaints []string) (string, error) {
	for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
		made, ok := t.Schema.Tables[table]
		if !ok {
			return table + " was missing", nil
		}
		if strings.Contains(made, "content=") {
			return table + " had an older definition", nil
		}
		for _, event := range []string{"insert", "delete", "update"} {
			made, ok := t.Schema.Tables[table+"_"+event]
			if !ok {
				return "the trigger " + table + "_" + event + " was missing", nil
			}
			if strings.Contains(made, "'delete'") || event != "delete" && !strings.Contains(made, "new.tool_calls") {
				return "the trigger " + table + "_" + event + " had an older definition", nil
			}
		}
		out, _, err := t.One(ctx, `SELECT EXISTS (SELECT id FROM messages EXCEPT SELECT id FROM `+table+`_docsize)
			OR EXISTS (SELECT id FROM `+table+`_docsize EXCEPT SELECT id FROM messages)`)
		if err != nil {
			return "", err
		}
		if db.AsBool(out) {
			return table + " did not match the messages", nil
		}
	}
	for _, line := range complaints {
		if !strings.Contains(line, "messages_fts_trigram") {
			return line, nil
		}
		// Older SQLite cuts a text at a NUL when it makes trigrams and newer
		// does not (store/README.md#nul-in-trigrams), so multimodal messages
		// always look out of step. They are not plain text anyway.
		marked, _, err := t.One(ctx, `SELECT EXISTS (SELECT 1 FROM messages WHERE content >= char(0) AND content < char(1))`)
		if err != nil {
			return "", err
		}
		if !db.AsBool(marked) {
			return line, nil
		}
	}
	return "", nil
}
