package corpus

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/store/ddl"
)

// layout is the statements that make a database of a schema, in the order in which they run.
type layout struct {
	tables       []string // with their indexes, views and empty full-text tables
	words        string   // fills the word index
	trigrams     string   // fills the trigram index
	triggers     []string // keep the indexes, and what else Hermes derives, in step
	lastTriggers []string // those that write random values: the same Config gives the same database
}

// layoutOf returns the layout of a schema, 0 for 11.
func layoutOf(ctx context.Context, schema int) (layout, error) {
	if schema != 0 {
		return recordedLayout(ctx, fmt.Sprintf("v%d.db", schema))
	}
	return layout{
		tables: []string{ddl.Tables, ddl.TitleIndex, ddl.Index, fmt.Sprintf("INSERT INTO schema_version VALUES (%d)", ddl.Version)},
		words:  ddl.FillWords, trigrams: ddl.FillTrigrams, triggers: []string{ddl.Triggers},
	}, nil
}

// recordedLayout returns the layout of a recorded database whose full-text tables hold no texts
// of their own.
func recordedLayout(ctx context.Context, name string) (l layout, err error) {
	data, err := fixtures.ReadFile(name)
	if err != nil {
		return l, err
	}
	file, err := os.CreateTemp("", "layout-*.db")
	if err != nil {
		return l, err
	}
	defer func() { err = errors.Join(err, os.Remove(file.Name())) }()
	_, err = file.Write(data)
	if err := errors.Join(err, file.Close()); err != nil {
		return l, err
	}
	db, err := sql.Open("sqlite", file.Name())
	if err != nil {
		return l, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rows, err := db.QueryContext(ctx, `SELECT type = 'trigger', sql FROM sqlite_master WHERE sql <> '' AND name NOT LIKE 'sqlite_%'
			AND (name NOT LIKE 'messages_fts%' OR type <> 'table' OR sql LIKE 'CREATE VIRTUAL %')
		UNION ALL SELECT 0, 'INSERT INTO schema_version VALUES (' || version || ')' FROM schema_version
		UNION ALL SELECT 0, 'INSERT INTO state_meta VALUES (' || quote(key) || ', ' || quote(value) || ')' FROM state_meta WHERE key LIKE 'fts%'`)
	if err != nil {
		return l, err
	}
	defer rows.Close()
	for rows.Next() {
		var trigger bool
		var statement string
		if err := rows.Scan(&trigger, &statement); err != nil {
			return l, err
		}
		switch {
		case !trigger:
			l.tables = append(l.tables, statement)
		case strings.Contains(statement, "random"):
			l.lastTriggers = append(l.lastTriggers, statement)
		default:
			l.triggers = append(l.triggers, statement)
		}
	}
	l.words = `INSERT INTO messages_fts(messages_fts) VALUES ('rebuild')`
	l.trigrams = `INSERT INTO messages_fts_trigram(messages_fts_trigram) VALUES ('rebuild')`
	return l, rows.Err()
}
