package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
)

// Every command that takes a session takes its title in any case and a part of it.
func TestCommandsTakeAPartOfATitle(t *testing.T) {
	for _, file := range []string{"v11.db", "v25.db"} {
		dir := t.TempDir()
		fixtures.Unpack(t, file, filepath.Join(dir, "state.db"))
		for _, c := range []struct {
			args []string
			out  string
		}{
			{[]string{"show", "MY PROJECT compressed"}, "my project compressed\n"},
			{[]string{"show", "project compr"}, "my project compressed\n"},
			{[]string{"show", "--recap", "very", "log"}, "very long build log\n"},
			{[]string{"lineage", "Branch Base"}, "branch base #2"},
			{[]string{"resume", "--print", "terminal esc"}, "hermes --resume 2026"},
			{[]string{"export", "-", "--session-id", "TERMINAL escapes", "--session-id", "very log"}, `"title": "very long build log"`},
			{[]string{"rename", "terminal esc", "Colors of the terminal"}, "renamed to: Colors of the terminal\n"},
			{[]string{"delete", "--yes", "colors OF the Terminal"}, "Deleted session '2026"},
		} {
			code, out, errs := run(t, dir, "", c.args...)
			if code != 0 || !strings.Contains(out, c.out) {
				t.Errorf("%s: %q: %d %.300s%s", file, c.args, code, out, errs)
			}
		}
		if file == "v25.db" {
			for _, verb := range []string{"pin", "archive", "unarchive", "unpin"} {
				if code, out, errs := run(t, dir, "", verb, "very log"); code != 0 || !strings.Contains(out, verb) {
					t.Errorf("%s: %d %s%s", verb, code, out, errs)
				}
			}
		}
		// ID#MESSAGE, where the id may be such a name too; a title may end in a number.
		if code, _, errs := run(t, dir, "", "show", "very log#999999"); code != 1 || !strings.Contains(errs, "has no message 999999") {
			t.Errorf("%s: %d %s", file, code, errs)
		}
		if code, _, errs := run(t, dir, "", "show", "my project #999999"); code != 1 || !strings.Contains(errs, "did you mean ") {
			t.Errorf("%s: %d %s", file, code, errs)
		}
	}
}

// A file of the first schema has no titles; ids are taken, and what was said helps.
func TestNamesWithoutTitles(t *testing.T) {
	dir := t.TempDir()
	fixtures.Unpack(t, "v01.db", filepath.Join(dir, "state.db"))
	code, out, errs := run(t, dir, "", "list", "--json", "--limit", "1")
	var list struct{ Sessions []struct{ ID string } }
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 {
		t.Fatal(code, err, errs)
	}
	id := list.Sessions[0].ID
	if code, _, errs := run(t, dir, "", "show", strings.ToUpper(id)); code != 0 {
		t.Errorf("%d %s", code, errs)
	}
	wrong := id[:len(id)-1] + "z"
	if code, _, errs := run(t, dir, "", "show", wrong); code != 1 || !strings.Contains(errs, "did you mean "+id+"?") {
		t.Errorf("%d %s", code, errs)
	}
	if code, _, errs := run(t, dir, "", "show", "keeping the docker image small"); code != 1 || !strings.Contains(errs, "did you mean 2026") {
		t.Errorf("%d %s", code, errs)
	}
}

func TestAmbiguousAndUnknownNames(t *testing.T) {
	dir := home(t)
	var lines []string
	for i := range 7 {
		lines = append(lines, fmt.Sprintf(`{"id": "soup%d", "source": "cli", "title": "Soup of day %d", "started_at": 1%d.0, "messages": [{"role": "user", "content": "stirring", "timestamp": 1%d.5}]}`, i, i, i, i))
	}
	if code, _, errs := run(t, dir, strings.Join(lines, "\n"), "import", "-"); code != 0 {
		t.Fatal(errs)
	}
	for _, c := range []struct {
		args []string
		errs string
	}{
		{
			[]string{"show", "of day"},
			"hermes-sessions: 'of day' matches 7 sessions: soup6 'Soup of day 6', soup5 'Soup of day 5', soup4 'Soup of day 4', soup3 'Soup of day 3', soup2 'Soup of day 2', … (use an ID, or more of the title)\n",
		},
		{[]string{"show", "soup"}, "'soup' matches 7 sessions: soup6 'Soup of day 6', "},
		{[]string{"show", "soup"}, "(use a longer prefix of the ID)"},
		{[]string{"show", "opne one"}, "hermes-sessions: Session 'opne one' not found. (did you mean open 'open one'?)\n"},
		{[]string{"show", "sop of day"}, "(did you mean soup6 'Soup of day 6', soup5 'Soup of day 5' or soup4 'Soup of day 4'?)"},
		{[]string{"show", "the stirred one"}, "(did you mean soup6 'Soup of day 6', "},
		{[]string{"show", "zzyzx quux stirred"}, "Session 'zzyzx quux stirred' not found. (look it up in the list)"},
		{[]string{"show", "zzyzx"}, "hermes-sessions: Session 'zzyzx' not found. (look it up in the list)\n  hermes-sessions list --all --home " + dir + "\n"},
		{[]string{"show", "source:cli"}, "hermes-sessions: Session 'source:cli' not found. (look it up in the list)\n  hermes-sessions list --all --home " + dir + "\n"},
		{[]string{"delete", "--yes", "day 3"}, "hermes-sessions: 'day 3' is only part of the title of soup3 'Soup of day 3' (use its ID or its whole title)\n  hermes-sessions delete soup3 --home " + dir + "\n"},
		{[]string{"delete", "--yes", "of day"}, "'of day' matches 7 sessions"},
		{[]string{"archive", "soup3", "day"}, "'day' matches 7 sessions"},
	} {
		if code, out, errs := run(t, dir, "", c.args...); code != 1 || out != "" || !strings.Contains(errs, c.errs) {
			t.Errorf("%q: %d %s%s", c.args, code, out, errs)
		}
	}
	type failure struct {
		Error struct {
			Kind, Message, Remedy string
			Candidates            []struct{ ID, Title string }
		}
	}
	for _, c := range []struct {
		name, kind string
		candidates int
		first      string
	}{{"of day", "ambiguous", 7, "soup6"}, {"opne one", "not-found", 1, "open"}, {"zzyzx", "not-found", 0, ""}, {"day 3", "part-of-title", 1, "soup3"}} {
		_, _, errs := run(t, dir, "", "delete", "--yes", "--json", c.name)
		var f failure
		if err := json.Unmarshal([]byte(errs), &f); err != nil || f.Error.Kind != c.kind || len(f.Error.Candidates) != c.candidates || c.first != "" && f.Error.Candidates[0].ID != c.first {
			t.Errorf("%s: %v %s", c.name, err, errs)
		}
	}
	if code, out, _ := run(t, dir, "", "delete", "--yes", "SOUP OF DAY 3"); code != 0 || out != "Deleted session 'soup3'.\n" {
		t.Error(code, out)
	}
}
