package demo

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"time"

	_ "modernc.org/sqlite" // the driver

	"hermes-sessions/store/ddl"
)

// Write makes a database file of the history that ends at now. It is written without
// syncing, because a crash loses nothing of value, and the full-text index is filled at
// the end, which is three times as fast as message by message through the triggers and
// gives the same index.
func Write(ctx context.Context, path string, now time.Time) (err error) {
	sessions, messages, err := History(now)
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
	//nolint:sqlclosecheck // it ends with the transaction
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
	//nolint:sqlclosecheck // it ends with the transaction
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
	// The journal mode that Hermes uses, in which readers never wait.
	_, err = db.ExecContext(ctx, `PRAGMA journal_mode=wal`)
	return err
}

// ignoreTxDone drops the error of rolling back a transaction that was committed.
func ignoreTxDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}
