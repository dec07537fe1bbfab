package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"hermes-sessions/store/internal/db"
)

// Views equal what cutting the whole transcript gives, however far apart the
// messages of a session are in the table.
func TestViewsOfScatteredSessions(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	ctx := t.Context()
	random := rand.New(rand.NewPCG(1, 2))
	q := otherConnection(t, s.Path())
	Must(t, q, `INSERT INTO sessions (id, source, started_at) VALUES ('dense', 'cli', 1), ('sparse', 'cli', 1)`, `BEGIN`)
	id := int64(1)
	for range 600 {
		session, role, content := "dense", "user", "said"
		n := random.IntN(100)
		switch {
		case n < 10:
			session = "sparse"
			id += 1 + random.Int64N(300)*random.Int64N(300)*random.Int64N(30)
		case n < 40:
			role = "tool"
		case n < 50:
			content = ""
		}
		id++
		Must(t, q, fmt.Sprintf(`INSERT INTO messages (id, session_id, role, content, timestamp) VALUES (%d, '%s', '%s', '%s', 1)`, id, session, role, content))
	}
	Must(t, q, `COMMIT`)
	ids := func(rows []Record) (out []int64) {
		for _, r := range rows {
			out = append(out, db.AsInt(r.Get("id")))
		}
		return out
	}
	for _, session := range []string{"dense", "sparse"} {
		all, err := s.Messages(ctx, session)
		if err != nil {
			t.Fatal(err)
		}
		kept := func(rows []Record, anchor int64, content bool) (out []Record) {
			for _, r := range rows {
				role := db.AsText(r.Get("role"))
				if r.Get("id") == anchor || (role == "user" || role == "assistant") && (!content || r.Get("content") != "") {
					out = append(out, r)
				}
			}
			return out
		}
		for range 60 {
			i, window, ends := random.IntN(len(all)), random.IntN(40), random.IntN(6)
			anchor := db.AsInt(all[i].Get("id"))
			low, high := max(0, i-window), min(len(all), i+window+1)
			v, err := s.AnchoredView(ctx, session, anchor, window, ends, "user", "assistant")
			if err != nil {
				t.Fatal(err)
			}
			start, end := kept(all[:low], 0, true), kept(all[high:], 0, true)
			start, end = start[:min(ends, len(start))], end[max(0, len(end)-ends):]
			if v.Before != i-low || v.After != high-i-1 || !slices.Equal(ids(v.Window), ids(kept(all[low:high], anchor, false))) ||
				!slices.Equal(ids(v.Start), ids(start)) || !slices.Equal(ids(v.End), ids(end)) {
				t.Fatalf("%s, %d of %d, window %d, ends %d:\n%d %d %v %v %v\nwant %v %v %v", session, i, len(all), window, ends,
					v.Before, v.After, ids(v.Window), ids(v.Start), ids(v.End), ids(kept(all[low:high], anchor, false)), ids(start), ids(end))
			}
		}
	}
	if v, err := s.MessagesAround(ctx, "dense", id+1, 5); err != nil || len(v.Window) != 0 {
		t.Error("a message that is not there:", v, err)
	}
}
