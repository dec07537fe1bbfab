package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"modernc.org/sqlite"

	"hermes-sessions/model"
)

// BypassIndexes makes every later read of sessions and messages go by the tables
// themselves, because an index of theirs has been found to disagree with them. A query
// that goes by such an index silently leaves rows out, or gives those of another session.
// Nothing is written from then on: a DELETE would use the same index.
func (d *DB) BypassIndexes() {
	if !d.IndexesBypassed.CompareAndSwap(false, true) {
		return
	}
	d.AddNote(model.NoteIndexDamaged) // before the last connection is closed, see keepLog
	d.Pool.SetMaxIdleConns(-1)        // every connection from now on is a new one
}

// damagedIndexError refuses a change, because a DELETE or an UPDATE finds its rows by an
// index.
func (d *DB) damagedIndexError() *model.Error {
	e := d.NewError(model.KindDamaged, nil)
	e.Message = "the database is damaged; a change could affect the wrong rows, so nothing can be changed"
	for _, n := range d.Notes() {
		if n.Kind == model.NoteIndexDamaged {
			e.Remedy = n.Remedy
		}
	}
	return e
}

// idleConnections is the number of idle connections that the pool keeps.
func (d *DB) idleConnections() int {
	if d.IndexesBypassed.Load() {
		return -1
	}
	return maxReaders
}

// connector opens the connections that read.
type connector struct {
	db     *DB
	driver driver.Driver
	name   string // of the data source

	salvages bool // see salvagePragmas
}

// Driver is that of [driver.Connector].
func (c connector) Driver() driver.Driver { return c.driver }

// Connect is that of [driver.Connector].
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.driver.Open(c.name)
	if err != nil {
		return nil, err
	}
	// In the name of the data source it would wait for a lock without regard to ctx.
	if !c.salvages {
		err = runOn(ctx, conn, smallCache)
	}
	if err == nil && c.db.IndexesBypassed.Load() {
		err = c.hideIndexes(ctx, conn)
	}
	if err != nil {
		_ = conn.Close() // the first error is returned
		return nil, err
	}
	return conn, nil
}

func runOn(ctx context.Context, conn driver.Conn, statement string) error {
	e, ok := conn.(driver.ExecerContext)
	if !ok {
		return fmt.Errorf("a connection of %T runs no statements", conn)
	}
	_, err := e.ExecContext(ctx, statement, nil)
	return err
}

// limitAttached is SQLITE_LIMIT_ATTACHED: how many files one connection may attach, for
// VACUUM INTO too.
const limitAttached = 7

// Isolated returns a connection whose statements, which may be those of a damaged or hostile file,
// do not reach other files.
func Isolated(ctx context.Context, pool *sql.DB) (*sql.Conn, error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := sqlite.Limit(conn, limitAttached, 0); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// hideIndexes puts views in front of the tables, which exist for this connection only. A
// query that names a table reads its view, and the view allows no index. Ids of sessions are
// text in it. Where the list
// of tables is damaged too, the view cannot be made and the table is read as it is.
func (c connector) hideIndexes(ctx context.Context, conn driver.Conn) error {
	statements := []string{`PRAGMA query_only = 0`}
	for _, table := range []string{"sessions", "messages"} {
		var columns []string
		for _, name := range c.db.Schema.ColumnOrder[table] {
			if c.db.Schema.NumericIDs[table+"."+name] {
				columns = append(columns, `CAST(`+name+` AS TEXT) AS `+name)
			} else {
				columns = append(columns, Quote(name))
			}
		}
		statements = append(statements, `CREATE TEMP VIEW `+table+` AS SELECT `+strings.Join(columns, ", ")+` FROM main.`+table+` NOT INDEXED`)
	}
	for _, s := range append(statements, `PRAGMA query_only = 1`) {
		if err := runOn(ctx, conn, s); err != nil && !IsCorrupt(err) {
			return err
		}
	}
	return nil
}
