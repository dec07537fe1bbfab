package db

import (
	"context"
	"database/sql/driver"
	"math/rand/v2"
	"strings"
	"sync"
)

// visitor takes the rows of one statement from the SQL function hermes_visit.
type visitor struct {
	row  Row
	each func(Row)
}

// visitors has each [*visitor] by its number, which no file can guess: a view in one may call
// the function, too.
var visitors sync.Map

// visit calls the visitor whose number comes first, with the other arguments.
func visit(args []driver.Value) {
	if len(args) == 0 {
		return
	}
	number, _ := args[0].(int64)
	found, ok := visitors.Load(number)
	if !ok {
		return
	}
	v, ok := found.(*visitor)
	if !ok || len(args) != len(v.row)+1 {
		return
	}
	for i, a := range args[1:] {
		v.row[i] = a
	}
	v.each(v.row)
}

// VisitRows calls each with every row of a query, which is given as its columns and as what
// follows them, from FROM to WHERE. Many rows take less time than with [EachRow], since they
// stay inside SQLite and their texts are not copied. The values are therefore valid during the
// call only, texts too: clone what is kept. each must not use the database.
func VisitRows(ctx context.Context, q Querier, columns []string, from string, args []any, each func(Row)) error {
	number := rand.Int64()
	visitors.Store(number, &visitor{make(Row, len(columns)), each})
	defer visitors.Delete(number)
	_, err := QueryValue(ctx, q, `SELECT count(hermes_visit(?, `+strings.Join(columns, ", ")+`)) `+from, append([]any{number}, args...)...)
	return err
}
