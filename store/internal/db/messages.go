package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"

	"modernc.org/sqlite"

	"hermes-sessions/model"
)

// IsVisible reports whether a message satisfies [Schema.VisibleRows].
func IsVisible(m model.Message) bool {
	return !m.Rewound && !m.Compacted && m.DisplayKind != "hidden" && m.Role != "session_meta"
}

// ResultFailure is the expression for [model.StoredFailure] of a tool's result m; NULL for one
// that reports none, and for other messages.
const ResultFailure = `CASE m.role WHEN 'tool' THEN hermes_failure(m.content) END`

// registerFunctions registers what statements call for each connection from now on. In a
// function, a long text is read where SQLite has it.
var registerFunctions = sync.OnceValue(func() error {
	null := func() (driver.Value, error) { return nil, nil } //nolint:nilnil // NULL
	return errors.Join(
		sqlite.RegisterFunction("hermes_failure", &sqlite.FunctionImpl{
			NArgs: 1, Deterministic: true, VolatileArgs: true,
			Scalar: func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
				if failure := model.StoredFailure(AsText(args[0])); failure != "" {
					return failure, nil
				}
				return null()
			},
		}),
		// It takes a blob: a text ends at a NUL here, and one is an empty text to SQLite's replace.
		sqlite.RegisterFunction("hermes_without_nul", &sqlite.FunctionImpl{
			NArgs: 1, Deterministic: true,
			Scalar: func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
				return strings.ReplaceAll(AsText(args[0]), "\x00", ""), nil
			},
		}),
		sqlite.RegisterFunction("hermes_visit", &sqlite.FunctionImpl{
			NArgs: -1, VolatileArgs: true,
			Scalar: func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
				visit(args)
				return null()
			},
		}))
})

// CallsOf returns the stored tool calls of a message, none where they cannot be decoded.
func CallsOf(stored any) []model.ToolCall {
	calls, _ := model.DecodeCalls(AsText(stored)) // a transcript says what is broken
	return calls
}

// messageColumns are the columns of [model.Message] in the order in which
// scanMessage takes them. One that is added goes to the end.
var messageColumns = [...]string{
	"id", "session_id", "role", "content", "tool_calls", "tool_call_id", "tool_name", "timestamp", "finish_reason",
	"reasoning", "reasoning_content", "reasoning_details", "codex_reasoning_items",
	"display_kind", "observed", "active", "compacted",
}

// NewestMessages are the messages of a session up to one, in the order of the index by
// session and time, so that nothing is sorted for a chunk of a long change. The "+" keeps
// SQLite from an index by session and id, with which it would sort all that are left.
const NewestMessages = `session_id = ? AND +id <= ? ORDER BY timestamp DESC, id DESC`

// ReadMessages reads messages by id and adds them to found. Ids without a message are
// left out. The error is that of SQLite, unwrapped.
func (d *DB) ReadMessages(ctx context.Context, q Querier, ids []int64, found map[int64]model.Message) error {
	names := make([]string, len(messageColumns))
	for i, name := range messageColumns {
		names[i] = d.Schema.ColumnOrNull("messages", "m", name)
	}
	// One statement for any number of ids is prepared once.
	return EachRow(ctx, d.CachedStatements(q), `SELECT `+strings.Join(names, ", ")+`
		FROM temp.json_each(?) j CROSS JOIN messages m ON m.id = j.value`, []any{JSONList(slices.Values(ids))}, func(r Row) {
		m := scanMessage(r)
		found[m.ID] = m
	})
}

// scanMessage makes a message of the values of messageColumns.
func scanMessage(v []any) model.Message {
	m := model.Message{
		ID: AsInt(v[0]), SessionID: AsText(v[1]), Role: AsText(v[2]),
		ToolCallID: AsText(v[5]), ToolName: AsText(v[6]), At: AsTime(v[7]), FinishReason: AsText(v[8]),
		DisplayKind: AsText(v[13]), Observed: AsBool(v[14]),
	}
	if inactive := v[15] != nil && !AsBool(v[15]); inactive {
		m.Compacted = AsBool(v[16])
		m.Rewound = !m.Compacted
	}
	var broken [3]string
	m.Content, broken[0] = model.DecodeContent(AsText(v[3]))
	m.Calls, broken[1] = model.DecodeCalls(AsText(v[4]))
	m.Reasoning, broken[2] = model.DecodeReasoning(AsText(v[9]), AsText(v[10]), AsText(v[11]), AsText(v[12]))
	m.DecodeError = strings.Join(slices.DeleteFunc(broken[:], func(s string) bool { return s == "" }), "; ")
	return m
}

// CheckLost returns an error of [IsCorrupt] where a scan finds one of some messages that a
// lookup by their ids has missed. It scans an index of the table where there is one, which
// is a tenth of the pages.
func CheckLost(ctx context.Context, q Querier, ids iter.Seq[int64]) error {
	_, found, err := FirstValue(ctx, q, `SELECT 1 FROM main.messages m WHERE +m.id IN (SELECT value FROM temp.json_each(?))`, JSONList(ids))
	if err == nil && found {
		err = ErrRowsLost
	}
	return err
}
