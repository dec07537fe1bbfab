package snapshot

import (
	"testing"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// Previews are looked up for the rows of one page, however many a source has.
func TestQ29PreviewsOfOnePageOnly(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	const limit = 5
	page, err := s.Conversations(t.Context(), query.ListOptions{Scope: model.ScopeAll, Sources: []string{"cli"}, Limit: limit})
	if err != nil || len(page.Conversations) != limit || page.Total < 8*limit {
		t.Fatal(len(page.Conversations), page.Total, err)
	}
	most := 0
	for _, c := range page.Conversations {
		most += len(c.Segments)
		if c.Preview == "" && c.Messages > 0 {
			t.Errorf("%s has no preview", c.ID)
		}
	}
	if n := len(s.cache.previews); n == 0 || n > most {
		t.Errorf("looked into %d sessions for a page of %d segments", n, most)
	}
}
