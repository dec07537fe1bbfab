//go:build !windows

package e2e

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
)

// deletingKeys select, delete, clean up, take back, and change rows in other ways.
var deletingKeys = []string{
	"y", "y", "\x04", "\x04", "\x04", "\t", "\x1ba", "\x1bz", "\x1bz", "\x18d", "\x18c", "*", "s", "[", "\x15", "\x15",
	"\x1b[A", "\x1b[B", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b", "\x18S", "\x18l", "\x18p", "\x18a", "d", "q", "\x12X\r", "\x1bc",
}

// One or two browsers in which keys in any order delete and take back, beside a program that
// adds, are killed at any moment: each row is in the file, or hermes-sessions undo restores it.
func TestRandomKeysLoseNothing(t *testing.T) {
	t.Parallel()
	versions := fixtures.Names(t, "v*.db", 20)
	for round := range campaign.Length(1, 20) {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(uint64(round), 14))
			args, dbs := []string(nil), []string{fixtures.Database(t, versions[rng.IntN(len(versions))])}
			if round%3 == 2 {
				args, dbs = []string{"--all-profiles"}, append(dbs, fixtures.Database(t, versions[rng.IntN(len(versions))]))
			}
			for _, db := range dbs {
				args = append(args, "--db", db)
			}
			write, now := otherWriter(t, dbs[0]), float64(today.Unix()-60)
			write(`INSERT INTO sessions (id, source, started_at, ended_at) VALUES ('long', 'cli', ?1, ?1)`, now)
			write(`WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 2000)
				INSERT INTO messages (session_id, role, content, timestamp) SELECT 'long', 'user', n || ?, ? FROM n`, strings.Repeat(" docker and the rest", 30), now)
			for range campaign.Length(1, 6) {
				before, state := stored(t, dbs), "XDG_STATE_HOME="+t.TempDir()
				done := make(chan struct{})
				var adds, keys sync.WaitGroup
				adds.Go(func() {
					for n := 0; ; n++ {
						select {
						case <-done:
							return
						case <-time.After(100 * time.Millisecond):
							write(`INSERT INTO messages (session_id, role, content, timestamp) SELECT id, 'user', ?, ? FROM sessions ORDER BY random() LIMIT 1`, fmt.Sprint("added ", n), now)
						}
					}
				})
				browsers := make([]*browser, 1+round%2)
				for n := range browsers {
					browsers[n] = open(t, 200, 60, append(slices.Clip(editors), state), args...)
					rng := rand.New(rand.NewPCG(rng.Uint64(), 0))
					keys.Go(func() { deleteAtRandom(t, rng, browsers[n]) })
				}
				keys.Wait()
				close(done)
				adds.Wait()
				for _, db := range dbs {
					r := undoAll(t, environment(t, state), db)
					if strings.Contains(r.stderr, "write-ahead log is damaged") {
						// A kill between the write of a change and its announcement leaves it behind
						// the end of the log, as damage would: do what the program advises.
						fixtures.Exec(t, db, `PRAGMA wal_checkpoint(TRUNCATE)`)
						r = undoAll(t, environment(t, state), db)
					}
					if r.code != 0 && r.stderr != "Nothing to undo.\n" {
						t.Errorf("%+v", r)
					}
				}
				if slices.ContainsFunc(browsers, func(s *browser) bool { return !s.onScreen() }) {
					continue // a key has ended it, or begun to: what was typed then may have forgotten deletions
				}
				after := stored(t, dbs)
				before = slices.DeleteFunc(before, func(row string) bool { _, found := slices.BinarySearch(after, row); return found })
				if len(before) > 0 {
					t.Errorf("%d rows are lost: %.100q", len(before), before[:min(5, len(before))])
				}
			}
		})
	}
}

// undoAll restores all that was deleted, the last first.
func undoAll(t *testing.T, environ []string, db string) (r result) {
	for r.code == 0 {
		r = runIn(t, environ, "--db", db, "undo", "--yes")
	}
	return r
}

// deleteAtRandom presses keys, and confirms what they ask to delete, until it kills the browser.
func deleteAtRandom(t *testing.T, rng *rand.Rand, s *browser) {
	pressed := typeAtRandom(t, rng, s, 40+rng.IntN(100), func() string {
		screen := s.text()
		switch {
		case strings.Contains(screen, "Deletes ") && rng.IntN(4) > 0:
			<-time.After(time.Duration(1+rng.IntN(5)) * reactionTime) // a letter right behind another one does not confirm
			return "y"
		case strings.Contains(screen, "No conversation"):
			return "\x15"
		case rng.IntN(12) == 0:
			return anyInput(rng)
		}
		return deletingKeys[rng.IntN(len(deletingKeys))]
	})
	_ = s.cmd.Process.Kill()
	<-s.drained
	if raw := s.bytes(); strings.Contains(raw, "goroutine 1 [") {
		t.Errorf("%q\n%s%s", pressed, raw[max(0, len(raw)-3000):], panicReport(raw))
	}
}

// stored returns of all rows what a delete and its undo leave as it was, in order.
func stored(t *testing.T, dbs []string) (all []string) {
	t.Helper()
	for _, db := range dbs {
		c, err := sql.Open("sqlite", "file:"+db+"?_pragma=busy_timeout(10000)")
		if err != nil {
			t.Fatal(err)
		}
		for _, query := range []string{
			`SELECT m.id, m.session_id, m.role, m.content, m.tool_calls, m.timestamp FROM messages m JOIN sessions s ON s.id = m.session_id`,
			`SELECT id, source, model, started_at, ended_at, parent_session_id FROM sessions`,
		} {
			rows, err := c.Query(query)
			for err == nil && rows.Next() {
				var row [6]any
				if err = rows.Scan(&row[0], &row[1], &row[2], &row[3], &row[4], &row[5]); err == nil {
					all = append(all, fmt.Sprint(db, row))
				}
			}
			if err != nil || rows.Err() != nil {
				t.Fatal(err, rows.Err())
			}
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(all)
	return all
}
