package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/sessiondb"
)

// values reads the stored values of one row, spelled as SQL.
func values(t testing.TB, s *Store, query string) []string {
	t.Helper()
	rows, err := s.db.Pool.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(query, err)
	}
	var out []string
	if err := db.ScanRecords(rows, func(r Record) error {
		for _, f := range r {
			out = append(out, db.AsText(f.Value))
		}
		return nil
	}); err != nil {
		t.Fatal(query, err)
	}
	return out
}

// fresh makes a new database of schema 11.
func fresh(t testing.TB) *Store {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	if _, err := Migrate(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	return reopen(t, path)
}

func TestMessagesAreStoredAsPythonStoresThem(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	ctx := t.Context()
	if _, err := s.CreateSession(ctx, sessiondb.NewSession{ID: "a", Source: "cli"}); err != nil {
		t.Fatal(err)
	}
	object := Record{
		{Name: "é", Value: "\x7f\t\"/<&>"}, {Name: "n", Value: []any{1, 1.0, 1e21, true, nil}}, {Name: "u", Value: "😀"},
	}
	const spelled = `{"\u00e9": "\u007f\t\"/<&>", "n": [1, 1.0, 1e+21, true, null], "u": "\ud83d\ude00"}`
	empty := ""
	for _, c := range []struct {
		message sessiondb.NewMessage
		column  string
		want    string // quote(column)
		calls   string // what tool_call_count becomes
	}{
		{sessiondb.NewMessage{Content: nil}, "content", "NULL", "0"},
		{sessiondb.NewMessage{Content: 5}, "content", "'5'", "0"},
		{sessiondb.NewMessage{Content: true}, "content", "'1'", "0"},
		{sessiondb.NewMessage{Content: 1.5}, "content", "'1.5'", "0"},
		{sessiondb.NewMessage{Content: []byte("ab")}, "content", "X'6162'", "0"},
		{sessiondb.NewMessage{Content: "it's"}, "content", "'it''s'", "0"},
		{sessiondb.NewMessage{Content: "a\xed\xa0\x80b\xff"}, "content", "'a\uFFFDb\uFFFD'", "0"},
		{sessiondb.NewMessage{Content: []any{object}}, "hex(content)", "'" + hexed("\x00json:["+spelled+"]") + "'", "0"},
		{sessiondb.NewMessage{Content: map[string]int{"a": 1}}, "hex(content)", "'" + hexed("\x00json:{\"a\": 1}") + "'", "0"},
		{sessiondb.NewMessage{ToolCalls: []any{object, object}}, "tool_calls", "'[" + spelled + ", " + spelled + "]'", "2"},
		{sessiondb.NewMessage{ToolCalls: []any{}}, "tool_calls", "NULL", "2"},
		{sessiondb.NewMessage{ToolCalls: Record{}}, "tool_calls", "NULL", "3"},
		{sessiondb.NewMessage{ToolCalls: "str"}, "tool_calls", `'"str"'`, "4"},
		{sessiondb.NewMessage{ToolCalls: []map[string]string{{"id": "x"}}}, "tool_calls", `'[{"id": "x"}]'`, "5"},
		{sessiondb.NewMessage{ReasoningDetails: []any{object}}, "reasoning_details", "'[" + spelled + "]'", "5"},
		{sessiondb.NewMessage{CodexReasoningItems: []any{}}, "codex_reasoning_items", "NULL", "5"},
		{sessiondb.NewMessage{CodexMessageItems: []any{"é"}}, "codex_message_items", `'["\u00e9"]'`, "5"},
		{sessiondb.NewMessage{ReasoningContent: &empty}, "reasoning_content", "''", "5"},
		{sessiondb.NewMessage{}, "reasoning_content", "NULL", "5"},
		{sessiondb.NewMessage{TokenCount: 7}, "token_count", "7", "5"},
	} {
		c.message.Role = "user"
		id, err := s.AppendMessage(ctx, "a", c.message)
		if err != nil {
			t.Fatalf("%+v: %v", c.message, err)
		}
		got := values(t, s, `SELECT quote(`+c.column+`), max(id), (SELECT tool_call_count FROM sessions) FROM messages
			WHERE id = (SELECT max(id) FROM messages)`)
		if got[0] != c.want || got[1] != db.AsText(id) || got[2] != c.calls {
			t.Errorf("%+v: %v, want %s and %s calls", c.message, got, c.want, c.calls)
		}
	}
	if got := values(t, s, `SELECT message_count, (SELECT count(*) FROM messages), (SELECT count(*) FROM messages_fts) FROM sessions`); got[0] != "20" || got[1] != "20" || got[2] != "20" {
		t.Error("counted", got)
	}
	if _, err := s.AppendMessage(ctx, "a", sessiondb.NewMessage{Role: "user", Content: make(chan int)}); kind(err) != model.KindInvalid {
		t.Error(err)
	}
	sound(t, s)
}

func hexed(s string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		b.WriteByte(digits[s[i]>>4])
		b.WriteByte(digits[s[i]&15])
	}
	return b.String()
}

// What is appended comes back as it was given, from every reader, in a file of
// every version, and the index keeps step.
func TestLifeOfASessionInEveryVersion(t *testing.T) {
	t.Parallel()
	for _, name := range versionsToTest(t) {
		t.Run(name, func(t *testing.T) {
			s := openFixture(t, name)
			ctx := t.Context()
			before := texts(t, s, `PRAGMA integrity_check`)
			created, err := s.CreateSession(ctx, sessiondb.NewSession{
				ID: "20260101_120000_abcdef", Source: "cli", Model: "m", UserID: "u", SystemPrompt: "be brief",
				Config: Record{{Name: "temperature", Value: 0.7}},
			})
			if err != nil || !created {
				t.Fatal(created, err)
			}
			if created, err = s.EnsureSession(ctx, sessiondb.NewSession{ID: "20260101_120000_abcdef"}); err != nil || created {
				t.Error("made twice:", created, err)
			}
			const id = "20260101_120000_abcdef"
			r, err := s.Session(ctx, id)
			if err != nil {
				t.Fatal(err)
			}
			for column, want := range map[string]any{
				"source": "cli", "model": "m", "user_id": "u", "system_prompt": "be brief", "model_config": `{"temperature": 0.7}`,
				"started_at": db.Seconds(clock()), "ended_at": nil, "parent_session_id": nil,
			} {
				if got := r.Get(column); got != want {
					t.Errorf("%s is %v, not %v", column, got, want)
				}
			}
			parts := []any{Record{{Name: "type", Value: "text"}, {Name: "text", Value: "大别山 picture zebrafish"}}}
			for _, m := range []sessiondb.NewMessage{
				{Role: "user", Content: "the quagga asks"},
				{Role: "assistant", ToolCalls: []any{Record{{Name: "id", Value: "call_1"}}}, Finish: "tool_calls"},
				{Role: "tool", Content: "done", ToolCallID: "call_1", ToolName: "terminal"},
				{Role: "user", Content: parts},
			} {
				if _, err := s.AppendMessage(ctx, id, m); err != nil {
					if s.db.Schema.Has("messages", "finish_reason") || kind(err) != model.KindInvalid {
						t.Fatal(err)
					}
					m.Finish = "" // version 1 has no such column, and says so
					if _, err := s.AppendMessage(ctx, id, m); err != nil {
						t.Fatal(err)
					}
				}
			}
			chat, err := s.ChatMessages(ctx, id, true)
			if err != nil || len(chat) != 4 {
				t.Fatal(chat, err)
			}
			if !reflect.DeepEqual(chat[3].Get("content"), any(parts)) || chat[0].Get("content") != "the quagga asks" {
				t.Errorf("%v", chat)
			}
			if got := values(t, s, `SELECT message_count, tool_call_count FROM sessions WHERE id = '`+id+`'`); got[0] != "4" || got[1] != "1" {
				t.Error("counted", got)
			}
			found := func() int {
				return Count(t, s, `SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'quagga OR zebrafish'`)
			}
			if n := found(); n != 2 {
				t.Errorf("%d found", n)
			}
			if err := s.ReplaceMessages(ctx, id, []sessiondb.NewMessage{
				{Content: "quagga", Reasoning: "left out"}, {Role: "assistant", Content: "zebrafish"},
			}); err != nil {
				t.Fatal(err)
			}
			got := values(t, s, `SELECT role, timestamp FROM messages WHERE session_id = '`+id+`' ORDER BY id`)
			if now := db.Seconds(clock()); !slices.Equal(got, []string{"unknown", db.AsText(now), "assistant", db.AsText(now + 1e-6)}) {
				t.Error(got)
			}
			if n := found(); n != 2 {
				t.Errorf("%d found after the replacement", n)
			}
			if err := s.EndSession(ctx, id, "user_exit"); err != nil {
				t.Fatal(err)
			}
			if err := s.EndSession(ctx, id, "other"); err != nil {
				t.Fatal(err)
			}
			if got := values(t, s, `SELECT end_reason FROM sessions WHERE id = '`+id+`'`); got[0] != "user_exit" {
				t.Error(got)
			}
			if err := s.ReopenSession(ctx, id); err != nil {
				t.Fatal(err)
			}
			if err := s.ClearMessages(ctx, id); err != nil {
				t.Fatal(err)
			}
			if n := found(); n != 0 {
				t.Errorf("%d found after the clearing", n)
			}
			if got := values(t, s, `SELECT message_count, tool_call_count, ended_at FROM sessions WHERE id = '`+id+`'`); got[0] != "0" || got[1] != "0" || got[2] != "" {
				t.Error(got)
			}
			if after := texts(t, s, `PRAGMA integrity_check`); !slices.Equal(after, before) {
				t.Errorf("integrity before %v, after %v", before, after)
			}
		})
	}
}

func TestCreateSessionRefuses(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	for n, want := range map[string]sessiondb.NewSession{
		model.KindInvalid:        {ID: "a"},
		model.KindInvalid + " 2": {Source: "cli"},
		model.KindNotFound:       {ID: "a", Source: "cli", ParentID: "unknown"},
	} {
		if _, err := s.CreateSession(t.Context(), want); kind(err) != strings.TrimSuffix(n, " 2") {
			t.Errorf("%+v: %v", want, err)
		}
	}
}

// compressed returns the root and the tip of a chain of the fixture.
func compressed(t testing.TB, s *Store) (root, tip string) {
	t.Helper()
	c, err := s.sessions.CurrentSnapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for m := range conversationsOf(c) {
		if len(m.Segments) > 1 {
			return m.RootID, m.ID
		}
	}
	t.Fatal("no chain")
	return "", ""
}

// A reopened root took its conversation apart.
func TestQ7CompressedRootIsNotReopened(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	root, tip := compressed(t, s)
	err := s.ReopenSession(t.Context(), root)
	e, ok := err.(*model.Error)
	if !ok || e.Kind != model.KindContinued || !slices.Equal(e.Matches, []string{tip}) {
		t.Errorf("%#v", err)
	}
	if got := values(t, s, `SELECT end_reason FROM sessions WHERE id = '`+root+`'`); got[0] != "compression" {
		t.Error(got)
	}
	if err := s.ReopenSession(t.Context(), tip); err != nil {
		t.Error(err)
	}
	if again, err := s.Tip(t.Context(), root); err != nil || again != tip {
		t.Error(again, err)
	}
}

// An earlier segment, which no list shows, has the title.
func TestQ10TitleMovesToTheTip(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v11.db", "v25.db"} {
		s := openFixture(t, name)
		ctx := t.Context()
		root, tip := compressed(t, s)
		if _, err := s.SetTitle(ctx, root, "the one title"); err != nil {
			t.Fatal(err)
		}
		if got, err := s.SetTitle(ctx, tip, " the one\ttitle "); err != nil || got != "the one title" {
			t.Fatal(name, got, err)
		}
		if got, err := s.Title(ctx, root); err != nil || got != "" {
			t.Errorf("%s: the root keeps %q (%v)", name, got, err)
		}
		_, err := s.SetTitle(ctx, root, "the one title")
		if e, ok := err.(*model.Error); !ok || e.Kind != model.KindTitleInUse || !slices.Equal(e.Matches, []string{tip}) {
			t.Errorf("%s: %#v", name, err)
		}
		if r, err := s.SessionByTitle(ctx, "the one title"); err != nil || r.Get("id") != tip {
			t.Error(name, r, err)
		}
		if _, err := s.SessionByTitle(ctx, "The One Title"); kind(err) != model.KindNotFound {
			t.Error(name, err)
		}
	}
}

func TestSetTitleInNewerAndOlderFiles(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	if _, err := openFixture(t, "v01.db").SetTitle(ctx, "x", "y"); kind(err) != model.KindInvalid {
		t.Error(err)
	}
	s := openFixture(t, "v25.db")
	id := texts(t, s, `SELECT min(id) FROM sessions`)[0]
	Must(t, otherConnection(t, s.Path()), `ALTER TABLE sessions ADD COLUMN title_source TEXT`,
		`ALTER TABLE sessions ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0`, `UPDATE sessions SET title_source = 'llm'`)
	for title, want := range map[string]string{"mine": "user", "": ""} {
		if _, err := s.SetTitle(ctx, id, title); err != nil {
			t.Fatal(err)
		}
		if got := values(t, s, `SELECT title, title_source FROM sessions WHERE id = '`+id+`'`); got[0] != title || got[1] != want {
			t.Error(got)
		}
	}
	Must(t, otherConnection(t, s.Path()), `UPDATE sessions SET hidden = 1, title = 'Bot Chat' WHERE id = '`+id+`'`)
	if _, err := s.SetTitle(ctx, id, "x"); kind(err) != model.KindRefused {
		t.Error(err)
	}
	if _, err := s.SetTitle(ctx, "unknown", "x"); kind(err) != model.KindNotFound {
		t.Error(err)
	}
}

func TestAppendIsRefusedWhileNewerHermesCompresses(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v25.db")
	ctx := t.Context()
	root, tip := compressed(t, s)
	_, err := s.AppendMessage(ctx, root, sessiondb.NewMessage{Role: "user", Content: "x"})
	if e, ok := err.(*model.Error); !ok || e.Kind != model.KindContinued || !slices.Equal(e.Matches, []string{tip}) {
		t.Errorf("%#v", err)
	}
	Must(t, otherConnection(t, s.Path()), `INSERT INTO compression_locks VALUES ('`+tip+`', 'pid', 1, 1e12)`)
	if _, err := s.AppendMessage(ctx, tip, sessiondb.NewMessage{Role: "user", Content: "x"}); kind(err) != model.KindInUse {
		t.Error(err)
	}
	if err := s.ClearMessages(ctx, tip); kind(err) != model.KindInUse {
		t.Error(err)
	}
}

// Rewound messages and those archived by compaction are not part of what is
// replaced.
func TestReplaceMessagesKeepsInactiveOnes(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v25.db")
	session := texts(t, s, `SELECT session_id FROM messages GROUP BY 1 HAVING min(active) = 0 AND max(active) = 1 LIMIT 1`)[0]
	const others = `SELECT id FROM messages WHERE active = 0 ORDER BY id`
	before := texts(t, s, others)
	if err := s.ReplaceMessages(t.Context(), session, []sessiondb.NewMessage{{Role: "user", Content: "all new"}}); err != nil {
		t.Fatal(err)
	}
	if after := texts(t, s, others); !slices.Equal(after, before) {
		t.Errorf("%v became %v", before, after)
	}
	if got := texts(t, s, `SELECT content FROM messages WHERE active = 1 AND session_id = '`+session+`'`); !slices.Equal(got, []string{"all new"}) {
		t.Error(got)
	}
}

func TestSystemPromptIsStoredWhereReadersExpectIt(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v25.db")
	ctx := t.Context()
	id := texts(t, s, `SELECT min(id) FROM sessions WHERE system_prompt_hash IS NOT NULL`)[0]
	for _, prompt := range []string{"first of mine", "second of mine"} {
		if err := s.SetSystemPrompt(ctx, id, prompt); err != nil {
			t.Fatal(err)
		}
		r, err := s.Session(ctx, id)
		if err != nil || r.Get("system_prompt") != prompt {
			t.Error(r, err)
		}
	}
	if got := values(t, s, `SELECT quote(system_prompt), system_prompt_hash FROM sessions WHERE id = '`+id+`'`); got[0] != "NULL" || got[1] != hash("second of mine") {
		t.Error(got)
	}
	if n := Count(t, s, `SELECT count(*) FROM system_prompts WHERE prompt = 'first of mine'`); n != 0 {
		t.Error("a prompt that no session has is kept")
	}
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// Usage of an unknown session made one up.
func TestQ32UsageOfAnUnknownSession(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	before := Count(t, s, `SELECT count(*) FROM sessions`)
	for _, f := range []func() error{
		func() error { return s.AddUsage(t.Context(), "unknown", sessiondb.Usage{Input: 1}) },
		func() error { return s.SetUsage(t.Context(), "unknown", sessiondb.Usage{Input: 1}) },
	} {
		if err := f(); kind(err) != model.KindNotFound {
			t.Error(err)
		}
	}
	if after := Count(t, s, `SELECT count(*) FROM sessions`); after != before {
		t.Error("a session was made up")
	}
}

// A change of a session that does not exist is the same error from every call, and
// changes nothing.
func TestChangesOfAnUnknownSession(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v05.db", "v11.db", "v25.db"} {
		s := openFixture(t, name)
		ctx, before := t.Context(), dump(t, otherConnection(t, s.Path()))
		for call, err := range map[string]error{
			"append":  second(s.AppendMessage(ctx, "unknown", sessiondb.NewMessage{Role: "user", Content: "x"})),
			"replace": s.ReplaceMessages(ctx, "unknown", nil),
			"clear":   s.ClearMessages(ctx, "unknown"),
			"end":     s.EndSession(ctx, "unknown", "user_exit"),
			"reopen":  s.ReopenSession(ctx, "unknown"),
			"prompt":  s.SetSystemPrompt(ctx, "unknown", "x"),
			"title":   second(s.SetTitle(ctx, "unknown", "a title of no session")),
			"use":     s.AddUsage(ctx, "unknown", sessiondb.Usage{}),
			"set use": s.SetUsage(ctx, "unknown", sessiondb.Usage{}),
		} {
			if kind(err) != model.KindNotFound {
				t.Errorf("%s: %s: %v", name, call, err)
			}
		}
		if after := dump(t, otherConnection(t, s.Path())); !reflect.DeepEqual(after, before) {
			t.Errorf("%s: something has changed", name)
		}
	}
}

// second returns the error of a call with two results.
func second(_ any, err error) error { return err }

// A message needs a role; its time, its id on the platform and whether it was addressed
// to the agent are stored where the file has them.
func TestAppendedMessageCarriesItsOrigin(t *testing.T) {
	t.Parallel()
	ctx, at := t.Context(), time.UnixMicro(1_700_000_000_123_456)
	for _, name := range []string{"v11.db", "v25.db"} {
		s := openFixture(t, name)
		if _, err := s.CreateSession(ctx, sessiondb.NewSession{ID: "a", Source: "telegram"}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.AppendMessage(ctx, "a", sessiondb.NewMessage{Content: "x"}); kind(err) != model.KindInvalid {
			t.Errorf("%s: without a role: %v", name, err)
		}
		m := sessiondb.NewMessage{Role: "user", Content: "x", Timestamp: at}
		if _, err := s.AppendMessage(ctx, "a", m); err != nil {
			t.Fatal(err)
		}
		m.PlatformMessageID, m.Observed = "tg-7", true
		_, err := s.AppendMessage(ctx, "a", m)
		if name == "v11.db" {
			if kind(err) != model.KindInvalid {
				t.Errorf("columns that the file lacks: %v", err)
			}
			continue
		}
		if err := errors.Join(err, s.ReplaceMessages(ctx, "a", []sessiondb.NewMessage{{Role: "user"}, m, {Role: "assistant"}})); err != nil {
			t.Fatal(err)
		}
		want := []string{
			db.AsText(db.Seconds(clock())), "", "0", "1.700000000123456e+09", "tg-7", "1", "1.700000000123457e+09", "", "0",
		}
		if got := values(t, s, `SELECT timestamp, platform_message_id, observed FROM messages WHERE session_id = 'a' ORDER BY id`); !slices.Equal(got, want) {
			t.Errorf("stored %q, want %q", got, want)
		}
	}
}

// A session that ended by compression takes no new messages in files whose Hermes
// refuses them. The error names the session that continues it, never itself.
func TestNoWritesToACompressedSession(t *testing.T) {
	t.Parallel()
	s, _ := One(t, "v25.db",
		session("root", "ended_at", "1700000100", "end_reason", "'compression'"), message("root", 2),
		session("tip", "parent_session_id", "'root'"), message("tip", 1),
		session("last", "ended_at", "1700000100", "end_reason", "'compression'"), message("last", 2),
	)
	for id, want := range map[string][]string{"root": {"tip"}, "last": nil} {
		m := sessiondb.NewMessage{Role: "user", Content: "x"}
		for call, err := range map[string]error{
			"append":  second(s.AppendMessage(t.Context(), id, m)),
			"replace": s.ReplaceMessages(t.Context(), id, []sessiondb.NewMessage{m}),
		} {
			e, ok := errors.AsType[*model.Error](err)
			if !ok || e.Kind != model.KindContinued || !slices.Equal(e.Matches, want) || want == nil && strings.Contains(e.Remedy.Text, id) {
				t.Errorf("%s to %s: %#v", call, id, err)
			}
		}
		if n := Count(t, s, `SELECT count(*) FROM messages WHERE session_id = '`+id+`'`); n != 2 {
			t.Errorf("%s has %d messages", id, n)
		}
	}
}

// White space around a title does not change its number.
func TestNextTitleTrims(t *testing.T) {
	t.Parallel()
	s, _ := One(t, "v11.db", session("x", "title", "'quagga'"), session("y", "title", "'quagga #4'"))
	for _, title := range []string{"quagga", " quagga", "quagga ", "\tquagga #2 \n"} {
		if got, err := s.NextTitle(t.Context(), title); err != nil || got != "quagga #5" {
			t.Errorf("after %q comes %q: %v", title, got, err)
		}
	}
}

func TestUsageAddsUp(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	cents := func(f float64) *float64 { return &f }
	for _, name := range []string{"v11.db", "v20.db", "v25.db"} {
		s := openFixture(t, name)
		if _, err := s.CreateSession(ctx, sessiondb.NewSession{ID: "a", Source: "cli"}); err != nil {
			t.Fatal(err)
		}
		const read = `SELECT input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, api_call_count,
			estimated_cost_usd, actual_cost_usd, cost_status, model, billing_provider FROM sessions WHERE id = 'a'`
		for _, step := range []struct {
			add  bool
			u    sessiondb.Usage
			want []string
		}{
			{
				true,
				sessiondb.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Reasoning: 5, APICalls: 1, Model: "m", Provider: "p"},
				[]string{"1", "2", "3", "4", "5", "1", "0", "", "", "m", "p"},
			},
			{
				true,
				sessiondb.Usage{Input: 10, APICalls: 1, Estimated: cents(0.5), CostStatus: "estimated", Model: "other"},
				[]string{"11", "2", "3", "4", "5", "2", "0.5", "", "estimated", "m", "p"},
			},
			{true, sessiondb.Usage{Actual: cents(0.25)}, []string{"11", "2", "3", "4", "5", "2", "0.5", "0.25", "estimated", "m", "p"}},
			{false, sessiondb.Usage{Input: 7, Estimated: cents(2)}, []string{"7", "0", "0", "0", "0", "0", "2", "0.25", "estimated", "m", "p"}},
		} {
			put := s.SetUsage
			if step.add {
				put = s.AddUsage
			}
			if err := put(ctx, "a", step.u); err != nil {
				t.Fatal(name, err)
			}
			if got := values(t, s, read); !slices.Equal(got, step.want) {
				t.Errorf("%s: %+v gives\n%v, want\n%v", name, step.u, got, step.want)
			}
		}
		if name == "v11.db" {
			continue
		}
		got := values(t, s, `SELECT model, sum(input_tokens), sum(api_call_count), sum(estimated_cost_usd)
			FROM session_model_usage WHERE session_id = 'a' GROUP BY model ORDER BY model`)
		if want := []string{"m", "1", "1", "0", "other", "10", "1", "0.5"}; !slices.Equal(got, want) {
			t.Errorf("%s by model: %v, want %v", name, got, want)
		}
	}
	if err := openFixture(t, "v01.db").AddUsage(ctx, "unknown", sessiondb.Usage{CacheRead: 1}); kind(err) != model.KindInvalid {
		t.Error("a column that is not there:", err)
	}
}

func TestSumsAreThoseOfTheTables(t *testing.T) {
	t.Parallel()
	for _, name := range versionsToTest(t) {
		s := openFixture(t, name)
		st, err := s.Stats(t.Context())
		if err != nil {
			t.Fatal(name, err)
		}
		if n := Count(t, s, `SELECT count(*) FROM sessions`); st.Sessions != n {
			t.Errorf("%s: %d sessions, not %d", name, st.Sessions, n)
		}
		if n := Count(t, s, `SELECT count(*) FROM messages m WHERE `+s.db.Schema.ActiveRows("m")); st.Messages != n {
			t.Errorf("%s: %d messages, not %d", name, st.Messages, n)
		}
		sources, in := 0, int64(0)
		for _, source := range st.Sources {
			sources += source.Sessions
		}
		for _, m := range st.Models {
			in += m.Usage.Input
		}
		total := Count(t, s, `SELECT sum(input_tokens) FROM sessions`)
		if s.db.Schema.Mentions("session_model_usage", "task") {
			total += Count(t, s, `SELECT coalesce(sum(input_tokens), 0) FROM session_model_usage WHERE task <> ''`)
		}
		if sources != st.Sessions || in != int64(total) || st.Total.Input != int64(total) {
			t.Errorf("%s: %d sessions by source, %d tokens by model, %d in all; the table has %d", name, sources, in, st.Total.Input, total)
		}
		info, err := os.Stat(s.Path())
		if err != nil || st.Bytes != info.Size() {
			t.Errorf("%s: %d bytes (%v)", name, st.Bytes, err)
		}
		all, err := s.UsageBySession(t.Context(), -1)
		if err != nil || len(all) != st.Sessions {
			t.Error(name, len(all), err)
		}
		if !slices.IsSortedFunc(all, func(a, b sessiondb.SessionUsage) int { return int(b.Usage.Tokens() - a.Usage.Tokens()) }) {
			t.Error(name, "not by tokens")
		}
		if top, err := s.UsageBySession(t.Context(), 3); err != nil || !reflect.DeepEqual(top, all[:min(3, len(all))]) {
			t.Error(name, top, err)
		}
	}
}

// An unknown cost is not counted as zero.
func TestUnknownCostStaysUnknown(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	ctx := t.Context()
	for _, id := range []string{"priced", "unpriced"} {
		if _, err := s.CreateSession(ctx, sessiondb.NewSession{ID: id, Source: "cli", Model: "m"}); err != nil {
			t.Fatal(err)
		}
	}
	dollars := 1.5
	if err := s.AddUsage(ctx, "priced", sessiondb.Usage{Input: 3, Estimated: &dollars, CostStatus: "estimated"}); err != nil {
		t.Fatal(err)
	}
	got, err := s.UsageByModel(ctx)
	want := model.Cost{USD: 1.5, Known: true, Estimated: true, Partial: true}
	if err != nil || len(got) != 1 || got[0].Usage.Cost != want || got[0].Sessions != 2 {
		t.Errorf("%+v %v", got, err)
	}
}

func TestMeta(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := openFixture(t, "v11.db")
	if _, ok, err := s.Meta(ctx, "nothing"); ok || err != nil {
		t.Error(ok, err)
	}
	for _, v := range []string{"5", "six"} {
		if err := s.SetMeta(ctx, "key", v); err != nil {
			t.Fatal(err)
		}
		if got, ok, err := s.Meta(ctx, "key"); got != v || !ok || err != nil {
			t.Error(got, ok, err)
		}
	}
	if err := s.SetMeta(ctx, "fts_stale", "1"); kind(err) != model.KindInvalid {
		t.Error(err)
	}
	old := openFixture(t, "v01.db")
	if _, ok, err := old.Meta(ctx, "key"); ok || err != nil {
		t.Error(ok, err)
	}
	if err := old.SetMeta(ctx, "key", "v"); kind(err) != model.KindInvalid {
		t.Error(err)
	}
}

// One ghost with a child kept all ghosts alive.
func TestQ14GhostWithAChild(t *testing.T) {
	s := openFixture(t, "v11.db")
	ghost := texts(t, s, `SELECT id FROM sessions WHERE source = 'tui' AND title IS NULL AND ended_at IS NOT NULL
		AND id NOT IN (SELECT session_id FROM messages)`)
	if len(ghost) != 1 {
		t.Fatal(ghost)
	}
	if _, err := s.CreateSession(t.Context(), sessiondb.NewSession{ID: "child", Source: "cli", ParentID: ghost[0]}); err != nil {
		t.Fatal(err)
	}
	if n, err := s.PruneGhosts(t.Context()); n != 1 || err != nil {
		t.Error(n, err)
	}
	if got := values(t, s, `SELECT id, quote(parent_session_id) FROM sessions WHERE id = 'child'`); !slices.Equal(got, []string{"child", "NULL"}) {
		t.Error(got)
	}
}

func TestPruneKeepsReferencedGhosts(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	db := otherConnection(t, s.Path())
	Must(t, db, `INSERT INTO sessions (id, source, started_at, ended_at) VALUES ('held', 'tui', 1, 2)`,
		`CREATE TABLE notes (session_id TEXT REFERENCES sessions(id))`, `INSERT INTO notes VALUES ('held')`,
		`INSERT INTO sessions (id, source, started_at, parent_session_id) VALUES ('child of held', 'cli', 1, 'held')`)
	if n, err := s.PruneGhosts(t.Context()); n != 1 || err != nil {
		t.Error(n, err)
	}
	if got := values(t, s, `SELECT parent_session_id FROM sessions WHERE id = 'child of held'`); !slices.Equal(got, []string{"held"}) {
		t.Error(got)
	}
}

func TestVacuum(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v11.db", "v25.db"} { // WAL, rollback journal
		s := openFixture(t, name)
		ctx := t.Context()
		if err := s.db.Write(ctx, "test", func(x *db.Tx) error {
			_, err := x.Exec(ctx, `UPDATE sessions SET system_prompt = NULL, model_config = NULL;
				CREATE TABLE gone AS SELECT * FROM messages; DROP TABLE gone`)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		const free, dump = `SELECT freelist_count FROM pragma_freelist_count`, `SELECT id || coalesce(quote(content), '') FROM messages ORDER BY id`
		before := texts(t, s, dump)
		if Count(t, s, free) == 0 {
			t.Fatal("nothing to gain")
		}
		other := otherConnection(t, s.Path())
		var n int
		if err := other.QueryRow(`SELECT count(*) FROM sessions`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if name == "v11.db" { // a rollback journal does not show who has the file open
			if err := s.Vacuum(ctx); kind(err) != model.KindLocked {
				t.Error("beside another process:", err)
			}
		}
		if err := other.Close(); err != nil {
			t.Fatal(err)
		}
		if err := s.Vacuum(ctx); err != nil {
			t.Fatal(name, err)
		}
		if n := Count(t, s, free); n != 0 {
			t.Errorf("%s: %d pages are still unused", name, n)
		}
		if after := texts(t, s, dump); !slices.Equal(after, before) {
			t.Error(name, "messages have changed")
		}
		if _, err := s.CreateSession(ctx, sessiondb.NewSession{ID: "after", Source: "cli"}); err != nil {
			t.Error(name, err)
		}
		if _, err := s.DataVersion(ctx); err != nil {
			t.Error(name, err)
		}
	}
}

// A vacuum would leave a sound file without the rows that cannot be read. Where only an
// index is damaged, it may go on, and every row stays.
func TestVacuumOfDamagedFiles(t *testing.T) {
	t.Parallel()
	for _, name := range fixtures.Names(t, "damaged/*.db", 7) {
		path := fixture(t, name)
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Open(t.Context(), path, WithClock(clock))
		if err != nil {
			continue
		}
		const rows = `SELECT quote(id) FROM sessions NOT INDEXED UNION ALL SELECT quote(content) FROM messages NOT INDEXED`
		var all []string
		indexOnly := name == "damaged/fts-lacks-rows.db" || name == "damaged/primary-key-damaged.db"
		if indexOnly {
			all = texts(t, s, rows)
		}
		err = s.Vacuum(t.Context())
		if kind(err) != model.KindDamaged && !indexOnly {
			t.Errorf("%s: %v", name, err)
		}
		if indexOnly && !slices.Equal(texts(t, s, rows), all) {
			t.Errorf("%s has lost rows", name)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if after, e := os.ReadFile(path); e != nil || err != nil && !bytes.Equal(after, before) {
			t.Errorf("%s has changed: %v", name, e)
		}
	}
}

// A long session is cleared in parts between which others can write; what they
// write stays and is counted, also where the call is canceled on the way.
func TestClearMessagesLetsOtherProcessesWrite(t *testing.T) {
	s, db := One(t, "v25.db", session("long", "message_count", "1600", "tool_call_count", "7"), message("long", 1600))
	parts := 0
	ctx, cancel := context.WithCancel(t.Context())
	s.db.Writer.OnLockHeld = func(time.Duration) {
		if parts++; parts == 2 {
			cancel()
		}
	}
	if err := s.ClearMessages(ctx, "long"); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	left := Count(t, s, `SELECT count(*) FROM messages WHERE session_id = 'long'`)
	if left == 0 || left >= 1600 || Count(t, s, `SELECT message_count FROM sessions WHERE id = 'long'`) != left {
		t.Error(left, "are left")
	}
	if newest := Count(t, s, `SELECT CAST(max(timestamp) AS INTEGER) FROM messages WHERE session_id = 'long'`); newest != 1700000000+left {
		t.Error("not the newest went first")
	}
	parts = 0
	s.db.Writer.OnLockHeld = func(time.Duration) {
		if parts++; parts == 1 {
			Must(t, db, `INSERT INTO messages (session_id, role, content, timestamp) VALUES ('long', 'user', 'meanwhile', 1)`)
		}
	}
	if err := s.ClearMessages(t.Context(), "long"); err != nil {
		t.Fatal(err)
	}
	if got := texts(t, s, `SELECT content FROM messages WHERE session_id = 'long'`); len(got) != 1 || got[0] != "meanwhile" || parts < 2 {
		t.Error(parts, got)
	}
	if n := Count(t, s, `SELECT message_count * 10 + tool_call_count FROM sessions WHERE id = 'long'`); n != 10 {
		t.Error("counted", n)
	}
	indexed(t, db, true)
}
