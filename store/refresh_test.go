package store

import (
	"os"
	"slices"
	"testing"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// What this store has changed itself is in its next answer, whatever it is.
func TestSearchShowsChangesOfThisProcess(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v25.db")
	ctx := t.Context()
	search := func() model.SearchResults {
		t.Helper()
		r, err := s.Search(ctx, query.Parse("the", false), query.ListOptions{Scope: model.ScopeAll})
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
		if at < 0 || m[at].Archived != on || m[at].Pinned != on || (m[at].Scope == model.ScopeArchived) != on {
			t.Errorf("archived and pinned: %v, found: %+v", on, m[max(0, at)].Conversation)
		}
	}
}

// A change of another process that no index tells of is in the answers at the latest
// after the sessions were read again in the background.
func TestSearchUsesSnapshotsReadInTheBackground(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v25.db")
	ctx := t.Context()
	find := func() model.Match {
		t.Helper()
		r, err := s.Search(ctx, query.Parse("the", false), query.ListOptions{Scope: model.ScopeAll, Order: query.ByActivity})
		if err != nil || len(r.Matches) == 0 {
			t.Fatal(len(r.Matches), err)
		}
		return r.Matches[0]
	}
	m := find()
	Must(t, otherConnection(t, s.Path()), `UPDATE sessions SET cwd = '/somewhere/else' WHERE id = '`+m.ID+`'`)
	find()
	if err := s.Prepare(ctx); err != nil {
		t.Fatal(err)
	}
	if now := find(); now.ID != m.ID || now.CWD != "/somewhere/else" {
		t.Errorf("%s is in %s", now.ID, now.CWD)
	}
}

// Where an index can no longer be read a search finds what it found before, and
// what another process has written since.
func TestARefreshWithADamagedIndex(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v11.db")
	db := otherConnection(t, path)
	Must(t, db, `PRAGMA journal_mode = DELETE`)
	var root, size int
	if err := db.QueryRow(`SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_master WHERE name = 'idx_sessions_title_unique'`).Scan(&root, &size); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, path)
	find := func() model.SearchResults {
		t.Helper()
		r, err := s.Search(t.Context(), query.Parse("the", false), query.ListOptions{Scope: model.ScopeAll})
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
	Must(t, db, `INSERT INTO messages (session_id, role, content, timestamp) SELECT session_id, 'user', 'the end', 1790000000 FROM messages LIMIT 1`)
	if now := find().Hits; now != want+1 {
		t.Errorf("%d hits, not %d", now, want+1)
	}
	if page, err := s.Conversations(t.Context(), query.ListOptions{}); err != nil || page.Total == 0 {
		t.Error(page.Total, err)
	}
}
