//go:build !windows

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
)

// lives is a database with conversations that may run elsewhere, that know
// their folder, or neither.
func lives(t *testing.T, folder string) (db string) {
	t.Helper()
	db = filepath.Join(t.TempDir(), "lives.db")
	fixtures.Unpack(t, "v25.db", db)
	lines := filepath.Join(t.TempDir(), "lives.jsonl")
	now := float64(today.Unix())
	text := fmt.Sprintf(`{"id": "busy-one", "source": "cli", "title": "Turbine blades", "started_at": %f, "messages": [{"role": "user", "content": "turbine", "timestamp": %f}]}
{"id": "quiet-one", "source": "cli", "title": "Quarry survey", "cwd": %s, "started_at": %f, "ended_at": %f, "messages": [{"role": "user", "content": "quarry", "timestamp": %f}]}
`, now-600, now-30, jsonText(t, folder), now-9000, now-8000, now-8500)
	if err := os.WriteFile(lines, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := run(t, "--db", db, "import", lines); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	return db
}

// What seems to run elsewhere is resumed only after a question, whose first
// answer is no; the command line asks as well, and a script is refused.
func TestResumeAsksAboutWhatRunsElsewhere(t *testing.T) {
	db := lives(t, "")
	s := open(t, 100, 30, nil, "--db="+db)
	s.Sees("Turbine blades")
	s.Pastes("turbine") // one search, so that the answer is the last
	s.Sees(one)
	s.Press("Enter")
	s.Sees("It seems to run elsewhere")
	s.Press("Enter")
	s.Loses("It seems to run elsewhere")
	s.Press("Enter")
	s.Sees("It seems to run elsewhere")
	s.Types("y")
	if c := s.resumed(); !slices.Equal(c.Args, []string{"--resume", "busy-one"}) {
		t.Errorf("Hermes was called with %q", c.Args)
	}

	asked := open(t, 100, 30, nil, "--db="+db, "resume", "busy-one")
	asked.Sees("[y/N]")
	asked.Types("\r")
	asked.Sees("Cancelled.")
	asked.exits(130)

	if r := run(t, "--db", db, "resume", "busy-one"); r.code != 1 || !strings.Contains(r.stderr, "--yes") {
		t.Errorf("a script was not refused: %+v", r)
	}
}

// Hermes begins where the conversation was, in the other interface with
// Alt+Enter, or where --in says, of which a Hermes that knows it is told.
func TestResumeKeepsTheFolder(t *testing.T) {
	folder, other := resolved(t, t.TempDir()), resolved(t, t.TempDir())
	db := lives(t, folder)
	s := open(t, 100, 30, nil, "--db="+db)
	s.Sees("Quarry survey")
	s.Pastes("quarry") // one search, so that the answer is the last
	s.Sees(one)
	s.Press("Alt+Enter")
	if c := s.resumed(); !slices.Equal(c.Args, []string{"--tui", "--resume", "quiet-one"}) || c.Folder != folder {
		t.Errorf("Hermes was called with %q in %s", c.Args, c.Folder)
	}

	in := open(t, 100, 30, nil, "--db="+db, "resume", "Quarry survey", "--in="+other, "--hermes-arg=--yolo")
	if c := in.resumed(); !slices.Equal(c.Args, []string{"--yolo", "--in", other, "--resume", "quiet-one"}) || c.Folder != other {
		t.Errorf("Hermes was called with %q in %s", c.Args, c.Folder)
	}
}

// resolved is a folder as a process in it names it.
func resolved(t *testing.T, folder string) string {
	t.Helper()
	path, err := filepath.EvalSymlinks(folder)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// The browser comes back at the same place when Hermes has ended, says when
// that was too soon, and outlives the Ctrl+C that was meant for Hermes.
func TestResumeAndComeBack(t *testing.T) {
	db := lives(t, "")
	s := open(t, 100, 30, nil, "--db="+db)
	s.Sees("Quarry survey")
	s.Pastes("quarry") // one search, so that the answer is the last
	s.Sees(one)
	s.Press("Ctrl+X")
	s.Sees("resume and come back")
	s.Types("b")
	s.Sees("stand-in: what now?")
	s.Types("go on\r")
	s.Sees("Hermes ended at once: exit status 7")
	s.Sees("Quarry survey")
	if c := s.called(); !slices.Equal(c.Args, []string{"--resume", "quiet-one"}) {
		t.Errorf("Hermes was called with %q", c.Args)
	}
	s.Press("Ctrl+X")
	s.Sees("resume and come back")
	s.Types("b")
	s.Sees("<nil>\nstand-in: what now?") // the second time
	s.Press("Ctrl+C")
	s.Sees("Hermes ended at once: signal: interrupt")
	s.Sees("quarry")
	s.Press("Ctrl+C")
	s.exits(130)
	s.restored()
}

// Coming back from a Hermes that could not begin is coming back at once, with
// the reason, to the same row.
func TestComingBackFromAHermesThatCanNotBegin(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "hermes")
	if err := os.WriteFile(plain, []byte("not a program"), 0o600); err != nil {
		t.Fatal(err)
	}
	db := lives(t, "")
	for file, why := range map[string]string{filepath.Join(t.TempDir(), "gone"): "was not found", plain: "may not be executed"} {
		s := openConsole(t, 160, 30, environment(t), program, "--db="+db, "--hermes="+file)
		s.Sees("Quarry survey")
		s.Pastes("quarry") // one search, so that the answer is the last
		s.Sees(one)
		s.Press("Ctrl+X")
		s.Sees("resume and come back")
		s.Types("b")
		s.Sees(why)
		s.Sees("Quarry survey")
		s.Press("Ctrl+C")
		s.exits(130)
		s.restored()
	}
}

// A Hermes that is no program is told, with its command printed.
func TestResumeWithAHermesThatIsNoProgram(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hermes")
	if err := os.WriteFile(file, []byte("not a program"), 0o600); err != nil {
		t.Fatal(err)
	}
	db := lives(t, "")
	r := run(t, "--db", db, "resume", "--hermes", file, "quiet-one")
	if r.code != 1 || !strings.Contains(r.stdout, " --resume quiet-one") || !strings.Contains(r.stderr, "may not be executed (chmod +x ") {
		t.Errorf("%+v", r)
	}
	if err := os.Chmod(file, 0o700); err != nil {
		t.Fatal(err)
	}
	if r := run(t, "--db", db, "resume", "--hermes", file, "quiet-one"); r.code != 1 || !strings.Contains(r.stderr, "is not a program") {
		t.Errorf("%+v", r)
	}
}
