package db

import (
	"context"
	"database/sql"
	"sync"
)

// versionWatch is the connection that shows when other processes have changed the
// file. It is kept, because PRAGMA data_version can be compared only within one
// connection.
type versionWatch struct {
	mu            sync.Mutex
	conn          *sql.Conn
	connections   int   // how many there were
	pragmaVersion int64 // data_version of conn
	dataVersion   int64 // what [DB.DataVersion] gives
}

// close closes the connection, if there is one.
func (w *versionWatch) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conn == nil {
		return nil
	}
	return w.conn.Close()
}

// DataVersion returns a number that grows when another connection has changed the
// database, those of this process included. It takes well under a millisecond.
func (d *DB) DataVersion(ctx context.Context) (int64, error) {
	d.checkRights() // rights change rarely, and no event reports it
	w := &d.versionWatch
	w.mu.Lock()
	defer w.mu.Unlock()
	for fresh := false; ; fresh = true {
		if w.conn == nil {
			c, err := d.Pool.Conn(ctx)
			if err != nil {
				return 0, d.WrapError("watch", err)
			}
			// Writes since the last connection was closed are unknown: count as one.
			w.conn, w.pragmaVersion = c, -1
			w.connections++
		}
		var v int64
		err := w.conn.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&v)
		if err == nil {
			if v != w.pragmaVersion {
				w.pragmaVersion = v
				w.dataVersion++
			}
			return w.dataVersion, nil
		}
		w.conn.Close() // broken by a canceled query; the error of that query is returned
		w.conn = nil
		if fresh || ctx.Err() != nil {
			return 0, d.WrapError("watch", err)
		}
	}
}
