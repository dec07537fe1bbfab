package snapshot

import (
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
)

// clock is the time of the recordings: after all of their rows.
func clock() time.Time { return time.Unix(1790000000, 0) }

// versions are the fixtures of every schema version in a campaign, otherwise one file of each
// kind of index.
func versions(t testing.TB) []string {
	t.Helper()
	if !campaign.On() {
		return []string{"v01.db", "v10.db", "v11.db", "v16.db", "v25.db", "life-long.db"}
	}
	return fixtures.Names(t, "*.db", 27)
}

// openAt opens the sessions of a database file and closes it with the test.
func openAt(t testing.TB, path string) *Sessions {
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
	return New(d)
}

// openFixture opens the sessions of a copy of a fixture, on which statements are
// run first.
func openFixture(t testing.TB, name string, statements ...string) *Sessions {
	t.Helper()
	path := fixtures.Database(t, name)
	fixtures.Exec(t, path, statements...)
	return openAt(t, path)
}

// conversations returns the list of a query without filters, as the engine above does.
func conversations(t testing.TB, s *Sessions, q query.ListOptions) (model.ConversationPage, error) {
	t.Helper()
	page, ok, err := s.FirstPage(t.Context(), q)
	if ok || err != nil {
		return page, err
	}
	snap, err := s.CurrentSnapshot(t.Context())
	if err != nil {
		return model.ConversationPage{}, err
	}
	index := snap.Index(q, s.db.Clock())
	page = index.Page(q, index.Matcher(q.AdmitsOrigin))
	return page, s.AddPreviews(t.Context(), page.Conversations)
}
