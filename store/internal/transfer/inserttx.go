package transfer

import (
	"context"
	"slices"
	"strings"

	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/db"
)

// insertTx is a transaction that inserts rows, with what it has learned about the
// tables.
type insertTx struct {
	*db.Tx
	tables map[string]*targetTable

	queue       rowBatch      // messages that wait to be restored
	queuedLines []*backupLine // the lines that they come from
}

// targetTable is a table to insert into. One that does not exist has no columns.
type targetTable struct {
	columns  map[string]bool
	required map[string]bool // NOT NULL with a default, which is used where a row has no value
	rowid    bool
}

// target returns a table, read once per transaction.
func (tx *insertTx) target(ctx context.Context, table string) (*targetTable, error) {
	if tg := tx.tables[table]; tg != nil {
		return tg, nil
	}
	tg := &targetTable{columns: map[string]bool{}, required: map[string]bool{}}
	tx.tables[table] = tg
	ddl, ok := tx.Schema.Tables[table]
	if !ok {
		return tg, nil
	}
	columns, rowid, err := db.ColumnsOf(ctx, tx.Tx, table, ddl)
	if err != nil {
		return nil, err
	}
	tg.rowid = rowid
	for _, c := range columns {
		tg.columns[c] = true
	}
	return tg, db.EachRow(ctx, tx, `SELECT name FROM temp.pragma_table_info(?) WHERE "notnull" AND dflt_value IS NOT NULL`, []any{table}, func(r db.Row) {
		tg.required[r.Text(0)] = true
	})
}

// insert inserts rows that have the same columns with one statement: all of them,
// or with an error none.
func (tx *insertTx) insert(ctx context.Context, table string, rows ...pyjson.Object) error {
	names := make([]string, len(rows[0]))
	for i, f := range rows[0] {
		names[i] = db.Quote(f.Name)
	}
	args := make([]any, 0, len(rows)*len(names))
	for _, row := range rows {
		for _, f := range row {
			args = append(args, f.Value)
		}
	}
	statement := `INSERT INTO ` + db.Quote(table) + ` (` + strings.Join(names, ", ") + `) VALUES ` +
		strings.TrimSuffix(strings.Repeat(`(`+db.Placeholders(len(names))+`), `, len(rows)), ", ")
	id, err := tx.Insert(ctx, len(rows), statement, args...)
	if err == nil && table == "messages" && hasNUL(rows[0]) {
		err = db.FitTrigrams(ctx, tx.Tx, id)
	}
	return err
}

// hasNUL reports whether a message has a text with a NUL. Such a row is inserted by
// itself.
func hasNUL(row pyjson.Object) bool {
	return slices.ContainsFunc(row, func(f pyjson.Field) bool {
		text, ok := f.Value.(string)
		return ok && strings.IndexByte(text, 0) >= 0
	})
}

// Limits of one INSERT statement. Each statement that fires triggers makes FTS5
// write out what it has gathered, so one row at a time takes several times as
// long.
const (
	maxInsertRows   = 500
	maxInsertBytes  = 1 << 20 // of text
	maxInsertValues = 32766   // as SQLite is built
)

// rowBatch holds rows that wait to be inserted by one statement.
type rowBatch struct {
	rows   []pyjson.Object
	size   int
	closed bool // the row in it is one with a NUL
}

// hasRoom reports whether a row has the columns of the others and there is room.
func (b *rowBatch) hasRoom(row pyjson.Object) bool {
	return len(b.rows) == 0 || len(b.rows) < maxInsertRows && (len(b.rows)+1)*len(row) <= maxInsertValues && b.size < maxInsertBytes && !b.closed && !hasNUL(row) &&
		slices.EqualFunc(b.rows[0], row, func(a, b pyjson.Field) bool { return a.Name == b.Name })
}

func (b *rowBatch) add(row pyjson.Object) {
	b.rows = append(b.rows, row)
	b.closed = hasNUL(row)
	for _, f := range row {
		switch v := f.Value.(type) {
		case string:
			b.size += len(v)
		case []byte:
			b.size += len(v)
		}
	}
}

func (b *rowBatch) drain() []pyjson.Object {
	rows := b.rows
	*b = rowBatch{}
	return rows
}
