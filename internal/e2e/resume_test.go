//go:build !windows

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
)

// What seems to run elsewhere is resumed only after a question, whose first
// answer is no; the command line asks as well, and a script is refused.
func TestResumeAsksAboutWhatRunsElsewhere(t *testing.T) {
	t.Parallel()
	db := runningSessions(t, "")
	s := open(t, 100, 30, nil, "--db="+db)
	s.Sees("Turbine blades")
	s.Pastes("turbine") // one search, so that the answer is the last
	s.Sees(one)
	s.Press("Enter")
	s.Sees("It may still be running")
	s.Press("Enter")
	s.Loses("It may still be running")
	s.Press("Enter")
	s.Sees("It may still be running")
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
	t.Parallel()
	folder, other := resolved(t, t.TempDir()), resolved(t, t.TempDir())
	db := runningSessions(t, folder)
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

	gone := filepath.Join(folder, "gone")
	s = open(t, 160, 30, nil, "--db="+runningSessions(t, gone), "resume", "Quarry survey")
	s.Sees("the folder of the conversation no longer exists: " + gone)
	if c := s.resumed(); c.Folder == gone {
		t.Errorf("Hermes was called in %s", c.Folder)
	}
}

// Hermes is told the profile and the home that the history came from.
func TestResumeKeepsTheProfile(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	db := filepath.Join(home, "profiles", "work", "state.db")
	if err := os.MkdirAll(filepath.Dir(db), 0o700); err != nil {
		t.Fatal(err)
	}
	fixtures.Unpack(t, "v11.db", db)
	s := open(t, 160, 30, []string{"HERMES_HOME=/somewhere/else"}, "--home", home, "-p", "work")
	s.until("the list is there", func(text string) bool { return s.onScreen() && strings.Contains(text, "Docker networking") })
	s.Press("Ctrl+Y")
	s.Sees("-p work --resume ") // and for copying
	s.Press("Esc")
	s.Loses("-p work --resume ")
	s.Press("Enter")
	c := s.resumed()
	if len(c.Args) != 4 || c.Args[0] != "-p" || c.Args[1] != "work" || c.Args[2] != "--resume" || c.Home != home {
		t.Errorf("Hermes was called with %q at home %q", c.Args, c.Home)
	}
}

// The browser comes back at the same place when Hermes has ended, says when
// that was too soon, and outlives the Ctrl+C that was meant for Hermes.
func TestResumeAndComeBack(t *testing.T) {
	t.Parallel()
	db := runningSessions(t, "")
	s := open(t, 100, 30, nil, "--db="+db)
	s.Sees("Quarry survey")
	s.Pastes("quarry") // one search, so that the answer is the last
	s.Sees(one)
	s.Press("Ctrl+X")
	s.Sees("Actions")
	s.Types("b")
	s.Sees("fake Hermes: what now?")
	s.Types("go on\r")
	s.Sees("Hermes ended immediately: exit status 7; Hermes opens the state.db of its home, not running.db")
	s.Sees("Quarry survey")
	if c := s.called(); !slices.Equal(c.Args, []string{"--resume", "quiet-one"}) {
		t.Errorf("Hermes was called with %q", c.Args)
	}
	s.Press("Ctrl+X")
	s.Sees("Actions")
	s.Types("b")
	s.Sees("<nil>\nfake Hermes: what now?") // the second time
	s.Press("Ctrl+C")
	s.Sees("Hermes ended immediately: signal: interrupt")
	s.Sees("quarry")
	s.Press("Ctrl+C")
	s.exits(130)
	s.restored()
}

// Coming back from a Hermes that could not begin is coming back at once, with
// the reason, to the same row.
func TestComingBackFromAHermesThatCanNotBegin(t *testing.T) {
	t.Parallel()
	plain := filepath.Join(t.TempDir(), "hermes")
	if err := os.WriteFile(plain, []byte("not a program"), 0o600); err != nil {
		t.Fatal(err)
	}
	db := runningSessions(t, "")
	for file, why := range map[string]string{filepath.Join(t.TempDir(), "gone"): "was not found", plain: "is not executable"} {
		s := openConsole(t, 160, 30, environment(t), program, "--db="+db, "--hermes="+file)
		s.Sees("Quarry survey")
		s.Pastes("quarry") // one search, so that the answer is the last
		s.Sees(one)
		s.Press("Ctrl+X")
		s.Sees("Actions")
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
	t.Parallel()
	file := filepath.Join(t.TempDir(), "hermes")
	if err := os.WriteFile(file, []byte("not a program"), 0o600); err != nil {
		t.Fatal(err)
	}
	db := runningSessions(t, "")
	r := run(t, "--db", db, "resume", "--hermes", file, "quiet-one")
	if r.code != 1 || !strings.Contains(r.stdout, " --resume quiet-one") || !strings.Contains(r.stderr, "is not executable (make it executable, or name another with --hermes or HERMES_BIN)\n  chmod +x ") {
		t.Errorf("%+v", r)
	}
	if err := os.Chmod(file, 0o700); err != nil {
		t.Fatal(err)
	}
	if r := run(t, "--db", db, "resume", "--hermes", file, "quiet-one"); r.code != 1 || !strings.Contains(r.stderr, "is not a program") {
		t.Errorf("%+v", r)
	}
}

// On the demo nothing is resumed: a dialog shows the command, and offers to read the
// conversation or to quit.
func TestResumeOnTheDemo(t *testing.T) {
	t.Parallel()
	to := lookFor(t, "--demo")
	s := open(t, 120, 30, []string{"HERMES_BIN=no-such-hermes"}, "--demo", "--hermes=")
	s.until("the list is there", func(string) bool { return s.onScreen() })
	find(s, to)
	s.Press("Enter")
	s.Sees("Would run:")
	s.Sees("no-such-hermes --resume " + to.id)
	s.Press("Esc")
	s.Loses("Would run:")
	s.Press("Enter")
	s.Sees("Would run:")
	s.Types("r") // read it instead
	s.Loses("Would run:")
	s.Sees("r resume")
	s.Types("r")
	s.Sees("Would run:")
	s.Press("Enter") // it is being read already
	s.Loses("Would run:")
	s.Types("r")
	s.Sees("Would run:")
	s.Types("q")
	s.exits(0)
	s.restored()
}

// Without a Hermes the command is printed.
func TestResumeWithoutHermes(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "v11.db")
	fixtures.Unpack(t, "v11.db", db)
	r := runIn(t, environment(t, "HERMES_BIN=no-such-hermes"), "--db", db, "resume", "my project")
	if r.code != 1 || !strings.Contains(r.stdout, "no-such-hermes --resume ") || !strings.Contains(r.stderr, "no-such-hermes was not found") {
		t.Errorf("%+v", r)
	}
}

// Hermes opens no file of another name than state.db, so what it resumes may not be there.
func TestResumeOfAnArchivedDatabaseIsNoted(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "state.db.bak-1")
	fixtures.Unpack(t, "v11.db", db)
	s := open(t, 160, 30, nil, "--db="+db, "resume", "my project")
	s.Sees("Hermes opens the state.db of its home, not state.db.bak-1, and may not have this conversation")
	s.resumed()
}
