package search

import (
	"fmt"
	"slices"
	"testing"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// A page is the same whether the roles of all messages are read for it, or only those
// of the conversations that may be on it, also where a question before it read these.
func TestPageByDeferredRolesEqualsPageByAllRoles(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v11.db", "v25.db", "v31.db", "life-long.db"} {
		path := fixtures.Database(t, name)
		must(t, otherConnection(t, path), `UPDATE messages SET role = 'session_meta' WHERE id % 3 = 0`)
		e := openAt(t, path)
		if _, err := e.sessions.CurrentSnapshot(t.Context()); err != nil { // else a part of the sessions answers
			t.Fatal(err)
		}
		for _, text := range []string{"a*", "e*", "the", "docker", "error OR docker", "d* -error", "title:a e*"} {
			for _, list := range []query.ListOptions{
				{Order: query.ByRelevance, Scope: model.ScopeAll, Limit: 3},
				{Order: query.ByRelevance, Limit: 2, Offset: 1},
				{Order: query.ByActivity, Scope: model.ScopeAll, EverySession: true, Limit: 5},
				{Order: query.ByMessages, Limit: 100},
			} {
				search := func(from int) (rows []string, res model.SearchResults) {
					e.deferRolesFrom = from
					res, err := e.Search(t.Context(), query.Parse(text, false), list)
					if err != nil {
						t.Fatal(err)
					}
					for _, m := range res.Matches {
						rows = append(rows, fmt.Sprint(m.ID, " ", m.Hits, " ", m.Best))
					}
					return rows, res
				}
				want, all := search(1 << 30)
				e.sessions.DropRoles()
				for _, roles := range []string{"no role read", "those of the page read"} {
					got, deferred := search(1)
					if !slices.Equal(got, want) {
						t.Errorf("%s: %s %+v: %s: by deferred roles\n%q\nby all\n%q", name, text, list, roles, got, want)
					}
					if deferred.Conversations < all.Conversations || deferred.Hits < all.Hits || deferred.HiddenHits < all.HiddenHits {
						t.Errorf("%s: %s %+v: %s: counts %d %d %d, by all roles %d %d %d", name, text, list, roles,
							deferred.Conversations, deferred.Hits, deferred.HiddenHits, all.Conversations, all.Hits, all.HiddenHits)
					}
				}
			}
		}
	}
}
