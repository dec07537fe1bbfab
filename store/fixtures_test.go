package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/snapshot"
)

// fixture puts a copy of a recorded database into a fresh folder, its -wal
// with it, and returns the path.
func fixture(t testing.TB, name string) string {
	t.Helper()
	return fixtures.Database(t, name)
}

// Recorded reads answers of the real software.
func Recorded(t testing.TB, name string, into any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(fixtures.Read(t, "oracle/"+name+".json")))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		t.Fatal(err)
	}
}

// named are the ids of sessions of a file of schema 26 or later, by what is special about them.
func named(t testing.TB, file string) map[string]string {
	t.Helper()
	var files map[string]struct{ Named map[string]any }
	if err := json.Unmarshal(fixtures.Read(t, "manifest-26-31.json"), &files); err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for name, id := range files[file].Named {
		if id, one := id.(string); one {
			ids[name] = id
		}
	}
	return ids
}

// clock is the time of the recordings: after all of their rows.
func clock() time.Time { return time.Unix(1790000000, 0) }

// ownFiles are files of one's own that tests of sums and failures read too, where they are:
//
//	HERMES_SESSIONS_OWN_DB=FILE go test ./store -run 'EqualsSQL|EqualSQL|LargeFile'
func ownFiles() (paths []string) {
	if path := os.Getenv("HERMES_SESSIONS_OWN_DB"); path != "" {
		paths = append(paths, path)
	}
	return paths
}

// openFixture opens a fixture, or a file of ownFiles, and closes it with the test.
func openFixture(t testing.TB, name string) *Store {
	t.Helper()
	path := name
	if !slices.Contains(ownFiles(), name) {
		path = fixture(t, name)
	}
	s, err := Open(t.Context(), path, WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Versions are the fixtures of every schema version.
func Versions(t testing.TB) []string {
	t.Helper()
	return fixtures.Names(t, "*.db", 31)
}

// someVersions has one file of each kind of index, which is what tests run on
// outside of campaigns where all files would take long.
var someVersions = []string{"v01.db", "v10.db", "v11.db", "v16.db", "v25.db", "v28.db", "v31.db", "life-long.db"}

// versionsToTest are the fixtures of every schema version in a campaign, and otherwise
// someVersions.
func versionsToTest(t testing.TB) []string {
	t.Helper()
	if campaign.On() {
		return Versions(t)
	}
	return slices.Clone(someVersions)
}

// someOf returns all of some recorded calls in a campaign, and otherwise every nth.
func someOf[T any](all []T, n int) (some []T) {
	if campaign.On() {
		return all
	}
	for i := 0; i < len(all); i += n {
		some = append(some, all[i])
	}
	return some
}

// Count asks the file itself.
func Count(t testing.TB, s *Store, query string) int {
	t.Helper()
	var n int
	if err := s.db.Pool.QueryRowContext(context.Background(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
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

// searchAllScopes asks in every scope, as if typed to the end.
func searchAllScopes(t *testing.T, s *Store, asked string) model.SearchResults {
	t.Helper()
	r, err := s.Search(t.Context(), query.Parse(asked, false), query.ListOptions{Scope: model.ScopeAll})
	if err != nil {
		t.Fatalf("%s: %v", asked, err)
	}
	return r
}

// openAt opens a database file and closes it with the test.
func openAt(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path, WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// everyConversation lists all conversations.
var everyConversation = query.ListOptions{Scope: model.ScopeAll}

// filesBeside returns the names and sizes of the files in the folder of one.
func filesBeside(t testing.TB, path string) (all []string) {
	t.Helper()
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprint(f.Name(), " ", info.Size()))
	}
	return all
}
