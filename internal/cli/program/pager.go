package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/internal/cli/env"
)

// defaultPager is used where the environment names none.
const defaultPager = "less"

// PagerOf returns the pager of an environment for printed output: HERMES_SESSIONS_PAGER,
// else PAGER, else less where it is installed. It is "" where a variable is set to
// nothing or to cat, and for a terminal that cannot move its cursor.
func PagerOf(environ env.Vars) string {
	line, set := environ.Lookup("HERMES_SESSIONS_PAGER")
	if !set {
		line, set = environ.Lookup("PAGER")
	}
	if !set {
		line = defaultPager
	}
	line = strings.TrimSpace(line)
	if line == "cat" || environ.Get("TERM") == "dumb" {
		return ""
	}
	return line
}

// Pager is a terminal on which long output is shown by a pager. What fits on the screen
// is printed as it is. Close it in any case.
type Pager struct {
	Terminal io.Writer
	Errors   io.Writer // standard error of the pager
	Line     string    // the command line of the pager
	Environ  env.Vars
	Width    int // columns of the terminal
	Height   int // its lines
	// Hold keeps interrupts for the pager, which a terminal sends to all of its
	// processes, until release is called; nil where interrupts are not handled.
	Hold func() (release func())

	held    bytes.Buffer // until it is known whether it fits
	decided bool         // nothing is held back from now on
	cmd     *exec.Cmd
	in      io.WriteCloser
	release func()
	ctx     context.Context
}

// Begin makes the pager ready. Canceling ctx ends it.
func (p *Pager) Begin(ctx context.Context) { p.ctx = ctx }

// Write implements io.Writer. Its error is EPIPE after the user has quit the pager.
func (p *Pager) Write(text []byte) (int, error) {
	switch {
	case p.cmd != nil:
		return p.in.Write(text)
	case p.decided:
		return p.Terminal.Write(text)
	}
	p.held.Write(text)
	if p.lines() < p.Height {
		return len(text), nil
	}
	p.decided = true
	p.start()
	out := p.Terminal
	if p.cmd != nil {
		out = p.in
	}
	if _, err := out.Write(p.held.Bytes()); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Ends says that at most so many lines will follow. If they fit, all is printed now.
func (p *Pager) Ends(lines int) error {
	if p.decided || p.lines()+lines >= p.Height {
		return nil
	}
	return p.print()
}

// print prints what is held, and whatever follows, as it is.
func (p *Pager) print() error {
	p.decided = true
	_, err := p.Terminal.Write(p.held.Bytes())
	p.held = bytes.Buffer{}
	return err
}

// lines counts the lines of the terminal that the held text needs.
func (p *Pager) lines() (n int) {
	for line := range bytes.Lines(p.held.Bytes()) {
		n += 1 + max(0, ansi.StringWidth(strings.TrimRight(string(line), "\n"))-1)/max(p.Width, 1)
		if n >= p.Height {
			break
		}
	}
	return n
}

// start starts the pager. Where it cannot be found, the text is printed as it is.
func (p *Pager) start() {
	first, _, _ := strings.Cut(p.Line, " ")
	if !strings.ContainsAny(first, `=$"'\;|&(<>~`) {
		if _, err := exec.LookPath(first); err != nil {
			return
		}
	}
	cmd := shellCommand(p.ctx, p.Line, withLess(p.Environ))
	cmd.Stdout, cmd.Stderr = p.Terminal, p.Errors
	in, err := cmd.StdinPipe()
	if err != nil {
		return
	}
	if p.Hold != nil {
		p.release = p.Hold()
	}
	if err := cmd.Start(); err != nil {
		p.letGo()
		return
	}
	p.cmd, p.in = cmd, in
}

func (p *Pager) letGo() {
	if p.release != nil {
		p.release()
		p.release = nil
	}
}

// Close prints what is held, or waits until the user has read and quit the pager.
func (p *Pager) Close() error {
	if p.cmd == nil {
		if p.decided {
			return nil
		}
		return p.print()
	}
	_ = p.in.Close() // it fails if the pager has ended already
	err := p.cmd.Wait()
	p.letGo()
	// A shell ends so where it cannot run a program. Other codes say nothing of the text.
	if exit, ended := errors.AsType[*exec.ExitError](err); ended && (exit.ExitCode() == 126 || exit.ExitCode() == 127) {
		return fmt.Errorf("show in the pager: %s: %w", p.Line, exit)
	}
	return nil
}

// withLess tells less, where the user has not, to show colors, to leave the text on the
// screen, and to quit at once where the text is short.
func withLess(environ env.Vars) env.Vars {
	if _, set := environ.Lookup("LESS"); set || runtime.GOOS == "windows" {
		return environ
	}
	return append(slices.Clone(environ), "LESS=FRX")
}
