package store

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// cellChanges are the columns that a recorded call of Hermes 26 changed, by session: before and
// after.
type cellChanges map[string]map[string][2]any

// newestEffect is what a recorded call of Hermes 26 did.
type newestEffect struct {
	Removed []string    `json:"sessions_removed"`
	Changed cellChanges `json:"sessions_changed"`
}

// newestFiles are the fixtures that have recordings of Hermes 26, with the folder of these.
func newestFiles() map[string]string {
	return map[string]string{"v26.db": "v26", "v30.db": "newest-layout/v30", "v31.db": "newest-layout/v31"}
}

// namesByID are the names of the sessions of a fixture, by their ids.
func namesByID(t testing.TB, file string) map[string]string {
	t.Helper()
	names := map[string]string{}
	for name, id := range named(t, file) {
		names[id] = name
	}
	return names
}

// namesOf returns the names of sessions, sorted.
func namesOf(names map[string]string, ids []string) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		if out[i] = names[id]; out[i] == "" {
			out[i] = id
		}
	}
	slices.Sort(out)
	return out
}

// segmentsOf returns the sessions of conversations.
func segmentsOf(all []model.Conversation) (ids []string) {
	for _, c := range all {
		ids = append(ids, c.Segments...)
	}
	return ids
}

// What a prune by hand takes is what the rule of the newest Hermes takes, on each file and with
// each of the switches; it deletes just that, and undone, every table is as before.
func TestPruneIsThatOfTheNewestHermes(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"v26.db", "v28.db", "v30.db", "v31.db"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			pruneByTheNewestRule(t, file)
		})
	}
}

func pruneByTheNewestRule(t *testing.T, file string) {
	names := namesByID(t, file)
	var recording struct {
		Items []struct {
			Input struct {
				Days     float64 `json:"older_than_days"`
				Archived bool    `json:"include_archived"`
				Pinned   bool    `json:"include_pinned"`
			} `json:"input"`
			Deleted []string `json:"deleted"`
			Guarded []string `json:"spared_by_lease_or_lock"`
		} `json:"items"`
	}
	Recorded(t, "newest-rule/prune-"+file[:3], &recording)
	for _, item := range recording.Items {
		s := openFixture(t, file)
		o := model.PruneOptions{OlderThan: time.Duration(item.Input.Days) * day, IncludeArchived: item.Input.Archived, IncludePinned: item.Input.Pinned}
		old, err := s.Prunable(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		ids := segmentsOf(old.Conversations)
		if more, less := namesOf(names, without(ids, item.Deleted)), namesOf(names, without(item.Deleted, ids)); len(more)+len(less) > 0 {
			t.Errorf("%+v: takes %q more, %q less", item.Input, more, less)
		}
		if old.Left.Running != len(item.Guarded) {
			t.Errorf("%+v: %+v left, %q are guarded", item.Input, old.Left, item.Guarded)
		}
		if campaign.On() || item.Input.Days == 10 && o.IncludeArchived == o.IncludePinned {
			pruneAndUndo(t, s, o, ids, old.Left)
		}
	}
}

// pruneAndUndo prunes, looks at what is gone and what has lost its parent, and undoes it.
func pruneAndUndo(t *testing.T, s *Store, o model.PruneOptions, ids []string, left model.Left) {
	t.Helper()
	q := otherConnection(t, s.Path())
	before, seen := dump(t, q), see(t, q)
	plan, err := s.PlanPrune(t.Context(), o)
	if err != nil {
		t.Fatal(s.Path(), err)
	}
	o.Expected = &plan // as the command does
	u, err := s.Prune(t.Context(), o)
	if err != nil {
		t.Fatal(s.Path(), err)
	}
	t.Cleanup(func() { u.Close() })
	removed, relinked := seen.between(see(t, q))
	if len(without(removed, ids)) > 0 || len(removed) != len(ids) || u.Deleted().Left != left {
		t.Errorf("%d of %d sessions are gone, %+v left of %+v", len(removed), len(ids), u.Deleted().Left, left)
	}
	for _, id := range relinked {
		if !slices.Contains(ids, seen.parents[id].(string)) {
			t.Errorf("%s lost its parent", id)
		}
	}
	restored(t, s, u)
	same(t, "prune", before, dump(t, q))
}

// A prune takes no session that the plan, which the user agreed to, does not have.
func TestPruneTakesOnlyWhatWasAgreed(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v31.db")
	o := model.PruneOptions{OlderThan: 10 * day}
	plan, err := s.PlanPrune(t.Context(), o)
	if err != nil || len(plan.Sessions) < 20 {
		t.Fatal(len(plan.Sessions), err)
	}
	plan.Sessions = plan.Sessions[:len(plan.Sessions)/2]
	o.Expected = &plan
	u, err := s.Prune(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	gone := u.Deleted().Sessions
	if more := without(gone, plan.Sessions); len(gone) == 0 || len(more) > 0 {
		t.Errorf("%d are gone, %v of them not agreed to", len(gone), more)
	}
}

// Hermes 26 deleted what the newest does not, and nothing that we keep for another reason.
func TestPruneAsRecordedAt26(t *testing.T) {
	t.Parallel()
	for file, folder := range newestFiles() {
		names := namesByID(t, file)
		var recording struct {
			Items []struct {
				Input struct {
					Days     float64 `json:"older_than_days"`
					Archived bool    `json:"include_archived"`
				} `json:"input"`
				Open   int          `json:"open_matches"`
				Effect newestEffect `json:"effect"`
			} `json:"items"`
		}
		Recorded(t, folder+"/prune", &recording)
		reasons := map[string]string{}
		for _, item := range recording.Items {
			s := openFixture(t, file)
			old, err := s.Prunable(t.Context(), model.PruneOptions{OlderThan: time.Duration(item.Input.Days) * day, IncludeArchived: item.Input.Archived})
			if err != nil {
				t.Fatal(err)
			}
			ids := segmentsOf(old.Conversations)
			if more := namesOf(names, without(ids, item.Effect.Removed)); len(more) > 0 {
				t.Errorf("%s %+v: takes more: %q", file, item.Input, more)
			}
			for _, name := range namesOf(names, without(item.Effect.Removed, ids)) {
				why, known := map[string]string{
					"pinned_old": "pinned", "chain_pin1": "pinned", "chain_pin2": "follows a pinned one", "chain_pin3": "pinned",
					"swept_today": "closed by the sweep less than the age ago", "heartbeat_later": "active after its last message",
					"chain_old1": "goes on", "chain_a1": "goes on", "chain_empty1": "goes on", "chain_fork1": "goes on", "chain_hidden1": "goes on",
					"chain_auto1": "goes on", "chain_mix1": "goes on", "old_ended_with_lease": "another process has it",
				}[name]
				if !known {
					t.Errorf("%s %+v: keeps %s", file, item.Input, name)
				}
				reasons[name] = why
			}
			if item.Input.Archived && old.Left.Open != item.Open {
				t.Errorf("%s %+v: %d open, recorded %d", file, item.Input, old.Left.Open, item.Open)
			}
		}
		t.Log(file, reasons)
	}
}

// The automatic run takes archived conversations too; what it leaves is what a prune by hand of
// archived ones leaves.
func TestAutoPruneTakesArchivedConversations(t *testing.T) {
	t.Parallel()
	for file, folder := range newestFiles() {
		names := namesByID(t, file)
		var recording struct {
			Items []struct {
				Input struct {
					Days  float64  `json:"retention_days"`
					Hours *float64 `json:"min_interval_hours"`
				} `json:"input"`
				Output struct {
					Skipped bool `json:"skipped"`
				} `json:"output"`
				Effect newestEffect `json:"effect"`
			} `json:"items"`
		}
		Recorded(t, folder+"/auto_prune", &recording)
		for _, item := range recording.Items {
			s := openFixture(t, file)
			seen := see(t, s.db.Pool)
			interval := 24 * time.Hour
			if h := item.Input.Hours; h != nil {
				interval = time.Duration(*h) * time.Hour
			}
			done, err := s.AutoPrune(t.Context(), model.AutoPruneOptions{Retention: time.Duration(item.Input.Days) * day, MinInterval: interval})
			if err != nil || done.Skipped != item.Output.Skipped {
				t.Fatal(file, item.Input, done, err)
			}
			removed, _ := seen.between(see(t, s.db.Pool))
			if more := namesOf(names, without(removed, item.Effect.Removed)); len(more) > 0 {
				t.Errorf("%s %+v: takes more: %q", file, item.Input, more)
			}
			archived := 0
			for _, name := range namesOf(names, removed) {
				if slices.Contains([]string{"archived_old", "chain_arch1", "chain_arch2"}, name) {
					archived++
				}
			}
			if want := 3; !done.Skipped && archived != want {
				t.Errorf("%s %+v: took %d archived sessions of %d", file, item.Input, archived, want)
			}
		}
	}
}

// What a prune says of a watchdog of 40 days and a conversation that was never closed, by the
// ages, the flags and the source; also where the file has no column for a flag.
func TestPruneSaysWhyItLeaves(t *testing.T) {
	t.Parallel()
	const watchdog, never = "20261001_090000_pr0001", "20260601_090000_pr0002"
	now := time.Date(2026, 11, 27, 21, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name string
		do   string // before, on the file that has the flags
		o    model.PruneOptions
		goes []string
		left string
	}{
		{"bare", "", model.PruneOptions{OlderThan: 90 * day}, nil, "1 open"},
		{"30 days", "", model.PruneOptions{OlderThan: 30 * day}, []string{watchdog}, "1 open"},
		{"an age of its source", "", model.PruneOptions{OlderThan: 90 * day, BySource: map[string]time.Duration{"cron": 30 * day}}, []string{watchdog}, "1 open"},
		{"a longer age of its source", "", model.PruneOptions{OlderThan: 30 * day, BySource: map[string]time.Duration{"cron": 60 * day}}, []string{watchdog}, "1 open"},
		{"an age of another source", "", model.PruneOptions{OlderThan: 90 * day, BySource: map[string]time.Duration{"cli": 30 * day}}, nil, "1 open"},
		{"of a source", "", model.PruneOptions{OlderThan: 30 * day, Source: "cron"}, []string{watchdog}, ""},
		{"open and archived", `UPDATE sessions SET archived = 1 WHERE id = '` + never + `'`, model.PruneOptions{OlderThan: 90 * day, IncludeArchived: true}, nil, "1 open"},
		{"archived", `UPDATE sessions SET archived = 1 WHERE id = '` + watchdog + `'`, model.PruneOptions{OlderThan: 30 * day}, nil, "1 open, 1 archived"},
		{"archived, included", `UPDATE sessions SET archived = 1 WHERE id = '` + watchdog + `'`, model.PruneOptions{OlderThan: 30 * day, IncludeArchived: true}, []string{watchdog}, "1 open"},
		{"pinned", `UPDATE sessions SET pinned = 1, archived = 1`, model.PruneOptions{OlderThan: 30 * day, IncludeArchived: true}, nil, "1 open, 1 pinned"},
		{"pinned, included", `UPDATE sessions SET pinned = 1`, model.PruneOptions{OlderThan: 30 * day, IncludePinned: true}, []string{watchdog}, "1 open"},
		{"just closed by Hermes", `UPDATE sessions SET ended_at = 1795800000, end_reason = 'startup_orphan_reap' WHERE id = '` + never + `'`, model.PruneOptions{OlderThan: 30 * day}, []string{watchdog}, ""},
		{"closed by Hermes long ago", `UPDATE sessions SET ended_at = 1785800000, end_reason = 'startup_orphan_reap' WHERE id = '` + never + `'`, model.PruneOptions{OlderThan: 30 * day}, []string{never, watchdog}, ""},
		{"active lately", `UPDATE sessions SET last_activity_at = 1795800000 WHERE id = '` + watchdog + `'`, model.PruneOptions{OlderThan: 30 * day}, nil, "1 open"},
		{"at work", `INSERT INTO compression_locks VALUES ('` + watchdog + `', 'x', 1795800000, 1795990000)`, model.PruneOptions{OlderThan: 30 * day}, nil, "1 open, 1 running"},
		{"of an unknown table", `CREATE TABLE later (id TEXT REFERENCES sessions(id)); INSERT INTO later VALUES ('` + watchdog + `')`, model.PruneOptions{OlderThan: 30 * day}, nil, "1 open, 1 in use by a newer Hermes"},
		{"all at once", "", model.PruneOptions{}, []string{watchdog}, "1 open"},
	} {
		for _, file := range []string{"reports/r4-prune-11.db", "reports/r4-prune-25.db"} {
			path := fixture(t, file)
			if c.do != "" {
				if strings.HasSuffix(file, "11.db") {
					continue // it has none of these columns
				}
				Must(t, otherConnection(t, path), c.do)
			}
			s, err := Open(t.Context(), path, WithClock(func() time.Time { return now }))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			old, err := s.Prunable(t.Context(), c.o)
			if err != nil || !slices.Equal(segmentsOf(old.Conversations), c.goes) || old.Left.String() != c.left {
				t.Errorf("%s, %s: %q, left: %q, %v", file, c.name, segmentsOf(old.Conversations), old.Left, err)
			}
			pruneAndUndo(t, s, c.o, c.goes, old.Left)
		}
	}
}

// A conversation that another program pins, uses or reopens after a prune has chosen it stays,
// and the prune goes on.
func TestPrunePassesOverWhatIsNoLongerOld(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"pinned":   `UPDATE sessions SET pinned = 1 WHERE id = 'old9'`,
		"archived": `UPDATE sessions SET archived = 1 WHERE id = 'old9'`,
		"reopened": `UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = 'old9'`,
		"used":     `UPDATE sessions SET last_activity_at = ` + ago(0) + ` WHERE id = 'old9'`,
		"at work":  `INSERT INTO compression_locks VALUES ('old9', 'x', 1, ` + ago(-1) + `)`,
	} {
		s, q := One(t, "v25.db", `WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 9)
			INSERT INTO sessions (id, source, started_at, ended_at) SELECT 'old' || n, 'old', n * 1e6, n * 1e6 + 1 FROM i`,
			`WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 150)
			INSERT INTO messages (session_id, role, content, timestamp) SELECT s.id, 'user', printf('%0500d', n), s.started_at FROM sessions s, i WHERE s.source = 'old'`)
		changed := false
		u, err := s.Prune(t.Context(), model.PruneOptions{OlderThan: day, Source: "old", Progress: func(int, int) {
			if !changed {
				changed = true
				Must(t, q, change)
			}
		}})
		if err != nil {
			t.Fatal(name, err)
		}
		t.Cleanup(func() { u.Close() })
		d := u.Deleted()
		if n := Count(t, s, `SELECT count(*) FROM sessions WHERE source = 'old'`); n != 1 || len(d.Sessions) != 8 || len(d.Skipped) != 1 || d.Skipped[0].ID != "old9" {
			t.Errorf("%s: %d are left, %q deleted, %+v", name, n, d.Sessions, d.Skipped)
		}
		if n := Count(t, s, `SELECT count(*) FROM messages WHERE session_id = 'old9'`); n != 150 {
			t.Errorf("%s: it has %d messages left", name, n)
		}
		if (name == "at work") != (d.Left.Running == 1) {
			t.Errorf("%s: %+v", name, d.Left)
		}
	}
}

// A file that refuses the change is an error, and not a prune of nothing.
func TestPruneSaysThatTheFileRefuses(t *testing.T) {
	t.Parallel()
	s, q := One(t, "v25.db", session("old", "ended_at", ago(100)), message("old", 1), session("stays"),
		`UPDATE sessions SET started_at = `+ago(100)+` WHERE id IN ('old', 'stays')`, `UPDATE messages SET timestamp = `+ago(100)+` WHERE session_id = 'old'`,
		`CREATE TRIGGER odd AFTER DELETE ON messages BEGIN DELETE FROM sessions WHERE id = 'stays'; END`)
	before := dump(t, q)
	if u, err := s.Prune(t.Context(), model.PruneOptions{OlderThan: 90 * day}); kind(err) != model.KindRefused || u != nil {
		t.Errorf("%v %v", u, err)
	}
	same(t, "refused", before, dump(t, q))
}

// What gets a message while a prune begins is no longer old, though nothing has reopened it.
func TestPruneLeavesWhatHasJustGotAMessage(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v11.db")
	s, other := reopen(t, path), reopen(t, path)
	o := model.PruneOptions{OlderThan: 10 * 24 * time.Hour}
	old, err := s.Prunable(t.Context(), o)
	if err != nil || len(old.Conversations) < 2 {
		t.Fatal(len(old.Conversations), err)
	}
	id := old.Conversations[0].ID
	held, goOn, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		done <- other.db.Write(t.Context(), "hold", func(tx *db.Tx) error {
			if _, err := tx.Exec(t.Context(), `INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', 'just now', ?)`, id, tx.Timestamp); err != nil {
				return err
			}
			close(held)
			<-goOn
			return nil
		})
	}()
	<-held
	time.AfterFunc(500*time.Millisecond, func() { close(goOn) })
	u, err := s.Prune(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if n := Count(t, s, `SELECT count(*) FROM messages WHERE content = 'just now'`); n != 1 || len(u.Deleted().Sessions) == 0 {
		t.Errorf("%d messages; %d sessions are pruned", n, len(u.Deleted().Sessions))
	}
}

// A lease whose holder is dead does not keep an old conversation; one whose holder lives does, until
// it expires.
func TestPruneAsksWhetherTheHolderOfALeaseLives(t *testing.T) {
	t.Parallel()
	for _, of := range []struct {
		holder  string
		expires float64 // after now
		stays   bool
	}{
		{"pid=1:turn=a:platform=cli", 60, true},
		{"pid=1:turn=a:platform=cli", -60, false},
		{"pid=4194999:turn=a:platform=cli", 60, false},
		{"worker", 60, true},
	} {
		s, err := Open(t.Context(), fixture(t, "v31.db"), WithClock(clock), WithProcesses(only1))
		if err != nil {
			t.Fatal(err)
		}
		o := model.PruneOptions{OlderThan: 30 * day}
		before, err := s.Prunable(t.Context(), o)
		if err != nil || len(before.Conversations) == 0 {
			t.Fatalf("%d old ones: %v", len(before.Conversations), err)
		}
		c := before.Conversations[0]
		q := otherConnection(t, s.Path())
		if _, err := q.Exec(`INSERT INTO session_turn_leases VALUES (?, ?, ?, ?)`, c.RootID, of.holder,
			clock().Unix(), float64(clock().Unix())+of.expires); err != nil {
			t.Fatal(err)
		}
		u, err := s.Prune(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		gone := u.Deleted()
		if there := slices.Contains(gone.Sessions, c.ID); there == of.stays {
			t.Errorf("%+v: %v deleted", of, there)
		}
		more := gone.Left.Running - before.Left.Running
		if of.stays != (more == 1) || more > 1 {
			t.Errorf("%+v: %d more are running", of, more)
		}
		if err := errors.Join(u.Close(), s.Close()); err != nil {
			t.Error(err)
		}
	}
}
