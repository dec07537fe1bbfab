package store

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// lines says what changed, a line for each cell.
func (c cellChanges) lines(names map[string]string) (all []string) {
	for id, columns := range c {
		for column, v := range columns {
			all = append(all, fmt.Sprint(namesOf(names, []string{id})[0], " ", column, " ", v[0], " ", v[1]))
		}
	}
	slices.Sort(all)
	return all
}

// add adds a change of one cell.
func (c cellChanges) add(id, column string, before, after any) {
	if c[id] == nil {
		c[id] = map[string][2]any{}
	}
	c[id][column] = [2]any{before, after}
}

// changedCells gives the changes of an edit.
func changedCells(e model.Edit) cellChanges {
	all := cellChanges{}
	for _, c := range e.Changes {
		all.add(c.Session, c.Column, c.Before, c.After)
	}
	return all
}

// addSideEffects adds what the newest Hermes changes along with a flag of sessions, by what they
// are now: archived and unarchived by hand they are not those of its sweep, and pinned they are
// shown, but for its own chat.
func (c cellChanges) addSideEffects(t *testing.T, s *Store, ids []string, pin bool) {
	t.Helper()
	for _, id := range ids {
		switch {
		case pin && Count(t, s, `SELECT count(*) FROM sessions WHERE id = '`+id+`' AND hidden = 1 AND coalesce(title, '') <> 'Bot Chat'`) > 0:
			c.add(id, "hidden", 1, 0)
		case !pin && s.db.Schema.Has("sessions", "auto_archived") && Count(t, s, `SELECT count(*) FROM sessions WHERE id = '`+id+`' AND auto_archived = 1`) > 0:
			c.add(id, "auto_archived", 1, 0)
		}
	}
}

// Flags hold for what Hermes 26 changed, and what the newest changes along with them; undone,
// every column is as before. One difference: archiving or pinning a branch of a compressed
// conversation leaves that conversation alone.
func TestFlagsAsRecorded(t *testing.T) {
	t.Parallel()
	for file, folder := range newestFiles() {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			var recording struct {
				Items []struct {
					Call, Name string
					Input      []any
					Output     bool
					Effect     newestEffect
				} `json:"items"`
			}
			Recorded(t, folder+"/flags", &recording)
			s, names, compared, besides := openFixture(t, file), namesByID(t, file), 0, map[string]int{}
			before := dump(t, s.db.Pool)
			for _, item := range recording.Items {
				id, on := item.Input[0].(string), item.Input[1].(bool)
				set, pin := s.SetArchived, false
				switch item.Call {
				case "set_session_hidden":
					continue // not ours
				case "set_session_pinned":
					set, pin = s.SetPinned, true
				}
				if !item.Output {
					if _, err := set(t.Context(), []string{id}, on); kind(err) != model.KindNotFound {
						t.Errorf("%s %q: %v", item.Call, id, err)
					}
					continue
				}
				conv, err := s.Conversation(t.Context(), id)
				if err != nil {
					t.Fatal(err)
				}
				want := cellChanges{}
				maps.Copy(want, item.Effect.Changed)
				if item.Name == "chain_fork_branch" {
					maps.DeleteFunc(want, func(changed string, _ map[string][2]any) bool { return names[changed] == "chain_fork1" })
				}
				if !pin || on {
					recorded := len(want.lines(names))
					want.addSideEffects(t, s, conv.Segments, pin)
					besides[item.Call] += len(want.lines(names)) - recorded
				}
				e, err := set(t.Context(), []string{conv.ID}, on)
				if err != nil {
					t.Fatal(err)
				}
				if got, want := changedCells(e).lines(names), want.lines(names); !slices.Equal(got, want) {
					t.Errorf("%s %s %v:\n%q\nwant\n%q", item.Call, item.Name, on, got, want)
				}
				if err := s.UndoEdit(t.Context(), e); err != nil {
					t.Fatal(err)
				}
				if compared++; compared%7 == 0 {
					same(t, item.Call+" "+item.Name, before, dump(t, s.db.Pool))
				}
			}
			same(t, "all of them", before, dump(t, s.db.Pool))
			if compared < 80 || besides["set_session_pinned"] < 4 || (besides["set_session_archived"] > 0) != (file == "v31.db") {
				t.Errorf("%d calls compared, with %v more cells", compared, besides)
			}
		})
	}
}

// A bulk archive takes whole conversations by the rule of a prune by hand, and is undone as one.
func TestArchivePrunableAsRecorded(t *testing.T) {
	t.Parallel()
	for file, folder := range newestFiles() {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			var recording struct {
				Items []struct {
					Input struct {
						Days json.Number `json:"older_than_days"`
					} `json:"input"`
					Effect newestEffect `json:"effect"`
				} `json:"items"`
			}
			Recorded(t, folder+"/archive_bulk", &recording)
			names, compared := namesByID(t, file), 0
			for _, item := range recording.Items {
				if item.Input.Days == "" {
					continue // the sweep, which is Hermes's
				}
				days, err := item.Input.Days.Int64()
				if err != nil {
					t.Fatal(err)
				}
				s := openFixture(t, file)
				before := dump(t, s.db.Pool)
				o := model.PruneOptions{OlderThan: time.Duration(days) * day}
				old, err := s.Prunable(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				e, left, err := s.ArchivePrunable(t.Context(), o)
				if err != nil || left != old.Left || !slices.Equal(without(e.Sessions(), segmentsOf(old.Conversations)), nil) {
					t.Fatalf("%v, %+v left of %+v, %q", err, left, old.Left, e.Sessions())
				}
				got := changedCells(e).lines(names)
				if more := without(got, item.Effect.Changed.lines(names)); len(more) > 0 {
					t.Errorf("%d days: archives more: %q", days, more)
				}
				for _, line := range without(item.Effect.Changed.lines(names), got) {
					if !slices.Contains([]string{
						// Hermes 26 archived pinned ones, those that the sweep has just closed, and
						// those active after their last message; by an old beginning, also what goes on.
						"pinned_old archived 0 1", "chain_pin1 archived 0 1", "chain_pin2 archived 0 1", "chain_pin3 archived 0 1",
						"swept_today archived 0 1", "heartbeat_later archived 0 1", "chain_old1 archived 0 1", "chain_old2 archived 0 1",
						"chain_a1 archived 0 1", "chain_a2 archived 0 1",
						"old_ended_with_lease archived 0 1", // another process has it
					}, line) {
						t.Errorf("%d days: does not archive %s", days, line)
					}
				}
				if err := s.UndoEdit(t.Context(), e); err != nil {
					t.Fatal(err)
				}
				same(t, "archived in bulk", before, dump(t, s.db.Pool))
				compared++
			}
			if compared != 2 {
				t.Errorf("%d calls compared", compared)
			}
		})
	}
}

// The undo of a flag has the value of each row: one of a chain was archived by hand, one by the
// sweep, and another program that changes one of them since is not overruled.
func TestUndoOfAFlagKnowsEachRow(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v31.db")
	ids := map[string]string{}
	for id, name := range namesByID(t, "v31.db") {
		ids[name] = id
	}
	before := dump(t, s.db.Pool)
	e, err := s.SetArchived(t.Context(), []string{ids["chain_mix2"]}, false)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"chain_mix1 archived 1 0", "chain_mix2 archived 1 0", "chain_mix2 auto_archived 1 0"}
	if got := changedCells(e).lines(namesByID(t, "v31.db")); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if err := s.UndoEdit(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	same(t, "unarchived", before, dump(t, s.db.Pool))
	if e, err = s.SetArchived(t.Context(), []string{ids["chain_mix2"]}, false); err != nil {
		t.Fatal(err)
	}
	if err := s.db.Write(t.Context(), "sweep", func(x *db.Tx) error {
		_, err := x.Exec(t.Context(), `UPDATE sessions SET auto_archived = 1 WHERE id = ?`, ids["chain_mix2"])
		return err
	}); err != nil {
		t.Fatal(err)
	}
	swept := dump(t, s.db.Pool)
	if err := s.UndoEdit(t.Context(), e); kind(err) != model.KindChanged {
		t.Error(err)
	}
	same(t, "refused", swept, dump(t, s.db.Pool))
}
