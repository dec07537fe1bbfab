package store

import (
	"fmt"
	"reflect"
	"testing"

	"hermes-sessions/model"
)

// The rows found from the end of the messages are those of the whole list, in
// every file, scope and length where they can be told so.
func TestGlanceEqualsTheList(t *testing.T) {
	for _, name := range append(versions(t), "bad/cycle.db", "bad/orphan-parent.db", "bad/nulls-everywhere.db", "bad/invalid-utf8.db", "bad/bad-json.db") {
		t.Run(name, func(t *testing.T) {
			s := open(t, name)
			compared := 0
			for scope := model.Conversations; scope <= model.Everything; scope++ {
				for _, limit := range []int{1, 3, 10, 30} {
					q := model.ListQuery{Scope: scope, Limit: limit}
					got, ok, err := s.newest(t.Context(), s.db, q)
					if err != nil {
						t.Fatal(err)
					}
					if !ok {
						continue
					}
					compared++
					c, err := s.catalog(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					all, err := s.sift(t.Context(), c, c.shelf, q, false)
					if err != nil {
						t.Fatal(err)
					}
					want := all.page(c.shelf)
					if !got.Partial || !reflect.DeepEqual(got.Conversations, want.Conversations) {
						t.Errorf("scope %d, limit %d:\n got %s\nwant %s", scope, limit, tips(got), tips(want))
					}
				}
			}
			if compared < 3 {
				t.Errorf("only %d pages compared", compared)
			}
		})
	}
}

// An old history that was imported last has the greatest ids and the oldest
// times: the first page is right, or the whole list is read for it.
func TestGlanceOfAHistoryThatWasImportedLast(t *testing.T) {
	for _, n := range []int{700, 3000} {
		s, _ := one(t, "v11.db",
			fmt.Sprintf(`WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < %d)
				INSERT INTO sessions (id, source, started_at) SELECT 'old' || n, 'cli', 1700000000 - n FROM i`, n),
			`INSERT INTO messages (id, session_id, role, content, timestamp)
				SELECT 30000 + 1700000000 - started_at, id, 'user', 'hello', started_at FROM sessions WHERE id LIKE 'old%'`)
		q := model.ListQuery{Limit: 50, Glance: true}
		got, err := s.Conversations(t.Context(), q)
		if err != nil {
			t.Fatalf("%d: %v", n, err)
		}
		q.Glance = false
		want, err := s.Conversations(t.Context(), q)
		if err != nil || tips(got) != tips(want) {
			t.Errorf("%d: %v\n got %s\nwant %s", n, err, tips(got), tips(want))
		}
	}
}

func tips(p model.Page) string {
	var out []string
	for _, c := range p.Conversations {
		out = append(out, c.ID)
	}
	return fmt.Sprint(out)
}

// Before the catalog is there, one conversation is read with all that belongs
// to it, and only that.
func TestOneFamilyEqualsTheCatalog(t *testing.T) {
	for _, name := range versions(t) {
		s := open(t, name)
		whole, err := s.readCatalog(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range whole.all() {
			id := m.ID
			c, err := s.family(t.Context(), s.db, []string{id})
			if err != nil {
				t.Fatal(err)
			}
			got, _ := c.conversationOf(id)
			if want, ok := whole.conversationOf(id); !ok || !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %s:\n got %+v\nwant %+v", name, id, got, want)
			}
		}
	}
}

// Who goes on with the oldest conversation of all brings it onto the first
// page, whether few messages came last or very many.
func TestGlanceSeesWhatIsGoneOnWith(t *testing.T) {
	for _, after := range []int{3, 3000} {
		s, _ := one(t, "v11.db",
			`WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 800)
				INSERT INTO sessions (id, source, started_at) SELECT 'more' || n, 'cli', 1790000000 + 100 * n FROM i`,
			`INSERT INTO messages (id, session_id, role, content, timestamp)
				SELECT started_at - 1789000000, id, 'user', 'hello', started_at FROM sessions WHERE id LIKE 'more%'`,
			fmt.Sprintf(`WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < %d)
				INSERT INTO messages (id, session_id, role, content, timestamp) SELECT 2000000 + n, 'more1', 'user', 'more', 1791000000 + n FROM i`, after))
		q := model.ListQuery{Limit: 20, Glance: true}
		got, err := s.Conversations(t.Context(), q)
		if err != nil || !got.Partial {
			t.Fatalf("%d: %v, partial %v", after, err, got.Partial)
		}
		q.Glance = false
		want, err := s.Conversations(t.Context(), q)
		if err != nil || tips(got) != tips(want) || got.Conversations[0].ID != "more1" {
			t.Errorf("%d: %v\n got %s\nwant %s", after, err, tips(got), tips(want))
		}
	}
}

// Every version has the index that a glance lives on; without it each session
// would cost a walk through all messages, and the whole list is read.
func TestGlanceNeedsTheIndex(t *testing.T) {
	for _, name := range versions(t) {
		if s := open(t, name); !s.schema.indexed("messages", "session_id") || s.schema.indexed("messages", "session") {
			t.Errorf("%s: the index of the messages is not known", name)
		}
	}
	s, _ := one(t, "v11.db", `DROP INDEX idx_messages_session`, `UPDATE messages SET id = id + 30000`)
	if page, err := s.Conversations(t.Context(), model.ListQuery{Limit: 1, Glance: true}); err != nil || page.Partial {
		t.Errorf("a glance without an index: %v, partial %v", err, page.Partial)
	}
}
