package salvage

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"hermes-sessions/store/internal/btree"
	"hermes-sessions/store/internal/db"
)

// rest is a database of its own, which SQLite removes when it is closed, with the rows of damaged
// tables that a statement does not read, or does not find by their rowids, where they are.
type rest struct {
	mu      sync.Mutex
	version int64 // of the data
	pool    *sql.DB
	conn    restConn
	tables  map[string]bool // that were looked at; true where there are rows
}

// restConn is the only connection to it. A query that was canceled would close it.
type restConn struct{ *sql.Conn }

// QueryContext is that of [sql.Conn].
func (c restConn) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return c.Conn.QueryContext(context.WithoutCancel(ctx), query, args...)
}

// Rest returns a database with the rows of a damaged table that its pages have and no statement
// reads; nil for none. A query for the table runs there as it is.
func (r *Reader) Rest(ctx context.Context, table string) (db.Querier, error) {
	r.rest.mu.Lock()
	defer r.rest.mu.Unlock()
	version, err := r.db.DataVersion(ctx)
	if err != nil {
		return nil, err
	}
	if r.rest.pool == nil || r.rest.version != version {
		if err := r.rest.renew(ctx, r.db); err != nil {
			return nil, err
		}
		r.rest.version = version
	}
	has, known := r.rest.tables[table]
	if !known {
		if has, err = r.fillRest(ctx, table); err == nil && has && table == "sessions" && r.db.Schema.Has("system_prompts", "prompt") {
			err = r.copyPrompts(ctx) // a query for sessions reads them, too
		}
		if err != nil {
			return nil, err
		}
		r.rest.tables[table] = has
	}
	if !has {
		return nil, nil //nolint:nilnil // there is no rest
	}
	return r.rest.conn, nil
}

// renew makes an empty database.
func (x *rest) renew(ctx context.Context, d *db.DB) (err error) {
	if x.pool == nil {
		d.AtClose(x.close)
	} else if err := x.close(); err != nil {
		return err
	}
	if x.pool, err = sql.Open("sqlite", "file:?_pragma=journal_mode(off)&_pragma=trusted_schema(0)&_pragma=cache_size(-4000)"); err != nil {
		return err
	}
	x.pool.SetMaxOpenConns(1)
	x.conn.Conn, err = x.pool.Conn(ctx)
	x.tables = map[string]bool{}
	return err
}

func (x *rest) close() error {
	err := errors.Join(x.conn.Close(), x.pool.Close())
	if errors.Is(err, sql.ErrConnDone) {
		return nil
	}
	return err
}

// fillRest looks for the rows of a table in its pages, and stores those that statements do not
// read.
func (r *Reader) fillRest(ctx context.Context, table string) (found bool, err error) {
	t, err := DescribeTable(ctx, r.db.Pool, "main", table)
	if err != nil || t.Rowid == "" {
		return false, err
	}
	var names []string
	for _, c := range t.Columns {
		names = append(names, `+`+db.Quote(c.Name))
	}
	read := map[int64]bool{}
	_, err = r.statementRows(ctx, `SELECT `+t.Rowid+`, `+strings.Join(names, ", ")+` FROM main.`+db.Quote(table)+` NOT INDEXED WHERE `+t.Rowid+` >= ? ORDER BY `+t.Rowid+` LIMIT ?`,
		func(row db.Row) { read[row.Int(0)] = true })
	if err == nil {
		err = r.forgetMissed(ctx, t, read)
	}
	if err != nil {
		return false, err
	}
	tx, err := r.rest.conn.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return false, err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, t.definition()); err != nil {
		return false, nil //nolint:nilerr // a table that is declared in a way that SQLite does not take twice
	}
	store := func(row btree.Row) error {
		if read[row.ID] {
			return nil
		}
		read[row.ID], found = true, true
		return t.Store(ctx, tx, row)
	}
	err = r.db.ReadTx(ctx, func(q db.Querier) error {
		pages, err := btree.NewDatabasePages(ctx, q)
		if err != nil {
			return err
		}
		roots, err := rootPages(ctx, q)
		if err != nil {
			return err
		}
		intact, err := btree.NewIntact(ctx, pages)
		if errors.Is(err, btree.ErrUnsupported) {
			return nil
		}
		if err != nil {
			return err
		}
		root := roots[strings.ToLower(table)]
		lacks, err := intact.Rows(ctx, root, store)
		if err == nil && intact.Astray { // the next statement may not read the same rows
			clear(read)
			_, err = intact.Rows(ctx, root, store)
		}
		if err != nil || !lacks {
			return err
		}
		// Pages below one that is lost still have rows.
		for _, root := range roots {
			if _, err := intact.Rows(ctx, root, nil); err != nil {
				return err
			}
		}
		if _, err := intact.Free(ctx); err != nil {
			return err
		}
		return storeStrays(ctx, intact, t, store)
	})
	if err != nil {
		return false, err
	}
	return found, tx.Commit()
}

// storeStrays stores the rows of the pages that no table leads to. Those of a page are of t only
// if each of them fits it.
func storeStrays(ctx context.Context, intact *btree.Intact, t Table, store func(btree.Row) error) error {
	return intact.Strays(ctx, func(rows []btree.Row) error {
		if slices.ContainsFunc(rows, func(row btree.Row) bool { return !t.Fits(row) }) {
			return nil
		}
		for _, row := range rows {
			if err := store(row); err != nil {
				return err
			}
		}
		return nil
	})
}

// copyPrompts stores all prompts that can be read.
func (r *Reader) copyPrompts(ctx context.Context) error {
	if _, err := r.rest.conn.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS system_prompts (hash, prompt)`); err != nil {
		return err
	}
	var failed error
	_, err := r.statementRows(ctx, `SELECT rowid, hash, prompt FROM main.system_prompts NOT INDEXED WHERE rowid >= ? ORDER BY rowid LIMIT ?`, func(row db.Row) {
		if failed == nil {
			_, failed = r.rest.conn.ExecContext(ctx, `INSERT OR IGNORE INTO system_prompts (rowid, hash, prompt) VALUES (?, ?, ?)`, row...)
		}
	})
	return cmp.Or(err, failed)
}

// rootPages returns the root pages of tables, by their names in small letters.
func rootPages(ctx context.Context, q db.Querier) (map[string]uint32, error) {
	roots := map[string]uint32{}
	err := db.EachRow(ctx, q, `SELECT name, rootpage FROM main.sqlite_schema WHERE type = 'table' AND rootpage > 0`, nil, func(row db.Row) {
		roots[strings.ToLower(row.Text(0))] = uint32(row.Int(1))
	})
	if db.IsCorrupt(err) {
		err = nil
	}
	return roots, err
}

// forgetMissed removes from the rows that a scan has read those that a lookup does not find:
// keys on the way to them are wrong.
func (r *Reader) forgetMissed(ctx context.Context, t Table, read map[int64]bool) error {
	lookUp := func(ids []int64) (all bool, err error) {
		n, err := db.QueryValue(ctx, r.db.Pool, `SELECT count(*) FROM temp.json_each(?) j CROSS JOIN main.`+db.Quote(t.Name)+` t NOT INDEXED ON t.`+t.Rowid+` = j.value`, db.JSONList(slices.Values(ids)))
		if db.IsCorrupt(err) {
			return false, nil
		}
		return db.AsInt(n) == int64(len(ids)), err
	}
	ids := slices.Sorted(maps.Keys(read))
	slices.Reverse(ids) // SQLite looks up no row that is the next one
	for chunk := range slices.Chunk(ids, db.MaxVariables) {
		all, err := lookUp(chunk)
		for i := 0; i < len(chunk) && !all && err == nil; i++ {
			var found bool
			if found, err = lookUp(chunk[i : i+1]); !found {
				delete(read, chunk[i])
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Table is a table with rowids, as far as it shows which rows may be its own.
type Table struct {
	Name    string
	Rowid   string   // a name of its rowids, "" where it has none
	Columns []Column // as they are stored
}

// Column is a column of a table.
type Column struct {
	Name     string
	Type     string // as declared
	Default  string // as SQL
	Required bool   // it takes no NULL
	IsRowid  bool   // its values are the rowids, and NULL is stored
	computed bool   // SQLite makes its values
}

// simpleType matches the types that columns are declared with, but for names in quotes.
var simpleType = regexp.MustCompile(`^[\w ]*(\([\d, ]*\))?$`)

// DescribeTable describes a table of a schema.
func DescribeTable(ctx context.Context, q db.Querier, schema, name string) (Table, error) {
	t := Table{Name: name}
	keys, made := 0, ""
	err := db.EachRow(ctx, q, `SELECT name, type, dflt_value, "notnull", pk, hidden FROM temp.pragma_table_xinfo(?, ?)`, []any{name, schema}, func(row db.Row) {
		c := Column{Name: row.Text(0), Type: row.Text(1), Default: row.Text(2), Required: row.Bool(3)}
		if !simpleType.MatchString(c.Type) {
			c.Type = ""
		}
		if row.Int(4) > 0 {
			keys++
			c.IsRowid, c.Required = strings.EqualFold(c.Type, "INTEGER"), true
		}
		if c.computed = row.Int(5) > 0; row.Int(5) != 2 { // 2 is one that is not stored
			t.Columns = append(t.Columns, c)
		}
	})
	if err != nil || len(t.Columns) == 0 {
		return t, err
	}
	value, err := db.QueryValue(ctx, q, `SELECT sql FROM `+schema+`.sqlite_schema WHERE type = 'table' AND lower(name) = lower(?)`, name)
	if made = strings.ToUpper(db.AsText(value)); err != nil && !db.IsCorrupt(err) {
		return t, err
	}
	for i := range t.Columns {
		t.Columns[i].IsRowid = t.Columns[i].IsRowid && keys == 1
	}
	if i := strings.LastIndex(made, ")"); strings.Contains(made[i+1:], "WITHOUT") {
		return t, nil
	}
	for _, rowid := range []string{"rowid", "_rowid_", "oid"} {
		if !slices.ContainsFunc(t.Columns, func(c Column) bool { return strings.EqualFold(c.Name, rowid) }) {
			t.Rowid = cmp.Or(t.Rowid, rowid)
		}
	}
	return t, nil
}

// definition makes a table for its rows, with which they may break any rule.
func (t Table) definition() string {
	var columns []string
	for _, c := range t.Columns {
		column := db.Quote(c.Name) + " " + c.Type
		if c.IsRowid {
			column += " PRIMARY KEY"
		} else if c.Default != "" {
			column += " DEFAULT (" + c.Default + ")"
		}
		columns = append(columns, column)
	}
	return `CREATE TABLE ` + db.Quote(t.Name) + ` (` + strings.Join(columns, ", ") + `)`
}

// Executor runs statements.
type Executor interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// Store stores a row. Columns that were added to the table after the row get their defaults.
func (t Table) Store(ctx context.Context, into Executor, row btree.Row) error {
	names, args := []string{t.Rowid}, []any{row.ID}
	for i, c := range t.Columns[:min(len(t.Columns), len(row.Values))] {
		if !c.IsRowid && !c.computed {
			names, args = append(names, db.Quote(c.Name)), append(args, row.Values[i])
		}
	}
	_, err := into.ExecContext(ctx, `INSERT OR IGNORE INTO `+db.Quote(t.Name)+` (`+strings.Join(names, ", ")+`) VALUES (`+db.Placeholders(len(args))+`)`, args...)
	return err
}

// Fits reports whether a row that was found anywhere can be one of the table: it has values in
// the columns that must have some, of types that the columns take.
func (t Table) Fits(row btree.Row) bool {
	if len(row.Values) > len(t.Columns) {
		return false
	}
	for i, c := range t.Columns {
		if i >= len(row.Values) {
			if c.Required && c.Default == "" {
				return false
			}
			continue
		}
		value := row.Values[i]
		_, isText := value.(string)
		_, isInt := value.(int64)
		_, isFloat := value.(float64)
		kind := strings.ToUpper(c.Type)
		switch {
		case c.IsRowid:
			if value != nil {
				return false
			}
		case value == nil:
			if c.Required {
				return false
			}
		case strings.Contains(kind, "TEXT") && !isText,
			(strings.Contains(kind, "INT") || kind == "REAL") && !isInt && !isFloat:
			return false
		}
	}
	return row.ID > 0
}
