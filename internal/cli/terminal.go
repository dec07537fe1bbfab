package cli

import (
	"io"
	"os"
	"slices"

	"github.com/charmbracelet/x/ansi"
)

// terminal is where the screen is drawn and keys come from.
type terminal struct {
	in     io.Reader
	out    io.Writer
	opened []*os.File
}

// terminal gives the standard streams where they are a person's terminal. A
// picker's standard output is its answer, so where that goes elsewhere the
// terminal itself is opened. ok is false where no person can see or answer.
func (a *app) terminal(picker bool) (t terminal, ok bool) {
	in, out := isTerminal(a.Stdin), isTerminal(a.Stdout)
	t = terminal{in: a.Stdin, out: a.Stdout}
	if in && out {
		return t, true
	}
	// Somebody sits there when at least one stream is a terminal; a program
	// that only happens to run below one must not be held up.
	if !picker || !in && !out && !isTerminal(a.Stderr) {
		return t, false
	}
	for _, need := range []struct {
		there bool
		name  string
		flag  int
		use   func(*os.File)
	}{
		{in, terminalInput, os.O_RDONLY, func(f *os.File) { t.in = f }},
		{out, terminalOutput, os.O_RDWR, func(f *os.File) { t.out = f }},
	} {
		if need.there {
			continue
		}
		f, err := os.OpenFile(need.name, need.flag, 0)
		if err != nil {
			a.log.Info("no terminal", "error", err)
			t.close()
			return terminal{in: a.Stdin, out: a.Stdout}, false
		}
		t.opened = append(t.opened, f)
		need.use(f)
	}
	return t, true
}

// close closes what was opened.
func (t terminal) close() {
	for _, f := range t.opened {
		_ = f.Close() // there is nothing to lose
	}
}

// drawing gives what to draw on. Below a prompt the rows of a frame are counted
// up and down from where the cursor is. A frame for a terminal that has just
// become narrower must not wrap then: it would take more rows than were
// counted, and these would be neither drawn over nor cleared. What else runs
// on the terminal finds it wrapping, as always.
func (t terminal) drawing(height int) io.Writer {
	if f, ok := t.out.(*os.File); ok && height > 0 {
		return cropping{f}
	}
	return t.out
}

// cropping is a terminal that cuts off what is too wide for it.
type cropping struct{ *os.File }

// Write writes p at once, so that nothing comes between.
func (c cropping) Write(p []byte) (int, error) {
	framed := slices.Concat([]byte(ansi.ResetModeAutoWrap), p, []byte(ansi.SetModeAutoWrap))
	n, err := c.File.Write(framed)
	return min(max(n-len(ansi.ResetModeAutoWrap), 0), len(p)), err
}
