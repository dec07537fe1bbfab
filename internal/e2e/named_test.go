//go:build !windows

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A query is saved under a name beside what the settings have, shown as a tab with its
// count, used by commands, renamed and removed.
func TestNamedQueries(t *testing.T) {
	t.Parallel()
	const mine = "# mine\nascii = true\n\n[queries] # by hand\nautomation = {query = \"\", scope = \"automation\"}\n"
	own := ownSettings(t, mine)
	file := filepath.Join(strings.TrimPrefix(own, "XDG_CONFIG_HOME="), "hermes-sessions", "config.toml")
	db := "--db=" + ownDemo(t)
	s := open(t, 100, 30, []string{own}, db)
	s.Sees("1 automation 10")
	s.Types("docker")
	saveQuery(s, "work")
	s.Sees("save as @work")
	s.Press("Enter")
	s.Sees(">2 work 7")
	if got, want := contents(t, file), mine+"work = \"docker\"\n"; got != want {
		t.Errorf("the settings are\n%s, want\n%s", got, want)
	}
	s.Types("image")
	s.Sees("@work image")
	s.Sees("label printer")
	s.Press("Esc")
	s.Sees("Search")
	s.click("automation 10")
	s.Sees("10 in automation")
	s.Press("Esc")
	s.Sees(" conversations ")
	s.Press("Ctrl+C")
	s.exits(130)

	environ := environment(t, own)
	named, plain := runIn(t, environ, db, "search", "@work"), runIn(t, environ, db, "search", "docker")
	if named.code != 0 || named.stdout != plain.stdout {
		t.Errorf("search @work: %+v", named)
	}
	if r := runIn(t, environ, db, "list", "@automation", "--limit=0"); r.code != 0 || strings.Count(r.stdout, "\n") < 10 || !strings.Contains(r.stdout, "Nightly backup report") {
		t.Errorf("list @automation: %+v", r)
	}
	if r := runIn(t, environ, db, "list", "@work", "label"); r.code != 0 || !strings.Contains(r.stdout, "Why is the Docker image fo") || strings.Contains(r.stdout, "go.sum") {
		t.Errorf("list @work label: %+v", r)
	}
	if r := runIn(t, environ, "__complete", "list", "@w"); !strings.Contains(r.stdout, "@work\tdocker") {
		t.Errorf("completion: %+v", r)
	}
	if r := runIn(t, environ, db, "--plain", "@work"); r.code != 0 || !strings.Contains(r.stdout, "go.sum") {
		t.Errorf("the plain list: %+v", r)
	}
	if err := os.WriteFile(file, []byte("colour = 1"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := runIn(t, environ, db, "list", "@work"); r.code != 2 || !strings.Contains(r.stderr, "there is no setting") {
		t.Errorf("a named query of wrong settings: %+v", r)
	}
}

// Settings that cannot be written are told in one line, with what to write in them.
func TestNamedQueryInReadOnlySettings(t *testing.T) {
	t.Parallel()
	own := ownSettings(t, "ascii = true\n")
	file := filepath.Join(strings.TrimPrefix(own, "XDG_CONFIG_HOME="), "hermes-sessions", "config.toml")
	if err := os.Chmod(file, 0o400); err != nil {
		t.Fatal(err)
	}
	s := open(t, 240, 30, []string{own}, "--db="+ownDemo(t), "docker")
	s.Sees("best first")
	saveQuery(s, "work\r")
	s.Sees("is read-only; add below [queries] by hand: work = \"docker\"")
	s.Press("Ctrl+C")
	s.exits(130)
}

// A query that is saved while the demo is open can be used, and is gone with the browser.
func TestNamedQueriesOnTheDemo(t *testing.T) {
	t.Parallel()
	own := ownSettings(t, "ascii = true\n")
	folder := filepath.Join(strings.TrimPrefix(own, "XDG_CONFIG_HOME="), "hermes-sessions")
	s := open(t, 100, 30, []string{own}, "--demo", "docker")
	s.Sees("best first")
	saveQuery(s, "work\r")
	s.Sees("Saved as @work, alt+1, until you quit")
	s.Sees(">1 work 7")
	s.Press("Ctrl+C")
	s.exits(130)
	if got := contents(t, filepath.Join(folder, "config.toml")); got != "ascii = true\n" {
		t.Errorf("the settings are\n%s", got)
	}
}

// saveQuery opens the dialog that saves the query, and types a name.
func saveQuery(s *browser, name string) {
	s.Press("Ctrl+X")
	s.Sees("save query")
	s.Types("Q")
	s.Sees("Name  @")
	s.Types(name)
}
