package demo

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"time"

	_ "modernc.org/sqlite" // the driver

	"hermes-sessions/model"
	"hermes-sessions/store/ddl"
)

// written is a file that Write made before, of the same time. The linker sets it for
// the journeys of internal/e2e, which start the program some hundred times: a copy costs
// a tenth. It is empty in a program for users.
var written string

// Write makes a database file of the history that ends at now. It is written without
// syncing, because a crash loses nothing of value, and the full-text index is filled at
// the end, which is three times as fast as message by message through the triggers and
// gives the same index.
func Write(ctx context.Context, path string, now time.Time) (err error) {
	if written != "" {
		if file, err := os.ReadFile(written); !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(err, os.WriteFile(path, file, 0o600))
		}
	}
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

	if _, err := tx.ExecContext(ctx, ddl.NewestTables+`INSERT INTO schema_version VALUES (?)`, ddl.NewestVersion); err != nil {
		return err
	}
	if err := writeSessions(ctx, tx, sessions); err != nil {
		return err
	}
	if err := writeLeases(ctx, tx, sessions, now); err != nil {
		return err
	}
	//nolint:sqlclosecheck // it ends with the transaction
	insert, err := tx.PrepareContext(ctx, `INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp, token_count,
		finish_reason, reasoning, reasoning_content, reasoning_details, codex_reasoning_items) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	for _, m := range messages {
		if _, err := insert.ExecContext(ctx, m.Session.ID, m.Role, m.Content, m.CallID, m.Calls, m.Tool, m.At, m.Tokens,
			m.Finish, m.Reasoning, m.ReasoningContent, m.ReasoningDetails, m.CodexReasoning); err != nil {
			return fmt.Errorf("message of %s: %w", m.Session.ID, err)
		}
	}
	if _, err := tx.ExecContext(ctx, ddl.NewestIndex+ddl.FillNewestIndex); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	// The journal mode that Hermes uses, in which readers never wait.
	_, err = db.ExecContext(ctx, `PRAGMA journal_mode=wal`)
	return err
}

// writeSessions inserts the sessions, the prompts they share and the tokens that they used.
func writeSessions(ctx context.Context, tx *sql.Tx, sessions []*Session) error {
	//nolint:sqlclosecheck // it ends with the transaction
	prompt, err := tx.PrepareContext(ctx, `INSERT OR IGNORE INTO system_prompts VALUES (?, ?)`)
	if err != nil {
		return err
	}
	//nolint:sqlclosecheck // it ends with the transaction
	insert, err := tx.PrepareContext(ctx, `INSERT INTO sessions (id, source, user_id, session_key, chat_id, chat_type, model, model_config, system_prompt_hash,
		parent_session_id, started_at, ended_at, end_reason, message_count, tool_call_count, input_tokens, output_tokens, cache_read_tokens,
		reasoning_tokens, cwd, git_branch, git_repo_root, billing_provider, estimated_cost_usd, actual_cost_usd, cost_status, title,
		last_activity_at, api_call_count, profile_name, archived, pinned)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'openrouter', ?, ?, ?, ?, ?, ?, 'default', ?, ?)`)
	if err != nil {
		return err
	}
	for _, s := range sessions {
		hash := hexHash(s.Prompt)
		if _, err := prompt.ExecContext(ctx, hash, s.Prompt); err != nil {
			return fmt.Errorf("prompt of %s: %w", s.ID, err)
		}
		var chat, kind, repository *string
		if s.Chat != nil {
			chat, kind = s.User, new("dm")
		}
		if s.Branch != nil {
			repository = s.Folder
		}
		if _, err := insert.ExecContext(ctx, s.ID, s.Source, s.User, s.Chat, chat, kind, s.Model, s.Config, hash,
			s.Parent, s.Started, s.Ended, s.EndReason, s.Messages, s.Calls, s.Input, s.Output, s.Cached,
			s.Thought, s.Folder, s.Branch, repository, s.Estimated, s.Actual, s.CostStatus, s.Title,
			s.SaidAt, s.APICalls, s.Archived, s.Pinned); err != nil {
			return fmt.Errorf("session %s: %w", s.ID, err)
		}
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO session_model_usage (session_id, model, billing_provider, api_call_count, input_tokens, output_tokens,
		cache_read_tokens, reasoning_tokens, estimated_cost_usd, actual_cost_usd, cost_status, first_seen, last_seen)
		SELECT id, model, billing_provider, api_call_count, input_tokens, output_tokens, cache_read_tokens, reasoning_tokens,
			coalesce(estimated_cost_usd, 0), coalesce(actual_cost_usd, 0), cost_status, started_at, last_activity_at
		FROM sessions WHERE api_call_count > 0`)
	return err
}

// writeLeases inserts the leases of the turns that are being taken. Hermes renews its own while it
// works; as nobody does so here, they last longer than anybody looks at a demo.
func writeLeases(ctx context.Context, tx *sql.Tx, sessions []*Session, now time.Time) error {
	for _, s := range sessions {
		if !s.Working || float64(now.Unix())-s.SaidAt > model.RunningWindow.Seconds() {
			continue
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO session_turn_leases VALUES (?, ?, ?, ?)`,
			s.ID, "turn="+s.ID+":platform="+s.Source, s.SaidAt, now.Add(24*time.Hour).Unix()); err != nil {
			return fmt.Errorf("lease of %s: %w", s.ID, err)
		}
	}
	return nil
}

// ignoreTxDone drops the error of rolling back a transaction that was committed.
func ignoreTxDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}
