package upkeep

import (
	"context"
	"time"

	"hermes-sessions/store/internal/db"
)

// minOrphanAge is the age at which Hermes ends sessions that were never continued
// (store/README.md#session-calls).
const minOrphanAge = 7 * 24 * time.Hour

// FinalizeOrphans ends sessions that were begun to continue a compressed one and never
// were; see store.Store.FinalizeOrphans for the contract.
func (u *Upkeep) FinalizeOrphans(ctx context.Context) (int, error) {
	var n int64
	err := u.db.Write(ctx, "end orphaned sessions in", func(t *db.Tx) (err error) {
		n, err = t.Exec(ctx, `UPDATE sessions SET ended_at = ?1, end_reason = 'orphaned_compression'
			WHERE `+t.Schema.NoModelCalls()+` AND ended_at IS NULL AND end_reason IS NULL AND started_at < ?1 - ?2
			AND parent_session_id IN (SELECT id FROM sessions WHERE end_reason = 'compression' AND ended_at IS NOT NULL)
			AND id IN (SELECT session_id FROM messages)`, t.Timestamp, minOrphanAge.Seconds())
		return err
	})
	return int(n), err
}
