package db

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// EachRow runs a statement in a read transaction and calls row once per row.
type EachRow func(ctx context.Context, query string, args []any, row func(scan func(...any) error) error) error

// FirstValue gives the value of the first row; ok is false where there is no row.
func FirstValue(ctx context.Context, q Querier, query string, args ...any) (v any, ok bool, err error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, false, err
	}
	defer rows.Close()
	if rows.Next() {
		if err := rows.Scan(&v); err != nil {
			return nil, false, err
		}
		ok = true
	}
	return v, ok, rows.Err()
}

// QueryValue gives the first value of the last row of a query, nil where it has no row.
func (d *DB) QueryValue(ctx context.Context, db Querier, query string, args ...any) (value any, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	err = ScanRecords(rows, func(r Record) error {
		value = r[0].Value
		return nil
	})
	return value, err
}

// QueryIDs gives the first column of a query as texts, in its order.
func (d *DB) QueryIDs(ctx context.Context, db Querier, query string, args ...any) ([]string, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	var ids []string
	err = ScanRecords(rows, func(r Record) error {
		ids = append(ids, AsText(r[0].Value))
		return nil
	})
	return ids, err
}

// MaxVariables is the number of ids that one statement binds (store/README.md#q27).
const MaxVariables = 500

// InChunks runs f for at most [MaxVariables] ids at a time. where is "IN (?,…)" and
// args are its arguments.
func InChunks[T any](ids []T, f func(where string, args []any) error) error {
	for chunk := range slices.Chunk(ids, MaxVariables) {
		if err := f("IN ("+Placeholders(len(chunk))+")", BindArgs(chunk)); err != nil {
			return err
		}
	}
	return nil
}

// BindArgs gives ids as arguments of a statement.
func BindArgs[T any](ids []T) []any {
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	return args
}

// Placeholders gives n question marks with commas between.
func Placeholders(n int) string { return strings.TrimSuffix(strings.Repeat("?,", n), ",") }

// JSONList gives ids as one argument for json_each: a statement with it is prepared
// once for any number of ids.
func JSONList(ids iter.Seq[int64]) string {
	b := []byte{'['}
	for id := range ids {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, id, 10)
	}
	return string(append(b, ']'))
}

// Quote gives a name as an SQL identifier.
func Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
