package sessiondb

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// NewSession is a session to create (store/README.md#session-calls). Empty fields are
// stored as NULL.
type NewSession struct {
	ID           string // must not be empty
	Source       string // must not be empty: cli, tui, telegram, …
	UserID       string
	Model        string
	Config       db.Record // model_config, stored as JSON; NULL where it is empty
	SystemPrompt string
	ParentID     string // an existing session
}

// CreateSession adds a session that starts now (create_session). One that exists
// already stays as it is, and created is false. The error is of
// [model.KindNotFound] where the parent does not exist and of [model.KindInvalid] where id
// or source are empty.
func (d *DB) CreateSession(ctx context.Context, n NewSession) (created bool, err error) {
	if n.ID == "" || n.Source == "" {
		return false, d.db.InvalidError("a session needs an ID and a source", "give both", nil)
	}
	err = d.db.Write(ctx, "create session "+n.ID+" in", func(t *db.Tx) error {
		created = false
		exists, err := t.Exists(ctx, n.ID)
		if err != nil || exists {
			return err
		}
		if n.ParentID != "" {
			if exists, err = t.Exists(ctx, n.ParentID); err != nil {
				return err
			} else if !exists {
				return d.db.NotFoundError(n.ParentID)
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

// EnsureSession creates a session where there is none with this id, for a caller that
// may have nothing but the id (ensure_session): the source is "unknown" unless given.
func (d *DB) EnsureSession(ctx context.Context, n NewSession) (created bool, err error) {
	n.Source = cmp.Or(n.Source, "unknown")
	return d.CreateSession(ctx, n)
}

// insertSession inserts the row of a session, and its system prompt.
func insertSession(ctx context.Context, t *db.Tx, n NewSession) error {
	var config any
	if len(n.Config) > 0 {
		config = storedText(n.Config)
	}
	if _, err := t.Exec(ctx, `INSERT INTO sessions (id, source, user_id, model, model_config, parent_session_id, started_at)
		VALUES (?, ?, ?, ?, ?, ?, ?)`,
		n.ID, n.Source, db.EmptyAsNull(n.UserID), db.EmptyAsNull(n.Model), config, db.EmptyAsNull(n.ParentID), t.Timestamp); err != nil {
		return err
	}
	if n.SystemPrompt == "" {
		return nil
	}
	return putSystemPrompt(ctx, t, n.ID, n.SystemPrompt)
}

// EndSession ends an open session now. The first reason wins: one that has
// ended already keeps its own (end_session).
func (d *DB) EndSession(ctx context.Context, id, reason string) error {
	return d.db.Write(ctx, "end session "+id+" in", func(t *db.Tx) error {
		if err := d.checkExists(ctx, t, id); err != nil {
			return err
		}
		_, err := t.Exec(ctx, `UPDATE sessions SET ended_at = ?, end_reason = ? WHERE id = ? AND ended_at IS NULL`, t.Timestamp, reason, id)
		return err
	})
}

// ReopenSession removes the end of a session (reopen_session). A session that was
// compressed and continues in another one stays ended, because its conversation would
// fall apart; the error is of [model.KindContinued] and names the tip, which is the one to
// reopen (store/README.md#q7).
func (d *DB) ReopenSession(ctx context.Context, id string) error {
	tip, err := d.sessions.Tip(ctx, id)
	if err != nil {
		return err
	}
	return d.db.Write(ctx, "reopen session "+id+" in", func(t *db.Tx) error {
		reason, found, err := t.One(ctx, `SELECT end_reason FROM sessions WHERE id = ?`, id)
		if err != nil {
			return err
		}
		if !found {
			return d.db.NotFoundError(id)
		}
		if reason == "compression" && tip != id {
			return d.continuedError(id, tip)
		}
		_, err = t.Exec(ctx, `UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = ?`, id)
		return err
	})
}

// checkExists returns an error of [model.KindNotFound] for an unknown session.
func (d *DB) checkExists(ctx context.Context, t *db.Tx, id string) error {
	found, err := t.Exists(ctx, id)
	if err == nil && !found {
		err = d.db.NotFoundError(id)
	}
	return err
}

// continuedError makes the error of a session that was compressed. tip equals id where
// no session continues it, because it was deleted or not written yet.
func (d *DB) continuedError(id, tip string) *model.Error {
	if tip == id {
		return &model.Error{
			Kind: model.KindContinued, Path: d.db.Path,
			Message: fmt.Sprintf("session %s was compressed, and no session continues it", id),
			Remedy:  model.Advise("reopen it first"),
		}
	}
	return &model.Error{
		Kind: model.KindContinued, Path: d.db.Path, Matches: []string{tip},
		Message: fmt.Sprintf("session %s was compressed and continues in %s", id, tip),
		Remedy:  model.Advise("use " + tip),
	}
}

// SetSystemPrompt replaces the system prompt of a session
// (update_system_prompt). Where the file has a table of prompts it is stored there,
// because readers of such a file look nowhere else (store/README.md#system-prompts).
func (d *DB) SetSystemPrompt(ctx context.Context, id, prompt string) error {
	return d.db.Write(ctx, "set the system prompt of session "+id+" in", func(t *db.Tx) error {
		if err := d.checkExists(ctx, t, id); err != nil {
			return err
		}
		return putSystemPrompt(ctx, t, id, prompt)
	})
}

// putSystemPrompt stores a system prompt where the file keeps them, and removes the one
// before where no other session uses it.
func putSystemPrompt(ctx context.Context, t *db.Tx, id, prompt string) error {
	prompt = db.ValidUTF8(prompt)
	if !t.Schema.Has("system_prompts", "prompt") || !t.Schema.Has("sessions", "system_prompt_hash") {
		_, err := t.Exec(ctx, `UPDATE sessions SET system_prompt = ? WHERE id = ?`, prompt, id)
		return err
	}
	before, found, err := t.One(ctx, `SELECT system_prompt_hash FROM sessions WHERE id = ?`, id)
	if err != nil || !found {
		return err
	}
	sum := sha256.Sum256([]byte(prompt))
	hash := hex.EncodeToString(sum[:])
	if _, err := t.Exec(ctx, `INSERT INTO system_prompts (hash, prompt) VALUES (?, ?) ON CONFLICT DO NOTHING`, hash, prompt); err != nil {
		return err
	}
	if _, err := t.Exec(ctx, `UPDATE sessions SET system_prompt_hash = ?, system_prompt = NULL WHERE id = ?`, hash, id); err != nil {
		return err
	}
	_, err = t.Exec(ctx, `DELETE FROM system_prompts WHERE hash = ? AND NOT EXISTS
		(SELECT 1 FROM sessions WHERE system_prompt_hash = hash)`, before)
	return err
}

// Meta returns a value of the table state_meta; ok is false where the key, or
// the table, does not exist (get_meta).
func (d *DB) Meta(ctx context.Context, key string) (value string, ok bool, err error) {
	if !d.db.Schema.Has("state_meta", "key") {
		return "", false, nil
	}
	v, err := db.QueryValue(ctx, d.db.Pool, `SELECT value FROM state_meta WHERE key = ?`, key)
	return db.AsText(v), v != nil, d.db.WrapError("read "+key+" in", err)
}

// SetMeta sets a value of the table state_meta (set_meta). Keys that begin
// with fts_ control Hermes's own indexing and are refused as [model.KindInvalid].
func (d *DB) SetMeta(ctx context.Context, key, value string) error {
	if strings.HasPrefix(key, "fts_") {
		return d.db.InvalidError("the key "+key+" belongs to Hermes's indexing", "use another key", nil)
	}
	return d.db.Write(ctx, "set "+key+" in", func(t *db.Tx) error {
		if !t.Schema.Has("state_meta", "key") {
			return d.db.OlderSchemaError("table state_meta")
		}
		_, err := t.Exec(ctx, `INSERT INTO state_meta (key, value) VALUES (?, ?)
			ON CONFLICT (key) DO UPDATE SET value = excluded.value`, key, value)
		return err
	})
}
