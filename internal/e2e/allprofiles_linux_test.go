package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"hermes-sessions/internal/fixtures"
)

// hang makes each program that opens a file wait, as on a network drive that hangs, until
// answer is called: the kernel makes it wait for the lease that this process holds.
func hang(t *testing.T, file string) (answer func()) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK); err != nil {
		t.Skip("this file system has no leases:", err)
	}
	return func() { f.Close() }
}

// A profile on a drive that hangs does not stop the others: after two seconds they are
// shown, and it joins them when the drive answers.
func TestAProfileOnADriveThatHangs(t *testing.T) {
	t.Parallel()
	home, _, _ := profiles(t)
	far := filepath.Join(home, "profiles", "far", "state.db")
	if err := os.Mkdir(filepath.Dir(far), 0o700); err != nil {
		t.Fatal(err)
	}
	fixtures.Unpack(t, "v16.db", far)
	answer := hang(t, far)

	r := run(t, "--home", home, "--all-profiles", "list", "--limit", "0")
	if r.code != 0 || !strings.Contains(r.stderr, "far does not answer; its conversations are not shown") || !strings.Contains(r.stderr, "broken: ") ||
		!strings.Contains(r.stdout, " default/") || !strings.Contains(r.stdout, " work/") || strings.Contains(r.stdout, " far/") {
		t.Errorf("%+v", r)
	}

	s := open(t, 160, 40, nil, "--home", home, "--all-profiles")
	s.until("the others, and a note beside that on the damaged one", func(text string) bool {
		return strings.Contains(text, "148 conversations") && strings.Contains(text, "(1 more)")
	})
	answer()
	s.Sees("194 conversations")
	s.Loses("(1 more)")
	s.Press("Ctrl+C")
	s.ends()
}

// A database on a drive that hangs is named after two seconds, and an interrupt ends the wait.
func TestADatabaseOnADriveThatHangs(t *testing.T) {
	t.Parallel()
	far := filepath.Join(t.TempDir(), "far.db")
	fixtures.Unpack(t, "v16.db", far)
	hang(t, far)
	for _, args := range [][]string{{"--db", far}, {"--db", far, "list"}} {
		s := openConsole(t, 160, 20, environment(t), program, args...)
		s.Sees("far.db: the file does not answer yet (wait, or stop with ctrl+c)")
		s.Press("Ctrl+C")
		s.exits(130)
	}
}
