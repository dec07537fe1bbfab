package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"hermes-sessions/model"
)

// orphanAge is from when on Hermes ends sessions that were never continued
// (store/README.md#session-calls).
const orphanAge = 7 * 24 * time.Hour

// ghostAge is from when on Hermes removes sessions without a word
// (store/README.md#session-calls).
const ghostAge = 24 * time.Hour

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
// more than a day ago without a word or a title, with their transcript files,
// and gives how many (prune_empty_ghost_sessions). Sessions under a ghost stay
// and become roots (store/README.md#q14). Those in use by another process, and those that
// other tables hold on to, stay.
func (s *Store) PruneGhosts(ctx context.Context) (int, error) {
	u, err := s.delete(ctx, model.DeleteOptions{Forget: true}, func(c *catalog) (choice, error) {
		var ids []string
		for _, m := range c.all() {
			if m.Source == "tui" && m.Title == "" && !m.EndedAt.IsZero() && s.now().Sub(m.StartedAt) > ghostAge && m.Visible == 0 {
				ids = append(ids, m.ID)
			}
		}
		said, err := s.countMessages(ctx, ids)
		if err != nil {
			return choice{}, s.wrap("count the messages of", err)
		}
		var ch choice
		err = s.look(ctx, func(t *tx) error {
			held, err := holding(ctx, t, ids)
			if err != nil {
				return err
			}
			for _, id := range ids {
				i, _ := c.find(id)
				switch err := s.notInUse(ctx, t, id); {
				case said[id] > 0 || held[id] != "" || inUse(err):
				case err != nil:
					return err
				default:
					ch.goes = append(ch.goes, model.Removal{Goes: []int{i}, Asked: 1})
				}
			}
			return nil
		})
		return ch, err
	})
	if u == nil {
		return 0, err
	}
	return len(u.Gone().Sessions), errors.Join(err, u.Close())
}

// inUse reports whether an error says that another process is writing.
func inUse(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Kind == KindInUse
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
