package store

import (
	"context"
	"database/sql"

	"time"
)

// Ages from which Hermes cleans up (store-behaviour 3.5).
const (
	ghostAge  = 24 * time.Hour
	orphanAge = 7 * 24 * time.Hour
)

// FinalizeOrphans ends, as of now, the sessions that were begun as the
// continuation of a compressed one more than a week ago, got messages, but
// never a call of a model; their reason is "orphaned_compression". It gives
// how many (finalize_orphaned_compression_sessions).
func (s *Store) FinalizeOrphans(ctx context.Context) (int, error) {
	var n int64
	err := s.write(ctx, "end orphaned sessions in", func(t *tx) (err error) {
		n, err = t.exec(ctx, `UPDATE sessions SET ended_at = ?1, end_reason = 'orphaned_compression'
			WHERE `+t.calls()+` AND ended_at IS NULL AND end_reason IS NULL AND started_at < ?1 - ?2
			AND parent_session_id IN (SELECT id FROM sessions WHERE end_reason = 'compression' AND ended_at IS NOT NULL)
			AND id IN (SELECT session_id FROM messages)`, t.now, orphanAge.Seconds())
		return err
	})
	return int(n), err
}

// calls is the condition for a session to have made no call of a model.
func (t *tx) calls() string {
	if !t.schema.has("sessions", "api_call_count") {
		return "1"
	}
	return "coalesce(api_call_count, 0) = 0"
}

// PruneGhosts removes the sessions that the terminal program opened and closed
// more than a day ago without a word or a title, and gives how many
// (prune_empty_ghost_sessions). Sessions under a ghost stay and become roots
// (quirk Q14). Those in use by another process stay.
func (s *Store) PruneGhosts(ctx context.Context) (int, error) {
	var n int
	err := s.write(ctx, "remove ghost sessions from", func(t *tx) error {
		n = 0
		untitled := ""
		if t.schema.has("sessions", "title") {
			untitled = " AND title IS NULL"
		}
		rows, err := t.QueryContext(ctx, `SELECT id FROM sessions WHERE source = 'tui' AND ended_at IS NOT NULL
			AND started_at < ?`+untitled+` AND NOT EXISTS (SELECT 1 FROM messages WHERE session_id = sessions.id)`,
			t.now-ghostAge.Seconds())
		if err != nil {
			return err
		}
		var ghosts []string
		if err := eachRecord(rows, func(r Record) error {
			ghosts = append(ghosts, text(r[0].Value))
			return nil
		}); err != nil {
			return err
		}
		for _, id := range ghosts {
			if err := s.notInUse(ctx, t, id); err != nil {
				continue // in use, or not to be known: it stays
			}
			removed, err := t.removeEmpty(ctx, id)
			if err != nil {
				return err
			}
			n += removed
		}
		if n == 0 || !t.schema.has("system_prompts", "hash") {
			return nil
		}
		_, err = t.exec(ctx, `DELETE FROM system_prompts WHERE hash NOT IN
			(SELECT system_prompt_hash FROM sessions WHERE system_prompt_hash IS NOT NULL)`)
		return err
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// removeEmpty removes a session without messages, 0 where other rows hold on to
// it.
func (t *tx) removeEmpty(ctx context.Context, id string) (int, error) {
	if _, err := t.exec(ctx, `SAVEPOINT one; UPDATE sessions SET parent_session_id = NULL WHERE parent_session_id = ?`, id); err != nil {
		return 0, err
	}
	n, err := t.exec(ctx, `DELETE FROM sessions WHERE id = ?`, id)
	if full(err) == sqliteConstraintForeignKey {
		_, err := t.exec(ctx, `ROLLBACK TO one; RELEASE one`)
		return 0, err
	}
	if err != nil {
		return 0, err
	}
	_, err = t.exec(ctx, `RELEASE one`)
	return int(n), err
}

// Vacuum gives the space that deleted rows have left back to the file system
// (vacuum). It needs the file for itself: the error is of [KindLocked] while
// another process, or another call of this store, has it open. The store's own
// idle connections are closed for it, so a call that comes meanwhile may find
// the file locked.
func (s *Store) Vacuum(ctx context.Context) error {
	if s.writer.forbidden {
		return s.readOnlyFault(nil)
	}
	return s.writeFault("vacuum", s.vacuum(ctx))
}

func (s *Store) vacuum(ctx context.Context) (err error) {
	s.watch.mu.Lock() // nobody watches meanwhile
	defer s.watch.mu.Unlock()
	if s.watch.conn != nil {
		if err := s.watch.conn.Close(); err != nil {
			return err
		}
		s.watch.conn = nil
	}
	s.db.SetMaxIdleConns(0)
	defer s.db.SetMaxIdleConns(readers)
	if err := s.writer.rest(); err != nil {
		return err
	}
	name, err := fileURI(s.path)
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

// rest closes the writing connection until the next change.
func (w *writer) rest() error {
	err := w.close()
	w.opening.Lock()
	defer w.opening.Unlock()
	w.db, w.schema, w.writes = nil, schema{}, 0
	return err
}
