package hermes

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"hermes-sessions/internal/cli/env"
)

// Places are listed in their order; one that does not answer is taken to have its database
// where it should be, and the first error is given.
func TestPlacesThatDoNotAnswer(t *testing.T) {
	t.Parallel()
	at := func(name string) Named { return Named{Location: Location{DB: "/nowhere/" + name}, Name: name} }
	never := make(chan struct{})
	defer close(never)
	places := []place{
		{unseen: at("far"), look: func() ([]Named, error) { <-never; return nil, nil }},
		{unseen: at("unused"), look: func() ([]Named, error) { return nil, nil }},
		{unseen: at("folder"), look: func() ([]Named, error) { return []Named{at("one"), at("two")}, nil }},
	}
	found, err := lookAt(places, 100*time.Millisecond)
	if err != nil || len(found) < 3 || found[0].Name != "far" || found[len(found)-1].Name != "two" && found[len(found)-1].Name != "folder" {
		t.Errorf("%+v, %v", found, err)
	}
	wrong := errors.New("no such profile")
	if _, err = lookAt([]place{{look: func() ([]Named, error) { return nil, wrong }}}, time.Minute); !errors.Is(err, wrong) {
		t.Error(err)
	}
}

// Each database has a name of its own, since changes go to the one that an id names, and a
// file is listed once, whatever links name it.
func TestDatabasesHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var files []string
	for _, name := range []string{"a/work", "b/work", "c/work-2", "d/work", "e/work-3"} {
		file := filepath.Join(dir, name, "state.db")
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	hard, soft := filepath.Join(dir, "hard.db"), filepath.Join(dir, "soft.db")
	if err := errors.Join(os.Link(files[0], hard), os.Symlink(files[1], soft)); err != nil {
		t.Skip(err) // not every system and file system has links
	}
	all, err := LocateSeveral(Selection{DBs: append(files, hard, soft)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, n := range all {
		names = append(names, n.Name)
	}
	if want := []string{"work", "work-4", "work-2", "work-5", "work-3"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

// A file beside --all-profiles is listed with the profiles, not in their place.
func TestAFileBesideAllProfiles(t *testing.T) {
	t.Parallel()
	home, old := t.TempDir(), filepath.Join(t.TempDir(), "old.db")
	for _, file := range []string{filepath.Join(home, "state.db"), old} {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all, err := LocateSeveral(Selection{All: true, DB: old, DBs: []string{old}}, env.Vars{"HERMES_HOME=" + home})
	if err != nil || len(all) != 2 || all[0].Name != "default" || all[1].Name != "old.db" {
		t.Errorf("%+v, %v", all, err)
	}
}

// A profile whose folder is elsewhere, and a database beside a link to another, are listed as
// Hermes lists them. A link that leads nowhere is left out.
func TestLinkedProfilesAndDatabases(t *testing.T) {
	t.Parallel()
	home, elsewhere := t.TempDir(), t.TempDir()
	profiles, file := filepath.Join(home, "profiles"), filepath.Join(elsewhere, "state.db")
	err := errors.Join(os.Mkdir(profiles, 0o700), os.WriteFile(file, []byte("SQLite format 3\x00"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Symlink(elsewhere, filepath.Join(profiles, "work")), os.Symlink("nowhere", filepath.Join(profiles, "gone")), os.Symlink(file, filepath.Join(home, "linked.db"))); err != nil {
		t.Skip(err) // not every system has links
	}
	for _, c := range []struct {
		Selection
		want string
	}{{Selection{All: true}, "work"}, {Selection{DB: home, DBs: []string{home}}, "linked.db"}} {
		all, err := LocateSeveral(c.Selection, env.Vars{"HERMES_HOME=" + home})
		if err != nil || len(all) != 1 || all[0].Name != c.want {
			t.Errorf("%+v, %v", all, err)
		}
	}
}
