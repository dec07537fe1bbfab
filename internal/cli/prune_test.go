package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/store"
)

func TestPruneCommand(t *testing.T) {
	dir := home(t)
	code, out, _ := run(t, dir, "", "prune", "--dry-run")
	if code != 0 || !strings.Contains(out, "the chain") || strings.Contains(out, "open one") || !strings.Contains(out, "2 conversations, 3 sessions, 2 messages, 85 bytes, would be deleted.") {
		t.Errorf("%d %q", code, out)
	}
	if code, _, errs := run(t, dir, "", "prune"); code != 2 || !strings.Contains(errs, "Delete 2 conversations inactive for 90 days? (use --yes)") {
		t.Error(code, errs)
	}
	if code, _, _ := run(t, dir, "", "prune", "--yes", "--older-than", "-1"); code != 2 {
		t.Error(code)
	}
	if code, out, _ := run(t, dir, "", "prune", "--yes", "--source", "telegram"); code != 0 || out != "Pruned 1 session(s).\n" {
		t.Errorf("%d %q", code, out)
	}
	if code, out, _ := run(t, dir, "", "prune", "--yes", "--json"); code != 0 || !strings.Contains(out, `"messages": 2`) {
		t.Errorf("%d %q", code, out)
	}
	if code, out, _ := run(t, dir, "", "prune", "--yes"); code != 0 || out != "Pruned 0 session(s).\n" {
		t.Errorf("%d %q", code, out)
	}
}

// A dry run says that the file is damaged, as list does: a prune of it would be refused.
func TestPruneDryRunNamesDamage(t *testing.T) {
	for name, want := range map[string]int{"damaged/index-lacks-rows-a.db": 0, "damaged/index-lacks-rows-b.db": 1} {
		dir := filepath.Dir(fixtures.Database(t, name))
		code, out, errs := run(t, dir, "", "prune", "--dry-run", "--older-than", "1")
		if code != want || !strings.Contains(out, "would be deleted") || !strings.Contains(errs, "note:") {
			t.Errorf("%s: %d %q", name, code, errs)
		}
	}
}

// What is as old and stays is counted by its reason, for people and for scripts.
func TestPruneSaysWhatItLeaves(t *testing.T) {
	dir := home(t)
	if code, _, errs := run(t, dir, "", "prune", "--archive", "--yes"); code != 1 || !strings.Contains(errs, "has no archive") {
		t.Errorf("%d %q", code, errs)
	}
	damage(t, filepath.Join(dir, "state.db"), `ALTER TABLE sessions ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
		ALTER TABLE sessions ADD COLUMN archived INTEGER NOT NULL DEFAULT 0; UPDATE sessions SET pinned = 1 WHERE id = 'second'; UPDATE sessions SET archived = 1 WHERE id = 'other'`)
	const all = "As old, but left: 1 open, 1 pinned, 1 archived.\n"
	for _, c := range []struct {
		args      string
		out, errs string
	}{
		{"--dry-run", "", "No sessions found.\n" + all},
		{"--dry-run --quiet", "", ""},
		{"--yes", "Pruned 0 session(s).\n", all},
		{"--yes --archive", "Archived 0 session(s).\n", all},
		{"--yes --source telegram", "Pruned 0 session(s).\n", "As old, but left: 1 archived.\n"},
		{"--yes --older-than 99999", "Pruned 0 session(s).\n", ""},
		{"--yes --archive --include-pinned", "Archived 2 session(s).\n", "As old, but left: 1 open, 1 archived.\n"},
		{"--yes --include-archived", "Pruned 1 session(s).\n", "As old, but left: 1 open, 1 pinned.\n"},
		{"--yes --include-archived --include-pinned", "Pruned 2 session(s).\n", "As old, but left: 1 open.\n"},
	} {
		if code, out, errs := run(t, dir, "", append([]string{"prune"}, strings.Fields(c.args)...)...); code != 0 || out != c.out || errs != c.errs {
			t.Errorf("%s: %d %q %q", c.args, code, out, errs)
		}
	}
	for _, args := range []string{"--archive --include-archived", "--archive --backup x.jsonl"} {
		if code, _, errs := run(t, dir, "", append([]string{"prune", "--yes"}, strings.Fields(args)...)...); code != 2 || !strings.Contains(errs, "--archive") {
			t.Errorf("%s: %d %q", args, code, errs)
		}
	}
}

func TestPruneJSON(t *testing.T) {
	dir := home(t)
	damage(t, filepath.Join(dir, "state.db"), `ALTER TABLE sessions ADD COLUMN archived INTEGER NOT NULL DEFAULT 0`)
	var said struct {
		Sessions         []struct{ ID string }
		Pruned, Archived []string
		Left             struct{ Open, Archived int }
	}
	for _, c := range []struct {
		args                                       string
		sessions, pruned, archived, open, leftThen int
	}{
		{"--dry-run --archive", 2, 0, 0, 1, 0},
		{"--yes --archive --source cli", 0, 0, 2, 1, 0},
		{"--yes", 0, 1, 0, 1, 1},
		{"--yes --include-archived", 0, 2, 0, 1, 0},
	} {
		code, out, errs := run(t, dir, "", append([]string{"prune", "--json"}, strings.Fields(c.args)...)...)
		said.Sessions, said.Pruned, said.Archived = nil, nil, nil
		if err := json.Unmarshal([]byte(out), &said); err != nil || code != 0 || len(said.Sessions) != c.sessions || len(said.Pruned) != c.pruned ||
			len(said.Archived) != c.archived || said.Left.Open != c.open || said.Left.Archived != c.leftThen || errs != "" {
			t.Errorf("%s: %d %s %s %v", c.args, code, out, errs, err)
		}
	}
}

// Sources with fewer days in Hermes's configuration go sooner, unless an age is given.
func TestPruneByTheDaysOfASource(t *testing.T) {
	dir := home(t)
	damage(t, filepath.Join(dir, "state.db"), `UPDATE sessions SET started_at = 1790000000 - 40 * 86400, ended_at = 1790000000 - 40 * 86400 + 1 WHERE id = 'other'`)
	writeFile := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dry := func(args ...string) string {
		_, out, errs := run(t, dir, "", append([]string{"prune", "--dry-run", "--source", "telegram"}, args...)...)
		return out + errs
	}
	if said := dry(); !strings.Contains(said, "No sessions found.") {
		t.Error(said)
	}
	writeFile("sessions:\n  auto_prune: true\n  source_retention_days:\n    telegram: 30\n    cli: 300\n")
	if said := dry(); !strings.Contains(said, "1 conversation, 1 session, 0 messages, 18 bytes, would be deleted.") {
		t.Error(said)
	}
	if said := dry("--older-than", "90"); !strings.Contains(said, "No sessions found.") {
		t.Error(said)
	}
	if _, _, errs := run(t, dir, "", "prune"); !strings.Contains(errs, "Delete 2 conversations inactive for 90 days (telegram: 30 days)? (use --yes)") {
		t.Error(errs)
	}
	writeFile("sessions:\n  source_retention_days:\n    telegram: many\n")
	if said := dry(); !strings.Contains(said, "No sessions found.") {
		t.Error(said)
	}
}

// The question counts what goes and names both ends of it.
func TestPruneSaysWhatGoes(t *testing.T) {
	s, err := store.Open(t.Context(), filepath.Join(home(t), "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	o := pruning{PruneOptions: model.PruneOptions{OlderThan: 90 * 24 * time.Hour}}
	plan, err := s.PlanPrune(t.Context(), o.PruneOptions)
	if err != nil {
		t.Fatal(err)
	}
	a := &app{Process: Process{Now: func() time.Time { return time.Unix(1790000000, 0).UTC() }}}
	lines, err := a.prunePlan(t.Context(), s, o, plan)
	want := "2 conversations, 3 sessions, 2 messages, 85 bytes.\nOldest: 'the chain' (1970-01-01), newest: 'other' (1970-01-01).\nAs old, but left: 1 open."
	if text := strings.Join(lines, "\n"); err != nil || text != want {
		t.Errorf("%q %v", text, err)
	}
}
