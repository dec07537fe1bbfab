package upkeep

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/store/ddl"
	"hermes-sessions/store/internal/db"
)

// Migrated says what [store.Migrate] did.
type Migrated struct {
	Path    string
	From    int      // schema version found; 0 for a new file and where none was stated
	To      int      // always 11
	Backup  string   // the copy of the file as it was; "" where nothing was changed or none was wanted
	Repairs []string // what was wrong and is right now, one sentence each
}

// Migrate migrates a file that is not open, and closes it.
func (u *Upkeep) Migrate(ctx context.Context) (Migrated, error) {
	done, err := u.MigrateInPlace(ctx)
	if err != nil {
		err = u.db.WriteError("migrate", err)
	}
	return done, errors.Join(err, u.db.Writer.Close())
}

func (u *Upkeep) MigrateInPlace(ctx context.Context) (Migrated, error) {
	done := Migrated{Path: u.db.Path, To: ddl.Version}
	if u.db.Writer.ReadOnly {
		return done, u.db.ReadOnlyError(nil)
	}
	if err := u.createFolder(); err != nil {
		return done, err
	}
	if err := u.db.Writer.Open(u.db.Path, "rw"); err != nil {
		return done, err
	}
	complaints, err := u.checkBeforeMigration(ctx)
	if err != nil {
		return done, err
	}
	err = u.db.Writer.Run(ctx, u.db.Clock, true, func(t *db.Tx) error {
		// A try before this one may have come as far as the copy.
		if done.Backup != "" {
			if err := os.Remove(done.Backup); err != nil {
				return fmt.Errorf("remove the copy of an attempt that failed: %w", err)
			}
		}
		done = Migrated{Path: u.db.Path, To: ddl.Version}
		m, err := u.planMigration(ctx, t, complaints)
		if err != nil {
			return err
		}
		done.From, done.Repairs = m.fromVersion, m.repairs
		if len(m.statements) == 0 {
			return nil
		}
		if !m.newFile && !u.NoBackup {
			if done.Backup, err = u.backUpFileForMigration(ctx, m.fromVersion); err != nil {
				return err
			}
		}
		for _, step := range m.statements {
			if _, err := t.Exec(ctx, step); err != nil {
				return err
			}
		}
		return nil
	})
	return done, err
}

// createFolder sees to it that there is a file to work on.
func (u *Upkeep) createFolder() error {
	err := u.db.CheckFile()
	e, ok := errors.AsType[*db.Error](err)
	switch {
	case ok && e.Kind == db.KindAbsent:
		if err := os.MkdirAll(filepath.Dir(u.db.Path), 0o700); err != nil {
			return err
		}
		// What people say to their agent is nobody else's business.
		f, err := os.OpenFile(u.db.Path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, os.ErrExist) {
			return nil // another process was faster
		}
		if err != nil {
			return u.db.NotThereError(err)
		}
		return f.Close()
	case ok && e.Kind == db.KindEmpty:
		return nil
	}
	return err
}

// checkBeforeMigration does what can not be done inside a transaction: it chooses the
// journal mode of a new file, and looks for damage in an old one. It gives
// what SQLite says about the full-text tables, which can be made anew.
func (u *Upkeep) checkBeforeMigration(ctx context.Context) (complaints []string, err error) {
	q := u.db.Writer.Db
	sc, err := db.ReadSchema(ctx, q)
	if err != nil {
		return nil, u.db.DiagnoseOpen(err)
	}
	if len(sc.Tables) == 0 {
		return nil, u.db.ChooseJournal(ctx)
	}
	if _, _, err := u.checkVersions(ctx, q, sc); err != nil {
		return nil, err
	}
	rows, err := q.QueryContext(ctx, `PRAGMA quick_check`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return nil, err
		}
		switch {
		case strings.Contains(line, "messages_fts"):
			complaints = append(complaints, line)
		case line == "ok" || strings.Contains(line, " value in "): // a value of an odd type, which harms nobody
		default:
			return nil, u.db.NewError(db.KindDamaged, errors.New(line))
		}
	}
	return complaints, rows.Err()
}

// migrationPlan is what a file needs to be of version 11.
type migrationPlan struct {
	newFile     bool
	fromVersion int
	statements  []string // SQL, in order; none where nothing is to be done
	repairs     []string // what was wrong, one sentence each
}

// addRepair adds steps that put right what was wrong.
func (m *migrationPlan) addRepair(said string, steps ...string) {
	m.statements = append(m.statements, steps...)
	m.repairs = append(m.repairs, said)
}

const setVersionStatement = `DELETE FROM schema_version; INSERT INTO schema_version (version) VALUES (11);`

func (u *Upkeep) planMigration(ctx context.Context, t *db.Tx, complaints []string) (migrationPlan, error) {
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
		m.addRepair("the database did not state its schema version", setVersionStatement)
	case len(stated) > 1:
		m.addRepair(fmt.Sprintf("the database stated %d schema versions", len(stated)), setVersionStatement)
	case m.fromVersion < ddl.Version:
		m.statements = append(m.statements, setVersionStatement)
	}
	return m, nil
}

// checkVersions refuses what is not of version 1 to 11. It gives the versions that the
// file states, and the columns that it should have.
func (u *Upkeep) checkVersions(ctx context.Context, q db.Querier, sc db.Schema) (stated []int, want map[string][]columnDef, err error) {
	u.db.Schema = sc
	if err := u.db.CheckHeader(); err != nil {
		return nil, nil, err
	}
	if stated, err = u.statedVersions(ctx, q); err != nil {
		return nil, nil, err
	}
	if want, err = DeclaredColumns(ctx); err != nil {
		return nil, nil, err
	}
	return stated, want, u.checkColumnsKnown(want)
}

// statedVersions gives the versions that the file claims to be of.
func (u *Upkeep) statedVersions(ctx context.Context, q db.Querier) ([]int, error) {
	if !u.db.Schema.Has("schema_version", "version") {
		return nil, nil
	}
	rows, err := q.QueryContext(ctx, `SELECT version FROM schema_version`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []int
	for rows.Next() {
		var v any
		if err := rows.Scan(&v); err != nil {
			return nil, err
		}
		n, ok := v.(int64)
		if !ok {
			return nil, &db.Error{
				Kind: db.KindDamaged, Path: u.db.Path,
				Message: fmt.Sprintf("the schema version is not a number: '%s'", db.AsText(v)),
				Remedy:  fmt.Sprintf(`sqlite3 %s "SELECT rowid, version FROM schema_version"`, model.ShellWord(u.db.Path)),
			}
		}
		if n > ddl.Version {
			return nil, u.newerSchemaError(fmt.Sprintf("schema %d", n))
		}
		found = append(found, int(n))
	}
	return found, rows.Err()
}

func (u *Upkeep) newerSchemaError(by string) *db.Error {
	return &db.Error{
		Kind: db.KindNewer, Path: u.db.Path,
		Message: fmt.Sprintf("written by a newer Hermes (%s) than the version %d that this would make of it", by, ddl.Version),
		Remedy:  "nothing is to be done: it can be read and edited as it is",
	}
}

// columnDef is one column of the declared schema.
type columnDef struct {
	Name, definition string // definition as ALTER TABLE … ADD COLUMN takes it
}

// DeclaredColumns gives the columns of schema 11 by table, as SQLite understands the
// statements that make them.
func DeclaredColumns(ctx context.Context) (map[string][]columnDef, error) {
	q, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer q.Close()
	q.SetMaxOpenConns(1) // each connection has a memory of its own
	if _, err := q.ExecContext(ctx, ddl.Tables); err != nil {
		return nil, err
	}
	rows, err := q.QueryContext(ctx, `SELECT m.name, c.name, c.type, c."notnull", c.dflt_value
		FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY m.name, c.cid`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[string][]columnDef{}
	for rows.Next() {
		var table, name, kind string
		var notNull bool
		var value *string
		if err := rows.Scan(&table, &name, &kind, &notNull, &value); err != nil {
			return nil, err
		}
		definition := db.Quote(name) + " " + kind
		if notNull {
			definition += " NOT NULL"
		}
		if value != nil {
			definition += " DEFAULT " + *value
		}
		found[table] = append(found[table], columnDef{name, definition})
	}
	return found, rows.Err()
}

// checkColumnsKnown refuses a file with columns that schema 11 does not have, whatever
// version it states: what they mean must not be guessed.
func (u *Upkeep) checkColumnsKnown(want map[string][]columnDef) error {
	for _, table := range []string{"sessions", "messages"} {
		for _, name := range u.db.Schema.ColumnOrder[table] {
			if !slices.ContainsFunc(want[table], func(c columnDef) bool { return c.Name == name }) {
				return u.newerSchemaError("it has " + table + "." + name)
			}
		}
	}
	return nil
}

// planTables adds what tables, indexes and columns are missing.
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
			if !sc.Has(table, c.Name) {
				columns = append(columns, "ALTER TABLE "+table+" ADD COLUMN "+c.definition)
				missing = append(missing, table+"."+c.Name)
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
		rows, err := t.QueryContext(ctx, `SELECT id, title FROM (`+dropOlderTitles+`) ORDER BY title, id`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id, title any
			if err := rows.Scan(&id, &title); err != nil {
				return err
			}
			m.repairs = append(m.repairs, fmt.Sprintf("session %s lost its title '%s': a newer session has the same", db.AsText(id), db.AsText(title)))
		}
		if err := rows.Err(); err != nil {
			return err
		}
		m.statements = append(m.statements, `UPDATE sessions SET title = NULL WHERE rowid IN (SELECT row FROM (`+dropOlderTitles+`))`)
	}
	m.statements = append(m.statements, ddl.TitleIndex)
	if m.fromVersion == ddl.Version {
		m.repairs = append(m.repairs, "missing, and added: idx_sessions_title_unique")
	}
	return nil
}

const dropOlderTitles = `SELECT id, title, row FROM (
	SELECT id, title, rowid AS row, max(rowid) OVER (PARTITION BY title) AS newest FROM sessions WHERE title IS NOT NULL
) WHERE row < newest`

// planIndex makes the full-text index anew where it is not of this version's
// shape, lacks a part, or is out of step (store/README.md#q16).
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
	m.statements = append(m.statements, ddl.Index, ddl.FillWords, ddl.FillTrigrams, ddl.Triggers)
	if m.fromVersion == ddl.Version || m.fromVersion == 0 {
		m.repairs = append(m.repairs, "the full-text index was made anew: "+reason)
	}
	return nil
}

// indexRepair says why the full-text index must be made anew, "" where it need
// not be.
func indexRepair(ctx context.Context, t *db.Tx, complaints []string) (string, error) {
	for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
		made, ok := t.Schema.Tables[table]
		if !ok {
			return table + " was missing", nil
		}
		if strings.Contains(made, "content=") {
			return table + " was of an older shape", nil
		}
		for _, event := range []string{"insert", "delete", "update"} {
			made, ok := t.Schema.Tables[table+"_"+event]
			if !ok {
				return "the trigger " + table + "_" + event + " was missing", nil
			}
			if strings.Contains(made, "'delete'") || event != "delete" && !strings.Contains(made, "new.tool_calls") {
				return "the trigger " + table + "_" + event + " was of an older shape", nil
			}
		}
		out, _, err := t.One(ctx, `SELECT EXISTS (SELECT id FROM messages EXCEPT SELECT id FROM `+table+`_docsize)
			OR EXISTS (SELECT id FROM `+table+`_docsize EXCEPT SELECT id FROM messages)`)
		if err != nil {
			return "", err
		}
		if db.AsBool(out) {
			return table + " was out of step with the messages", nil
		}
	}
	for _, line := range complaints {
		if !strings.Contains(line, "messages_fts_trigram") {
			return line, nil
		}
		// Older SQLite cuts a text at a NUL when it makes trigrams and newer
		// does not, so multimodal messages always look out of step. Nothing
		// is lost by that: they are not plain text anyway.
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

// backUpFileForMigration writes the file as it is, with all that stands in the -wal, beside
// it. It runs inside the transaction that is about to change the file, so that
// no write of others is in the file and not in the copy.
func (u *Upkeep) backUpFileForMigration(ctx context.Context, from int) (path string, err error) {
	name := fmt.Sprintf("%s.bak-v%d-%s", u.db.Path, from, u.db.Clock().Format("20060102-150405"))
	var f *os.File
	for n := 1; ; n++ {
		if path = name; n > 1 {
			path = fmt.Sprintf("%s-%d", name, n)
		}
		// Made here, as private as the file itself; VACUUM takes an empty one.
		if f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			break
		}
		if !errors.Is(err, os.ErrExist) {
			return "", fmt.Errorf("write a copy: %w", err)
		}
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("write the copy %s: %w", path, errors.Join(err, f.Close(), os.Remove(path)))
			path = ""
		}
	}()
	uri, err := db.FileURI(u.db.Path)
	if err != nil {
		return path, err
	}
	db, err := sql.Open("sqlite", uri+"?mode=rw&_pragma=busy_timeout(1000)")
	if err != nil {
		return path, err
	}
	_, err = db.ExecContext(ctx, `VACUUM INTO ?`, path)
	if err = errors.Join(err, db.Close()); err != nil {
		return path, err
	}
	if err := f.Sync(); err != nil { // VACUUM INTO leaves that to us
		return path, err
	}
	return path, f.Close()
}
