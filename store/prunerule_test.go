package store

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
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

// named returns the names of the sessions of a fixture, by their ids, as its maker gave them.
func named(t testing.TB, file string) map[string]string {
	t.Helper()
	var all map[string]struct {
		Named map[string]json.RawMessage `json:"named"`
	}
	if err := json.Unmarshal(fixtures.Read(t, "manifest-26-31.json"), &all); err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for name, raw := range all[file].Named {
		var id string
		if json.Unmarshal(raw, &id) == nil {
			names[id] = name
		}
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
	names := named(t, file)
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

// Hermes 26 deleted what the newest does not, and nothing that we keep for another reason.
func TestPruneAsRecordedAt26(t *testing.T) {
	t.Parallel()
	for file, folder := range newestFiles() {
		names := named(t, file)
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
		names := named(t, file)
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
			done, err := s.AutoPrune(t.Context(), AutoPruneOptions{Retention: time.Duration(item.Input.Days) * day, MinInterval: interval})
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
