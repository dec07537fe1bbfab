package db

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
)

// NewestSchema is the newest schema version whose rules this package follows.
const NewestSchema = 31

// Schema is the tables and columns that a file was found to have. They are read, never
// inferred from the version number.
type Schema struct {
	Version     int
	versions    int                        // rows in schema_version
	columns     map[string]map[string]bool // table → column
	ColumnOrder map[string][]string        // table → columns as stored
	positions   map[string]map[string]int  // table → column → its place, generated columns counted
	Tables      map[string]string          // name → DDL; indexes, triggers and views too
	NumericIDs  map[string]bool            // columns of session ids that are declared as numbers, as table.column
	rowids      map[string]string          // table → see [RowidName]
	otherCase   bool                       // names that Hermes writes in small letters have large ones
}

// describedTables are the tables whose columns a [Schema] has.
var describedTables = [...]string{"sessions", "messages", "schema_version", "state_meta", "system_prompts"}

// idColumns have the ids of sessions, which are text.
var idColumns = [...]string{"sessions.id", "sessions.parent_session_id", "messages.session_id"}

// isNumeric reports whether a column of a declared type takes text that looks like a
// number for one (https://sqlite.org/datatype3.html, 3.1).
func isNumeric(declared string) bool {
	names := func(part string) bool { return strings.Contains(declared, part) }
	return names("INT") || declared != "" && !slices.ContainsFunc([]string{"CHAR", "CLOB", "TEXT", "BLOB"}, names)
}

// ReadSchema reads the schema. Where the list of tables is damaged, the error comes with
// the tables before the damage.
func ReadSchema(ctx context.Context, q Querier) (Schema, error) {
	sc := Schema{
		columns: map[string]map[string]bool{}, positions: map[string]map[string]int{}, ColumnOrder: map[string][]string{}, Tables: map[string]string{}, NumericIDs: map[string]bool{}, rowids: map[string]string{},
	}
	broken := EachRow(ctx, q, `SELECT name, sql, type FROM sqlite_master`, nil, func(r Row) {
		// Hermes makes no view of a described table, and reading one may never end.
		name := r.Text(0)
		if small := strings.ToLower(name); slices.Contains(describedTables[:], small) {
			if r.Text(2) == "view" {
				return
			}
			sc.otherCase = sc.otherCase || name != small
			name = small
		}
		sc.Tables[name] = r.Text(1)
	})
	if err := readColumns(ctx, q, &sc); err != nil {
		return sc, err
	}
	if !sc.Has("schema_version", "version") {
		return sc, broken
	}
	err := EachRow(ctx, q, `SELECT version FROM schema_version`, nil, func(r Row) {
		sc.Version = max(sc.Version, int(r.Int(0)))
		sc.versions++
	})
	return sc, cmp.Or(broken, err)
}

// readColumns reads the columns of the described tables. With an error come those before the
// damage.
func readColumns(ctx context.Context, q Querier, s *Schema) error {
	var tables []string
	for _, table := range describedTables {
		if _, ok := s.Tables[table]; ok {
			tables = append(tables, table)
			s.columns[table], s.positions[table] = map[string]bool{}, map[string]int{}
		}
	}
	if tables == nil {
		return nil
	}
	other := map[string]bool{} // tables with other names than Hermes writes
	small := map[string][]string{}
	err := EachRow(ctx, q, `WITH t(name) AS (VALUES `+strings.TrimSuffix(strings.Repeat("(?),", len(tables)), ",")+`)
		SELECT t.name, c.name, lower(c.name), upper(c.type), c.cid FROM t CROSS JOIN temp.pragma_table_xinfo(t.name) c WHERE c.hidden = 0`, BindArgs(tables), func(r Row) {
		table := r.Text(0)
		name := r.Text(1)
		lower := r.Text(2)
		s.positions[table][lower] = int(r.Int(4))
		if name != lower && strings.Contains(strings.Join(requiredColumns[table], " "), lower) {
			other[table], s.otherCase = true, true
		}
		if at := table + "." + lower; slices.Contains(idColumns[:], at) && isNumeric(r.Text(3)) {
			s.NumericIDs[at] = true
		}
		s.ColumnOrder[table], small[table] = append(s.ColumnOrder[table], name), append(small[table], lower)
	})
	for _, table := range tables {
		if other[table] {
			s.ColumnOrder[table] = small[table]
		}
		for _, name := range s.ColumnOrder[table] {
			s.columns[table][name] = true
		}
		s.rowids[table] = rowidBeside(ctx, q, table, s.Tables[table], s.ColumnOrder[table])
	}
	return err
}

// RowidName returns a name for the numbers of the rows of a table that a DDL has made, "" for
// none: a table declared WITHOUT ROWID has no such numbers, and columns may take the names.
func RowidName(ctx context.Context, q Querier, table, ddl string) (string, error) {
	columns, err := QueryTexts(ctx, q, `SELECT lower(name) FROM temp.pragma_table_xinfo(?)`, table)
	if err != nil {
		return "", err
	}
	return rowidBeside(ctx, q, table, ddl, columns), nil
}

// rowidBeside is [RowidName] for a table with these columns.
func rowidBeside(ctx context.Context, q Querier, table, ddl string, columns []string) string {
	for _, name := range []string{"rowid", "_rowid_", "oid"} {
		if slices.ContainsFunc(columns, func(c string) bool { return strings.EqualFold(c, name) }) {
			continue
		}
		if strings.Contains(strings.ToUpper(ddl), "ROWID") {
			if _, err := QueryValue(ctx, q, `SELECT `+name+` FROM `+Quote(table)+` LIMIT 0`); ResultCode(err) == SQLiteError {
				return ""
			}
		}
		return name
	}
	return ""
}

// RowKey returns what tells rows of sessions or messages apart, in their order: the name of
// their rowids, or "id" where there is none.
func (s Schema) RowKey(table string) string {
	if name, ok := s.rowids[table]; ok {
		return cmp.Or(name, "id")
	}
	return "rowid"
}

// UnnamedSessions is the condition for rows of sessions that no call can name: their id is
// no text, or no value at all where the column is declared as a number.
func (s Schema) UnnamedSessions() string {
	if s.NumericIDs["sessions.id"] {
		return `(id IS NULL OR typeof(id) = 'blob')`
	}
	return `typeof(id) <> 'text'`
}

// CanName reports whether the stored id of a session is one that a call can name.
func (s Schema) CanName(id any) bool {
	_, text := id.(string)
	_, blob := id.([]byte)
	return text || s.NumericIDs["sessions.id"] && id != nil && !blob
}

// Has reports whether a table has a column.
func (s Schema) Has(table, column string) bool { return s.columns[table][column] }

// Mentions reports whether there is a table whose DDL names all these columns,
// for tables that are not in describedTables.
func (s Schema) Mentions(table string, columns ...string) bool {
	ddl, ok := s.Tables[table]
	return ok && !slices.ContainsFunc(columns, func(c string) bool { return !strings.Contains(ddl, c) })
}

// Indexed reports whether rows of a table are found by a column without reading
// all of them.
func (s Schema) Indexed(table, column string) bool {
	bare := strings.NewReplacer(" ", "", "\n", "", `"`, "", "`", "", "[", "", "]", "")
	for _, ddl := range s.Tables {
		ddl = strings.ToLower(bare.Replace(ddl))
		_, after, ok := strings.Cut(ddl, "on"+table+"("+column)
		if ok && strings.HasPrefix(ddl, "createindex") && strings.Trim(after[:1], ",)") == "" && !strings.Contains(after, ")where") {
			return true
		}
	}
	return false
}

// MarksDelegates reports whether delegates are marked in model_config: Hermes does that
// from schema 16 on, and has marked the older rows, too.
func (s Schema) MarksDelegates() bool {
	return s.Version >= 16 || s.Has("messages", "compacted")
}

// HasSyncTriggers reports whether triggers keep a full-text table in step.
func (s Schema) HasSyncTriggers(table string) bool {
	for _, event := range []string{"_insert", "_delete", "_update"} {
		if _, ok := s.Tables[table+event]; !ok {
			return false
		}
	}
	return true
}

// CanRefresh reports whether a snapshot of the file can be refreshed: it has the index from
// which the fingerprint is read, and deleted rows are removed from its full-text tables.
func (s Schema) CanRefresh() bool {
	_, titled := s.Tables["idx_sessions_title_unique"]
	for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
		if _, ok := s.Tables[table]; ok && !s.HasSyncTriggers(table) {
			return false
		}
	}
	return titled
}

// isShadow reports whether a virtual table, such as a full-text index, keeps its own rows in a
// table.
func (s Schema) isShadow(table string) bool {
	for at, c := range table {
		if c == '_' && strings.HasPrefix(strings.ToUpper(s.Tables[table[:at]]), "CREATE VIRTUAL TABLE") {
			return true
		}
	}
	return false
}

// contentOption matches the option of a full-text table that names where its text is.
var contentOption = regexp.MustCompile(`\bcontent\s*=`)

// HasExternalContent reports whether a full-text table keeps its text elsewhere.
func HasExternalContent(ddl string) bool { return contentOption.MatchString(ddl) }

// ColumnsOf returns the columns of a table that a row of it is made of, and
// whether its rows have a number of their own besides.
func ColumnsOf(ctx context.Context, q Querier, table, ddl string) (columns []string, rowid bool, err error) {
	keys, integer := 0, false
	err = EachRow(ctx, q, `SELECT name, type, pk FROM temp.pragma_table_xinfo(?) WHERE hidden = 0`, []any{table}, func(r Row) {
		name := r.Text(0)
		columns = append(columns, name)
		if r.Int(2) > 0 {
			keys++
			integer = strings.EqualFold(r.Text(1), "INTEGER")
		}
		if strings.EqualFold(name, "rowid") {
			integer, keys = true, 1
		}
	})
	alias := keys == 1 && integer
	return columns, !alias && rowidBeside(ctx, q, table, ddl, columns) != "", err
}
