package output

import (
	"context"
	"io"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(f.Fd())
}

// TerminalWidth returns the columns of a terminal, 0 if unknown.
func TerminalWidth(stream any) int {
	width, _ := TerminalSize(stream)
	return width
}

// TerminalSize returns the columns and lines of a terminal, 0 if unknown.
func TerminalSize(stream any) (width, height int) {
	f, ok := stream.(interface{ Fd() uintptr })
	if !ok {
		return 0, 0
	}
	width, height, err := term.GetSize(f.Fd())
	if err != nil {
		return 0, 0
	}
	return width, height
}

// Terminal is where keys come from and where the screen is drawn.
type Terminal struct {
	In     io.Reader
	Out    io.Writer
	opened []*os.File
}

// OpenTerminal returns the standard streams where both are a terminal. The standard
// output of a picker is its answer, so where a picker's streams lead elsewhere
// the terminal of the process is opened by its name. ok is false where no user
// can see the screen or press a key; the terminal then has the streams as they
// are. Close it in any case.
func OpenTerminal(stdin io.Reader, stdout, stderr io.Writer, picker bool, log *slog.Logger) (t Terminal, ok bool) {
	in, out := IsTerminal(stdin), IsTerminal(stdout)
	t = Terminal{In: stdin, Out: stdout}
	if in && out {
		return t, true
	}
	// A user watches when at least one stream is a terminal. A job that only
	// has a controlling terminal must not stop to wait for keys.
	if !picker || !in && !out && !IsTerminal(stderr) {
		return t, false
	}
	for _, need := range []struct {
		there bool
		name  string
		flag  int
		use   func(*os.File)
	}{
		{in, inputName, os.O_RDONLY, func(f *os.File) { t.In = f }},
		{out, outputName, os.O_RDWR, func(f *os.File) { t.Out = f }},
	} {
		if need.there {
			continue
		}
		f, err := os.OpenFile(need.name, need.flag, 0)
		if err != nil {
			log.Info("no terminal", "error", err)
			t.Close()
			return Terminal{In: stdin, Out: stdout}, false
		}
		t.opened = append(t.opened, f)
		need.use(f)
	}
	return t, true
}

// Close closes the files that Open opened.
func (t Terminal) Close() {
	for _, f := range t.opened {
		_ = f.Close() // nothing is buffered that could be lost
	}
}

// lookEvery is the time between two looks at whether the terminal still exists.
const lookEvery = time.Second

// WhileThere returns a context that is canceled when the terminal no longer exists. A
// process that the terminal does not control gets no signal then, and would draw for
// no one. Call cancel in any case.
func (t Terminal) WhileThere(ctx context.Context) (_ context.Context, cancel context.CancelFunc) {
	ctx, cancel = context.WithCancel(ctx)
	if IsTerminal(t.Out) {
		go func() {
			look := time.NewTicker(lookEvery)
			defer look.Stop()
			for IsTerminal(t.Out) {
				select {
				case <-look.C:
				case <-ctx.Done():
					return
				}
			}
			cancel()
		}()
	}
	return ctx, cancel
}

// Canvas returns the writer for the screen. With a height, a frame is drawn below
// the prompt and its rows are counted up and down from the cursor. On a terminal
// that has just become narrower, lines that wrap would take more rows than were
// counted, and the rest would stay on the screen. So each frame is written with
// wrapping off, and wrapping is on again for other programs.
func (t Terminal) Canvas(height int) io.Writer {
	if f, ok := t.Out.(*os.File); ok && height > 0 {
		return noWrap{f}
	}
	return t.Out
}

// noWrap is a terminal that cuts off lines that are too wide for it.
type noWrap struct{ *os.File }

// Write writes p and the two mode switches in one call, so that no other output
// comes between them.
func (w noWrap) Write(p []byte) (int, error) {
	framed := slices.Concat([]byte(ansi.ResetModeAutoWrap), p, []byte(ansi.SetModeAutoWrap))
	n, err := w.File.Write(framed)
	return min(max(n-len(ansi.ResetModeAutoWrap), 0), len(p)), err
}
