//go:build !windows

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
)

// profiles makes a Hermes home with two profiles that have conversations, one whose file
// is damaged, and one that was never used.
func profiles(t *testing.T) (home, standard, work string) {
	t.Helper()
	home = t.TempDir()
	standard, work = filepath.Join(home, "state.db"), filepath.Join(home, "profiles", "work", "state.db")
	for _, name := range []string{"work", "broken", "unused"} {
		if err := os.MkdirAll(filepath.Join(home, "profiles", name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	fixtures.Unpack(t, "v11.db", standard)
	fixtures.Unpack(t, "v25.db", work)
	if err := os.WriteFile(filepath.Join(home, "profiles", "broken", "state.db"), []byte(strings.Repeat("no database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	return home, standard, work
}

// All profiles are one list with one search. What is done to a conversation is done in its
// own database, and Hermes gets its own id and its profile. A damaged profile is named and
// does not stop the others.
func TestAllProfiles(t *testing.T) {
	t.Parallel()
	home, standard, work := profiles(t)
	s := open(t, 160, 40, []string{"HERMES_HOME=/somewhere/else"}, "--home", home, "--all-profiles")
	s.Sees("broken: ")
	s.Sees("148 conversations")
	s.Sees("Profile")
	s.Sees(" default ")

	s.Pastes("profile:work docker")
	s.until("only the profile work is listed", func(text string) bool {
		return strings.Contains(text, "best first") && strings.Contains(text, " work ") && !strings.Contains(text, " default  ")
	})
	before, other := exported(t, work), exported(t, standard)
	s.Press("Ctrl+D")
	s.Sees("Deletes ")
	s.Types("y")
	s.Sees("Deleted “")
	if exported(t, work) == before {
		t.Error("nothing was deleted from the profile of the conversation")
	}
	if exported(t, standard) != other {
		t.Error("another profile was changed")
	}
	s.Press("Alt+Z")
	s.Sees("Restored “")
	if exported(t, work) != before {
		t.Error("the profile is not as it was")
	}

	s.Press("Enter")
	c := s.resumed()
	if len(c.Args) != 4 || c.Args[0] != "-p" || c.Args[1] != "work" || c.Args[2] != "--resume" || strings.Contains(c.Args[3], "/") || c.Home != home {
		t.Errorf("Hermes was called with %q at home %q", c.Args, c.Home)
	}
}

// A profile that another program keeps locked does not stop the others, which are shown after
// two seconds; it joins them when it is unlocked. The panel of filters lists the profiles.
func TestALockedProfile(t *testing.T) {
	t.Parallel()
	home, _, work := profiles(t)
	write := otherWriter(t, work)
	write(`PRAGMA journal_mode = delete`)
	write(`BEGIN EXCLUSIVE`)
	r := run(t, "--home", home, "--all-profiles", "list", "--limit", "0")
	if r.code != 0 || !strings.Contains(r.stderr, "work does not answer") || !strings.Contains(r.stderr, "broken: ") || !strings.Contains(r.stdout, " default/") || strings.Contains(r.stdout, " work/") {
		t.Errorf("%+v", r)
	}
	s := open(t, 160, 40, nil, "--home", home, "--all-profiles")
	s.until("the other profile, and a note beside that on the damaged one", func(text string) bool {
		return strings.Contains(text, " default ") && strings.Contains(text, "(1 more)")
	})
	write(`ROLLBACK`)
	s.Sees("148 conversations")
	s.Press("Ctrl+X")
	s.Sees("filter")
	s.Types("f")
	s.until("both profiles in the panel", func(text string) bool {
		return strings.Contains(text, "type to narrow") && regexp.MustCompile(`(?s) default +█.* work +█`).MatchString(text)
	})
	s.Press("Esc")
	s.Loses("type to narrow")
	s.Press("Ctrl+C")
	s.ends()
}

// Several files, and the files in a folder, are one list, which a damaged one does not
// stop; commands that work on one database refuse several.
func TestSeveralFiles(t *testing.T) {
	t.Parallel()
	home, standard, work := profiles(t)
	broken := filepath.Join(home, "profiles", "broken", "state.db")
	folder := t.TempDir()
	for _, name := range []string{"state.db.bak-1", "state.db.bak-2"} {
		fixtures.Unpack(t, "v16.db", filepath.Join(folder, name))
	}
	if err := os.WriteFile(filepath.Join(folder, "notes.txt"), []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, 160, 40, nil, "--db", standard, "--db", folder, "--db", broken)
	s.Sees("4 databases")
	s.Sees("state.db.…")
	s.Sees("broken: ")
	s.Types("profile:state.db.bak-2 ")
	s.Sees("profile state.db.bak-2")
	s.Press("Ctrl+X")
	s.Sees("archive/unarchive")
	s.Types("a")
	s.Sees("Hermes does not open state.db.bak-2")
	s.Sees("open it alone")
	s.Press("Ctrl+C")
	s.ends()

	r := run(t, "--db", standard, "--db", work, "doctor")
	if r.code != 2 || !strings.Contains(r.stderr, "one database") {
		t.Errorf("doctor of two databases: exit %d, %q", r.code, r.stderr)
	}
	if r = run(t, "--db", standard, "--db", work, "--db", broken, "stats", "--by", "profile"); r.code != 0 || !strings.Contains(r.stdout, "work") || !strings.Contains(r.stdout, "Total") {
		t.Errorf("stats by profile: exit %d, %s%s", r.code, r.stdout, r.stderr)
	}
	r = run(t, "--db", standard, "--db", broken, "--db", work, "list", "--json", "--limit", "0")
	var list struct {
		Sessions []struct {
			ID      string `json:"id"`
			Root    string `json:"root_id"`
			Profile string `json:"profile"`
		} `json:"sessions"`
	}
	if err := json.Unmarshal([]byte(r.stdout), &list); err != nil || len(list.Sessions) != 148 {
		t.Fatalf("%d conversations in the list: %v %s", len(list.Sessions), err, r.stderr)
	}
	for _, c := range list.Sessions {
		if c.Profile == "" || strings.Contains(c.ID+c.Root, "/") {
			t.Errorf("listed %+v", c)
		}
	}
	if names, err := os.ReadDir(folder); err != nil || !slices.ContainsFunc(names, func(e os.DirEntry) bool { return e.Name() == "notes.txt" }) {
		t.Error(err)
	}
}

// The totals of all profiles are the sums of each, a model in two of them counted once, and the
// bytes of each are measured.
func TestTotalsOfAllProfiles(t *testing.T) {
	t.Parallel()
	home, standard, work := profiles(t)
	type sum struct {
		Sessions, Messages int
		Models             []struct {
			Model    *string
			Sessions int
			Usage    struct {
				Input int64 `json:"input_tokens"`
			}
		}
		Total struct {
			Input int64 `json:"input_tokens"`
		}
		Bytes int64
	}
	read := func(args ...string) (s sum) {
		r := run(t, append(args, "stats", "--json")...)
		if err := json.Unmarshal([]byte(r.stdout), &s); err != nil || r.code != 0 {
			t.Fatalf("%q: exit %d, %v %s", args, r.code, err, r.stderr)
		}
		return s
	}
	all, one, other := read("--home", home, "--all-profiles"), read("--db", standard), read("--db", work)
	if all.Sessions != one.Sessions+other.Sessions || all.Messages != one.Messages+other.Messages || all.Bytes != one.Bytes+other.Bytes ||
		all.Total.Input != one.Total.Input+other.Total.Input || all.Total.Input == 0 {
		t.Errorf("%+v is not the sum of\n%+v and\n%+v", all, one, other)
	}
	count := map[string]int{}
	for i, s := range []sum{all, one, other} {
		seen := map[string]bool{}
		for _, m := range s.Models {
			name := "null"
			if m.Model != nil {
				name = "model " + *m.Model
			}
			if seen[name] {
				t.Errorf("%s is there twice", name)
			}
			if seen[name] = true; i == 0 {
				count[name] = m.Sessions
			} else {
				count[name] -= m.Sessions
			}
		}
	}
	for name, n := range count {
		if n != 0 {
			t.Errorf("%s: %d sessions too many", name, n)
		}
	}

	r := run(t, "--home", home, "--all-profiles", "storage", "--json")
	var storage struct {
		Databases []map[string]any `json:"databases"`
	}
	if err := json.Unmarshal([]byte(r.stdout), &storage); err != nil || len(storage.Databases) != 2 || !strings.Contains(r.stderr, "broken") {
		t.Fatalf("%d databases, %v %s", len(storage.Databases), err, r.stderr)
	}
	for i, db := range []string{standard, work} {
		var alone map[string]any
		if err := json.Unmarshal([]byte(run(t, "--db", db, "storage", "--json").stdout), &alone); err != nil {
			t.Fatal(err)
		}
		got := storage.Databases[i]
		if got["name"] != []string{"default", "work"}[i] {
			t.Errorf("the name is %v", got["name"])
		}
		if delete(got, "name"); !reflect.DeepEqual(got, alone) {
			t.Errorf("%s is measured as\n%v\nand by itself as\n%v", db, got, alone)
		}
	}
	r = run(t, "--home", home, "--all-profiles", "storage", "--limit", "3")
	if r.code != 0 || !strings.Contains(r.stdout, " work/") || !strings.Contains(r.stdout, "179 more conversations (--limit)") {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	if r = run(t, "--home", home, "--all-profiles", "storage", "--checkpoint"); r.code != 2 || !strings.Contains(r.stderr, "one database") {
		t.Errorf("exit %d: %s", r.code, r.stderr)
	}
}

// The storage, the export and the lineage of a conversation are those of its own database,
// under its own ids.
func TestStorageExportAndLineageOfAProfile(t *testing.T) {
	t.Parallel()
	home, _, work := profiles(t)
	k := findBranch(t, "", "--db", work)
	s := open(t, 160, 40, nil, "--home", home, "--all-profiles")
	s.Sees("148 conversations")
	s.Pastes("profile:work " + k.words)
	s.Sees("best first")
	s.Sees(k.title)

	s.Press("Ctrl+X")
	s.Types("S")
	s.Sees(" in 2 databases")
	s.Sees("of indexes and rows")
	s.Types("q")

	s.Press("Ctrl+X")
	s.Types("e")
	s.Sees("JSON lines")
	s.Press("Ctrl+U")
	file := filepath.Join(t.TempDir(), "talk.jsonl")
	s.Pastes(file)
	s.Press("Enter")
	s.Sees("Exported to “")
	if line := contents(t, file); !strings.Contains(line, `"title": "`+k.title) || strings.Contains(line, `"work/`) {
		t.Errorf("%.300q", line)
	}

	s.Press("Ctrl+L")
	s.Sees("Lineage")
	s.Types("/" + k.branch)
	s.Sees("match 1 of 1")
	s.Press("Enter")
	s.Sees("work/" + k.branch)
	s.Types("r")
	s.Sees("Hermes goes on in a later session") // the branch has a child without marks
	s.Types("y")
	if c := s.resumed(); !slices.Equal(c.Args, []string{"-p", "work", "--resume", k.branch}) || c.Home != home {
		t.Errorf("Hermes was called with %q at home %q", c.Args, c.Home)
	}
}
