package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"hermes-sessions/model"
)

// What a change must not run into (store/README.md#newer-files). All of these are
// asked inside the transaction that changes, so that nothing comes between;
// only the state of the index, which hardly changes, is asked before.

// cjkTriggers are live where Hermes keeps a third index with a tokenizer that
// only Hermes loads.
var cjkTriggers = [...]string{"messages_fts_cjk_insert", "messages_fts_cjk_delete", "messages_fts_cjk_update"}

// mayChangeMessages refuses where every INSERT and DELETE on messages would
// fail with "no such tokenizer".
func (s *Store) mayChangeMessages(t *tx) error {
	for _, name := range cjkTriggers {
		if _, ok := t.schema.tables[name]; ok {
			return &Error{
				Kind: KindTokenizer, Path: s.path,
				Message: "messages can not be changed from here: the index messages_fts_cjk needs the tokenizer cjk_unicode61, which only Hermes loads",
				Remedy:  "make this change in Hermes (hermes sessions delete ID)",
			}
		}
	}
	return nil
}

// soundIndex refuses where a full-text index is plainly damaged. Such a one may
// let messages go and then not take them back.
func (s *Store) soundIndex(ctx context.Context) error {
	for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
		if _, ok := s.schema.tables[table]; !ok {
			continue
		}
		_, _, err := firstValue(ctx, s.db, `SELECT 1 FROM `+table+` WHERE `+table+` MATCH 'the' LIMIT 1`)
		if corrupt(err) && slices.ContainsFunc(s.Notes(), func(n model.Note) bool { return n.Kind == NoteDamaged }) {
			return s.fault(KindDamaged, err) // the index shares the damage
		}
		if corrupt(err) {
			return s.indexFault(err)
		}
		if ctx.Err() != nil {
			return s.wrap("look at", err)
		}
	}
	return nil
}

func (s *Store) indexFault(err error) *Error {
	return &Error{
		Kind: KindIndex, Path: s.path, Err: err,
		Message: "the full-text index is damaged or does not fit the messages, so that they can not be changed",
		Remedy:  s.reindex() + " makes the index anew; or make this change with Hermes",
	}
}

// notInUse refuses where another process is writing one of the sessions.
func (s *Store) notInUse(ctx context.Context, t *tx, ids ...string) error {
	h, err := holderOf(ctx, t, t.schema, t.now, ids...)
	if err != nil || h.does == "" {
		return err
	}
	return &Error{
		Kind: KindInUse, Path: s.path,
		Message: fmt.Sprintf("another process %s (until %s at most)", h.does, h.until.Format(time.TimeOnly)),
		Remedy:  "wait until it has finished, or end it, then try again",
	}
}

// holder is another process that is writing a session; the zero value is
// nobody.
type holder struct {
	does  string
	until time.Time // at the latest
}

// holderOf looks for a compression lock on one of the sessions that has not
// run out, or a turn lease on any session of the same lineage.
func holderOf(ctx context.Context, q queryer, sc schema, now float64, ids ...string) (holder, error) {
	locks := sc.mentions("compression_locks", "session_id", "expires_at")
	leases := sc.mentions("session_turn_leases", "conversation_id", "expires_at")
	if !locks && !leases {
		return holder{}, nil
	}
	for _, id := range ids {
		if locks {
			until, held, err := firstValue(ctx, q, `SELECT expires_at FROM compression_locks WHERE session_id = ? AND expires_at > ?`, id, now)
			if err != nil || held {
				return holder{"is compressing session " + id, moment(until)}, err
			}
		}
		if leases {
			until, held, err := firstValue(ctx, q, lineageOf+`
				SELECT l.expires_at FROM session_turn_leases l JOIN tree ON l.conversation_id = tree.id
				WHERE l.expires_at > ?2 LIMIT 1`, id, now)
			if err != nil || held {
				return holder{"is working in session " + id, moment(until)}, err
			}
		}
	}
	return holder{}, nil
}

// lineageOf makes the table tree of all ids tied to ?1 by parents. UNION and
// not UNION ALL: parents may run in a ring (store/README.md#q18).
const lineageOf = `WITH RECURSIVE
	up(id) AS (SELECT ?1 UNION SELECT s.parent_session_id FROM sessions s JOIN up ON s.id = up.id WHERE s.parent_session_id IS NOT NULL),
	tree(id) AS (SELECT id FROM up UNION SELECT s.id FROM sessions s JOIN tree ON s.parent_session_id = tree.id)`
