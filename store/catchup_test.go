package store

import (
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
)

// conversationsOf makes the conversations of a catalog, one after the other.
func conversationsOf(c *catalog) iter.Seq[model.Conversation] {
	return func(yield func(model.Conversation) bool) {
		for i, root := range c.lineage.Root {
			if int(root) == i && !yield(c.conversation(i)) {
				return
			}
		}
	}
}

// seenIn says all that a search sees in a catalog: the conversations by their
// roots, in each order, and by what title each is found.
func seenIn(c *catalog) (all map[string]model.Conversation, orders map[model.Sort][]string, titles []string) {
	all, orders = map[string]model.Conversation{}, map[model.Sort][]string{}
	for m := range conversationsOf(c) {
		all[m.RootID] = m
	}
	for _, by := range []model.Sort{model.ByActivity, model.ByTitle, model.ByMessages} {
		for _, n := range c.shelf.inOrder(by) {
			m := c.shelf.conversation(n)
			orders[by] = append(orders[by], fmt.Sprint(m.RootID, model.Scope(c.shelf.scopes[n])))
		}
	}
	lines, sources, source := c.shelf.names()
	for n := range c.Len() {
		if c.shelf.scopes[n] != none {
			titles = append(titles, fmt.Sprint(c.id(n), lines.Line(n), sources[source[n]]))
		} else if lines.Line(n) != "" {
			titles = append(titles, "of none: "+lines.Line(n))
		}
	}
	slices.Sort(titles)
	return all, orders, titles
}

// After another process's changes of every kind, the catalog that has caught up
// is the one that is read again, in all that it promises to be.
func TestCatchingUpIsReadingAgain(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v11.db", "v16.db", "v25.db"} {
		path := fixture(t, name)
		s, other := openAt(t, path), openAt(t, path)
		db := neighbour(t, path)
		r := rand.New(rand.NewPCG(7, 8))
		ctx := t.Context()
		if err := s.Prepare(ctx); err != nil {
			t.Fatal(err)
		}
		first, err := s.catalog(ctx)
		if err != nil {
			t.Fatal(err)
		}
		first.shelf.inOrder(model.ByTitle)
		first.shelf.inOrder(model.ByMessages)
		var gone []model.Undo
		caught := 0
		for k := range campaign.Length(40, 120) {
			c, err := other.catalog(ctx)
			if err != nil {
				t.Fatal(err)
			}
			some := func() string {
				m := c.shelf.conversation(c.shelf.inOrder(model.ByActivity)[r.IntN(len(c.shelf.inOrder(model.ByActivity)))])
				return m.ID
			}
			id, what := some(), ""
			switch r.IntN(8) {
			case 0:
				what = "begin"
				_, err = other.CreateSession(ctx, NewSession{ID: fmt.Sprint("new", k), Source: []string{"cli", "subagent", "elsewhere"}[r.IntN(3)]})
			case 1, 2:
				what = "say in " + id
				_, err = other.AppendMessage(ctx, id, NewMessage{Role: "user", Content: "something"})
			case 3:
				what = "split " + id
				if err = other.EndSession(ctx, id, "compression"); err == nil {
					_, err = other.CreateSession(ctx, NewSession{ID: fmt.Sprint("next", k), Source: "cli", ParentID: id})
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
			if what == "" && s.schema.has("messages", "active") {
				what = "take back in " + id
				must(t, db, `UPDATE messages SET active = 1 - coalesce(active, 1) WHERE id % 5 = 0 AND session_id = '`+id+`'`)
			}
			if err != nil {
				what += " (" + err.Error() + ")" // it is in use, or has ended
			}
			var now *catalog
			if err := s.moment(ctx, func(_ queryer, c *catalog) error {
				now = c
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if now.behind {
				caught++
			}
			whole, err := s.readCatalog(ctx)
			if err != nil {
				t.Fatal(err)
			}
			gotAll, gotOrders, gotTitles := seenIn(now)
			wantAll, wantOrders, wantTitles := seenIn(whole)
			for _, all := range []map[string]model.Conversation{gotAll, wantAll} {
				for id, m := range all { // these may be those of the last whole reading
					m.EndedAt, m.EndReason, m.MessageCount, m.ActivityAt = time.Time{}, "", 0, time.Time{}
					m.Session = model.Session{ID: m.ID, Title: m.Title, Visible: m.Visible, LastMessageAt: m.LastMessageAt, Source: m.Source}
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
			if whole.owners.Load() == nil || now.owners.Load() == nil {
				t.Fatalf("%s, %d, %s: whose the messages are is forgotten", name, k, what)
			}
			rows, err := s.db.QueryContext(ctx, `SELECT id, session_id FROM messages`)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			err = eachRecord(rows, func(r Record) error {
				n++
				id, session := number(r[0].Value), text(r[1].Value)
				if at := whole.owners.Load().of(id); at < 0 || whole.id(int(at)) != session {
					t.Errorf("%s, %d, %s: read again, %d is of %d, not %s", name, k, what, id, at, session)
				}
				if at := now.owners.Load().of(id); at != unknown && (at < 0 || now.id(int(at)) != session) {
					t.Errorf("%s, %d, %s: caught up, %d is of %d, not %s", name, k, what, id, at, session)
				}
				return nil
			})
			if known := whole.owners.Load().known.Len(); err != nil || known != n {
				t.Fatalf("%s, %d, %s: of %d messages %d are known (%v)", name, k, what, n, known, err)
			}
			if k%40 == 39 { // now and then all is read again
				if _, err := s.catalog(ctx); err != nil {
					t.Fatal(err)
				}
			}
		}
		if caught < campaign.Length(20, 60) {
			t.Errorf("%s: it caught up only %d times", name, caught)
		}
		for _, u := range gone {
			if err := u.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// What this store has changed itself is in the next answer, whatever it is.
func TestASearchShowsOurOwnChanges(t *testing.T) {
	t.Parallel()
	s := open(t, "v25.db")
	ctx := t.Context()
	search := func() model.Results {
		t.Helper()
		r, err := s.Search(ctx, model.ParseQuery("the", false), model.ListQuery{Scope: model.Everything})
		if err != nil || len(r.Matches) == 0 {
			t.Fatal(len(r.Matches), err)
		}
		return r
	}
	id := search().Matches[0].ID
	for _, on := range []bool{true, false} {
		if _, err := s.SetArchived(ctx, []string{id}, on); err != nil {
			t.Fatal(err)
		}
		if _, err := s.SetPinned(ctx, []string{id}, on); err != nil {
			t.Fatal(err)
		}
		m := search().Matches
		at := slices.IndexFunc(m, func(m model.Match) bool { return m.ID == id })
		if at < 0 || m[at].Archived != on || m[at].Pinned != on || (m[at].Scope == model.Archived) != on {
			t.Errorf("archived and pinned: %v, found: %+v", on, m[max(0, at)].Conversation)
		}
	}
}

// A change of another process of which the indexes say nothing is there at the
// latest when the sessions were read again behind the keys.
func TestASearchShowsWhatWasReadBehindIt(t *testing.T) {
	t.Parallel()
	s := open(t, "v25.db")
	ctx := t.Context()
	find := func() model.Match {
		t.Helper()
		r, err := s.Search(ctx, model.ParseQuery("the", false), model.ListQuery{Scope: model.Everything, Sort: model.ByActivity})
		if err != nil || len(r.Matches) == 0 {
			t.Fatal(len(r.Matches), err)
		}
		return r.Matches[0]
	}
	m := find()
	must(t, neighbour(t, s.path), `UPDATE sessions SET cwd = '/somewhere/else' WHERE id = '`+m.ID+`'`)
	find()
	if err := s.Prepare(ctx); err != nil {
		t.Fatal(err)
	}
	if now := find(); now.ID != m.ID || now.CWD != "/somewhere/else" {
		t.Errorf("%s is in %s", now.ID, now.CWD)
	}
}

// Where an index can not be read any more a search finds what it found, beside
// a writer too.
func TestCatchingUpOnADamagedIndex(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v11.db")
	db := neighbour(t, path)
	must(t, db, `PRAGMA journal_mode = DELETE`)
	var root, size int
	if err := db.QueryRow(`SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_master WHERE name = 'idx_sessions_title_unique'`).Scan(&root, &size); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, path)
	find := func() model.Results {
		t.Helper()
		r, err := s.Search(t.Context(), model.ParseQuery("the", false), model.ListQuery{Scope: model.Everything})
		if err != nil || len(r.Matches) == 0 {
			t.Fatal(len(r.Matches), err)
		}
		return r
	}
	want := find().Hits
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(make([]byte, size), int64(root-1)*int64(size)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	must(t, db, `INSERT INTO messages (session_id, role, content, timestamp) SELECT session_id, 'user', 'the end', 1790000000 FROM messages LIMIT 1`)
	if now := find().Hits; now != want+1 {
		t.Errorf("%d hits, not %d", now, want+1)
	}
	if page, err := s.Conversations(t.Context(), model.ListQuery{}); err != nil || page.Total == 0 {
		t.Error(page.Total, err)
	}
}
