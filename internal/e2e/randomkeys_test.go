//go:build !windows

package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
)

// randomKeys are sent in any order: those of every screen, the letters behind Ctrl+X, and
// what terminals send of a mouse.
var randomKeys = []string{
	"\r", "\r", "\r", "\x1b", "\x1b", "\t", "\x1b[Z", "\x7f", "\x1b[A", "\x1b[B", "\x1b[B", "\x1b[C", "\x1b[C", "\x1b[D", "\x1b[5~", "\x1b[6~", "\x1b[H", "\x1b[F",
	"\x1bOP", "\x1bOR", "\x1bOS", "\x1b[15~", "\x04", "\x12", "\x0c", "\x0f", "\x13", "\x15", "\x19", "\x1bz", "\x1ba", "\x1bv", "\x1b1", "\x1b0", "\x1b[3~",
	"\x18", "\x18", "\x18", "\x18", "y", "q", "/", "?", ":", " ", "the", "docker", "is:live", "-", "\"", "日本", "e\u0301", "👩‍👩‍👧",
	"\x1b[<0;5;6M\x1b[<0;5;6m", "\x1b[<0;40;12M\x1b[<0;40;12m", "\x1b[<65;10;10M", "\x1b[<64;10;10M", "\x1b[200~pasted\ntext\x1b[201~",
}

// goOn ends what Ctrl+S does to a terminal that the program has given back.
const goOn = "\x11"

// Keys in any order, on sound and on damaged files of any version, in windows of any size: the
// program never ends but by a key that ends it, leaves the terminal as it was, and a file that
// is opened read-only keeps its bytes.
func TestRandomKeysOnAnyFile(t *testing.T) {
	t.Parallel()
	versions := fixtures.Names(t, "v*.db", 20)
	for round := range campaign.Length(3, 60) {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(uint64(round), 11))
			db := filepath.Join(t.TempDir(), "state.db")
			fixtures.Unpack(t, versions[rng.IntN(len(versions))], db)
			damage := ""
			if round%3 == 1 {
				damage = fixtures.Mutate(t, db, uint64(round))
			}
			args := []string{"--db", db}
			switch round % 4 {
			case 0:
				args = append(args, "--read-only")
			case 1:
				other := filepath.Join(t.TempDir(), "other.db")
				fixtures.Unpack(t, "v25.db", other)
				args = append(args, "--all-profiles", "--db", other)
			case 2:
				args = append(args, "--vim")
			}
			before := contents(t, db)
			for keys := campaign.Length(60, 400); keys > 0 && !t.Failed(); {
				keys -= pressAtRandom(t, rng, keys, args, damage)
			}
			if round%4 == 0 && contents(t, db) != before {
				t.Errorf("%v (%s): the file has changed", args, damage)
			}
		})
	}
}

// pressAtRandom presses so many keys, or less if one of them ends the program, and returns how
// many it has pressed.
func pressAtRandom(t *testing.T, rng *rand.Rand, keys int, args []string, damage string) int {
	t.Helper()
	s := open(t, 200, 60, []string{"EDITOR=true", "VISUAL=true", "PAGER=true"}, args...)
	resize := func() {
		// Only for the program: the emulator does not bear a frame for a larger window.
		if err := s.pty.Resize(1+rng.IntN(200), 1+rng.IntN(60)); err != nil {
			t.Fatal(err)
		}
	}
	resize()
	var pressed []string
	ended := func() bool {
		select {
		case <-s.exited:
			return true
		default:
			return false
		}
	}
	for len(pressed) < keys && !ended() {
		key := randomKeys[rng.IntN(len(randomKeys))]
		if rng.IntN(3) == 0 {
			key = string(rune('!' + rng.IntN('~'-'!')))
		}
		pressed = append(pressed, key)
		s.Types(key)
		if rng.IntN(40) == 0 {
			resize()
		}
		select {
		case <-s.written:
		case <-time.After(30 * time.Millisecond):
		}
	}
	late, stop := deadline(t)
	defer stop()
	for !ended() {
		s.Types(goOn + "\x03")
		select {
		case <-s.exited:
		case <-time.After(time.Second):
		case <-late:
			shown := s.text()
			_ = s.cmd.Process.Signal(syscall.SIGQUIT) // for what it is doing
			<-s.drained
			raw := s.bytes()
			t.Fatalf("%v (%s) does not end after %q\n%s\n%s", args, damage, pressed, shown, raw[max(0, strings.LastIndex(raw, "SIGQUIT")):])
		}
	}
	s.Types(goOn)
	<-s.drained
	code, raw := s.cmd.ProcessState.ExitCode(), s.bytes()
	resumed := strings.Contains(raw, "fake Hermes") // which the keys may have interrupted
	// Ctrl+C may meet the program when it has given the terminal back, or has not taken it yet.
	interrupted := code == 130 || s.cmd.ProcessState.String() == "signal: interrupt"
	if !resumed && !interrupted && code != 0 || strings.Contains(raw, "goroutine 1 [") {
		t.Errorf("%v (%s): %s after %q\n%s%s", args, damage, s.cmd.ProcessState, pressed, raw[max(0, len(raw)-3000):], panicReport(raw))
	}
	if !resumed {
		s.restored()
	}
	return len(pressed)
}

// panicReport returns the report that a program which panicked names as its last words.
func panicReport(output string) string {
	_, name, _ := strings.Cut(output, "please report it with ")
	name, _, _ = strings.Cut(name, ")")
	report, err := os.ReadFile(name)
	if err != nil {
		return "" // it has not panicked
	}
	return string(report)
}
