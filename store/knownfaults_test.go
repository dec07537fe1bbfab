package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/sessiondb"
)

// Faults of the real software that this store does not have, by their number
// in store/README.md#known-faults, where no other file of tests is about them.

// listedIDs returns the default list of conversations by their tips.
func listedIDs(t testing.TB, s *Store, q query.ListOptions) (ids []string) {
	t.Helper()
	page, err := s.Conversations(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range page.Conversations {
		ids = append(ids, c.ID)
	}
	return ids
}

// family makes a database of version 11 with sessions (id, parent, source,
// start, end, reason, title) and a message each at its start.
func family(t testing.TB, rows ...string) *Store {
	t.Helper()
	s := fresh(t)
	for _, row := range rows {
		Must(t, otherConnection(t, s.Path()), `PRAGMA foreign_keys = 0`,
			`INSERT INTO sessions (id, parent_session_id, source, started_at, ended_at, end_reason, title) VALUES (`+row+`)`,
			`INSERT INTO messages (session_id, role, content, timestamp) SELECT id, 'user', 'of ' || id, started_at FROM sessions WHERE rowid = (SELECT max(rowid) FROM sessions)`)
	}
	return s
}

// A branch stays in the list when the session it was forked from is reopened,
// goes on, and ends for another reason.
func TestQ8BranchStaysWhenItsParentIsReopened(t *testing.T) {
	t.Parallel()
	s := family(t,
		`'base', NULL, 'cli', 1789000000, 1789001000, 'branched', 'base'`,
		`'fork', 'base', 'cli', 1789001000, NULL, NULL, 'base #2'`)
	both := func(when string) {
		t.Helper()
		ids := listedIDs(t, s, query.ListOptions{})
		slices.Sort(ids)
		if !slices.Equal(ids, []string{"base", "fork"}) {
			t.Errorf("%s: %v", when, ids)
		}
	}
	both("as it was")
	if err := s.ReopenSession(t.Context(), "base"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AppendMessage(t.Context(), "base", sessiondb.NewMessage{Role: "user", Content: "on with the first one"}); err != nil {
		t.Fatal(err)
	}
	both("reopened")
	if err := s.EndSession(t.Context(), "base", "user_exit"); err != nil {
		t.Fatal(err)
	}
	both("ended anew")
}

// A continuation whose row was written just before its parent's end is
// the tip, and a tool's session that came later is not.
func TestQ9TipIsNotChosenByTimeAlone(t *testing.T) {
	t.Parallel()
	s := family(t,
		`'root', NULL, 'cli', 1000, 2000, 'compression', NULL`,
		`'tip', 'root', 'cli', 1999.99, NULL, NULL, NULL`,
		`'tool', 'root', 'tool', 3000, NULL, NULL, NULL`)
	for _, id := range []string{"root", "tip"} {
		if tip, err := s.Tip(t.Context(), id); err != nil || tip != "tip" {
			t.Errorf("tip of %s: %s, %v", id, tip, err)
		}
	}
	if ids := listedIDs(t, s, query.ListOptions{}); !slices.Equal(ids, []string{"tip"}) {
		t.Error(ids)
	}
}

// Two compressed sessions that are each other's parents hang nothing.
func TestQ18RingOfCompressions(t *testing.T) {
	t.Parallel()
	s := family(t,
		`'a', 'b', 'cli', 1000, 2000, 'compression', NULL`,
		`'b', 'a', 'cli', 2000, 3000, 'compression', NULL`,
		`'c', 'c', 'cli', 3000, 4000, 'compression', NULL`)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for name, call := range map[string]func(id string) error{
		"list": func(string) error { _, err := s.Conversations(ctx, query.ListOptions{}); return err },
		"documents": func(string) error {
			_, err := s.Sessions(ctx, sessiondb.ListOptions{ByLastActive: true, Limit: -1})
			return err
		},
		"tip":     func(id string) error { _, err := s.Tip(ctx, id); return err },
		"resume":  func(id string) error { _, err := s.ResumeTarget(ctx, id); return err },
		"chat":    func(id string) error { _, err := s.ChatMessages(ctx, id, true); return err },
		"outline": func(id string) error { _, err := s.Outline(ctx, id); return err },
		"lineage": func(id string) error { _, err := s.Lineage(ctx, id); return err },
		"search": func(string) error {
			_, _, err := s.SearchMessages(ctx, "of", SearchOptions{})
			return err
		},
		"plan": func(id string) error {
			_, err := s.PlanDelete(ctx, []string{id}, model.DeleteOptions{})
			return err
		},
	} {
		for _, id := range []string{"a", "b", "c"} {
			if err := call(id); err != nil {
				t.Errorf("%s of %s: %v", name, id, err)
			}
		}
	}
	if _, err := s.Delete(ctx, []string{"a"}, model.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	if n := Count(t, s, `SELECT count(*) FROM sessions`); n != 1 {
		t.Errorf("%d sessions left", n)
	}
}

// The list goes by the last word, and what is equally old has one order.
func TestQ21ListGoesByLastActivity(t *testing.T) {
	t.Parallel()
	s := family(t,
		`'old-but-busy', NULL, 'cli', 1000, NULL, NULL, NULL`,
		`'newer', NULL, 'cli', 5000, NULL, NULL, NULL`,
		`'tie-b', NULL, 'cli', 3000, NULL, NULL, NULL`,
		`'tie-c', NULL, 'cli', 3000, NULL, NULL, NULL`,
		`'tie-a', NULL, 'cli', 3000, NULL, NULL, NULL`)
	Must(t, otherConnection(t, s.Path()), `INSERT INTO messages (session_id, role, content, timestamp) VALUES ('old-but-busy', 'user', 'again', 9000)`)
	want := []string{"old-but-busy", "newer", "tie-c", "tie-b", "tie-a"}
	if ids := listedIDs(t, s, query.ListOptions{}); !slices.Equal(ids, want) {
		t.Errorf("%v, want %v", ids, want)
	}
	var paged []string
	for from := range want {
		paged = append(paged, listedIDs(t, s, query.ListOptions{Limit: 1, Offset: from})...)
	}
	if !slices.Equal(paged, want) {
		t.Errorf("page by page %v, want %v", paged, want)
	}
}

// A row is all of one conversation: sums over the segments, what it shows of
// the tip, and filters by what it shows.
func TestQ22RowsAreOfOneConversation(t *testing.T) {
	t.Parallel()
	s := family(t,
		`'root', NULL, 'cli', 1000, 2000, 'compression', NULL`,
		`'tip', 'root', 'telegram', 2000, NULL, NULL, NULL`)
	Must(t, otherConnection(t, s.Path()), `UPDATE sessions SET input_tokens = 100, actual_cost_usd = 1 WHERE id = 'root'`,
		`UPDATE sessions SET input_tokens = 11, actual_cost_usd = 0.5 WHERE id = 'tip'`)
	page, err := s.Conversations(t.Context(), query.ListOptions{Sources: []string{"telegram"}})
	if err != nil || len(page.Conversations) != 1 {
		t.Fatal(page, err)
	}
	c := page.Conversations[0]
	if c.ID != "tip" || c.Source != "telegram" || c.Messages != 2 || c.Total.Input != 111 || c.Total.Cost.USD != 1.5 {
		t.Errorf("%+v", c)
	}
	if ids := listedIDs(t, s, query.ListOptions{Sources: []string{"cli"}}); len(ids) > 0 {
		t.Errorf("a filter that the row does not fit shows %v", ids)
	}
}

// A migration waits for the lock, and does all of its work or none of it.
func TestQ26MigrationWaitsAndIsWhole(t *testing.T) {
	t.Parallel()
	locked := func(path string) *sql.DB {
		db := otherConnection(t, path)
		Must(t, db, `BEGIN IMMEDIATE`)
		return db
	}
	impatient := func(wait func()) Option {
		return func(s *Store) {
			s.db.Writer.BusyTimeout = time.Millisecond
			s.db.Writer.Sleep = func(context.Context, time.Duration) error { wait(); return nil }
		}
	}
	t.Run("the lock goes", func(t *testing.T) {
		path := fixture(t, "v05.db")
		db, tries := locked(path), 0
		done, err := Migrate(t.Context(), path, WithClock(clock), impatient(func() {
			if tries++; tries == 3 {
				Must(t, db, `ROLLBACK`)
			}
		}))
		if err != nil || done.From != 5 || tries != 3 {
			t.Fatalf("%+v after %d tries: %v", done, tries, err)
		}
		if c := inspected(t, path, true); !c.Healthy() || c.Version != 11 {
			t.Errorf("%+v", c)
		}
		s, want := reopen(t, path), openFixture(t, "v11.db").db.Schema
		for _, table := range []string{"sessions", "messages", "state_meta"} {
			for _, column := range want.ColumnOrder[table] {
				if !s.db.Schema.Has(table, column) {
					t.Errorf("%s.%s is missing", table, column)
				}
			}
		}
	})
	t.Run("the lock stays", func(t *testing.T) {
		path := fixture(t, "v05.db")
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		q, tries := locked(path), 0
		_, err = Migrate(t.Context(), path, WithClock(clock), impatient(func() { tries++ }))
		expect(t, err, model.KindLocked)
		if tries != db.MaxWriteTries-1 {
			t.Errorf("%d tries", tries+1)
		}
		Must(t, q, `ROLLBACK`)
		if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
			t.Error("the file has changed", err)
		}
		if left, err := filepath.Glob(path + ".bak*"); err != nil || len(left) > 0 {
			t.Error("copies left behind", left, err)
		}
	})
}

// The journal mode stays as it was found, and a reader who is busy keeps
// no process from opening it.
func TestQ31JournalModeStays(t *testing.T) {
	t.Parallel()
	for i, mode := range []string{"truncate", "delete", "wal", "persist"} {
		for k, name := range someOf([]string{"v11.db", "v09.db", "v25.db"}, 2) {
			if (i+k)%campaign.Length(2, 1) > 0 {
				continue
			}
			t.Run(mode+" "+name, func(t *testing.T) {
				path := fixture(t, name)
				db := otherConnection(t, path)
				found := ""
				if err := db.QueryRow(`PRAGMA journal_mode = ` + mode).Scan(&found); err != nil || found != mode {
					t.Fatal(found, err)
				}
				rows, err := db.Query(`SELECT id FROM sessions`) // in the middle of reading
				if err != nil || !rows.Next() {
					t.Fatal(err)
				}
				s, err := Open(t.Context(), path, WithClock(clock))
				if err != nil {
					t.Fatal(err)
				}
				browse(t, s)
				if err := rows.Close(); err != nil {
					t.Fatal(err)
				}
				if _, err := s.CreateSession(t.Context(), sessiondb.NewSession{ID: "made", Source: "cli"}); err != nil {
					t.Fatal(err)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				if name != "v25.db" {
					if _, err := Migrate(t.Context(), path, WithClock(clock)); err != nil {
						t.Fatal(err)
					}
				}
				// TRUNCATE and PERSIST are of a connection; the file knows WAL or not.
				b, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if isWAL := b[18] == 2; isWAL != (mode == "wal") {
					t.Errorf("the file is in WAL mode: %v", isWAL)
				}
			})
		}
	}
}

// What a title became is what the call gives; a blank one clears it and says
// so by giving none.
func TestQ33TitleIsGivenAsStored(t *testing.T) {
	t.Parallel()
	s := family(t, `'a', NULL, 'cli', 1000, NULL, NULL, 'first'`)
	for _, c := range []struct{ given, stored string }{
		{" two\twords\u200b \n", "two words"}, {" \u200b\n", ""}, {"three", "three"}, {"", ""},
	} {
		got, err := s.SetTitle(t.Context(), "a", c.given)
		if err != nil || got != c.stored {
			t.Errorf("%q gave %q, %v", c.given, got, err)
		}
		want := "NULL"
		if c.stored != "" {
			want = c.stored
		}
		if stored := values(t, s, `SELECT coalesce(title, 'NULL') FROM sessions`); !slices.Equal(stored, []string{want}) {
			t.Errorf("%q is stored as %q", c.given, stored)
		}
	}
}

// The tables of the opt-in topics of Telegram are Hermes's to make, in one go;
// nothing here makes them, whatever is written for Telegram.
func TestQ34TelegramTopicsAreNeverMade(t *testing.T) {
	t.Parallel()
	for _, name := range append(versionsToTest(t), "") {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state.db")
			if name != "" {
				path = fixture(t, name)
			}
			topics := func(s *Store) (found []string) {
				for table := range s.db.Schema.Tables {
					if strings.Contains(table, "telegram") {
						found = append(found, table)
					}
				}
				if s.db.Schema.Has("state_meta", "key") {
					found = append(found, values(t, s, `SELECT key FROM state_meta WHERE key LIKE 'telegram%'`)...)
				}
				slices.Sort(found)
				return found
			}
			var before []string
			if name != "" {
				before = topics(reopen(t, path))
			}
			if name < "v12" && name != "life-long.db" {
				if _, err := Migrate(t.Context(), path, WithClock(clock)); err != nil {
					t.Fatal(err)
				}
			}
			s := reopen(t, path)
			if _, err := s.CreateSession(t.Context(), sessiondb.NewSession{ID: "topic", Source: "telegram", UserID: "7"}); err != nil {
				t.Fatal(err)
			}
			if _, err := s.AppendMessage(t.Context(), "topic", sessiondb.NewMessage{Role: "user", Content: "/topic"}); err != nil {
				t.Fatal(err)
			}
			if after := topics(reopen(t, path)); fmt.Sprint(after) != fmt.Sprint(before) {
				t.Errorf("before %v, after %v", before, after)
			}
		})
	}
}
