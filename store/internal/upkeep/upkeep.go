package upkeep

import (
	"context"
	"database/sql"
	"time"

	"hermes-sessions/store/internal/db"
)

// minOrphanAge is from when on Hermes ends sessions that were never continued
// (store/README.md#session-calls).
const minOrphanAge = 7 * 24 * time.Hour

// FinalizeOrphans ends, as of now, the sessions that were begun as the
// continuation of a compressed one more than a week ago, got messages, but
// never a call of a model; their reason is "orphaned_compression". It gives
// how many (finalize_orphaned_compression_sessions).
func (u *Upkeep) FinalizeOrphans(ctx context.Context) (int, error) {
	var n int64
	err := u.db.Write(ctx, "end orphaned sessions in", func(t *db.Tx) (err error) {
		n, err = t.Exec(ctx, `UPDATE sessions SET ended_at = ?1, end_reason = 'orphaned_compression'
			WHERE `+t.ToolCallsExpr()+` AND ended_at IS NULL AND end_reason IS NULL AND started_at < ?1 - ?2
			AND parent_session_id IN (SELECT id FROM sessions WHERE end_reason = 'compression' AND ended_at IS NOT NULL)
			AND id IN (SELECT session_id FROM messages)`, t.Timestamp, minOrphanAge.Seconds())
		return err
	})
	return int(n), err
}

// Vacuum gives the space that deleted rows have left back to the file system
// (vacuum). It needs the file for itself: the error is of [db.KindLocked] while
// another process, or another call of this store, has it open. The store's own
// idle connections are closed for it, so a call that comes meanwhile may find
// the file locked.
func (u *Upkeep) Vacuum(ctx context.Context) error {
	if u.db.Writer.ReadOnly {
		return u.db.ReadOnlyError(nil)
	}
	return u.db.WriteError("vacuum", u.vacuum(ctx))
}

func (u *Upkeep) vacuum(ctx context.Context) (err error) {
	u.db.VersionWatch.Mu.Lock() // nobody watches meanwhile
	defer u.db.VersionWatch.Mu.Unlock()
	if u.db.VersionWatch.Conn != nil {
		if err := u.db.VersionWatch.Conn.Close(); err != nil {
			return err
		}
		u.db.VersionWatch.Conn = nil
	}
	u.db.Pool.SetMaxIdleConns(0)
	defer u.db.Pool.SetMaxIdleConns(db.MaxReaders)
	if err := u.db.Writer.CheckpointAll(); err != nil {
		return err
	}
	name, err := db.FileURI(u.db.Path)
	if err != nil {
		return err
	}
	// In WAL mode every open connection holds a shared lock, so that asking
	// for the file alone finds out whether anyone else has it open.
	db, err := sql.Open("sqlite", name+"?mode=rw&_pragma=busy_timeout(1000)&_pragma=locking_mode(exclusive)")
	if err != nil {
		return err
	}
	defer func() {
		if e := db.Close(); err == nil {
			err = e
		}
	}()
	db.SetMaxOpenConns(1)
	for _, statement := range []string{`BEGIN EXCLUSIVE`, `COMMIT`, `VACUUM`} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
