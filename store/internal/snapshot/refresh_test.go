package snapshot_test

import (
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
	"hermes-sessions/store/search"
	"hermes-sessions/store/sessiondb"
)

// clock is the time of the recordings: after all of their rows.
func clock() time.Time { return time.Unix(1790000000, 0) }

// open opens a database file and closes it with the test.
func open(t testing.TB, path string) *db.DB {
	t.Helper()
	d := db.New(path)
	d.Clock = clock
	if err := d.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// conversationsOf makes the conversations of a snapshot, one after the other.
func conversationsOf(snap *snapshot.Snapshot) iter.Seq[model.Conversation] {
	return func(yield func(model.Conversation) bool) {
		for i, root := range snap.Lineage.Root {
			if int(root) == i && !yield(snap.ConversationAt(i)) {
				return
			}
		}
	}
}

// seenIn returns all that a search sees in a snapshot: the conversations by their
// roots, in each order, and the title and the source that each is found by.
func seenIn(snap *snapshot.Snapshot) (all map[string]model.Conversation, orders map[query.Order][]string, titles []string) {
	all, orders = map[string]model.Conversation{}, map[query.Order][]string{}
	for m := range conversationsOf(snap) {
		all[m.RootID] = m
	}
	for _, by := range []query.Order{query.ByActivity, query.ByTitle, query.ByMessages} {
		for _, n := range snap.Conversations.Sorted(by) {
			m := snap.Conversations.Conversation(n)
			orders[by] = append(orders[by], fmt.Sprint(m.RootID, model.Scope(snap.Conversations.Scopes[n])))
		}
	}
	lines, sources, source := snap.Conversations.NamesAndSources()
	for n := range snap.Len() {
		if snap.Conversations.Scopes[n] != snapshot.NoScope {
			titles = append(titles, fmt.Sprint(snap.ID(n), lines.Text(n), sources[source[n]]))
		} else if lines.Text(n) != "" {
			titles = append(titles, "of none: "+lines.Text(n))
		}
	}
	slices.Sort(titles)
	return all, orders, titles
}

// After another process's changes of every kind, the refreshed snapshot equals one
// that is read from scratch, in all that a refresh promises.
func TestARefreshedSnapshotEqualsANewOne(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v11.db", "v16.db", "v25.db"} {
		path := fixtures.Database(t, name)
		d := open(t, path)
		s, view := snapshot.New(d), snapshot.New(open(t, path))
		other, err := store.Open(t.Context(), path, store.WithClock(clock))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { other.Close() })
		r := rand.New(rand.NewPCG(7, 8))
		ctx := t.Context()
		if err := search.New(d, s).Prepare(ctx); err != nil {
			t.Fatal(err)
		}
		first, err := s.CurrentSnapshot(ctx)
		if err != nil {
			t.Fatal(err)
		}
		first.Conversations.Sorted(query.ByTitle)
		first.Conversations.Sorted(query.ByMessages)
		var gone []model.Undo
		refreshed := 0
		for k := range campaign.Length(24, 120) {
			c, err := view.CurrentSnapshot(ctx)
			if err != nil {
				t.Fatal(err)
			}
			some := func() string {
				m := c.Conversations.Conversation(c.Conversations.Sorted(query.ByActivity)[r.IntN(len(c.Conversations.Sorted(query.ByActivity)))])
				return m.ID
			}
			id, what := some(), ""
			switch r.IntN(8) {
			case 0:
				what = "begin"
				_, err = other.CreateSession(ctx, sessiondb.NewSession{ID: fmt.Sprint("new", k), Source: []string{"cli", "subagent", "elsewhere"}[r.IntN(3)]})
			case 1, 2:
				what = "say in " + id
				_, err = other.AppendMessage(ctx, id, sessiondb.NewMessage{Role: "user", Content: "something"})
			case 3:
				what = "split " + id
				if err = other.EndSession(ctx, id, "compression"); err == nil {
					_, err = other.CreateSession(ctx, sessiondb.NewSession{ID: fmt.Sprint("next", k), Source: "cli", ParentID: id})
				}
			case 4:
				what = "drop " + id
				var u model.Undo
				if u, err = other.Delete(ctx, []string{id}, model.DeleteOptions{}); err == nil {
					gone = append(gone, u)
				}
			case 5:
				if len(gone) > 0 {
					what = "restore"
					last := len(gone) - 1
					err = other.Restore(ctx, gone[last], model.RestoreOptions{DropTitles: true})
					gone = gone[:last]
				}
			case 6:
				what = "name " + id
				_, err = other.SetTitle(ctx, id, fmt.Sprint("a title ", k))
			}
			if what == "" && d.Schema.Has("messages", "active") {
				what = "take back in " + id
				fixtures.Exec(t, path, `UPDATE messages SET active = 1 - coalesce(active, 1) WHERE id % 5 = 0 AND session_id = '`+id+`'`)
			}
			if err != nil {
				what += " (" + err.Error() + ")" // it is in use, or has ended
			}
			var now *snapshot.Snapshot
			if err := s.ReadSnapshotTx(ctx, func(_ db.Querier, snap *snapshot.Snapshot) error {
				now = snap
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if snapshot.Refreshed(now) {
				refreshed++
			}
			whole, err := s.ReadSnapshot(ctx)
			if err != nil {
				t.Fatal(err)
			}
			gotAll, gotOrders, gotTitles := seenIn(now)
			wantAll, wantOrders, wantTitles := seenIn(whole)
			for _, all := range []map[string]model.Conversation{gotAll, wantAll} {
				for id, m := range all { // these may be those of the last whole reading
					m.EndedAt, m.EndReason, m.MessageCount, m.LastActivityAt = time.Time{}, "", 0, time.Time{}
					m.Session = model.Session{ID: m.ID, Title: m.Title, VisibleMessages: m.VisibleMessages, LastMessageAt: m.LastMessageAt, Source: m.Source}
					all[id] = m
				}
			}
			if !maps.EqualFunc(gotAll, wantAll, func(a, b model.Conversation) bool { return reflect.DeepEqual(a, b) }) {
				for id := range wantAll {
					if !reflect.DeepEqual(gotAll[id], wantAll[id]) {
						t.Errorf("%s, %d, %s:\n got %+v\nwant %+v", name, k, what, gotAll[id], wantAll[id])
					}
				}
				t.Fatalf("%s, %d, %s: %d conversations, not %d", name, k, what, len(gotAll), len(wantAll))
			}
			if !reflect.DeepEqual(gotOrders, wantOrders) || !slices.Equal(gotTitles, wantTitles) {
				t.Fatalf("%s, %d, %s:\n got %v\nwant %v\n got %q\nwant %q", name, k, what, gotOrders, wantOrders, gotTitles, wantTitles)
			}
			if whole.MessageSessions.Load() == nil || now.MessageSessions.Load() == nil {
				t.Fatalf("%s, %d, %s: whose the messages are is forgotten", name, k, what)
			}
			rows, err := d.Pool.QueryContext(ctx, `SELECT id, session_id FROM messages`)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			err = db.ScanRecords(rows, func(r db.Record) error {
				n++
				id, session := db.AsInt(r[0].Value), db.AsText(r[1].Value)
				if at := whole.MessageSessions.Load().SessionOf(id); at < 0 || whole.ID(int(at)) != session {
					t.Errorf("%s, %d, %s: read again, %d is of %d, not %s", name, k, what, id, at, session)
				}
				if at := now.MessageSessions.Load().SessionOf(id); at != snapshot.Unmapped && (at < 0 || now.ID(int(at)) != session) {
					t.Errorf("%s, %d, %s: refreshed, %d is of %d, not %s", name, k, what, id, at, session)
				}
				return nil
			})
			if known := whole.MessageSessions.Load().AllIDs().Len(); err != nil || known != n {
				t.Fatalf("%s, %d, %s: of %d messages %d are known (%v)", name, k, what, n, known, err)
			}
			if k%40 == 39 { // now and then all is read again
				if _, err := s.CurrentSnapshot(ctx); err != nil {
					t.Fatal(err)
				}
			}
		}
		if refreshed < campaign.Length(10, 60) {
			t.Errorf("%s: only %d refreshes", name, refreshed)
		}
		for _, u := range gone {
			if err := u.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
