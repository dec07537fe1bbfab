//go:build !windows

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
)

// What a browser has deleted before it is killed, or left, is undone by the key of the next one,
// and by hermes-sessions undo. What is saved is removed then.
func TestUndoSurvivesAKill(t *testing.T) {
	t.Parallel()
	db := fixtures.Database(t, "v25.db")
	before := exported(t, db)
	environ := environment(t)
	undo := ""
	for _, v := range environ {
		if home, ok := strings.CutPrefix(v, "HOME="); ok {
			undo = filepath.Join(home, ".local", "state", "hermes-sessions", "undo")
		}
		if state, ok := strings.CutPrefix(v, "XDG_STATE_HOME="); ok && state != "" {
			undo = filepath.Join(state, "hermes-sessions", "undo")
		}
	}
	deleteAndKill := func() {
		c := openConsole(t, 120, 30, environ, program, "--db", db)
		c.Sees("74 conversations")
		c.Press("Tab", "Tab", "Ctrl+D")
		c.Sees("Delete 2 conversations?")
		c.Sees("Deletes ")
		c.Types("y")
		c.Sees("Deleted 2 conversations")
		if n := len(folder(t, undo)); n != 1 {
			t.Errorf("%d files are saved", n)
		}
		if err := c.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		<-c.exited
	}
	deleteAndKill()
	if r := runIn(t, environ, "--db", db, "list", "--limit", "1"); r.code != 0 || r.stderr != "" {
		t.Errorf("%+v", r)
	}
	c := openConsole(t, 120, 30, environ, program, "--db", db)
	c.Sees("72 conversations")
	c.Press("Alt+Z")
	c.Sees("Deleted ")
	c.Sees("Restore")
	c.Types("f")
	c.Sees("Restored ")
	c.Sees("74 conversations")
	c.Press("Ctrl+C")
	c.exits(130)
	if after := exported(t, db); after != before {
		t.Error("the history is not as it was")
	}
	if n := len(folder(t, undo)); n != 0 {
		t.Errorf("%d files are saved", n)
	}
	deleteAndKill()
	if r := runIn(t, environ, "--db", db, "undo", "--yes"); r.code != 0 || !strings.HasPrefix(r.stdout, "Restored ") {
		t.Errorf("%+v", r)
	}
	if after := exported(t, db); after != before {
		t.Error("the history is not as it was")
	}
	deleteAndKill()
	if r := runIn(t, environ, "--db", db, "undo", "--forget", "--yes"); r.code != 0 || !strings.HasPrefix(r.stdout, "Discarded ") {
		t.Errorf("%+v", r)
	}
	if n := len(folder(t, undo)); n != 0 || exported(t, db) == before {
		t.Errorf("%d files are saved", n)
	}
}
