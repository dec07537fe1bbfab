package salvage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/store/ddl"
	"hermes-sessions/store/internal/btree"
	"hermes-sessions/store/internal/db"
)

// Rebuild makes a new database of the rows that the pages of a file have, where SQLite does not
// open it: the list of tables is lost, or a part of it. Its tables are made as far as a page says
// how, those of sessions and messages otherwise as schema 11 has them. The error is of
// [model.KindDamaged] where there is no session and no message.
//
// The file must not be open in this process.
func Rebuild(ctx context.Context, path, into string) (err error) {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it was only read
	nothing := &model.Error{Kind: model.KindDamaged, Path: path, Message: "no page of the file has sessions or messages", Remedy: model.Advise("restore a backup")}
	pages, err := btree.NewFilePages(file)
	if err != nil {
		return nothing
	}
	intact, err := btree.NewIntact(ctx, pages)
	if err != nil {
		return nothing
	}
	made, err := os.OpenFile(into, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		err = made.Close()
	}
	if err != nil {
		return err
	}
	uri, err := db.FileURI(into)
	if err != nil {
		return err
	}
	pool, err := sql.Open("sqlite", uri+"?mode=rw&_pragma=journal_mode(off)&_pragma=synchronous(off)&_pragma=foreign_keys(0)&_pragma=trusted_schema(0)&_pragma=ignore_check_constraints(1)&_pragma=cache_size(-4000)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	pool.SetMaxOpenConns(1)
	b := rebuild{pages: intact, roots: map[string]uint32{}, guessed: map[string]bool{}}
	if err := b.findStatements(ctx); err != nil {
		return err
	}
	if b.conn, err = db.Isolated(ctx, pool); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.conn.Close()) }()
	if err := b.copy(ctx); err != nil {
		return err
	}
	if b.found == 0 {
		return nothing
	}
	return nil
}

// rebuild is one run of Rebuild.
type rebuild struct {
	pages      *btree.Intact
	conn       *sql.Conn
	statements []string          // that make tables
	rest       []string          // that make what belongs to them
	roots      map[string]uint32 // of tables, by name
	guessed    map[string]bool   // tables of which no page says how they are made
	found      int               // sessions and messages
}

// findStatements finds what is left of the list of tables: in its tree, and on other pages.
func (b *rebuild) findStatements(ctx context.Context) error {
	var rest []string
	add := func(row btree.Row) error {
		if len(row.Values) != 5 {
			return nil
		}
		kind := db.AsText(row.Values[0])
		name := strings.ToLower(db.AsText(row.Values[1]))
		statement := db.AsText(row.Values[4])
		root, isNumber := row.Values[3].(int64)
		if !strings.HasPrefix(statement, "CREATE ") || !isNumber || strings.HasPrefix(name, "sqlite_") || b.roots[name] > 0 {
			return nil
		}
		isTable := kind == "table" && root > 0
		if isTable {
			b.roots[name] = uint32(root)
		}
		if isShadow := isTable && strings.HasPrefix(name, "messages_fts"); isShadow {
			return nil
		}
		if isTable {
			b.statements = append(b.statements, statement)
		} else {
			rest = append(rest, statement)
		}
		return nil
	}
	if _, err := b.pages.Rows(ctx, 1, add); err != nil {
		return err
	}
	err := b.pages.Strays(ctx, func(rows []btree.Row) error {
		for _, row := range rows {
			if err := add(row); err != nil {
				return err
			}
		}
		return nil
	})
	// Virtual tables come before the triggers that fill them, and all of that after the rows.
	slices.SortStableFunc(rest, func(a, b string) int { return strings.Compare(kindOrder(a), kindOrder(b)) })
	b.rest = rest
	return err
}

// kindOrder sorts statements by what they make.
func kindOrder(statement string) string {
	switch {
	case strings.HasPrefix(statement, "CREATE VIRTUAL "):
		return "2"
	case strings.HasPrefix(statement, "CREATE TRIGGER "):
		return "3"
	}
	return "1"
}

// copy makes the tables and stores their rows.
func (b *rebuild) copy(ctx context.Context) error {
	exec := func(statement string) error {
		_, err := b.conn.ExecContext(ctx, statement)
		if db.ResultCode(err) == db.SQLiteError && ctx.Err() == nil {
			return nil // it is damaged, or of a kind that only Hermes makes
		}
		return err
	}
	for _, statement := range append([]string{`BEGIN`}, b.statements...) {
		if err := exec(statement); err != nil {
			return err
		}
	}
	for _, table := range []string{"sessions", "messages"} {
		t, err := DescribeTable(ctx, b.conn, "main", table)
		if err != nil {
			return err
		}
		b.guessed[table] = len(t.Columns) == 0
	}
	if err := exec(ddl.Tables); err != nil {
		return err
	}
	var wanted []Table
	for name, root := range b.roots {
		t, err := DescribeTable(ctx, b.conn, "main", name)
		if err != nil {
			return err
		}
		store := func(row btree.Row) error { return b.store(ctx, t, row) }
		if t.Rowid == "" {
			store = nil
		}
		if _, err := b.pages.Rows(ctx, root, store); err != nil {
			return err
		}
	}
	for _, name := range []string{"messages", "sessions"} {
		t, err := DescribeTable(ctx, b.conn, "main", name)
		if err != nil {
			return err
		}
		wanted = append(wanted, t)
	}
	if _, err := b.pages.Free(ctx); err != nil {
		return err
	}
	err := b.pages.Strays(ctx, func(rows []btree.Row) error {
		for _, t := range wanted {
			for i := range rows {
				if b.guessed[t.Name] { // newer schemas have more columns behind these
					rows[i].Values = rows[i].Values[:min(len(rows[i].Values), len(t.Columns))]
				}
			}
			if slices.ContainsFunc(rows, func(row btree.Row) bool { return !t.Fits(row) }) {
				continue
			}
			for _, row := range rows {
				if err := b.store(ctx, t, row); err != nil {
					return err
				}
			}
			break
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, statement := range append(b.rest, `COMMIT`) {
		if err := exec(statement); err != nil {
			return fmt.Errorf("%.40s: %w", statement, err)
		}
	}
	return nil
}

// store stores a row.
func (b *rebuild) store(ctx context.Context, t Table, row btree.Row) error {
	if t.Name == "sessions" || t.Name == "messages" {
		b.found++
	}
	return t.Store(ctx, b.conn, row)
}
