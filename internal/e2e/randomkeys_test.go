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
	"\x18w", "\x18U", "\x18S", "\x1b[<0;5;6M\x1b[<0;5;6m", "\x1b[<0;40;12M\x1b[<0;40;12m", "\x1b[<65;10;10M", "\x1b[<64;10;10M", "\x1b[200~pasted\ntext\x1b[201~",
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

// The same keys while another program adds conversations, goes on with them, and deletes any:
// what a menu was opened for, or a reader is in, may be gone when the next key comes.
func TestRandomKeysBesideAWriter(t *testing.T) {
	t.Parallel()
	versions := fixtures.Names(t, "v*.db", 20)
	for round := range campaign.Length(1, 20) {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(uint64(round), 12))
			db := fixtures.Database(t, versions[rng.IntN(len(versions))])
			write := otherWriter(t, db)
			done, ended := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(ended)
				rng := rand.New(rand.NewPCG(uint64(round), 13))
				for n := 0; ; n++ {
					id, now := fmt.Sprint("new-", rng.IntN(6)), float64(today.Unix()-60)
					if n == 40 {
						write(`DELETE FROM sessions`)
					}
					switch rng.IntN(7) {
					case 0:
						write(`DELETE FROM messages WHERE session_id = ?`, id)
						write(`DELETE FROM sessions WHERE id = ?`, id)
					case 1:
						write(`UPDATE sessions SET ended_at = ?, end_reason = 'cli_close' WHERE id = ?`, now, id)
					case 2: // the user takes all but the first two messages back
						write(`DELETE FROM messages WHERE session_id = ? AND id > 1 + (SELECT min(id) FROM messages WHERE session_id = ?)`, id, id)
					case 3: // of another conversation, perhaps in a circle
						write(`UPDATE sessions SET parent_session_id = ? WHERE id = ?`, fmt.Sprint("new-", rng.IntN(6)), id)
					default:
						write(`INSERT OR IGNORE INTO sessions (id, source, started_at) VALUES (?, 'cli', ?)`, id, now)
						write(`INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', ?, ?)`, id, fmt.Sprint("docker and the rest ", n), now)
					}
					select {
					case <-done:
						return
					case <-time.After(time.Duration(rng.IntN(400)) * time.Millisecond):
					}
				}
			}()
			for keys := campaign.Length(60, 400); keys > 0 && !t.Failed(); {
				keys -= pressAtRandom(t, rng, keys, []string{"--db", db, []string{"--vim", "--no-mouse"}[round%2]}, besideWriter)
			}
			close(done)
			<-ended
		})
	}
}

// besideWriter is a file that another program writes.
const besideWriter = "beside a writer"

// pressAtRandom presses so many keys, or less if one of them ends the program, and returns how
// many it has pressed.
func pressAtRandom(t *testing.T, rng *rand.Rand, keys int, args []string, file string) int {
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
			t.Fatalf("%v (%s) does not end after %q\n%s\n%s", args, file, pressed, shown, raw[max(0, strings.LastIndex(raw, "SIGQUIT")):])
		}
	}
	s.Types(goOn)
	<-s.drained
	code, raw := s.cmd.ProcessState.ExitCode(), s.bytes()
	resumed := strings.Contains(raw, "fake Hermes") // which the keys may have interrupted
	// Ctrl+C may meet the program when it has given the terminal back, or has not taken it yet.
	interrupted := code == 130 || s.cmd.ProcessState.String() == "signal: interrupt"
	gone := file == besideWriter && code == 1 && strings.Contains(raw, "not found.") // deleted when it was resumed
	if !resumed && !interrupted && !gone && code != 0 || strings.Contains(raw, "goroutine 1 [") {
		t.Errorf("%v (%s): %s after %q\n%s%s", args, file, s.cmd.ProcessState, pressed, raw[max(0, len(raw)-3000):], panicReport(raw))
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
