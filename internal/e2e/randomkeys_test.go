//go:build !windows

package e2e

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
)

// randomKeys are sent in any order: those of every screen, the letters behind Ctrl+X, and
// what terminals send of a mouse. Ctrl+S is not among them: to a terminal that the program
// has given back it says to show nothing more, and to let what writes wait.
var randomKeys = []string{
	"\r", "\r", "\r", "\x1b", "\x1b", "\t", "\x1b[Z", "\x7f", "\x1b[A", "\x1b[B", "\x1b[B", "\x1b[C", "\x1b[C", "\x1b[D", "\x1b[5~", "\x1b[6~", "\x1b[H", "\x1b[F",
	"\x1bOP", "\x1bOR", "\x1bOS", "\x1b[15~", "\x04", "\x12", "\x0c", "\x0f", "\x18s", "\x15", "\x19", "\x1bz", "\x1ba", "\x1bv", "\x1b1", "\x1b0", "\x1b[3~",
	"\x18", "\x18", "\x18", "\x18", "y", "q", "/", "?", ":", " ", "the", "docker", "is:live", "-", "\"", "日本", "e\u0301", "👩‍👩‍👧",
	"\x18w", "\x18U", "\x18S", "\x1b[<0;5;6M\x1b[<0;5;6m", "\x1b[<0;40;12M\x1b[<0;40;12m", "\x1b[<65;10;10M", "\x1b[<64;10;10M", "\x1b[200~pasted\ntext\x1b[201~",
}

// oddPastes are pasted as one piece.
var oddPastes = []string{"", "\x00a\x00", "\x1b[31mred\x1b]0;title\a", "\xff\xfe\xc3", "\r\n\t\v\f\u2028\u202e", strings.Repeat("long ", 20000), strings.Repeat("\n", 3000)}

// reports are what terminals send by themselves.
var reports = []string{"\x1b[I", "\x1b[O", "\x1b[?997;1n", "\x1b[?997;2n", "\x1b]11;rgb:ffff/ffff/ffff\a", "\x1b]11;rgb:0000/0000/0000\a", "\x1b[?2026;2$y", "\x1b[1;1R", "\x1b[?62;22c"}

// manySettings are those that add to what is on the screen.
const manySettings = `theme = "linen"
after-resume = "return"
[queries]
work = "docker after:5000d"
nightly = {query = "has:failed", scope = "all", sort = "cost"}
none = "tag:none has:note"
[redact]
always = true
also = ["paths", "emails"]
[keys.list]
copy = ["ctrl+y", "alt+y y"]
`

// anyInput is a key, or what a mouse or the terminal itself sends.
func anyInput(rng *rand.Rand) string {
	x, y := 1+rng.IntN(210), 1+rng.IntN(65)
	mouse := func(button, x, y int, end string) string { return fmt.Sprintf("\x1b[<%d;%d;%d%s", button, x, y, end) }
	click := mouse(0, x, y, "M") + mouse(0, x, y, "m")
	n := rng.IntN(60)
	switch {
	case n < 20:
		return string(rune('!' + rng.IntN('~'-'!')))
	case n < 24:
		return click
	case n < 26:
		return click + click
	case n < 28: // a drag
		return mouse(0, x, y, "M") + mouse(32, x/2, y/2+1, "M") + mouse(0, x/2, y/2+1, "m")
	case n < 30:
		return mouse([]int{1, 2, 3, 35, 64, 65, 66, 67, 128}[rng.IntN(9)], x, y, "M")
	case n < 31:
		return reports[rng.IntN(len(reports))]
	case n < 32:
		return "\x1b[200~" + oddPastes[rng.IntN(len(oddPastes))] + "\x1b[201~"
	}
	return randomKeys[rng.IntN(len(randomKeys))]
}

// Keys in any order, on sound and on damaged files of any version, in windows of any size: the
// program never ends but by a key that ends it, leaves the terminal as it was, and a file that
// is opened read-only keeps its bytes.
func TestRandomKeysOnAnyFile(t *testing.T) {
	t.Parallel()
	versions := fixtures.Names(t, "v*.db", 20)
	for round := range campaign.Length(2, 60) {
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
			var environ []string
			switch round % 8 {
			case 0:
				args = append(args, "--read-only")
			case 1:
				other := filepath.Join(t.TempDir(), "other.db")
				fixtures.Unpack(t, "v25.db", other)
				args = append(args, "--all-profiles", "--db", other)
			case 2:
				args = append(args, "--vim")
			case 3:
				args = append(args, fmt.Sprint("--height=", 3+rng.IntN(30)), "--ascii", "--theme=ansi16")
			case 4:
				args = append(args, "--read-only", "--multi", "--scope=all")
			case 5: // a profile is damaged, another one locked
				home, standard, work := profiles(t)
				otherWriter(t, standard)(`PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE`)
				args, db = []string{"--home", home, "--all-profiles"}, work
			case 6: // notes and what is read stay from run to run
				environ = []string{"XDG_STATE_HOME=" + t.TempDir(), ownSettings(t, manySettings)}
			}
			before := contents(t, db)
			for keys := campaign.Length(60, 400); keys > 0 && !t.Failed(); {
				keys -= pressAtRandom(t, rng, keys, environ, args, damage)
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
				keys -= pressAtRandom(t, rng, keys, nil, []string{"--db", db, []string{"--vim", "--no-mouse"}[round%2]}, besideWriter)
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
func pressAtRandom(t *testing.T, rng *rand.Rand, keys int, environ, args []string, file string) int {
	t.Helper()
	s := open(t, 200, 60, append(environ, editors...), args...)
	resize(t, rng, s)
	pressed := typeAtRandom(t, rng, s, keys, func() string { return anyInput(rng) })
	defer func() {
		if t.Failed() {
			t.Logf("%v (%s): %s after %q", args, file, s.cmd.ProcessState, pressed)
		}
	}()
	late, stop := deadline(t)
	defer stop()
	for !s.hasEnded() {
		s.Types("\x03")
		select {
		case <-s.exited:
		case <-time.After(3 * time.Second): // one that meets the end makes the terminal forget what it has not shown yet
		case <-late:
			shown := s.text()
			_ = s.cmd.Process.Signal(syscall.SIGQUIT) // for what it is doing
			<-s.drained
			raw := s.bytes()
			t.Fatalf("does not end\n%s\n%s", shown, raw[max(0, strings.LastIndex(raw, "SIGQUIT")):])
		}
	}
	<-s.drained
	code, raw := s.cmd.ProcessState.ExitCode(), s.bytes()
	// The keys may have interrupted the fake Hermes, or made the terminal forget what it said.
	resumed := code == fakeHermesExit || strings.Contains(raw, "fake Hermes")
	// Ctrl+C may meet the program when it has given the terminal back, or has not taken it yet.
	interrupted := code == 130 || s.cmd.ProcessState.String() == "signal: interrupt"
	gone := file == besideWriter && code == 1 && strings.Contains(raw, "not found.") // deleted when it was resumed
	// What nothing can be read of is not opened.
	unreadable := code == 1 && file != "" && file != besideWriter && !strings.Contains(raw, ansi.SetModeAltScreenSaveCursor)
	if !resumed && !interrupted && !gone && !unreadable && code != 0 || strings.Contains(raw, "goroutine 1 [") {
		t.Errorf("%s%s", raw[max(0, len(raw)-3000):], panicReport(raw))
	}
	if !resumed {
		s.restored()
	}
	return len(pressed)
}

// editors take the place of those of the machine.
var editors = []string{"EDITOR=true", "VISUAL=true", "PAGER=true"}

// hasEnded reports whether the program has ended.
func (c *console) hasEnded() bool {
	select {
	case <-c.exited:
		return true
	default:
		return false
	}
}

// resize gives the window a random size. Only for the program: the emulator does not bear a frame
// for a larger window.
func resize(t *testing.T, rng *rand.Rand, s *browser) {
	t.Helper()
	if err := s.pty.Resize(1+rng.IntN(200), 1+rng.IntN(60)); err != nil {
		t.Fatal(err)
	}
}

// typeAtRandom gives a browser so much input, or less if it ends, and returns what it was.
func typeAtRandom(t *testing.T, rng *rand.Rand, s *browser, keys int, input func() string) (pressed []string) {
	t.Helper()
	keyboard, err := unblocked(s.pty.Master())
	if err != nil {
		t.Fatal(err)
	}
	defer keyboard.Close()
	for len(pressed) < keys && !s.hasEnded() {
		key := input()
		pressed = append(pressed, key[:min(len(key), 100)])
		// The program need not read a long paste to its end. That it still answers is checked at the end.
		err := keyboard.SetWriteDeadline(time.Now().Add(5 * time.Second))
		if err == nil {
			_, err = keyboard.WriteString(key)
		}
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal(err)
		}
		switch rng.IntN(120) {
		case 0, 1:
			resize(t, rng, s)
		case 2: // while a window is dragged
			for range 20 {
				resize(t, rng, s)
			}
		case 3:
			_ = s.cmd.Process.Signal(syscall.SIGSTOP)
			_ = s.cmd.Process.Signal(syscall.SIGCONT)
		}
		select {
		case <-s.written:
		case <-time.After(30 * time.Millisecond):
		}
	}
	return pressed
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
