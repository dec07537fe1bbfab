// Package store is the session database of Hermes Agent: one SQLite file,
// usually ~/.hermes/state.db, of any schema version from 1 to 31. It is the
// only package that speaks SQL.
package store

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"time"

	_ "modernc.org/sqlite" // the driver, pure Go

	"hermes-sessions/model"
)

// Store is an open session database. Its methods may be called from several
// goroutines at once.
type Store struct {
	path   string
	db     *sql.DB // readers: query_only
	schema schema
	notes  []model.Note
	now    func() time.Time
}

// Open opens an existing database for reading, whatever its version. It
// changes nothing in it.
func Open(ctx context.Context, path string, opts ...Option) (*Store, error) {
	s := &Store{path: path, now: time.Now}
	for _, o := range opts {
		o(s)
	}
	dsn := "file:" + (&url.URL{Path: path}).EscapedPath() + "?_pragma=busy_timeout(1000)&_pragma=query_only(1)"
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	s.db = db
	if s.schema, err = inspect(ctx, db); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return s, nil
}

// Option changes how a database is opened.
type Option func(*Store)

// WithClock sets what counts as now.
func WithClock(now func() time.Time) Option { return func(s *Store) { s.now = now } }

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }

// schema is what a file was found to have; it is asked, never guessed from
// the version number.
type schema struct {
	version int
	columns map[string]map[string]bool // table → column
	tables  map[string]string          // name → DDL, triggers and views too
}

func (s schema) has(table, column string) bool { return s.columns[table][column] }

func inspect(ctx context.Context, db *sql.DB) (schema, error) {
	sc := schema{columns: map[string]map[string]bool{}, tables: map[string]string{}}
	rows, err := db.QueryContext(ctx, `SELECT name, coalesce(sql,'') FROM sqlite_master`)
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
	return sc, rows.Err()
}
