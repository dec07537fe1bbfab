//go:build !windows

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A conversation that another process goes on with after it was read is marked, has a line
// where the new messages begin, and is found by is:new, until it is read again.
func TestNewSinceItWasRead(t *testing.T) {
	t.Parallel()
	db := runningSessions(t, "")
	folder := t.TempDir()
	file := filepath.Join(folder, "hermes-sessions", "read.json")
	own := []string{"XDG_STATE_HOME=" + folder, ownSettings(t, "ascii = true\n")}
	s := open(t, 100, 30, own, "--db", db) // the database that is written to
	s.Sees("Quarry survey")
	if strings.Contains(s.text(), "n Quarry survey") {
		t.Error("a first run marks something")
	}
	s.Types("Quarry survey")
	s.Sees(" 1 conversation")
	s.Press("Right")
	s.Sees("1 / 1") // it has been read
	s.Press("Esc")
	s.Sees(" 1 conversation")
	write := otherWriter(t, db)
	write(`INSERT INTO messages (session_id, role, content, timestamp) SELECT id, 'assistant', 'The eastern face has crumbled.', (SELECT max(timestamp) FROM messages) + 60 FROM sessions WHERE title = 'Quarry survey'`)
	write(`UPDATE sessions SET message_count = message_count + 1 WHERE title = 'Quarry survey'`)
	s.Press("Esc")
	s.Sees("n Quarry survey")
	environ := environment(t, own...)
	if r := runIn(t, environ, "--db="+db, "list", "is:new"); r.code != 0 || !strings.Contains(r.stdout, "Quarry survey") || strings.Count(r.stdout, "\n") > 4 {
		t.Errorf("list is:new: %+v", r)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if r := runIn(t, environ, "--db="+db, "--plain", "Quarry survey"); !strings.Contains(r.stdout, " · new messages · ") {
		t.Errorf("--plain: %+v", r)
	}
	s.Types("is:new")
	s.Sees("with messages that you have not read")
	s.Press("Right")
	s.Sees("new since ")
	s.Sees("crumbled")
	s.Press("Esc")
	s.Sees(" 1 conversation")
	s.Press("Ctrl+C")
	s.exits(130)
	if r := runIn(t, environ, "--db="+db, "list", "is:new"); r.code != 1 {
		t.Errorf("list is:new after it was read: %+v", r)
	}
	if r := runIn(t, environ, "--db="+db, "--plain", "Quarry survey"); strings.Contains(r.stdout, "new messages") {
		t.Errorf("--plain after it was read: %+v", r)
	}
	write(`INSERT INTO messages (session_id, role, content, timestamp) SELECT id, 'user', 'And the western one?', (SELECT max(timestamp) FROM messages) + 60 FROM sessions WHERE title = 'Quarry survey'`)
	p := openConsole(t, 100, 30, environ, program, "--db", db, "--plain", "Quarry survey")
	p.Sees(" · new messages · ")
	p.Types(":recap 1")
	p.Press("Enter")
	p.Sees("you: ")
	if r := runIn(t, environ, "--db="+db, "list", "is:new"); r.code != 0 {
		t.Errorf("list is:new after a recap: %+v", r)
	}
	p.Types(":read 1")
	p.Press("Enter")
	p.Sees("## you")
	p.Types(":quit")
	p.Press("Enter")
	p.exits(0)
	if r := runIn(t, environ, "--db="+db, "list", "is:new"); r.code != 1 {
		t.Errorf("list is:new after it was read at the plain prompt: %+v", r)
	}
	off := append(own[:1:1], ownSettings(t, "remember = false\n"))
	if r := runIn(t, environment(t, off...), "--db="+db, "list", "is:new"); r.code != 1 || !strings.Contains(r.stderr, "is:new matches nothing") {
		t.Errorf("list is:new without a memory: %+v", r)
	}
}
