// Package e2e holds the journeys through the built program on a
// pseudo-terminal: they see and measure the program that users get. The harness_
// files have the terminal, the processes and the fake Hermes.
package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"hermes-sessions/internal/buildinfo"
	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/sourcetree"
	"hermes-sessions/store/demo"
)

// today is the clock of the program under test.
var today = time.Date(2026, 11, 14, 12, 0, 0, 0, time.UTC)

// program is the path of the program under test, built once.
var program string

// writtenDemo is the file that the program under test copies instead of writing the
// demo, which takes most of the time of a short command; empty if it does write it.
var writtenDemo string

// recordVariable names the file into which the fake Hermes writes how it was
// called. If it is set, this test binary is that fake.
const recordVariable = "FAKE_HERMES_RECORD"

func TestMain(m *testing.M) {
	if file := os.Getenv(recordVariable); file != "" {
		os.Exit(fakeHermes(file))
	}
	flag.Parse()
	sideBySide()
	os.Exit(withProgram(m))
}

// sideBySide lets more journeys run at a time than there are cores, where the
// command line does not say how many: they wait most of the time.
func sideBySide() {
	const parallel = "test.parallel"
	said := false
	flag.Visit(func(f *flag.Flag) { said = said || f.Name == parallel })
	if !said {
		_ = flag.Set(parallel, strconv.Itoa(3*runtime.GOMAXPROCS(0)))
	}
}

// programVariable names the program under test for a journey that runs as another user, who
// may not build it (fixtures.AsUser).
const programVariable = "HERMES_SESSIONS_TEST_PROGRAM"

// begun is when these tests began.
var begun = time.Now()

// deadline returns a channel that fires when a test has to give up waiting: a
// little before go test ends it (-timeout), so that what it waited for is said,
// and after a third of all the time, so that the other tests have some left. A
// benchmark, which has no such end, waits some minutes.
func deadline(t testing.TB) (late <-chan time.Time, stop func()) {
	left := 5 * time.Minute
	if d, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if end, ok := d.Deadline(); ok {
			all := end.Sub(begun)
			left = min(all/3, time.Until(end)-min(10*time.Second, all/10))
		} else {
			left = time.Hour
		}
	}
	timer := time.NewTimer(left)
	return timer.C, func() { timer.Stop() }
}

func withProgram(m *testing.M) int {
	if program = os.Getenv(programVariable); program != "" {
		onSources.Do(func() {}) // the process that built it has named them
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "hermes-sessions-test-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "hermes-sessions")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	stamped := " -X " + reflect.TypeFor[buildinfo.Info]().PkgPath()
	flags := "-s -w -X main.clock=" + strconv.FormatInt(today.Unix(), 10) +
		stamped + ".version=test" + stamped + ".commit=0123456789abcdef" + stamped + ".date=2026-11-22T13:32:00Z"
	if !campaign.On() { // in a campaign every demo is written anew, as for users
		writtenDemo = filepath.Join(dir, "demo.db")
		if err := demo.Write(context.Background(), writtenDemo, today); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		flags += " -X '" + reflect.TypeFor[demo.Session]().PkgPath() + ".written=" + writtenDemo + "'"
	}
	build := exec.Command("go", "build", "-ldflags", flags, "-o", program, "../..")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	for _, err := range []error{os.Chmod(dir, 0o755), os.Setenv(programVariable, program)} {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return m.Run()
}

// call is how the fake Hermes was called.
type call struct {
	Args   []string
	Home   string   // HERMES_HOME
	Folder string   // that it was started in
	Files  []string // in the folder of the database
}

// fakeHermesExit is the exit code of the fake Hermes, which the program must pass on.
const fakeHermesExit = 7

// fakeHermes takes the place of hermes: it notes how it was called, says so on
// the terminal, and echoes one line, which works only on a terminal that has
// been put back.
func fakeHermes(file string) int {
	var c call
	c.Args, c.Home = os.Args[1:], os.Getenv("HERMES_HOME")
	if slices.Equal(c.Args, []string{"--help"}) {
		fmt.Println("usage: hermes [-h] [--resume SESSION] [--in DIR]\n  --in DIR  change into DIR first")
		return 0
	}
	var err error
	if c.Folder, err = os.Getwd(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	entries, err := os.ReadDir(os.Getenv("FAKE_HERMES_FOLDER"))
	if err == nil {
		for _, e := range entries {
			c.Files = append(c.Files, e.Name())
		}
	}
	note, err := json.Marshal(c)
	if err == nil {
		err = os.WriteFile(file, note, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("fake Hermes: what now?")
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	fmt.Printf("fake Hermes read %q, %v\n", line, err)
	return fakeHermesExit
}

var onSources sync.Once

// dependOnSources makes the results depend on what the program was built from.
func dependOnSources(t testing.TB) {
	t.Helper()
	onSources.Do(func() { sourcetree.Dependent(t) })
}

// environment is that of every run: nothing of the machine's own Hermes, and a folder for
// temporary files that goes with the test, also where the program is killed.
func environment(t testing.TB, more ...string) []string {
	t.Helper()
	dependOnSources(t)
	home, temporary := t.TempDir(), t.TempDir()
	return append(append(os.Environ(),
		"HOME="+home, "USERPROFILE="+home, "LOCALAPPDATA="+home, "HERMES_HOME=", "HERMES_BIN=", "XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "APPDATA="+home,
		"TMPDIR="+temporary, "TEMP="+temporary, "TMP="+temporary, "TZ=UTC", "LANG=C.UTF-8",
		"TERM=xterm-256color", "COLORTERM=truecolor", "NO_COLOR=", "TMUX=", "CLICOLOR_FORCE=",
	), more...)
}
