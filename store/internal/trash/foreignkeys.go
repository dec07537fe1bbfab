package trash

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// foreignKey is a column of another table that refers to a session.
type foreignKey struct {
	table, column string
	onDelete      string // ON DELETE
}

// isKnownTable reports whether a row that refers to a session is deleted with it: by
// its foreign key, or because the table is known to be only about that session.
func (k foreignKey) isKnownTable() bool {
	return k.onDelete == "CASCADE" || k.table == "session_model_usage"
}

// referencedError makes the error of a session that rows of an unknown table refer
// to.
func (b *Bin) referencedError(table string) *model.Error {
	return &model.Error{
		Kind: model.KindRefused, Path: b.db.Path,
		Message: fmt.Sprintf("table %s of a newer Hermes still refers to the session", table),
		Remedy:  model.Advise("make this change with the Hermes that wrote the file"),
	}
}

// rowsReferencing returns those of the sessions that rows of an unknown table refer to,
// with the name of the table.
func rowsReferencing(ctx context.Context, t *db.Tx, ids []string) (map[string]string, error) {
	keys, err := foreignKeysTo(ctx, t, "sessions")
	if err != nil {
		return nil, err
	}
	held := map[string]string{}
	for _, k := range keys {
		if k.isKnownTable() {
			continue
		}
		err := db.InChunks(ids, func(where string, args []any) error {
			return db.EachRow(ctx, t, `SELECT `+db.Quote(k.column)+` FROM `+db.Quote(k.table)+` WHERE `+db.Quote(k.column)+" "+where, args, func(row db.Row) {
				held[row.Text(0)] = k.table
			})
		})
		if err != nil {
			return nil, err
		}
	}
	return held, nil
}

// foreignKeysTo returns the columns that refer to sessions, or to messages, of all tables but
// these two.
func foreignKeysTo(ctx context.Context, t *db.Tx, parent string) (all []foreignKey, err error) {
	var tables []string
	for name, ddl := range t.Schema.Tables {
		ddl = strings.ToLower(ddl)
		if name != "sessions" && name != "messages" && strings.HasPrefix(ddl, "create table") && strings.Contains(ddl, "references") {
			tables = append(tables, name)
		}
	}
	slices.Sort(tables)
	for _, name := range tables {
		if all, err = foreignKeysOf(ctx, t, all, name, parent); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// foreignKeysOf appends the columns of one table that refer to another.
func foreignKeysOf(ctx context.Context, t *db.Tx, all []foreignKey, table, parent string) ([]foreignKey, error) {
	err := db.EachRow(ctx, t, `SELECT "from", on_delete FROM temp.pragma_foreign_key_list(?) WHERE lower("table") = ?`, []any{table, parent}, func(r db.Row) {
		all = append(all, foreignKey{table: table, column: r.Text(0), onDelete: r.Text(1)})
	})
	return all, err
}
