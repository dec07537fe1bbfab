//go:build !windows

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// From the screen to a file: proposed, written where it was said, never over
// another one without asking.
func TestExportFromTheScreenOfTheProgram(t *testing.T) {
	t.Parallel()
	s := open(t, 110, 30, nil, "--demo")
	to := lookFor(t, "--demo")
	find(s, to)
	home := ""
	for _, v := range s.cmd.Env {
		if dir, ok := strings.CutPrefix(v, "HOME="); ok {
			home = dir
		}
	}
	name := filepath.Join(home, "talk.html")
	if err := os.WriteFile(name, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Press("Ctrl+X")
	s.Types("e")
	s.Sees("JSON lines")
	s.Press("Ctrl+U")
	s.Pastes("~/talk.html")
	s.Press("Enter")
	s.Sees("choose another name")
	if got := contents(t, name); got != "mine" {
		t.Fatalf("replaced without asking: %.60q", got)
	}
	s.Types("y")
	s.Sees("Exported to “" + name)
	page := contents(t, name)
	if !strings.HasPrefix(page, "<!doctype html>") || !strings.Contains(page, to.id) || !strings.HasSuffix(page, "</html>\n") {
		t.Errorf("%.200q", page)
	}
	s.Press("Ctrl+X")
	s.Types("e")
	s.Sees("JSON lines")
	s.Press("Ctrl+U")
	s.Pastes("talk.jsonl") // beside where the program was started
	s.Press("Ctrl+R")
	s.Sees("Redact secrets  on")
	s.Press("Enter")
	beside := filepath.Join(s.cmd.Dir, "talk.jsonl")
	s.until("it is written", func(string) bool { return exists(beside) })
	s.Sees("redacted ")
	if line := contents(t, beside); !strings.Contains(line, `"id": "`+to.id+`"`) {
		t.Errorf("%.200q", line)
	}
	s.Press("Ctrl+C")
	s.exits(130)
	s.restored()
}
