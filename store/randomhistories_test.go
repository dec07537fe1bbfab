package store

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
	"hermes-sessions/store/sessiondb"
)

// life is a session as the simplest model of a history knows it.
type life struct {
	kind     string // root, segment, branch, delegate
	parent   string
	title    string
	open     bool
	messages int
}

// history is the whole of it.
type history map[string]life

// goes returns what deleting a session has to take, computed from how the sessions
// came to be.
func (h history) goes(id string) map[string]bool {
	for h[id].kind == "segment" && h[id].parent != "" {
		id = h[id].parent
	}
	going := map[string]bool{id: true}
	for grown := true; grown; {
		grown = false
		for child, l := range h {
			if going[l.parent] && !going[child] && (l.kind == "segment" || l.kind == "delegate") {
				going[child], grown = true, true
			}
		}
	}
	return going
}

// taken is a delete that can be undone.
type taken struct {
	undo    model.Undo
	removed history
	orphans map[string]string // child → its parent
}

// Whatever happens to sessions in whatever order, the database says what the
// model says after every step.
func TestRandomHistories(t *testing.T) {
	t.Parallel()
	for _, name := range someOf([]string{"v11.db", "v16.db", "v25.db", "life-long.db"}, 2) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(campaign.Length(1, 8)) {
				randomHistory(t, name, seed)
			}
		})
	}
}

func randomHistory(t *testing.T, name string, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 7))
	path := fixture(t, name)
	q := otherConnection(t, path)
	emptied(t, q)
	now := clock()
	s, err := Open(t.Context(), path, WithClock(func() time.Time { return now }))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	h := history{}
	var undo []taken
	pick := func(ok func(life) bool) string {
		var ids []string
		for id, l := range h {
			if ok(l) {
				ids = append(ids, id)
			}
		}
		if len(ids) == 0 {
			return ""
		}
		slices.Sort(ids)
		return ids[rnd.IntN(len(ids))]
	}
	number := 0
	create := func(kind, parent string) {
		number++
		id := fmt.Sprintf("s%03d", number)
		n := sessiondb.NewSession{ID: id, Source: "cli", ParentID: parent}
		switch kind {
		case "branch":
			n.Config = Record{{Name: "_branched_from", Value: parent}}
		case "delegate":
			n.Config = Record{{Name: "_delegate_from", Value: parent}}
		}
		if _, err := s.CreateSession(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		if _, err := s.AppendMessage(t.Context(), id, sessiondb.NewMessage{Role: "user", Content: "begun " + id}); err != nil {
			t.Fatal(err)
		}
		h[id] = life{kind: kind, parent: parent, open: true, messages: 1}
	}
	for step := range 90 {
		now = now.Add(10 * time.Second)
		did := ""
		n := rnd.IntN(100)
		switch {
		case n < 15:
			create("root", "")
		case n < 40:
			if did = pick(func(l life) bool { return l.open }); did != "" {
				if _, err := s.AppendMessage(t.Context(), did, sessiondb.NewMessage{Role: "assistant", Content: fmt.Sprint("said at ", step)}); err != nil {
					t.Fatal(err)
				}
				l := h[did]
				l.messages++
				h[did] = l
			}
		case n < 50:
			if did = pick(func(life) bool { return true }); did != "" {
				create("branch", did)
			}
		case n < 60:
			if did = pick(func(life) bool { return true }); did != "" {
				create("delegate", did)
			}
		case n < 70:
			if did = pick(func(l life) bool { return l.open }); did != "" {
				if err := s.EndSession(t.Context(), did, "compression"); err != nil {
					t.Fatal(err)
				}
				l := h[did]
				l.open = false
				h[did] = l
				create("segment", did)
			}
		case n < 78:
			if did = pick(func(life) bool { return true }); did != "" {
				l := h[did]
				l.title = fmt.Sprint("title ", step)
				if _, err := s.SetTitle(t.Context(), did, l.title); err != nil {
					t.Fatal(err)
				}
				h[did] = l
			}
		case n < 90:
			if did = pick(func(life) bool { return true }); did != "" {
				going := h.goes(did)
				u, err := s.Delete(t.Context(), []string{did}, model.DeleteOptions{})
				if err != nil {
					t.Fatal(err)
				}
				tk := taken{undo: u, removed: history{}, orphans: map[string]string{}}
				for id := range going {
					tk.removed[id] = h[id]
					delete(h, id)
				}
				for id, l := range h {
					if going[l.parent] {
						tk.orphans[id] = l.parent
						l.parent = ""
						h[id] = l
					}
				}
				undo = append(undo, tk)
			}
		default:
			if len(undo) > 0 {
				tk := undo[len(undo)-1]
				undo = undo[:len(undo)-1]
				if err := s.Restore(t.Context(), tk.undo, model.RestoreOptions{}); err != nil {
					t.Fatal(err)
				}
				if err := tk.undo.Close(); err != nil {
					t.Fatal(err)
				}
				maps.Copy(h, tk.removed)
				for id, parent := range tk.orphans {
					l := h[id]
					l.parent = parent
					h[id] = l
				}
			}
		}
		have := history{}
		rows, err := q.Query(`SELECT id, coalesce(parent_session_id, ''), coalesce(title, ''), ended_at IS NULL,
			(SELECT count(*) FROM messages WHERE session_id = s.id) FROM sessions s`)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var id string
			var l life
			if err := rows.Scan(&id, &l.parent, &l.title, &l.open, &l.messages); err != nil {
				t.Fatal(err)
			}
			l.kind = h[id].kind
			have[id] = l
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(have, h) {
			t.Fatalf("seed %d, step %d (%s):\nhave %v\nwant %v", seed, step, did, have, h)
		}
	}
	indexed(t, q, false)
	for _, tk := range undo {
		tk.undo.Close()
	}
}
