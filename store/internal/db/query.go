package db

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Row is the values of one row of a query, as SQLite has them. It is valid until the next
// row.
type Row []any

// Int returns a value as a whole number, see [AsInt].
func (r Row) Int(i int) int64 { return AsInt(r[i]) }

// Text returns a value as text, see [AsText].
func (r Row) Text(i int) string { return AsText(r[i]) }

// Bool returns a value as a flag.
func (r Row) Bool(i int) bool { return AsBool(r[i]) }

// Time returns a value as a time, see [AsTime].
func (r Row) Time(i int) time.Time { return AsTime(r[i]) }

// EachRow runs a query and calls each with every row.
func EachRow(ctx context.Context, q Querier, query string, args []any, each func(Row)) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	values, into := make(Row, len(names)), make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		each(values)
	}
	return rows.Err()
}

// FirstValue returns the value of the first row; ok is false where there is no row.
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

// QueryValue returns the first value of the last row of a query, nil where it has no row.
func QueryValue(ctx context.Context, q Querier, query string, args ...any) (value any, err error) {
	err = EachRow(ctx, q, query, args, func(r Row) { value = r[0] })
	return value, err
}

// QueryTexts returns the first column of a query as texts, in its order.
func QueryTexts(ctx context.Context, q Querier, query string, args ...any) (texts []string, err error) {
	err = EachRow(ctx, q, query, args, func(r Row) { texts = append(texts, r.Text(0)) })
	return texts, err
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

// BindArgs returns ids as arguments of a statement.
func BindArgs[T any](ids []T) []any {
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	return args
}

// Placeholders returns n question marks with commas between.
func Placeholders(n int) string { return strings.TrimSuffix(strings.Repeat("?,", n), ",") }

// JSONList returns ids as one argument for json_each: a statement with it is prepared
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

// Quote returns a name as an SQL identifier.
func Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
