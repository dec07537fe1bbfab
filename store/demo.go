package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"hermes-sessions/store/ddl"
	"hermes-sessions/store/demo"
)

// Demo opens an invented history that shows everything the program can show.
// It ends at what [WithClock] says is now, and the same now gives the same
// history. It lives in a temporary folder, which Close removes.
func Demo(ctx context.Context, opts ...Option) (_ *Store, err error) {
	dir, err := os.MkdirTemp("", "hermes-sessions-demo-")
	if err != nil {
		return nil, fmt.Errorf("make the demo: %w", err)
	}
	remove := func() error { return os.RemoveAll(dir) }
	defer func() {
		if err != nil {
			err = errors.Join(err, remove())
		}
	}()
	path := filepath.Join(dir, "state.db")
	if err := writeDemo(ctx, path, newStore(path, opts).db.Clock()); err != nil {
		return nil, fmt.Errorf("make the demo: %w", err)
	}
	s, err := Open(ctx, path, opts...)
	if err != nil {
		return nil, err
	}
	s.onClose = remove
	return s, nil
}

// writeDemo makes the demo's file as fast as it can: nobody misses it after a
// crash, and the index is filled in one go, which is three times faster than
// message by message through the triggers and gives the same.
func writeDemo(ctx context.Context, path string, now time.Time) (err error) {
	sessions, messages, err := demo.History(now)
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?_pragma=journal_mode(memory)&_pragma=synchronous(off)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ignoreTxDone(tx.Rollback())) }()

	if _, err := tx.ExecContext(ctx, ddl.Tables+ddl.TitleIndex+ddl.Index+`INSERT INTO schema_version VALUES (?)`, ddl.Version); err != nil {
		return err
	}
	insert, err := tx.PrepareContext(ctx, `INSERT INTO sessions (id, source, user_id, model, model_config, system_prompt, parent_session_id,
		started_at, ended_at, end_reason, message_count, tool_call_count, input_tokens, output_tokens, cache_read_tokens, reasoning_tokens,
		billing_provider, estimated_cost_usd, actual_cost_usd, cost_status, title, api_call_count)
		VALUES (?, ?, ?, ?, '{"max_iterations": 90}', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'openrouter', ?, ?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	for _, s := range sessions {
		if _, err := insert.ExecContext(ctx, s.ID, s.Source, s.User, s.Model, s.Prompt, s.Parent, s.Started, s.Ended, s.EndReason, s.Messages, s.Calls,
			s.Input, s.Output, s.Cached, s.Thought, s.Estimated, s.Actual, s.CostStatus, s.Title, s.APICalls); err != nil {
			return fmt.Errorf("session %s: %w", s.ID, err)
		}
	}
	if insert, err = tx.PrepareContext(ctx, `INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp, token_count,
		finish_reason, reasoning, reasoning_content, reasoning_details, codex_reasoning_items) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`); err != nil {
		return err
	}
	for _, m := range messages {
		if _, err := insert.ExecContext(ctx, m.Session.ID, m.Role, m.Content, m.CallID, m.Calls, m.Tool, m.At, m.Tokens,
			m.Finish, m.Reasoning, m.ReasoningContent, m.ReasoningDetails, m.CodexReasoning); err != nil {
			return fmt.Errorf("message of %s: %w", m.Session.ID, err)
		}
	}
	if _, err := tx.ExecContext(ctx, ddl.FillWords+ddl.FillTrigrams+ddl.Triggers); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	// Hermes keeps its file in this mode, and so readers never wait.
	_, err = db.ExecContext(ctx, `PRAGMA journal_mode=wal`)
	return err
}

func ignoreTxDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}
