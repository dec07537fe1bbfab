package db

import (
	"context"
	"database/sql"
	"sync"
)

// versionWatch is the connection that tells when others change the file: SQLite's
// data_version is comparable only within one connection.
type versionWatch struct {
	mu            sync.Mutex
	conn          *sql.Conn
	pragmaVersion int64 // data_version of conn
	dataVersion   int64
}

func (w *versionWatch) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conn == nil {
		return nil
	}
	return w.conn.Close()
}

// DataVersion gives a number that grows when another process has changed the
// database. It takes well under a millisecond.
func (d *DB) DataVersion(ctx context.Context) (int64, error) {
	d.checkRights() // they change as rarely, and nothing else tells
	w := &d.versionWatch
	w.mu.Lock()
	defer w.mu.Unlock()
	for fresh := false; ; fresh = true {
		if w.conn == nil {
			c, err := d.Pool.Conn(ctx)
			if err != nil {
				return 0, d.WrapError("watch", err)
			}
			// What happened while nobody watched is unknown.
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
		w.conn.Close() // broken by a cancelled query; its error says nothing new
		w.conn = nil
		if fresh || ctx.Err() != nil {
			return 0, d.WrapError("watch", err)
		}
	}
}
