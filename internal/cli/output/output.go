// Package output writes results for users and for scripts: JSON, text in
// columns, and the words for times and numbers. Text from the database is
// cleaned here before it reaches a terminal.
package output

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/internal/cli/env"
	"hermes-sessions/theme"
	"hermes-sessions/theme/cells"
	"hermes-sessions/ui/kit"
)

// Writer is standard output, buffered. Flush it at the end and before another
// program takes the terminal.
type Writer struct {
	*bufio.Writer
	stdout   io.Writer
	environ  env.Vars
	terminal bool
	styles   *theme.Styles // nil until they are asked for
}

// NewWriter returns a buffered writer to stdout.
func NewWriter(stdout io.Writer, environ env.Vars) *Writer {
	return &Writer{Writer: bufio.NewWriter(stdout), stdout: stdout, environ: environ, terminal: IsTerminal(stdout)}
}

// SetEnviron tells what the environment says of the terminal, before anything is styled.
func (w *Writer) SetEnviron(environ env.Vars) { w.environ = environ }

// Write implements [io.Writer]. On a terminal that shows only ASCII, what the program draws is
// ASCII.
func (w *Writer) Write(b []byte) (int, error) {
	if w.onlyASCII() {
		return ASCII{w.Writer}.Write(b)
	}
	return w.Writer.Write(b)
}

// WriteString implements [io.StringWriter], as Write does. It makes no copy of a long text.
func (w *Writer) WriteString(s string) (int, error) {
	if w.onlyASCII() {
		return w.Write([]byte(s))
	}
	return w.Writer.WriteString(s)
}

func (w *Writer) onlyASCII() bool { return w.terminal && !w.environ.Unicode() }

// ASCII writes the marks, lines and signs of the program as ASCII.
type ASCII struct{ io.Writer }

// Write implements [io.Writer]. A mark must be in one call.
func (w ASCII) Write(b []byte) (int, error) {
	if _, err := io.WriteString(w.Writer, theme.ASCII(string(b))); err != nil {
		return 0, fmt.Errorf("write: %w", err)
	}
	return len(b), nil
}

// ToTerminal reports whether the output goes to a terminal.
func (w *Writer) ToTerminal() bool { return w.terminal }

// Width returns the columns of the terminal, 80 where it does not say; 0 where the
// output goes elsewhere.
func (w *Writer) Width() int {
	if !w.terminal {
		return 0
	}
	return cmp.Or(TerminalWidth(w.stdout), 80)
}

// Styles returns the styles for the terminal: its own sixteen colors, which can be read
// on its background, weight alone where colors are off, and nothing for a terminal
// without styles or for output that goes elsewhere.
func (w *Writer) Styles() *theme.Styles {
	if w.styles == nil {
		w.styles = &theme.Styles{}
		if w.terminal && w.environ.Get("TERM") != "dumb" {
			setup := theme.Setup{Theme: "ansi16", Colors: theme.Colors16, Light: w.environ.LightTerminal()}
			if colorprofile.Detect(w.stdout, w.environ) <= colorprofile.ASCII || w.environ.Get("NO_COLOR") != "" {
				setup.Colors = theme.NoColors
			}
			w.styles = setup.Styles()
		}
	}
	return w.styles
}

// Unstyle prints everything from now on without styles.
func (w *Writer) Unstyle() { w.styles = &theme.Styles{} }

// Bold returns text in bold where the output is a terminal that can show it,
// else as it is.
func (w *Writer) Bold(text string) string { return drawn(w.Styles().Strong.Render, text) }

// Faint returns text in a faint style where the output is a terminal that can show
// it, else as it is.
func (w *Writer) Faint(text string) string { return drawn(w.Styles().Faint.Render, text) }

// drawn draws a text, except where there is none.
func drawn(render func(...string) string, text string) string {
	if text == "" {
		return text
	}
	return render(text)
}

// Names returns the names of values, as flags and commands take them.
func Names[T fmt.Stringer](values []T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = v.String()
	}
	return out
}

// Clean returns text of unknown origin as one line without control characters.
func Clean(s string) string { return kit.CleanLine(s) }

// Cell returns text of unknown origin for a column that is width cells wide: one
// line, cut to at most most cells, padded with spaces. Where most is more than
// width, a long text makes its cell wider.
func Cell(text string, most, width int) string {
	text = ansi.Truncate(Clean(text), most, "")
	return text + strings.Repeat(" ", max(0, width-ansi.StringWidth(text)))
}

// Wrap wraps a text at words to lines of at most width columns, 0 for any, each behind a
// margin.
func Wrap(text string, width int, margin string) string {
	if width > 0 {
		text = strings.Join(cells.ByGrapheme.Wrap(text, max(width-len(margin), minWrapped)), "\n")
	}
	return margin + strings.ReplaceAll(text, "\n", "\n"+margin)
}

// minWrapped is the least width that text is wrapped to.
const minWrapped = 16

// Ago says how long before now a time was, in the words of Hermes
// (store/README.md#command-line), but gives the date of a time more than a day ahead.
func Ago(now, t time.Time) string {
	d := now.Sub(t)
	switch {
	case t.IsZero():
		return "?"
	case d < -24*time.Hour:
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	case d < 48*time.Hour:
		return "yesterday"
	case d < 7*24*time.Hour:
		return fmt.Sprintf("%dd ago", int(d.Hours()/24))
	}
	return t.Local().Format(time.DateOnly)
}

// Count writes a number with its noun, as the screens do: 1 hit, 1,204 hits.
func Count(n int, one, many string) string { return kit.Plural(n, one, many) }

// Grouped writes a number in groups of three digits, as the screens do: 1,204.
func Grouped(n int) string { return kit.Count(n) }

// Bytes writes a number of bytes: 340 kB, 12 MB.
func Bytes(n int64) string {
	if n < 1_000_000 {
		return fmt.Sprintf("%d kB", (n+999)/1000)
	}
	return fmt.Sprintf("%d MB", n/1_000_000)
}

// Megabytes writes a number of bytes as Hermes does (store/README.md#command-line).
func Megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/(1<<20)) }
