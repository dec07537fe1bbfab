//go:build !windows

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/charmbracelet/x/vt"
	"github.com/charmbracelet/x/xpty"

	"hermes-sessions/internal/testing/picture"
)

// reactionTime is how long a user looks before acting, at the least: a row is
// not resumed in the moment in which it comes under the cursor.
const reactionTime = 120 * time.Millisecond

// user is what a journey needs of a terminal with the program in it.
type user interface {
	Types(text string)
	Pastes(text string)
	Press(keys ...string)
	Sees(text string)
	Loses(text string)
}

// console is a pseudo-terminal with the program on it and an emulator as its
// screen.
type console struct {
	t      testing.TB
	pty    *xpty.UnixPty
	master *os.File // of pty, readable until it is closed
	cmd    *exec.Cmd
	before *term.State // the terminal's settings before the program

	mu      sync.Mutex // guards the fields below
	screen  *vt.Emulator
	frame   string // the screen after the last whole frame
	alt     bool
	title   string         // of the window
	cursor  picture.Cursor // its shape, and whether it is shown
	raw     []byte
	readAt  time.Time         // when the last of raw was read
	watcher func(text string) // called with every screen; may be nil
	chooser string            // the last key pressed that acts on a row, if it may have to be pressed again
	written chan struct{}     // one token: the screen has changed
	exited  chan struct{}     // closed when the program has ended
	drained chan struct{}     // closed when all that it wrote has been read, too, or the terminal was closed
}

// lastBytes is what the terminal itself writes when the program has ended. What
// comes before it is the program's, and all of it.
const lastBytes = "\x1b]7777;the end\a"

// openConsole starts a program on a terminal of w by h.
func openConsole(t testing.TB, w, h int, environ []string, name string, args ...string) *console {
	t.Helper()
	return openConsoleOnLine(t, 0, w, h, environ, name, args...)
}

// openConsoleOnLine starts a program on a terminal behind a line that carries so many
// bytes in a second, or any number where that is 0. What the line cannot take yet, the
// program cannot write.
func openConsoleOnLine(t testing.TB, perSecond, w, h int, environ []string, name string, args ...string) *console {
	t.Helper()
	p, err := xpty.NewUnixPty(w, h)
	if err != nil {
		t.Fatal(err)
	}
	master, err := unblocked(p.Master())
	if err != nil {
		t.Fatal(err)
	}
	c := &console{
		t: t, pty: p, master: master, screen: vt.NewEmulator(w, h), cursor: picture.Cursor{Shown: true},
		written: make(chan struct{}, 1), exited: make(chan struct{}), drained: make(chan struct{}),
	}
	c.screen.SetCallbacks(vt.Callbacks{
		AltScreen:        func(v bool) { c.alt = v },
		Title:            func(v string) { c.title = v },
		CursorVisibility: func(v bool) { c.cursor.Shown = v },
		CursorStyle:      func(v vt.CursorStyle, _ bool) { c.cursor.Shape = picture.CursorShape(v) },
	})
	ground, ink := schemeOf(args).Colors()
	c.screen.SetDefaultBackgroundColor(ground)
	c.screen.SetDefaultForegroundColor(ink)
	// The program brackets its frames when the terminal says it can hold half of one back.
	c.screen.RegisterCsiHandler(ansi.Command('?', '$', 'p'), func(params ansi.Params) bool {
		mode, _, _ := params.Param(0, 0)
		if ansi.DECMode(mode) != ansi.ModeSynchronizedOutput {
			return false
		}
		// The program may not read before more of its output is read.
		go master.WriteString(ansi.ReportMode(ansi.ModeSynchronizedOutput, ansi.ModeReset)) //nolint:errcheck // it may have ended
		return true
	})
	if c.before, err = term.GetState(p.Slave().Fd()); err != nil {
		t.Fatal(err)
	}
	c.cmd = exec.CommandContext(t.Context(), name, args...)
	c.cmd.Env = environ
	c.cmd.Dir = t.TempDir()
	// A session of its own, with this terminal: closing it hangs up.
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := p.Start(c.cmd); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = c.cmd.Wait() // exits reads the state
		close(c.exited)
		_, _ = p.Slave().WriteString(lastBytes)
	}()
	go func() { // the program's output
		b, turn := make([]byte, 32<<10), (<-chan time.Time)(nil)
		if perSecond > 0 {
			ticks := time.NewTicker(50 * time.Millisecond)
			defer ticks.Stop()
			b, turn = make([]byte, perSecond/20), ticks.C
		}
		for {
			if turn != nil {
				<-turn
			}
			n, err := master.Read(b)
			readAt := time.Now()
			c.mu.Lock()
			c.readAt = readAt
			c.raw = append(c.raw, b[:n]...)
			_, _ = c.screen.Write(b[:n])
			// The mark may be followed by the echo of an answer that the program has
			// not read any more.
			raw, _, ended := bytes.Cut(c.raw, []byte(lastBytes))
			c.raw = raw
			if ended || !insideFrame(raw) {
				c.frame = drawn(c.screen)
			}
			watcher := c.watcher
			c.mu.Unlock()
			if watcher != nil {
				watcher(c.text())
			}
			select {
			case c.written <- struct{}{}:
			default:
			}
			if ended || err != nil {
				close(c.drained)
				return
			}
		}
	}()
	// The terminal's answers to queries: it goes on reading while the program does not.
	answers := make(chan []byte, 10000)
	go func() {
		defer close(answers)
		for b := make([]byte, 4096); ; {
			n, err := c.screen.Read(b)
			answers <- bytes.Clone(b[:n])
			if err != nil {
				return
			}
		}
	}()
	go func() {
		for answer := range answers {
			_, _ = master.Write(answer)
		}
	}()
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill()
		<-c.exited
		c.hangUp()
	})
	return c
}

// unblocked returns another handle of a file: one whose Close ends a Read that
// waits, which is not so with the handle of the pty package.
func unblocked(f *os.File) (*os.File, error) {
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(fd) // or the program itself would keep its terminal open
	if err := syscall.SetNonblock(fd, true); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// hangUp closes the terminal.
func (c *console) hangUp() {
	c.master.Close()
	c.pty.Close()
}

// text is the screen after the last whole frame, without the blanks at the ends
// of lines.
func (c *console) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.frame
}

// insideFrame reports whether the end of the frame that the bytes lead into is
// still to come.
func insideFrame(raw []byte) bool {
	return bytes.LastIndex(raw, []byte(ansi.SetModeSynchronizedOutput)) > bytes.LastIndex(raw, []byte(ansi.ResetModeSynchronizedOutput))
}

// drawn is a screen without the blanks at the ends of lines.
func drawn(screen *vt.Emulator) string {
	lines := strings.Split(screen.String(), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// watch calls see with every screen from now on; nil ends that.
func (c *console) watch(see func(text string)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watcher = see
}

// lastRead returns when the last bytes came from the program, before the emulator drew them.
func (c *console) lastRead() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.readAt
}

// onScreen reports whether the program has the full screen.
func (c *console) onScreen() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.alt
}

// bytes is all that the program has written.
func (c *console) bytes() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.raw)
}

// refused reports whether the browser says that it has not acted on a row,
// since that came under the cursor in the moment of the key. A busy machine
// shows a row late.
func refused(text string) bool {
	return strings.Contains(text, "press again") || strings.Contains(text, "still searching")
}

// pressAgain repeats a refused key, as the refusal tells the user to, who has to read it: on a
// busy machine the guard of a row may end late.
func (c *console) pressAgain(text string) {
	if c.chooser != "" && refused(text) {
		<-time.After(4 * reactionTime)
		c.Press(c.chooser)
	}
}

// until waits for a condition on the screen: as long as the test has time, and
// the program runs.
func (c *console) until(what string, ok func(text string) bool) {
	c.t.Helper()
	late, stop := deadline(c.t)
	defer stop()
	for {
		ended := false
		select {
		case <-c.drained:
			ended = true
		default:
		}
		text := c.text()
		if ok(text) {
			return
		}
		if ended {
			c.t.Fatalf("the program has ended before %s\n%s", what, text)
		}
		c.pressAgain(text)
		select {
		case <-c.written:
		case <-c.drained:
		case <-late:
			c.t.Fatalf("waited in vain until %s\n%s", what, text)
		}
	}
}

// Types sends text as keys.
func (c *console) Types(text string) {
	if _, err := c.master.Write([]byte(text)); err != nil {
		c.t.Fatal(err)
	}
}

// Pastes sends text as one piece.
func (c *console) Pastes(text string) { c.Types("\x1b[200~" + text + "\x1b[201~") }

// keyBytes is what an xterm sends.
var keyBytes = map[string]string{
	"Enter": "\r", "Ctrl+J": "\n", "Esc": "\x1b", "Tab": "\t", "Backspace": "\x7f",
	"Up": "\x1b[A", "Down": "\x1b[B", "Right": "\x1b[C", "Left": "\x1b[D",
	"PgUp": "\x1b[5~", "PgDn": "\x1b[6~", "Home": "\x1b[H", "End": "\x1b[F", "F1": "\x1bOP", "F7": "\x1b[18~", "F8": "\x1b[19~",
	"Ctrl+C": "\x03", "Ctrl+D": "\x04", "Ctrl+R": "\x12", "Alt+Z": "\x1bz", "Alt+Enter": "\x1b\r", "Alt+A": "\x1ba", "Alt+C": "\x1bc", "Shift+Tab": "\x1b[Z", "Ctrl+L": "\x0c", "Ctrl+O": "\x0f", "Ctrl+S": "\x13", "Ctrl+X": "\x18", "Ctrl+Y": "\x19", "Ctrl+U": "\x15", "Ctrl+Z": "\x1a",
}

// Press sends named keys.
func (c *console) Press(keys ...string) {
	c.t.Helper()
	for _, k := range keys {
		c.chooser = ""
		if k == "Enter" || k == "Ctrl+J" || k == "Alt+Enter" || k == "Ctrl+X" {
			<-time.After(reactionTime)
			if !refused(c.text()) { // of this key, not of one before
				c.chooser = k
			}
		}
		b, ok := keyBytes[k]
		if !ok {
			c.t.Fatalf("no key %q", k)
		}
		c.Types(b)
	}
}

// Sees waits until the screen holds text.
func (c *console) Sees(text string) {
	c.t.Helper()
	c.until("it shows "+strconv.Quote(text), func(s string) bool { return strings.Contains(s, text) })
}

// Loses waits until the screen does not hold text.
func (c *console) Loses(text string) {
	c.t.Helper()
	c.until("it hides "+strconv.Quote(text), func(s string) bool { return !strings.Contains(s, text) })
}

// click presses and releases the left button on a text, as terminals report it
// (SGR).
func (c *console) click(text string) {
	c.t.Helper()
	c.Sees(text)
	for y, line := range strings.Split(c.text(), "\n") {
		if before, _, ok := strings.Cut(line, text); ok {
			at := fmt.Sprintf("0;%d;%d", len([]rune(before))+1, y+1)
			c.Types("\x1b[<" + at + "M\x1b[<" + at + "m")
			return
		}
	}
}

// resize gives the terminal another size.
func (c *console) resize(w, h int) {
	c.t.Helper()
	c.mu.Lock()
	c.screen.Resize(w, h)
	c.mu.Unlock()
	if err := c.pty.Resize(w, h); err != nil {
		c.t.Fatal(err)
	}
}

// exits waits for the end of the program and checks its exit code.
func (c *console) exits(code int) {
	c.t.Helper()
	c.ends()
	if got := c.cmd.ProcessState.ExitCode(); got != code {
		c.t.Errorf("exit code %d, want %d\n%s", got, code, c.text())
	}
}

// ends waits for the end of the program and for all that it has written.
func (c *console) ends() {
	c.t.Helper()
	late, stop := deadline(c.t)
	defer stop()
	for _, end := range []chan struct{}{c.exited, c.drained} {
		for ended := false; !ended; {
			c.pressAgain(c.text())
			select {
			case <-end:
				ended = true
			case <-c.written:
			case <-late:
				c.t.Fatalf("the program does not end\n%s", c.text())
			}
		}
	}
}

var privateMode = regexp.MustCompile(`\x1b\[\?([0-9;]+)([hl])`)

// restored waits until the terminal is as it was: main screen, cursor
// visible, every private mode off again, line editing and echo as before.
func (c *console) restored() {
	c.t.Helper()
	var on []int
	defer func() {
		if c.t.Failed() {
			raw := c.bytes()
			c.t.Logf("modes in another state: %v, alternate screen: %v, last bytes: %q", on, c.onScreen(), raw[max(0, len(raw)-500):])
		}
	}()
	c.until("the terminal is put back", func(string) bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		modes := map[int]bool{7: true, 25: true} // an ordinary terminal wraps and shows the cursor
		for _, m := range privateMode.FindAllSubmatch(c.raw, -1) {
			for n := range strings.SplitSeq(string(m[1]), ";") {
				number, err := strconv.Atoi(n)
				if err == nil {
					modes[number] = string(m[2]) == "h"
				}
			}
		}
		// The cursor's visibility belongs to the terminal, not to one of its
		// screens as in the emulator.
		modes[7], modes[25] = !modes[7], !modes[25]
		maps.DeleteFunc(modes, func(_ int, set bool) bool { return !set })
		on = slices.Sorted(maps.Keys(modes))
		return len(on) == 0 && !c.alt
	})
	after, err := term.GetState(c.pty.Slave().Fd())
	if err != nil {
		c.t.Fatal(err)
	}
	if !reflect.DeepEqual(after, c.before) {
		c.t.Errorf("the settings of the terminal were %+v and are %+v", c.before, after)
	}
}

// browser is a terminal with the program on it, and a fake Hermes that records
// how it was called.
type browser struct {
	*console
	record string
	folder string // of the database
}

// open starts the browser with a fake Hermes.
func open(t *testing.T, w, h int, environ []string, args ...string) *browser {
	t.Helper()
	return openOnLine(t, 0, w, h, environ, args...)
}

// openOnLine starts the browser behind a slow line.
func openOnLine(t *testing.T, perSecond, w, h int, environ []string, args ...string) *browser {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &browser{record: filepath.Join(t.TempDir(), "call.json"), folder: t.TempDir()}
	environ = append(environment(t, recordVariable+"="+s.record, "FAKE_HERMES_FOLDER="+s.folder), environ...)
	for i, a := range args {
		if db, ok := strings.CutPrefix(a, "--db="); ok {
			args[i] = "--db=" + copyDatabase(t, db, s.folder)
		}
	}
	s.console = openConsoleOnLine(t, perSecond, w, h, environ, program, append([]string{"--hermes=" + self}, args...)...)
	return s
}

// called returns the arguments and the environment of the fake Hermes.
func (s *browser) called() call {
	s.t.Helper()
	note, err := os.ReadFile(s.record)
	if err != nil {
		s.t.Fatalf("Hermes was not called: %v", err)
	}
	var c call
	if err := json.Unmarshal(note, &c); err != nil {
		s.t.Fatal(err)
	}
	return c
}

// resumed answers the fake Hermes, checks that it had the terminal and that the
// program ends with its exit code, and returns how it was called.
func (s *browser) resumed() call {
	s.t.Helper()
	s.Sees("fake Hermes: what now?")
	s.Types("go on\r") // becomes a newline only where line editing is back
	s.Sees(`fake Hermes read "go on\n", <nil>`)
	s.exits(fakeHermesExit)
	s.restored()
	return s.called()
}
