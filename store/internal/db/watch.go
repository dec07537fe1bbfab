package db

import (
	"context"
	"database/sql"
	"sync"
)

// versionWatch is the connection that tells when other processes have changed the
// file. It is kept, because PRAGMA data_version can be compared only within one
// connection.
type versionWatch struct {
	mu            sync.Mutex
	conn          *sql.Conn
	pragmaVersion int64 // data_version of conn
	dataVersion   int64 // what [DB.DataVersion] gives
}

func (w *versionWatch) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conn == nil {
		return nil
	}
	return w.conn.Close()
}

// DataVersion gives a number that grows when another connection has changed the
// database, those of this process included. It takes well under a millisecond.
func (d *DB) DataVersion(ctx context.Context) (int64, error) {
	d.checkRights() // they change as rarely, and nothing tells of it
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
		w.conn.Close() // broken by a cancelled query; a second error says nothing new
		w.conn = nil
		if fresh || ctx.Err() != nil {
			return 0, d.WrapError("watch", err)
		}
	}
}
