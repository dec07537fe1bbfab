// Package output writes results for users and for scripts: JSON, text in
// columns, and the words for times and numbers. Text from the database is
// cleaned here before it reaches a terminal.
package output

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/internal/cli/env"
	"hermes-sessions/internal/cli/terminal"
	"hermes-sessions/theme"
	"hermes-sessions/ui/kit"
)

// Writer is standard output, buffered. Flush it at the end and before another
// program takes the terminal.
type Writer struct {
	*bufio.Writer
	terminal bool
	styled   bool
}

// NewWriter returns a buffered writer to stdout.
func NewWriter(stdout io.Writer, environ env.Vars) *Writer {
	t := terminal.Is(stdout)
	return &Writer{bufio.NewWriter(stdout), t, t && environ.Get("TERM") != "dumb"}
}

// ToTerminal reports whether the output goes to a terminal.
func (w *Writer) ToTerminal() bool { return w.terminal }

// Bold returns text in bold where the output is a terminal that can show it,
// else as it is.
func (w *Writer) Bold(text string) string {
	if !w.styled || text == "" {
		return text
	}
	return theme.New(theme.Mono, false).Strong.Render(text)
}

// Faint returns text in a faint style where the output is a terminal that can show
// it, else as it is.
func (w *Writer) Faint(text string) string {
	if !w.styled || text == "" {
		return text
	}
	return theme.New(theme.Mono, false).Faint.Render(text)
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

// Ago says how long before now a time was, in the words of Hermes
// (store/README.md#command-line).
func Ago(now, t time.Time) string {
	d := now.Sub(t)
	switch {
	case t.IsZero():
		return "?"
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

// Count writes a number with its noun: 1 hit, 1 204 hits.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Grouped(n) + " " + many
}

// Grouped writes a number in groups of three digits: 1 204.
func Grouped(n int) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + " " + digits[i:]
	}
	return digits
}

// Bytes writes a number of bytes: 340 kB, 12 MB.
func Bytes(n int64) string {
	if n < 1_000_000 {
		return fmt.Sprintf("%d kB", (n+999)/1000)
	}
	return fmt.Sprintf("%d MB", n/1_000_000)
}

// Megabytes writes a number of bytes as Hermes does (store/README.md#command-line).
func Megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/(1<<20)) }
