package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hermes-sessions/store/ddl"

	"hermes-sessions/model"
)

// WithoutBackup lets [Migrate] change a file without a copy of it. [Open] does
// not heed it.
func WithoutBackup() Option { return func(s *Store) { s.bare = true } }

// Migrated says what [Migrate] did.
type Migrated struct {
	Path     string
	From     int      // schema version found; 0 for a new file and where none was stated
	To       int      // always 11
	Backup   string   // the copy of the file as it was; "" where nothing was changed or none was wanted
	Repaired []string // what was wrong and is right now, one sentence each
}

// Migrate makes a session database of schema 11: where there is no file (or an
// empty one) a new one, readable for its owner only; of a file of version 1 to
// 10 one of version 11. What a file of version 11 lacks is repaired: columns,
// the title index, duplicate titles, the full-text index and its triggers. A
// file that lacks nothing is not touched (store/README.md#migration).
//
// All of it happens in one transaction: whenever it is interrupted, the file is
// as it was or as it should be. Before that a copy is written beside the file,
// named FILE.bak-vN-TIME, with all that stands in the -wal; [WithoutBackup]
// leaves it out. A new file is in WAL mode where the file system can; the
// journal mode of an existing one stays.
//
// The error is an [*Error]: newer for a file beyond version 11, which needs no
// migration to be read or edited; foreign, damaged, locked, read-only,
// disk-full, or what [Open] says of such a path.
func Migrate(ctx context.Context, path string, opts ...Option) (Migrated, error) {
	return newStore(path, opts).migrateFile(ctx)
}

// migrateFile migrates a file that is not open, and closes it.
func (s *Store) migrateFile(ctx context.Context) (Migrated, error) {
	done, err := s.migrate(ctx)
	if err != nil {
		err = s.writeFault("migrate", err)
	}
	return done, errors.Join(err, s.writer.close())
}

func (s *Store) migrate(ctx context.Context) (Migrated, error) {
	done := Migrated{Path: s.path, To: ddl.Version}
	if s.writer.forbidden {
		return done, s.readOnlyFault(nil)
	}
	if err := s.place(); err != nil {
		return done, err
	}
	if err := s.writer.open(s.path, "rw"); err != nil {
		return done, err
	}
	complaints, err := s.prepare(ctx)
	if err != nil {
		return done, err
	}
	err = s.writer.run(ctx, s.now, true, func(t *tx) error {
		// A try before this one may have come as far as the copy.
		if done.Backup != "" {
			if err := os.Remove(done.Backup); err != nil {
				return fmt.Errorf("remove the copy of an attempt that failed: %w", err)
			}
		}
		done = Migrated{Path: s.path, To: ddl.Version}
		m, err := s.planMigration(ctx, t, complaints)
		if err != nil {
			return err
		}
		done.From, done.Repaired = m.from, m.said
		if len(m.steps) == 0 {
			return nil
		}
		if !m.fresh && !s.bare {
			if done.Backup, err = s.copyAway(ctx, m.from); err != nil {
				return err
			}
		}
		for _, step := range m.steps {
			if _, err := t.exec(ctx, step); err != nil {
				return err
			}
		}
		return nil
	})
	return done, err
}

// place sees to it that there is a file to work on.
func (s *Store) place() error {
	err := s.examine()
	e, ok := errors.AsType[*Error](err)
	switch {
	case ok && e.Kind == KindAbsent:
		if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
			return err
		}
		// What people say to their agent is nobody else's business.
		f, err := os.OpenFile(s.path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, os.ErrExist) {
			return nil // another process was faster
		}
		if err != nil {
			return s.absent(err)
		}
		return f.Close()
	case ok && e.Kind == KindEmpty:
		return nil
	}
	return err
}

// prepare does what can not be done inside a transaction: it chooses the
// journal mode of a new file, and looks for damage in an old one. It gives
// what SQLite says about the full-text tables, which can be made anew.
func (s *Store) prepare(ctx context.Context) (complaints []string, err error) {
	db := s.writer.db
	sc, err := inspect(ctx, db)
	if err != nil {
		return nil, s.diagnose(err)
	}
	if len(sc.tables) == 0 {
		return nil, s.chooseJournal(ctx)
	}
	if _, _, err := s.admit(ctx, db, sc); err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, `PRAGMA quick_check`)
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
			return nil, s.fault(KindDamaged, errors.New(line))
		}
	}
	return complaints, rows.Err()
}

// migration is what a file needs to be of version 11.
type migration struct {
	fresh bool
	from  int
	steps []string // SQL, in order; none where nothing is to be done
	said  []string // what was wrong, one sentence each
}

// repair adds steps that put right what was wrong.
func (m *migration) repair(said string, steps ...string) {
	m.steps = append(m.steps, steps...)
	m.said = append(m.said, said)
}

const setVersion = `DELETE FROM schema_version; INSERT INTO schema_version (version) VALUES (11);`

func (s *Store) planMigration(ctx context.Context, t *tx, complaints []string) (migration, error) {
	if len(t.schema.tables) == 0 {
		return migration{fresh: true, steps: []string{
			ddl.Tables, ddl.TitleIndex, ddl.Index, ddl.Triggers, setVersion,
		}}, nil
	}
	var m migration
	stated, want, err := s.admit(ctx, t, t.schema)
	if err != nil {
		return m, err
	}
	if len(stated) > 0 {
		m.from = slices.Min(stated)
	}
	m.planTables(t.schema, want)
	if err := m.planTitles(ctx, t); err != nil {
		return m, err
	}
	if err := m.planIndex(ctx, t, complaints); err != nil {
		return m, err
	}
	switch {
	case len(stated) == 0:
		m.repair("the database did not state its schema version", setVersion)
	case len(stated) > 1:
		m.repair(fmt.Sprintf("the database stated %d schema versions", len(stated)), setVersion)
	case m.from < ddl.Version:
		m.steps = append(m.steps, setVersion)
	}
	return m, nil
}

// admit refuses what is not of version 1 to 11. It gives the versions that the
// file states, and the columns that it should have.
func (s *Store) admit(ctx context.Context, q queryer, sc schema) (stated []int, want map[string][]column, err error) {
	s.schema = sc
	if err := s.recognise(); err != nil {
		return nil, nil, err
	}
	if stated, err = s.stated(ctx, q); err != nil {
		return nil, nil, err
	}
	if want, err = declared(ctx); err != nil {
		return nil, nil, err
	}
	return stated, want, s.knowsAll(want)
}

// stated gives the versions that the file claims to be of.
func (s *Store) stated(ctx context.Context, q queryer) ([]int, error) {
	if !s.schema.has("schema_version", "version") {
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
			return nil, &Error{
				Kind: KindDamaged, Path: s.path,
				Message: fmt.Sprintf("the schema version is not a number: '%s'", text(v)),
				Remedy:  fmt.Sprintf(`sqlite3 %s "SELECT rowid, version FROM schema_version"`, model.ShellWord(s.path)),
			}
		}
		if n > ddl.Version {
			return nil, s.newer(fmt.Sprintf("schema %d", n))
		}
		found = append(found, int(n))
	}
	return found, rows.Err()
}

func (s *Store) newer(by string) *Error {
	return &Error{
		Kind: KindNewer, Path: s.path,
		Message: fmt.Sprintf("written by a newer Hermes (%s) than the version %d that this would make of it", by, ddl.Version),
		Remedy:  "nothing is to be done: it can be read and edited as it is",
	}
}

// column is one column of the declared schema.
type column struct {
	name, definition string // definition as ALTER TABLE … ADD COLUMN takes it
}

// declared gives the columns of schema 11 by table, as SQLite understands the
// statements that make them.
func declared(ctx context.Context) (map[string][]column, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // each connection has a memory of its own
	if _, err := db.ExecContext(ctx, ddl.Tables); err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, `SELECT m.name, c.name, c.type, c."notnull", c.dflt_value
		FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY m.name, c.cid`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[string][]column{}
	for rows.Next() {
		var table, name, kind string
		var notNull bool
		var value *string
		if err := rows.Scan(&table, &name, &kind, &notNull, &value); err != nil {
			return nil, err
		}
		definition := quote(name) + " " + kind
		if notNull {
			definition += " NOT NULL"
		}
		if value != nil {
			definition += " DEFAULT " + *value
		}
		found[table] = append(found[table], column{name, definition})
	}
	return found, rows.Err()
}

// knowsAll refuses a file with columns that schema 11 does not have, whatever
// version it states: what they mean must not be guessed.
func (s *Store) knowsAll(want map[string][]column) error {
	for _, table := range []string{"sessions", "messages"} {
		for _, name := range s.schema.order[table] {
			if !slices.ContainsFunc(want[table], func(c column) bool { return c.name == name }) {
				return s.newer("it has " + table + "." + name)
			}
		}
	}
	return nil
}

// planTables adds what tables, indexes and columns are missing.
func (m *migration) planTables(sc schema, want map[string][]column) {
	var missing []string
	for _, name := range []string{"idx_sessions_source", "idx_sessions_parent", "idx_sessions_started", "idx_messages_session"} {
		if _, ok := sc.tables[name]; !ok {
			missing = append(missing, name)
		}
	}
	var columns []string
	for _, table := range []string{"schema_version", "sessions", "messages", "state_meta"} {
		if _, ok := sc.tables[table]; !ok {
			missing = append(missing, table)
			continue
		}
		for _, c := range want[table] {
			if !sc.has(table, c.name) {
				columns = append(columns, "ALTER TABLE "+table+" ADD COLUMN "+c.definition)
				missing = append(missing, table+"."+c.name)
			}
		}
	}
	if len(missing) == 0 {
		return
	}
	// Columns first: an index may need one of them.
	m.steps = append(append(m.steps, columns...), ddl.Tables)
	if m.from == ddl.Version {
		m.said = append(m.said, "missing, and added: "+strings.Join(missing, ", "))
	}
}

// planTitles makes titles unique. Of several sessions with one title the
// newest row keeps it (store/README.md#q15).
func (m *migration) planTitles(ctx context.Context, t *tx) error {
	if _, ok := t.schema.tables["idx_sessions_title_unique"]; ok {
		return nil
	}
	if t.schema.has("sessions", "title") {
		rows, err := t.QueryContext(ctx, `SELECT id, title FROM (`+olderTitles+`) ORDER BY title, id`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id, title any
			if err := rows.Scan(&id, &title); err != nil {
				return err
			}
			m.said = append(m.said, fmt.Sprintf("session %s lost its title '%s': a newer session has the same", text(id), text(title)))
		}
		if err := rows.Err(); err != nil {
			return err
		}
		m.steps = append(m.steps, `UPDATE sessions SET title = NULL WHERE rowid IN (SELECT row FROM (`+olderTitles+`))`)
	}
	m.steps = append(m.steps, ddl.TitleIndex)
	if m.from == ddl.Version {
		m.said = append(m.said, "missing, and added: idx_sessions_title_unique")
	}
	return nil
}

const olderTitles = `SELECT id, title, row FROM (
	SELECT id, title, rowid AS row, max(rowid) OVER (PARTITION BY title) AS newest FROM sessions WHERE title IS NOT NULL
) WHERE row < newest`

// planIndex makes the full-text index anew where it is not of this version's
// shape, lacks a part, or is out of step (store/README.md#q16).
func (m *migration) planIndex(ctx context.Context, t *tx, complaints []string) error {
	reason, err := indexFault(ctx, t, complaints)
	if err != nil || reason == "" {
		return err
	}
	for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
		for _, event := range []string{"insert", "delete", "update"} {
			m.steps = append(m.steps, "DROP TRIGGER IF EXISTS "+table+"_"+event)
		}
		m.steps = append(m.steps, "DROP TABLE IF EXISTS "+table)
	}
	m.steps = append(m.steps, ddl.Index, ddl.FillWords, ddl.FillTrigrams, ddl.Triggers)
	if m.from == ddl.Version || m.from == 0 {
		m.said = append(m.said, "the full-text index was made anew: "+reason)
	}
	return nil
}

// indexFault says why the full-text index must be made anew, "" where it need
// not be.
func indexFault(ctx context.Context, t *tx, complaints []string) (string, error) {
	for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
		made, ok := t.schema.tables[table]
		if !ok {
			return table + " was missing", nil
		}
		if strings.Contains(made, "content=") {
			return table + " was of an older shape", nil
		}
		for _, event := range []string{"insert", "delete", "update"} {
			made, ok := t.schema.tables[table+"_"+event]
			if !ok {
				return "the trigger " + table + "_" + event + " was missing", nil
			}
			if strings.Contains(made, "'delete'") || event != "delete" && !strings.Contains(made, "new.tool_calls") {
				return "the trigger " + table + "_" + event + " was of an older shape", nil
			}
		}
		out, _, err := t.one(ctx, `SELECT EXISTS (SELECT id FROM messages EXCEPT SELECT id FROM `+table+`_docsize)
			OR EXISTS (SELECT id FROM `+table+`_docsize EXCEPT SELECT id FROM messages)`)
		if err != nil {
			return "", err
		}
		if truth(out) {
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
		marked, _, err := t.one(ctx, `SELECT EXISTS (SELECT 1 FROM messages WHERE content >= char(0) AND content < char(1))`)
		if err != nil {
			return "", err
		}
		if !truth(marked) {
			return line, nil
		}
	}
	return "", nil
}

// copyAway writes the file as it is, with all that stands in the -wal, beside
// it. It runs inside the transaction that is about to change the file, so that
// no write of others is in the file and not in the copy.
func (s *Store) copyAway(ctx context.Context, from int) (path string, err error) {
	name := fmt.Sprintf("%s.bak-v%d-%s", s.path, from, s.now().Format("20060102-150405"))
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
	uri, err := fileURI(s.path)
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
