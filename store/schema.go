package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// newestKnown is the newest schema version whose rules this package follows.
const newestKnown = 31

// schema is what a file was found to have; it is asked, never guessed from
// the version number.
type schema struct {
	version  int
	versions int                        // rows in schema_version
	columns  map[string]map[string]bool // table → column
	order    map[string][]string        // table → columns as stored
	tables   map[string]string          // name → DDL; indexes, triggers and views too
}

// has reports whether a table has a column.
func (s schema) has(table, column string) bool { return s.columns[table][column] }

// marked reports whether delegates carry their mark in model_config: software
// from schema 16 on writes it, and marked the rows it found.
func (s schema) marked() bool {
	return s.version >= 16 || s.has("messages", "compacted")
}

// mentions reports whether there is a table whose DDL names all these columns,
// for tables that inspect does not describe.
func (s schema) mentions(table string, columns ...string) bool {
	ddl, ok := s.tables[table]
	return ok && !slices.ContainsFunc(columns, func(c string) bool { return !strings.Contains(ddl, c) })
}

// indexed reports whether rows of a table are found by a column without reading
// all of them.
func (s schema) indexed(table, column string) bool {
	bare := strings.NewReplacer(" ", "", "\n", "", `"`, "", "`", "", "[", "", "]", "")
	for _, ddl := range s.tables {
		ddl = strings.ToLower(bare.Replace(ddl))
		_, after, ok := strings.Cut(ddl, "on"+table+"("+column)
		if ok && strings.HasPrefix(ddl, "createindex") && strings.Trim(after[:1], ",)") == "" && !strings.Contains(after, ")where") {
			return true
		}
	}
	return false
}

// column names a column of a table under its alias, or NULL where the file
// does not have it.
func (s schema) column(table, alias, column string) string {
	if !s.has(table, column) {
		return "NULL"
	}
	return alias + "." + quote(column)
}

// visible is the condition for a message to stand in the transcript
// (store/README.md#hidden-rows).
func (s schema) visible(alias string) string {
	return s.active(alias) + s.unlessHidden(alias) + " AND " + alias + ".role <> 'session_meta'"
}

// calls is the condition for a message to call tools. What it says it takes from
// the head of the row: the texts before the calls may be long.
func (s schema) calls(alias string) string {
	return "coalesce(octet_length(" + s.column("messages", alias, "tool_calls") + ") > 2, 0)"
}

// active is the condition for a message not to be rewound or compacted away.
func (s schema) active(alias string) string {
	if !s.has("messages", "active") {
		return "1"
	}
	return "coalesce(" + alias + ".active, 1) = 1"
}

// said is the condition for a message to have been part of the talk: active,
// or archived by in-place compaction, but not rewound.
func (s schema) said(alias string) string {
	if !s.has("messages", "active") || !s.has("messages", "compacted") {
		return s.active(alias)
	}
	return "(coalesce(" + alias + ".active, 1) = 1 OR " + alias + ".compacted = 1)"
}

func (s schema) unlessHidden(alias string) string {
	if !s.has("messages", "display_kind") {
		return ""
	}
	return " AND coalesce(" + alias + ".display_kind, '') <> 'hidden'"
}

// quote makes an SQL identifier of any column name.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// inspect asks the file what it has. Where its list of tables breaks off, the
// error comes with what stands before the break.
func inspect(ctx context.Context, db queryer) (schema, error) {
	sc := schema{
		columns: map[string]map[string]bool{}, order: map[string][]string{}, tables: map[string]string{},
	}
	rows, err := db.QueryContext(ctx, `SELECT name, coalesce(sql, '') FROM sqlite_master`)
	if err != nil {
		return sc, err
	}
	defer rows.Close()
	for rows.Next() {
		var name, ddl string
		if err := rows.Scan(&name, &ddl); err != nil {
			return sc, err
		}
		sc.tables[name] = ddl
	}
	broken := rows.Err()
	for _, table := range []string{"sessions", "messages", "schema_version", "state_meta", "system_prompts"} {
		if _, ok := sc.tables[table]; !ok {
			continue
		}
		if err := sc.describe(ctx, db, table); err != nil {
			return sc, err
		}
	}
	if !sc.has("schema_version", "version") {
		return sc, broken
	}
	rows, err = db.QueryContext(ctx, `SELECT version FROM schema_version`)
	if err != nil {
		return sc, err
	}
	defer rows.Close()
	for rows.Next() {
		var v any
		if err := rows.Scan(&v); err != nil {
			return sc, err
		}
		sc.version = max(sc.version, int(number(v)))
		sc.versions++
	}
	return sc, cmp.Or(broken, rows.Err())
}

func (s schema) describe(ctx context.Context, db queryer, table string) error {
	rows, err := db.QueryContext(ctx, `SELECT name FROM pragma_table_info(?)`, table)
	if err != nil {
		return err
	}
	defer rows.Close()
	s.columns[table] = map[string]bool{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return err
		}
		s.columns[table][name] = true
		s.order[table] = append(s.order[table], name)
	}
	return rows.Err()
}
