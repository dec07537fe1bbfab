package running

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
)

// Every schema version tells which of its sessions are open.
func TestOpenSessionsOfEveryVersion(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v01.db", "v05.db", "v08.db", "v11.db", "v16.db", "v20.db", "v25.db"} {
		db := fixtures.Database(t, name)
		fixtures.Exec(t, db, `UPDATE sessions SET ended_at = NULL`)
		s, err := store.Open(t.Context(), db, store.ReadOnly())
		if err != nil {
			t.Fatal(name, err)
		}
		page, err := s.Conversations(t.Context(), query.ListOptions{Scope: model.ScopeAll})
		if err != nil || len(page.Conversations) == 0 {
			t.Fatal(name, err)
		}
		now := page.Conversations[0].LastActive.Add(20 * time.Second)
		s.Close()
		if s, err = store.Open(t.Context(), db, store.ReadOnly(), store.WithClock(func() time.Time { return now })); err != nil {
			t.Fatal(name, err)
		}
		r := &Reader{Source: s}
		first, err := r.Sessions(t.Context(), now)
		if err != nil || len(first) == 0 || first[0].ID != page.Conversations[0].ID || first[0].Silent != 20*time.Second || first[0].Activity == model.ActivitySilent {
			t.Errorf("%s: %d sessions, %v", name, len(first), err)
		}
		again, err := r.Sessions(t.Context(), now) // with what is kept of the first time
		if err != nil || !slices.EqualFunc(first, again, func(a, b model.Running) bool { return a.ID == b.ID && a.Activity == b.Activity && a.Tool == b.Tool }) {
			t.Errorf("%s: %d sessions, then %d, %v", name, len(first), len(again), err)
		}
		s.Close()
	}
}

// A file that tells who works in it is believed, and nothing in it is an error: live turns,
// compressions, and those whose process is gone.
func TestWhatRunsInNewerFiles(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_790_000_000, 0)
	only1 := func(pid int) bool { return pid == 1 }
	for _, file := range []string{"v26.db", "v28.db", "v30.db", "v31.db"} {
		var manifest map[string]struct{ Named map[string]any }
		if err := json.Unmarshal(fixtures.Read(t, "manifest-26-31.json"), &manifest); err != nil {
			t.Fatal(err)
		}
		named := manifest[file].Named
		path := fixtures.Database(t, file)
		s, err := store.Open(t.Context(), path, store.ReadOnly(), store.WithClock(func() time.Time { return now }), store.WithProcesses(only1))
		if err != nil {
			t.Fatal(file, err)
		}
		read := func() map[string]model.Running {
			rows, err := (&Reader{Source: s}).Sessions(t.Context(), now)
			if err != nil {
				t.Fatal(file, err)
			}
			byID := map[string]model.Running{}
			for _, r := range rows {
				byID[r.ID] = r
			}
			return byID
		}
		rows := read()
		for name, want := range map[string]model.Activity{
			"lease_live": model.ActivityWorking, "lease_live_far": model.ActivityWorking, "lease_no_pid": model.ActivityWorking,
			"lease_chain2": model.ActivityWorking, "ended_with_lease": model.ActivityWorking, "old_ended_with_lease": model.ActivityWorking,
			"lease_dead": model.ActivityDead, "lease_dead_far": model.ActivityDead, "lease_expired": model.ActivityDead,
			"lock_live_far": model.ActivityCompressing, "lock_dead": model.ActivityDead,
		} {
			id, _ := named[name].(string)
			r, ok := rows[id]
			if !ok || r.Activity != want {
				t.Errorf("%s: %s (%s) is %v, %s", file, name, id, ok, r.Activity)
			}
			if ok && want == model.ActivityWorking && (r.State != model.StateRunning || r.Silent > time.Minute) {
				t.Errorf("%s: %s is %s, silent for %v", file, name, r.State, r.Silent)
			}
		}
		waiting := 0
		for id, r := range rows {
			if r.Lock.Kind == model.LockNone && r.Link != model.LinkDelegate {
				waiting++
				if r.Activity != model.ActivityWaiting {
					t.Errorf("%s: %s has no turn and is %s", file, id, r.Activity)
				}
			}
		}
		if waiting == 0 {
			t.Error(file, "nothing waits")
		}
		fixtures.Exec(t, path, `UPDATE session_turn_leases SET holder = x'00ff', acquired_at = 'now', expires_at = 'x'`,
			`UPDATE compression_locks SET holder = '', acquired_at = 9e300, expires_at = ''`)
		if file != "v26.db" {
			fixtures.Exec(t, path, `UPDATE gateway_heartbeats SET pid = 'x', last_heartbeat = x'00', started_at = -1`)
		}
		for id, r := range read() {
			if r.Lock.Kind > model.LockNone || r.Activity == model.ActivityDead || r.Activity == model.ActivityCompressing {
				t.Errorf("%s: %s is %s by garbage", file, id, r.Activity)
			}
		}
		s.Close()
	}
}

// Watching says so at once, and ends with its reader or the first error.
func TestWatchEnds(t *testing.T) {
	t.Parallel()
	s, err := store.Open(t.Context(), fixtures.Database(t, "v25.db"), store.ReadOnly())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	enough := errors.New("enough")
	if err := (&Reader{Source: s}).Watch(t.Context(), time.Now, func() bool { return false }, func([]model.Running) error { return enough }); !errors.Is(err, enough) {
		t.Error(err)
	}
	said := 0
	if err := (&Reader{Source: s}).Watch(t.Context(), time.Now, func() bool { return true }, func([]model.Running) error { said++; return nil }); err != nil || said != 1 {
		t.Errorf("said %d times to nobody, %v", said, err)
	}
}
