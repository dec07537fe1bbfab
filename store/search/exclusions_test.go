package search

import (
	"slices"
	"testing"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// A query that only excludes lists what a search for the words does not find, in
// every scope, with the counts of the list.
func TestExclusionsAloneListTheOtherConversations(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v01.db", "v11.db", "v22.db", "v25.db", "v31.db", "bad/fts-missing.db"} {
		e := openFixture(t, name)
		excludedSome, listedSome := false, false
		for asked, search := range map[string]string{
			"-docker": "docker", "-docker -部署": "docker OR 部署", `-"docker build"`: `"docker build"`, "-kube*": "kube*", "-zyzzyva": "zyzzyva",
			"-docker source:cli": "docker source:cli", "-docker msgs:>3": "docker msgs:>3", "-docker role:user": "docker", "-telegram": "telegram",
		} {
			q := query.Parse(asked, false)
			filtered := query.ListOptions{Filters: slices.DeleteFunc(slices.Clone(q.Filters), func(f query.Filter) bool { return f.Field == query.FieldText })}
			for scope := model.ScopeConversations; scope <= model.ScopeAll; scope++ {
				for _, order := range []query.Order{query.ByActivity, query.ByTitle} {
					list := filtered
					list.Scope, list.Order = scope, order
					all, err := e.Conversations(t.Context(), list)
					if err != nil {
						t.Fatal(err)
					}
					found := searchAllScopes(t, e, search)
					var want []string
					for _, c := range all.Conversations {
						if !slices.ContainsFunc(found.Matches, func(m model.Match) bool { return m.ID == c.ID }) {
							want = append(want, c.ID)
						}
					}
					list.Filters = nil
					got, err := e.Search(t.Context(), q, list)
					if err != nil {
						t.Fatal(err)
					}
					var ids []string
					for _, m := range got.Matches {
						ids = append(ids, m.ID)
					}
					if !slices.Equal(ids, want) || got.Conversations != len(want) {
						t.Errorf("%s: %s in scope %v gives %d: %v, want %v", name, asked, scope, got.Conversations, ids, want)
					}
					excludedSome, listedSome = excludedSome || len(want) < all.Total, listedSome || len(want) > 0
				}
			}
		}
		if !excludedSome || !listedSome {
			t.Errorf("%s: excluded %v, listed %v", name, excludedSome, listedSome)
		}
	}
}

// For messages there is no list: what is only excluded is searched for as text.
func TestExclusionsAloneAreTextForMessages(t *testing.T) {
	t.Parallel()
	e := openWithMessages(t, "v25.db", "run with -zyzzyva now", "zyzzyva alone", "nothing")
	hits, total, err := e.SearchMessages(t.Context(), "-zyzzyva", Options{Limit: -1})
	if err != nil || total != 1 || len(hits) != 1 {
		t.Errorf("%d messages, want 1; %v", total, err)
	}
}

// A minus before one letter is an option of a command.
func TestOptionsOfCommandsAreText(t *testing.T) {
	t.Parallel()
	e := openWithMessages(t, "v25.db", "pnpm -r publish", "pnpm publish", "go build -ldflags '-s -w' .", "tar -xz r")
	for asked, want := range map[string]int{
		"pnpm -r publish": 1, "pnpm publish": 2, "-ldflags '-s -w'": 1, "tar -xz": 1, "tar -zx": 0, "tar NOT r": 0, `pnpm -"r"`: 1,
	} {
		if got := finds(t, e, asked); got != want {
			t.Errorf("%s finds %d messages, want %d", asked, got, want)
		}
	}
}
