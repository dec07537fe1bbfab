package snapshot_test

import (
	"path/filepath"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/testing/corpus"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/snapshot"
)

// The first page of a generated history, in which sessions overlap as a person's do,
// equals that of the whole list.
func TestRowsOnlyOfAGeneratedHistory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	if err := corpus.Make(t.Context(), path, corpus.Config{Messages: campaign.Length(1000, 3000), Seed: 12}); err != nil {
		t.Fatal(err)
	}
	d := open(t, path)
	if n := snapshot.CompareFirstPages(t, snapshot.New(d), query.ListOptions{RowsOnly: true}); n < 3 {
		t.Errorf("only %d pages compared", n)
	}
}
