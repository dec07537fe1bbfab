package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
	"hermes-sessions/store/sessiondb"
)

// example makes an empty database in a temporary folder, with a clock that
// goes on by a minute each time it is asked. done removes it.
func example() (ctx context.Context, s *store.Store, done func()) {
	ctx = context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	path := filepath.Join(dir, "state.db")
	if _, err := store.Migrate(ctx, path); err != nil {
		log.Fatal(err)
	}
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	s, err = store.Open(ctx, path, store.WithClock(func() time.Time {
		now = now.Add(time.Minute)
		return now
	}))
	if err != nil {
		log.Fatal(err)
	}
	return ctx, s, func() {
		if err := errors.Join(s.Close(), os.RemoveAll(dir)); err != nil {
			log.Fatal(err)
		}
	}
}

// talk makes a session with one question and its answer.
func talk(ctx context.Context, s *store.Store, id, question, answer string) {
	_, err := s.CreateSession(ctx, sessiondb.NewSession{ID: id, Source: "cli", Model: "some-model"})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range []sessiondb.NewMessage{{Role: "user", Content: question}, {Role: "assistant", Content: answer}} {
		if _, err := s.AppendMessage(ctx, id, m); err != nil {
			log.Fatal(err)
		}
	}
}

// A new database, and one that is there already.
func ExampleMigrate() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for range 2 {
		report, err := store.Migrate(ctx, filepath.Join(dir, "state.db"))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("from", report.From, "to", report.To, "repaired", len(report.Repairs))
	}
	// Output:
	// from 0 to 11 repaired 0
	// from 11 to 11 repaired 0
}

// Every error that a person can do something about says what.
func ExampleError() {
	_, err := store.Open(context.Background(), "no-such-file.db")
	var e *model.Error
	if errors.As(err, &e) {
		fmt.Println(e.Kind)
		fmt.Println(e.Message)
		fmt.Println(e.Remedy.Kind, "-", e.Remedy.Text)
	}
	// Output:
	// absent
	// there is no database
	// open - start Hermes once, or open another database
}

func ExampleStore_CreateSession() {
	ctx, s, done := example()
	defer done()
	for range 2 {
		created, err := s.CreateSession(ctx, sessiondb.NewSession{
			ID: "20260302_090000_a1b2c3", Source: "cli", Model: "some-model",
			Config: store.Record{{Name: "temperature", Value: 0.7}},
		})
		fmt.Println(created, err)
	}
	// Output:
	// true <nil>
	// false <nil>
}

func ExampleStore_AppendMessage() {
	ctx, s, done := example()
	defer done()
	talk(ctx, s, "a", "Which tests fail?", "Let me look.")
	id, err := s.AppendMessage(ctx, "a", sessiondb.NewMessage{
		Role: "assistant",
		ToolCalls: []any{store.Record{
			{Name: "id", Value: "call_1"},
			{Name: "function", Value: store.Record{{Name: "name", Value: "terminal"}}},
		}},
	})
	fmt.Println(id, err)
	_, err = s.AppendMessage(ctx, "no such session", sessiondb.NewMessage{Role: "user", Content: "hello"})
	var e *model.Error
	fmt.Println(errors.As(err, &e), e.Message)
	// Output:
	// 3 <nil>
	// true Session 'no such session' not found.
}

// What goes to the model when a session is taken up again.
func ExampleStore_ChatMessages() {
	ctx, s, done := example()
	defer done()
	talk(ctx, s, "a", "Which tests fail? <memory-context>likes Go</memory-context>", "None.")
	messages, err := s.ChatMessages(ctx, "a", true)
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range messages {
		fmt.Println(string(pyjson.Append(nil, m)))
	}
	// Output:
	// {"role": "user", "content": "Which tests fail?"}
	// {"role": "assistant", "content": "None."}
}

func ExampleStore_SetTitle() {
	ctx, s, done := example()
	defer done()
	talk(ctx, s, "a", "Deploy it", "Done.")
	talk(ctx, s, "b", "Deploy it again", "Done.")
	fmt.Println(s.SetTitle(ctx, "a", "  the\tdeploy "))
	_, err := s.SetTitle(ctx, "b", "the deploy")
	var e *model.Error
	if errors.As(err, &e) && e.Kind == model.KindTitleInUse {
		fmt.Println(e.Message)
	}
	next, err := s.NextTitle(ctx, "the deploy")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.SetTitle(ctx, "b", next))
	// Output:
	// the deploy <nil>
	// Title 'the deploy' is already in use by session a
	// the deploy #2 <nil>
}

func ExampleStore_Conversations() {
	ctx, s, done := example()
	defer done()
	talk(ctx, s, "a", "Which tests fail?", "None.")
	talk(ctx, s, "b", "What is the weather?", "Dry.")
	page, err := s.Conversations(ctx, query.ListOptions{Limit: 10})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range page.Conversations {
		fmt.Println(c.ID, c.Messages, c.Preview)
	}
	// Output:
	// b 2 What is the weather?
	// a 2 Which tests fail?
}

func ExampleStore_Search() {
	ctx, s, done := example()
	defer done()
	talk(ctx, s, "a", "Look into .env, please", "It has a typo.")
	talk(ctx, s, "b", "What is the weather?", "Dry.")
	found, err := s.Search(ctx, query.Parse(".env", false), query.ListOptions{Limit: 10})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range found.Matches {
		fmt.Println(m.ID, m.Hits, m.Preview)
	}
	// Output:
	// a 1 Look into .env, please
}

// Messages, as Hermes's own search gives them, with what matched between marks.
func ExampleStore_SearchMessages() {
	ctx, s, done := example()
	defer done()
	talk(ctx, s, "a", "Look into .env, please", "The .env has a typo.")
	hits, total, err := s.SearchMessages(ctx, ".env typo", store.SearchOptions{Roles: []string{"assistant"}, Limit: 10})
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range hits {
		fmt.Println(h.SessionID, h.ID, h.Role, strings.TrimSpace(h.Snippet))
		fmt.Println("before:", h.Context[0].Content)
	}
	fmt.Println("of", total)
	// Output:
	// a 2 assistant The .>>>env<<< has a >>>typo<<<.
	// before: Look into .env, please
	// of 1
}

// The tree of a conversation: a segment that goes on after a compression, and a
// session that branched off.
func ExampleStore_Lineage() {
	ctx, s, done := example()
	defer done()
	talk(ctx, s, "a", "Which tests fail?", "None.")
	if err := s.EndSession(ctx, "a", "compression"); err != nil {
		log.Fatal(err)
	}
	if _, err := s.CreateSession(ctx, sessiondb.NewSession{ID: "a2", Source: "cli", ParentID: "a"}); err != nil {
		log.Fatal(err)
	}
	root, err := s.Lineage(ctx, "a2")
	if err != nil {
		log.Fatal(err)
	}
	root.Walk(func(n *model.Node, depth int) bool {
		fmt.Println(strings.Repeat("  ", depth)+n.ID, n.Link, n.VisibleMessages)
		return true
	})
	fmt.Println(root.Total.Sessions, "sessions,", root.Total.Messages, "messages, newest", root.Tip)
	// Output:
	// a root 2
	//   a2 segment 0
	// 2 sessions, 2 messages, newest a2
}

func ExampleStore_Delete() {
	ctx, s, done := example()
	defer done()
	talk(ctx, s, "a", "Which tests fail?", "None.")
	undo, err := s.Delete(ctx, []string{"a"}, model.DeleteOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer undo.Close()
	_, err = s.Session(ctx, "a")
	fmt.Println(undo.Deleted().Messages, "messages gone:", err != nil)
	fmt.Println(s.Restore(ctx, undo, model.RestoreOptions{}))
	n, err := s.CountMessages(ctx, "a")
	fmt.Println(n, err)
	// Output:
	// 2 messages gone: true
	// <nil>
	// 2 <nil>
}

func ExampleStore_Export() {
	ctx, s, done := example()
	defer done()
	talk(ctx, s, "a", "Which tests fail?", "None.")
	var lines bytes.Buffer // one session in each line, as Hermes exports it
	n, err := s.Export(ctx, &lines, model.ExportOptions{IDs: []string{"a"}})
	fmt.Println(n, err, strings.HasPrefix(lines.String(), `{"id": "a", "source": "cli"`))
	// Output:
	// 1 <nil> true
}

func ExampleStore_UsageByModel() {
	ctx, s, done := example()
	defer done()
	talk(ctx, s, "a", "Which tests fail?", "None.")
	cost := 0.25
	if err := s.AddUsage(ctx, "a", sessiondb.Usage{Input: 1200, Output: 300, APICalls: 1, Estimated: &cost, CostStatus: "estimated"}); err != nil {
		log.Fatal(err)
	}
	models, err := s.UsageByModel(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range models {
		fmt.Println(m.Model, m.Usage.Tokens(), m.Usage.Cost)
	}
	// Output:
	// some-model 1500 ~$0.25
}

// What another database exported comes with its ids; what is there already stays.
func ExampleStore_Import() {
	ctx, from, done := example()
	defer done()
	talk(ctx, from, "a", "Which tests fail?", "None.")
	var lines bytes.Buffer
	if _, err := from.Export(ctx, &lines, model.ExportOptions{}); err != nil {
		log.Fatal(err)
	}
	_, to, done := example()
	defer done()
	for range 2 {
		report, err := to.Import(ctx, bytes.NewReader(lines.Bytes()), model.ImportOptions{})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(report.Sessions, "sessions,", report.Messages, "messages,", report.Skipped, "skipped")
	}
	// Output:
	// 1 sessions, 2 messages, 0 skipped
	// 0 sessions, 0 messages, 1 skipped
}
