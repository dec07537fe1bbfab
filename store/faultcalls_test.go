//go:build unix

package store

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/sessiondb"
)

// publicCall is a call of a Store, with the arguments that it has on faultyHistory.
type publicCall struct {
	name   string
	writes bool
	parts  bool // it has several transactions, so that it can be made for some sessions only
	// prepare makes the call; what it does itself meets no fault. folder is an empty one.
	prepare func(t *testing.T, s *Store, folder string) func(context.Context) (any, error)
	// bare is in place of prepare for what is called while the file is not open.
	bare func(ctx context.Context, path string) (any, error)
}

// faultyHistory makes the database of the fault tests: a compressed conversation of two
// segments with a subagent, an old one that has ended, and an empty one.
func faultyHistory(t *testing.T, journal string) map[string][]byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	if _, err := Migrate(t.Context(), path, WithClock(clock)); err != nil {
		t.Fatal(err)
	}
	db := otherConnection(t, path)
	Must(
		t, db, `PRAGMA journal_mode = `+journal,
		session("root", "ended_at", "1700000100", "end_reason", "'compression'", "title", "'a title'"), message("root", 3),
		session("tip", "parent_session_id", "'root'", "model", "'some-model'"), `UPDATE sessions SET started_at = 1700000100 WHERE id = 'tip'`, message("tip", 3),
		session("helper", "parent_session_id", "'tip'"), `UPDATE sessions SET source = 'subagent' WHERE id = 'helper'`, message("helper", 1),
		session("old", "ended_at", "1700000050", "end_reason", "'user_exit'", "title", "'an old one'"), message("old", 4),
		session("empty"),
		`DROP INDEX idx_sessions_started`, // which Migrate repairs
		`UPDATE sessions SET message_count = (SELECT count(*) FROM messages WHERE session_id = sessions.id)`,
	)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return readFolder(t, filepath.Dir(path))
}

// readFolder reads all files of a folder.
func readFolder(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	all, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, e := range all {
		if files[e.Name()], err = os.ReadFile(filepath.Join(folder, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// calling makes a call that needs no preparation.
func calling(do func(context.Context, *Store) (any, error)) func(*testing.T, *Store, string) func(context.Context) (any, error) {
	return func(_ *testing.T, s *Store, _ string) func(context.Context) (any, error) {
		return func(ctx context.Context) (any, error) { return do(ctx, s) }
	}
}

// closing makes a call whose answer is an Undo, which is closed.
func closing(do func(context.Context, *Store) (model.Undo, error)) func(*testing.T, *Store, string) func(context.Context) (any, error) {
	return calling(func(ctx context.Context, s *Store) (any, error) {
		u, err := do(ctx, s)
		if u != nil {
			err = errors.Join(err, u.Close())
		}
		return nil, err
	})
}

// readingCalls are the calls that only read.
func readingCalls() []publicCall {
	type call = func(context.Context, *Store) (any, error)
	all := map[string]call{
		"Conversations": func(ctx context.Context, s *Store) (any, error) { return s.Conversations(ctx, everyConversation) },
		"Conversation":  func(ctx context.Context, s *Store) (any, error) { return s.Conversation(ctx, "tip") },
		"Details":       func(ctx context.Context, s *Store) (any, error) { return s.Details(ctx, "tip") },
		"FieldValues":   func(ctx context.Context, s *Store) (any, error) { return s.FieldValues(ctx, query.FieldModel) },
		"Outline":       func(ctx context.Context, s *Store) (any, error) { return s.Outline(ctx, "tip") },
		"MessagesByID":  func(ctx context.Context, s *Store) (any, error) { return s.MessagesByID(ctx, []int64{1, 4, 7}) },
		"MessagesNear":  func(ctx context.Context, s *Store) (any, error) { return s.MessagesNear(ctx, "tip", 5, 1) },
		"Tail":          func(ctx context.Context, s *Store) (any, error) { return s.Tail(ctx, "tip", 4) },
		"Lineage":       func(ctx context.Context, s *Store) (any, error) { return s.Lineage(ctx, "root") },
		"Ancestors":     func(ctx context.Context, s *Store) (any, error) { return s.Ancestors(ctx, "tip") },
		"Descendants":   func(ctx context.Context, s *Store) (any, error) { return s.Descendants(ctx, "root") },
		"Tip":           func(ctx context.Context, s *Store) (any, error) { return s.Tip(ctx, "root") },
		"ResumeTarget":  func(ctx context.Context, s *Store) (any, error) { return s.ResumeTarget(ctx, "root") },
		"ResumeCheck":   func(ctx context.Context, s *Store) (any, error) { return s.ResumeCheck(ctx, "tip") },
		"Fork":          func(ctx context.Context, s *Store) (any, error) { return s.Fork(ctx, "tip") },
		"Forks":         func(ctx context.Context, s *Store) (any, error) { return s.Forks(ctx, []string{"tip"}) },
		"Newest":        func(ctx context.Context, s *Store) (any, error) { return s.Newest(ctx, "/home", "cli") },
		"MatchName":     func(ctx context.Context, s *Store) (any, error) { return s.MatchName(ctx, "title") },
		"TitleOwner":    func(ctx context.Context, s *Store) (any, error) { return s.TitleOwner(ctx, "an old one", "tip") },
		"PlanDelete": func(ctx context.Context, s *Store) (any, error) {
			return s.PlanDelete(ctx, []string{"tip"}, model.DeleteOptions{})
		},
		"Prunable": func(ctx context.Context, s *Store) (any, error) {
			return s.Prunable(ctx, model.PruneOptions{OlderThan: time.Hour})
		},
		"CleanupFindings": func(ctx context.Context, s *Store) (any, error) { return s.CleanupFindings(ctx) },
		"DataVersion":     func(ctx context.Context, s *Store) (any, error) { _, err := s.DataVersion(ctx); return nil, err },
		"Check": func(ctx context.Context, s *Store) (any, error) {
			c, err := s.Check(ctx, true)
			return noted{[]int{c.Sessions, c.Messages, len(c.Problems), len(c.Advice)}, !c.Healthy() || len(c.Advice) > 0}, err
		},
		"Stats":          func(ctx context.Context, s *Store) (any, error) { return s.Stats(ctx) },
		"Session":        func(ctx context.Context, s *Store) (any, error) { return s.Session(ctx, "tip") },
		"Sessions":       func(ctx context.Context, s *Store) (any, error) { return s.Sessions(ctx, sessiondb.ListOptions{}) },
		"RecentSessions": func(ctx context.Context, s *Store) (any, error) { return s.RecentSessions(ctx, "", -1, 0) },
		"Messages":       func(ctx context.Context, s *Store) (any, error) { return s.Messages(ctx, "tip") },
		"ChatMessages":   func(ctx context.Context, s *Store) (any, error) { return s.ChatMessages(ctx, "tip", true) },
		"MessagesAround": func(ctx context.Context, s *Store) (any, error) { return s.MessagesAround(ctx, "tip", 5, 1) },
		"CountMessages":  func(ctx context.Context, s *Store) (any, error) { return s.CountMessages(ctx, "tip") },
		"NextTitle":      func(ctx context.Context, s *Store) (any, error) { return s.NextTitle(ctx, "a title") },
		"UsageReport":    func(ctx context.Context, s *Store) (any, error) { return s.UsageReport(ctx) },
		"ToolCounts":     func(ctx context.Context, s *Store) (any, error) { return s.ToolCounts(ctx, []string{"root", "tip"}) },
		"UsageByModel":   func(ctx context.Context, s *Store) (any, error) { return s.UsageByModel(ctx) },
		"Search": func(ctx context.Context, s *Store) (any, error) {
			r, err := s.Search(ctx, query.Parse("number", false), everyConversation)
			return r.Hits, err
		},
		"Search words": func(ctx context.Context, s *Store) (any, error) {
			r, err := s.Search(ctx, query.Parse("wor 3", true), everyConversation)
			return r.Hits, err
		},
		"SearchMessages": func(ctx context.Context, s *Store) (any, error) {
			hits, n, err := s.SearchMessages(ctx, "word", SearchOptions{Limit: 20})
			return []any{len(hits), n}, err
		},
		"Hits": func(ctx context.Context, s *Store) (any, error) {
			return s.HitIDs(ctx, query.Parse("number", false), "tip")
		},
		"Export": func(ctx context.Context, s *Store) (any, error) {
			var b strings.Builder
			_, err := s.Export(ctx, &b, model.ExportOptions{})
			return b.String(), err
		},
	}
	var calls []publicCall
	for name, do := range all {
		calls = append(calls, publicCall{name: name, prepare: calling(do)})
	}
	calls = append(calls, publicCall{name: "Open", bare: func(ctx context.Context, path string) (any, error) {
		s, err := Open(ctx, path, WithClock(clock))
		if err != nil {
			return nil, err
		}
		return nil, s.Close()
	}})
	return append(calls, publicCall{name: "Salvage", prepare: func(_ *testing.T, s *Store, folder string) func(context.Context) (any, error) {
		return func(ctx context.Context) (any, error) {
			done, err := s.Salvage(ctx, filepath.Join(folder, "saved.db"))
			return noted{[]int{done.Sessions, done.Messages}, !done.Whole() || len(done.Notes) > 0}, err
		}
	}})
}

// writingCalls are the calls that change the file.
func writingCalls() []publicCall {
	newMessage := sessiondb.NewMessage{Role: "user", Content: "more words"}
	one := func(name string, do func(context.Context, *Store) (any, error)) publicCall {
		return publicCall{name: name, writes: true, prepare: calling(do)}
	}
	return []publicCall{
		one("CreateSession", func(ctx context.Context, s *Store) (any, error) {
			return s.CreateSession(ctx, sessiondb.NewSession{ID: "new", Source: "cli"})
		}),
		one("AppendMessage", func(ctx context.Context, s *Store) (any, error) { return s.AppendMessage(ctx, "tip", newMessage) }),
		one("ReplaceMessages", func(ctx context.Context, s *Store) (any, error) {
			return nil, s.ReplaceMessages(ctx, "tip", []sessiondb.NewMessage{newMessage, newMessage})
		}),
		one("ClearMessages", func(ctx context.Context, s *Store) (any, error) { return nil, s.ClearMessages(ctx, "tip") }),
		one("SetTitle", func(ctx context.Context, s *Store) (any, error) { return s.SetTitle(ctx, "tip", "new title") }),
		one("AddUsage", func(ctx context.Context, s *Store) (any, error) {
			return nil, s.AddUsage(ctx, "tip", sessiondb.Usage{Input: 5})
		}),
		one("SetUsage", func(ctx context.Context, s *Store) (any, error) {
			return nil, s.SetUsage(ctx, "tip", sessiondb.Usage{Input: 7})
		}),
		one("SetSystemPrompt", func(ctx context.Context, s *Store) (any, error) { return nil, s.SetSystemPrompt(ctx, "tip", "be kind") }),
		one("SetMeta", func(ctx context.Context, s *Store) (any, error) { return nil, s.SetMeta(ctx, "key", "value") }),
		one("EndSession", func(ctx context.Context, s *Store) (any, error) { return nil, s.EndSession(ctx, "tip", "user_exit") }),
		one("ReopenSession", func(ctx context.Context, s *Store) (any, error) { return nil, s.ReopenSession(ctx, "old") }),
		one("PruneGhosts", func(ctx context.Context, s *Store) (any, error) { return s.PruneGhosts(ctx) }),
		one("FinalizeOrphans", func(ctx context.Context, s *Store) (any, error) { return s.FinalizeOrphans(ctx) }),
		one("Rename", func(ctx context.Context, s *Store) (any, error) {
			_, err := s.Rename(ctx, model.Renaming{ID: "tip", Title: "moved"})
			return nil, err
		}),
		one("Vacuum", func(ctx context.Context, s *Store) (any, error) { return nil, s.Vacuum(ctx) }),
		{name: "UndoEdit", writes: true, prepare: func(t *testing.T, s *Store, _ string) func(context.Context) (any, error) {
			e, err := s.Rename(t.Context(), model.Renaming{ID: "old", Was: "an old one", Title: "other"})
			if err != nil {
				t.Fatal(err)
			}
			return func(ctx context.Context) (any, error) { return nil, s.UndoEdit(ctx, e) }
		}},
		{name: "Delete", writes: true, prepare: closing(func(ctx context.Context, s *Store) (model.Undo, error) {
			return s.Delete(ctx, []string{"tip"}, model.DeleteOptions{})
		})},
		{name: "Delete with a backup", writes: true, prepare: func(_ *testing.T, s *Store, folder string) func(context.Context) (any, error) {
			return func(ctx context.Context) (any, error) {
				u, err := s.Delete(ctx, []string{"tip"}, model.DeleteOptions{Backup: filepath.Join(folder, "gone.jsonl")})
				if u != nil {
					err = errors.Join(err, u.Close())
				}
				return nil, err
			}
		}},
		{name: "Prune", writes: true, parts: true, prepare: closing(func(ctx context.Context, s *Store) (model.Undo, error) {
			return s.Prune(ctx, model.PruneOptions{OlderThan: time.Hour})
		})},
		{name: "Restore", writes: true, parts: true, prepare: func(t *testing.T, s *Store, _ string) func(context.Context) (any, error) {
			u, err := s.Delete(t.Context(), []string{"tip"}, model.DeleteOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return func(ctx context.Context) (any, error) { return nil, s.Restore(ctx, u, model.RestoreOptions{}) }
		}},
		{name: "Import", writes: true, parts: true, prepare: func(t *testing.T, s *Store, _ string) func(context.Context) (any, error) {
			var lines bytes.Buffer
			if _, err := s.Export(t.Context(), &lines, model.ExportOptions{}); err != nil {
				t.Fatal(err)
			}
			for _, id := range []string{"tip", "old"} {
				u, err := s.Delete(t.Context(), []string{id}, model.DeleteOptions{})
				if err = errors.Join(err, u.Close()); err != nil {
					t.Fatal(err)
				}
			}
			return func(ctx context.Context) (any, error) {
				_, err := s.Import(ctx, bytes.NewReader(lines.Bytes()), model.ImportOptions{})
				return nil, err
			}
		}},
		{name: "Migrate", writes: true, bare: func(ctx context.Context, path string) (any, error) {
			_, err := Migrate(ctx, path, WithClock(clock), WithoutBackup())
			return nil, err
		}},
		{name: "AutoPrune", writes: true, parts: true, prepare: calling(func(ctx context.Context, s *Store) (any, error) {
			_, err := s.AutoPrune(ctx, model.AutoPruneOptions{})
			return nil, err
		})},
	}
}
