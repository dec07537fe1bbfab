package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// The life of a session row (store/README.md#session-calls). An unknown id changes
// nothing and is no error, as in the documented calls, unless it says so.

// NewSession is a session to be. Empty fields are stored as NULL.
type NewSession struct {
	ID           string // must not be empty
	Source       string // must not be empty: cli, tui, telegram, …
	UserID       string
	Model        string
	Config       Record // model_config, stored as JSON; NULL where it is empty
	SystemPrompt string
	ParentID     string // an existing session
}

// CreateSession adds a session that starts now (create_session). One that is
// there already stays as it is; created is false then. The error is of
// [KindNotFound] where the parent does not exist and of [KindInvalid] where id
// or source are empty.
func (s *Store) CreateSession(ctx context.Context, n NewSession) (created bool, err error) {
	if n.ID == "" || n.Source == "" {
		return false, s.invalid("a session needs an id and a source", "give both", nil)
	}
	err = s.write(ctx, "create session "+n.ID+" in", func(t *tx) error {
		created = false
		exists, err := t.exists(ctx, n.ID)
		if err != nil || exists {
			return err
		}
		if n.ParentID != "" {
			if exists, err = t.exists(ctx, n.ParentID); err != nil {
				return err
			} else if !exists {
				return s.notFound(n.ParentID)
			}
		}
		if err := insertSession(ctx, t, n); err != nil {
			return err
		}
		created = true
		return nil
	})
	return created, err
}

// EnsureSession is CreateSession for who only has an id; the source of a
// session that was not there is "unknown" unless given.
func (s *Store) EnsureSession(ctx context.Context, n NewSession) (created bool, err error) {
	if n.Source == "" {
		n.Source = "unknown"
	}
	return s.CreateSession(ctx, n)
}

func insertSession(ctx context.Context, t *tx, n NewSession) error {
	var config any
	if len(n.Config) > 0 {
		config = stored(n.Config)
	}
	if _, err := t.exec(ctx, `INSERT INTO sessions (id, source, user_id, model, model_config, parent_session_id, started_at)
		VALUES (?, ?, ?, ?, ?, ?, ?)`,
		n.ID, n.Source, orNull(n.UserID), orNull(n.Model), config, orNull(n.ParentID), t.now); err != nil {
		return err
	}
	if n.SystemPrompt == "" {
		return nil
	}
	return putSystemPrompt(ctx, t, n.ID, n.SystemPrompt)
}

// EndSession ends an open session now. The first reason wins: one that has
// ended already keeps its own (end_session).
func (s *Store) EndSession(ctx context.Context, id, reason string) error {
	return s.write(ctx, "end session "+id+" in", func(t *tx) error {
		_, err := t.exec(ctx, `UPDATE sessions SET ended_at = ?, end_reason = ? WHERE id = ? AND ended_at IS NULL`, t.now, reason, id)
		return err
	})
}

// ReopenSession takes the end of a session back (reopen_session). The end of
// one that was compressed and goes on in another session stays, because the
// conversation would fall apart; the error is of [KindContinued] and names the
// tip, which is the one to reopen (store/README.md#q7).
func (s *Store) ReopenSession(ctx context.Context, id string) error {
	tip, err := s.Tip(ctx, id)
	if err != nil {
		return err
	}
	return s.write(ctx, "reopen session "+id+" in", func(t *tx) error {
		reason, _, err := t.one(ctx, `SELECT end_reason FROM sessions WHERE id = ?`, id)
		if err != nil {
			return err
		}
		if reason == "compression" && tip != id {
			return s.continued(id, tip)
		}
		_, err = t.exec(ctx, `UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = ?`, id)
		return err
	})
}

func (s *Store) continued(id, tip string) *Error {
	return &Error{
		Kind: KindContinued, Path: s.path, Candidates: []string{tip},
		Message: fmt.Sprintf("session %s was compressed and goes on in %s", id, tip),
		Remedy:  "use " + tip,
	}
}

// SetSystemPrompt replaces the system prompt of a session
// (update_system_prompt). Where the file keeps prompts apart it goes there,
// because readers of such a file look nowhere else (store/README.md#system-prompts).
func (s *Store) SetSystemPrompt(ctx context.Context, id, prompt string) error {
	return s.write(ctx, "set the system prompt of session "+id+" in", func(t *tx) error {
		return putSystemPrompt(ctx, t, id, prompt)
	})
}

func putSystemPrompt(ctx context.Context, t *tx, id, prompt string) error {
	prompt = valid(prompt)
	if !t.schema.has("system_prompts", "prompt") || !t.schema.has("sessions", "system_prompt_hash") {
		_, err := t.exec(ctx, `UPDATE sessions SET system_prompt = ? WHERE id = ?`, prompt, id)
		return err
	}
	before, found, err := t.one(ctx, `SELECT system_prompt_hash FROM sessions WHERE id = ?`, id)
	if err != nil || !found {
		return err
	}
	sum := sha256.Sum256([]byte(prompt))
	hash := hex.EncodeToString(sum[:])
	if _, err := t.exec(ctx, `INSERT INTO system_prompts (hash, prompt) VALUES (?, ?) ON CONFLICT DO NOTHING`, hash, prompt); err != nil {
		return err
	}
	if _, err := t.exec(ctx, `UPDATE sessions SET system_prompt_hash = ?, system_prompt = NULL WHERE id = ?`, hash, id); err != nil {
		return err
	}
	_, err = t.exec(ctx, `DELETE FROM system_prompts WHERE hash = ? AND NOT EXISTS
		(SELECT 1 FROM sessions WHERE system_prompt_hash = hash)`, before)
	return err
}

// Meta gives a value of the table state_meta; ok is false where the key, or
// the table, is not there (get_meta).
func (s *Store) Meta(ctx context.Context, key string) (value string, ok bool, err error) {
	if !s.schema.has("state_meta", "key") {
		return "", false, nil
	}
	rows, err := s.db.QueryContext(ctx, `SELECT value FROM state_meta WHERE key = ?`, key)
	if err == nil {
		err = eachRecord(rows, func(r Record) error {
			value, ok = text(r[0].Value), r[0].Value != nil
			return nil
		})
	}
	return value, ok, s.wrap("read "+key+" in", err)
}

// SetMeta sets a value of the table state_meta (set_meta). Keys that begin
// with fts_ steer Hermes's own indexing and are refused as [KindInvalid].
func (s *Store) SetMeta(ctx context.Context, key, value string) error {
	if strings.HasPrefix(key, "fts_") {
		return s.invalid("the key "+key+" belongs to Hermes's indexing", "use another key", nil)
	}
	return s.write(ctx, "set "+key+" in", func(t *tx) error {
		if !t.schema.has("state_meta", "key") {
			return s.tooOld("table state_meta")
		}
		_, err := t.exec(ctx, `INSERT INTO state_meta (key, value) VALUES (?, ?)
			ON CONFLICT (key) DO UPDATE SET value = excluded.value`, key, value)
		return err
	})
}

// exists reports whether there is a session with this id.
func (t *tx) exists(ctx context.Context, id string) (bool, error) {
	_, found, err := t.one(ctx, `SELECT 1 FROM sessions WHERE id = ?`, id)
	return found, err
}

// orNull stores an empty text as NULL.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return valid(text)
}

// valid makes text that SQLite and Python can read; what is not UTF-8 becomes
// U+FFFD.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
