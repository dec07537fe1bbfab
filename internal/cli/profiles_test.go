package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
)

// profilesHome is a Hermes home whose profile work has the sessions of the default one, and
// two of its own.
func profilesHome(t *testing.T) (dir, work string) {
	t.Helper()
	dir = home(t)
	work = filepath.Join(dir, "profiles", "work", "state.db")
	if err := os.MkdirAll(filepath.Dir(work), 0o700); err != nil {
		t.Fatal(err)
	}
	fixtures.Unpack(t, "v25.db", work)
	line := `{"id": "second", "source": "cli", "started_at": 9.0, "ended_at": 9.5, "title": "another second", "messages": [{"role": "user", "content": "of work", "timestamp": 9.1}]}
{"id": "third", "source": "cli", "started_at": 9.6, "title": "a third one", "messages": [{"role": "assistant", "timestamp": 9.7, "tool_calls": [{"id": "c", "function": {"name": "read_file", "arguments": "{\"path\": \"/src/go.mod\"}"}}]}]}`
	if code, _, errs := run(t, dir, line, "--profile", "work", "import", "-"); code != 0 {
		t.Fatal(errs)
	}
	return dir, work
}

// work/ID is a session of that profile for every command; ids that occur in two profiles
// stay apart.
func TestASessionOfAnotherProfile(t *testing.T) {
	dir, work := profilesHome(t)
	for _, c := range []struct{ args, out string }{
		{"show work/second", "of work"},
		{"show --json work/seco", `"title": "another second"`},
		{"show second", "the chain"},
		{"--db " + filepath.Join(dir, "state.db") + " --db " + work + " show work/second", "of work"},
		{"lineage work/second", "another second"},
		{"compare work/second work/third", "a third one"},
		{"files work/third", "/src/go.mod"},
		{"resume --print work/second", "hermes -p work --resume second"},
		{"rename work/second renamed", "renamed to: renamed"},
		{"pin work/second", "Session 'second' is pinned."},
		{"export - --session-id work/second", `"title": "renamed"`},
		{"delete --yes work/second", "Deleted session 'second'"},
		{"show second", "the chain"},
	} {
		code, out, errs := run(t, dir, "", strings.Fields(c.args)...)
		if code != 0 || !strings.Contains(out, c.out) {
			t.Errorf("%s: %d, no %q in\n%s%s", c.args, code, c.out, out, errs)
		}
	}
	olds := t.TempDir()
	fixtures.Unpack(t, "v16.db", filepath.Join(olds, "state.db.bak-1"))
	for _, c := range []struct {
		args []string
		errs string
	}{
		{[]string{"--db", olds, "delete", "--yes", "state.db.bak-1/20260304_011947_5d00e2"}, "read-only among several"},
		{[]string{"--db", olds, "rename", "state.db.bak-1/20260304_011947_5d00e2", "new"}, "read-only among several"},
		{[]string{"show", "work/second"}, "Session 'second' not found"},
		{[]string{"show", "play/second"}, "Session 'play/second' not found. (there is no profile \"play\", only default, work)\n"},
		{[]string{"show", "work/life balance"}, "Session 'work/life balance' not found"},
		{[]string{"-p", "wrok", "list"}, "there is no profile \"wrok\", only default, work (did you mean work?)"},
		{[]string{"pin", "work/x", "second"}, "name those of one at a time"},
	} {
		if code, out, errs := run(t, dir, "", c.args...); code == 0 || !strings.Contains(errs, c.errs) {
			t.Errorf("%s: %d, no %q in\n%s%s", c.args, code, c.errs, out, errs)
		}
	}
}

// Profiles whose database cannot be read are named, each with its reason, by every command
// over several; one without a database is no profile with conversations, and is left out.
func TestProfilesThatCannotBeRead(t *testing.T) {
	dir, _ := profilesHome(t)
	file := func(profile string) string {
		path := filepath.Join(dir, "profiles", profile, "state.db")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file("unused")
	errs := []error{
		os.Mkdir(file("folder"), 0o700), os.Symlink("nowhere", file("dangling")), os.Symlink("state.db", file("loop")),
		os.WriteFile(file("empty"), nil, 0o600), os.WriteFile(file("text"), []byte(strings.Repeat("no database ", 100)), 0o600),
	}
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range []string{"list", "list --json", "search chain", "stats --by profile", "stats --by day --json", "running --json", "export - --format jsonl"} {
		code, out, said := run(t, dir, "", append([]string{"--all-profiles"}, strings.Fields(command)...)...)
		if code != 0 && code != 1 || out == "" || strings.Contains(said, "unused") {
			t.Errorf("%s: %d, %s%s", command, code, out, said)
		}
		for _, profile := range []string{"folder: ", "dangling: ", "loop: ", "empty: ", "text: "} {
			if !strings.Contains(said, profile) {
				t.Errorf("%s does not say what is wrong with %s%s", command, profile, said)
			}
		}
	}
}

// All profiles are exported one after the other, into lines or one document; one that cannot
// be read is named and does not stop the others.
func TestExportingAllProfiles(t *testing.T) {
	dir, work := profilesHome(t)
	count := func(args ...string) int {
		t.Helper()
		code, out, errs := run(t, dir, "", args...)
		if code != 0 {
			t.Fatal(args, code, errs)
		}
		return strings.Count(out, "\n")
	}
	all := count("export", "-", "--all-profiles")
	if one, two := count("export", "-"), count("--profile", "work", "export", "-"); all != one+two || one == 0 || two == 0 {
		t.Errorf("%d lines of all profiles, %d and %d of each", all, one, two)
	}
	if cli, listed := count("export", "-", "--all-profiles", "--source", "cli"), count("list", "--all-profiles", "--all", "--limit", "0", "--source", "cli"); cli == 0 || cli >= all || listed < cli {
		t.Errorf("%d lines of the source cli, %d listed, of %d", cli, listed, all)
	}
	code, out, errs := run(t, dir, "", "export", "-", "--all-profiles", "--format", "md")
	if code != 0 || strings.Count(out, "# another second") != 1 || strings.Count(out, "# the chain") != 1 {
		t.Errorf("%d %s%.2000s", code, errs, out)
	}
	if code, out, errs := run(t, dir, "", "export", "-", "--all-profiles", "--session-id", "second"); code != 2 || out != "" || !strings.Contains(errs, "--session-id PROFILE/ID") {
		t.Errorf("%d %q %q", code, out, errs)
	}
	code, out, errs = run(t, dir, "", "browse", "--json", "--all-profiles", "another")
	if code != 0 || !strings.Contains(out, `"profile": "work"`) {
		t.Errorf("%d %q %q", code, out, errs)
	}

	if err := os.WriteFile(work, []byte(strings.Repeat("no database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(work + "-wal"); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	code, out, errs = run(t, dir, "", "export", "-", "--all-profiles")
	if code != 1 || strings.Count(out, "\n") != count("export", "-") || !strings.Contains(errs, "note: work: ") {
		t.Errorf("%d %q %q", code, out, errs)
	}
}
