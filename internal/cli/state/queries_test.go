package state

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"hermes-sessions/internal/cli/env"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

func TestNamedQueriesKeepTheirOrder(t *testing.T) {
	var s Settings
	err := s.parse("[queries]\nwork = \"docker\"\ncron = {query = \"has:failed\", scope = \"automation\", sort = \"cost\"}\n\"übung\" = 'a \"b\"'\n[queries.last]\nquery = \"x\"\n")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range s.Named {
		got = append(got, n.Name+" = "+queryEntry(n))
	}
	want := `work = "docker"|cron = {query = "has:failed", scope = "automation", sort = "cost"}|übung = 'a "b"'|last = "x"`
	if strings.Join(got, "|") != want {
		t.Errorf("%s", strings.Join(got, "|"))
	}
	for text, want := range map[string]string{
		"[queries]\n\"two words\" = \"x\"":          "queries.two words: a name has letters",
		"[queries]\nx = 3":                          "queries.x: must be a query",
		"[queries]\nx = {query = \"x\", scope = 1}": "queries.x: must be a query",
		"[queries]\nx = {scope = \"moon\"}":         `queries.x: there is no scope "moon"`,
		"[queries]\nx = {sort = \"moon\"}":          `queries.x: there is no order "moon"`,
		"[queries]\nx = {order = \"cost\"}":         `queries.x: there is no setting "order"`,
		"queries = 3":                               "queries",
	} {
		if err := new(Settings).parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// A saved query changes its own line of the settings file and nothing else.
func TestSavingAQueryLeavesTheRestOfTheFile(t *testing.T) {
	cost := query.ByCost
	work := &query.Named{Name: "work", Text: `say "hi"`, Scope: model.ScopeArchived, Order: &cost}
	const line = `work = {query = 'say "hi"', scope = "archived", sort = "cost"}`
	for name, c := range map[string]struct {
		text, was string
		n         *query.Named
		want      string
	}{
		"a new file":               {"", "work", work, "[queries]\n" + line + "\n"},
		"no table yet":             {"# mine\nascii = true", "work", work, "# mine\nascii = true\n\n[queries]\n" + line + "\n"},
		"the first of a table":     {"[queries] # mine\n\n[keys.list]\ncopy = \"f6\"\n", "work", work, "[queries] # mine\n" + line + "\n\n[keys.list]\ncopy = \"f6\"\n"},
		"behind the last":          {"[queries]\na = \"x\" # one\n# two\n\n[keys.list]\n", "work", work, "[queries]\na = \"x\" # one\n" + line + "\n# two\n\n[keys.list]\n"},
		"in its place":             {"[queries]\nwork = \"\"\"a\n[b] # \"\"\" # mine\nb = 'y'\n", "work", work, "[queries]\n" + line + " # mine\nb = 'y'\n"},
		"renamed":                  {"[queries]\r\n\"old\" = \"#\"\r\nb = 'y'\r\n", "old", work, "[queries]\r\n" + line + "\r\nb = 'y'\r\n"},
		"behind a byte order mark": {"\ufeff[queries]\nb = 'y'\n", "work", work, "\ufeff[queries]\nb = 'y'\n" + line + "\n"},
		"Windows lines":            {"[queries]\r\nb = 'y'\r\n", "work", work, "[queries]\r\nb = 'y'\r\n" + line + "\r\n"},
		"removed":                  {"ascii = true\n[queries]\nwork = {query = \"a\"} # it\nb = 'y'\n", "work", nil, "ascii = true\n[queries]\nb = 'y'\n"},
		"removed, the last":        {"[queries]\nwork = \"a\"", "work", nil, "[queries]\n"},
	} {
		home := t.TempDir()
		file := filepath.Join(home, "config.toml")
		if err := os.WriteFile(file, []byte(c.text), 0o640); err != nil {
			t.Fatal(err)
		}
		if _, err := (Settings{File: file}).EditQueries(c.was, c.n, nil); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, _ := os.ReadFile(file)
		if string(got) != c.want {
			t.Errorf("%s:\n%q, want\n%q", name, got, c.want)
		}
		if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
}

func TestSettingsThatCannotBeEditedStay(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "config.toml")
	n := &query.Named{Name: "work", Text: "x"}
	try := func(text string, mode os.FileMode) string {
		t.Helper()
		_ = os.Remove(file)
		if err := os.WriteFile(file, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		_, err := Settings{File: file}.EditQueries("work", n, nil)
		if err == nil {
			t.Fatalf("%q was edited", text)
		}
		if got, _ := os.ReadFile(file); string(got) != text {
			t.Errorf("%q became %q", text, got)
		}
		return err.Error()
	}
	for _, text := range []string{"queries = {a = \"x\"}\n", "queries.a = \"x\"\n", "[queries]\na = \"x\"\n[queries.work]\nquery = \"y\"\n"} {
		if got := try(text, 0o600); !strings.Contains(got, "cannot change") {
			t.Error(got)
		}
	}
	if got := try("ascii = = true", 0o600); !strings.Contains(got, "line 1") {
		t.Error(got)
	}
	if got := try("ascii = true", 0o400); !strings.Contains(got, "is read-only") {
		t.Error(got)
	}
	s, err := ReadSettings("none", nil)
	if err == nil {
		_, err = s.EditQueries("work", n, env.Vars{"HOME=" + home})
	}
	if err == nil || !strings.Contains(err.Error(), "no settings file") {
		t.Errorf("with --config=none: %v", err)
	}
}
