package corpus

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"hermes-sessions/store/ddl"
)

// LongConversation makes a database with one conversation of n messages over
// five segments, "A long life", with the full-text index that Hermes keeps. The
// file must be new.
func LongConversation(ctx context.Context, path string, n int) (err error) {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	do := func(query string, args ...any) {
		if err == nil {
			_, err = tx.ExecContext(ctx, query, args...)
		}
	}
	for _, statement := range []string{ddl.Tables, ddl.TitleIndex, ddl.Index, ddl.Triggers} {
		do(statement)
	}
	do(`INSERT INTO schema_version VALUES (?)`, ddl.Version)
	const start = 1_780_000_000.0
	per := n / 5
	for k := range 5 {
		var parent, ended, reason any
		if k > 0 {
			parent = fmt.Sprint("epic", k-1)
		}
		if k < 4 {
			ended, reason = start+float64((k+1)*per*60), "compression"
		}
		do(`INSERT INTO sessions (id, source, model, parent_session_id, started_at, ended_at, end_reason, title, message_count) VALUES (?, 'cli', 'hermes-4-405b', ?, ?, ?, ?, ?, ?)`,
			fmt.Sprint("epic", k), parent, start+float64(k*per*60), ended, reason, map[bool]any{true: "A long life", false: nil}[k == 4], per)
	}
	for i := range n {
		role := "assistant"
		content := ""
		var calls, answers, tool any
		switch i % 8 {
		case 0:
			role, content = "user", fmt.Sprintf("Question %d: why does the *second* run differ?", i)
		case 1, 3:
			calls = fmt.Sprintf(`[{"id":"c%d","type":"function","function":{"name":"terminal","arguments":"{\"command\":\"make test-%d\"}"}}]`, i, i)
		case 2, 4:
			role = "tool"
			answers = fmt.Sprint("c", i-1)
			tool = "terminal"
			content = strings.Repeat("ok  \tpackage/of/some/length\t0.012s\n", 40)
		default:
			content = fmt.Sprintf("## Step %d\n\n%s\n\n- a\n- b `code`\n\n```go\nfunc f%d() error { return nil }\n```", i, strings.Repeat("Some prose with **bold** words. ", 12), i)
			if i%400 == 5 {
				content += "\n\nHere is a walrus."
			}
		}
		do(`INSERT INTO messages (id, session_id, role, content, tool_calls, tool_call_id, tool_name, timestamp) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			i+1, fmt.Sprint("epic", i/per), role, content, calls, answers, tool, start+float64(i*60))
	}
	if err != nil {
		return fmt.Errorf("make %s: %w", path, err)
	}
	return tx.Commit()
}
