package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hermes-sessions/ui/kit"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// printJSON writes a value as indented JSON: raw values, valid always, and
// harmless on a terminal.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(harmless{a.out})
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}

// harmless writes JSON and spells out the characters that a terminal might
// obey or that turn the direction of text. JSON has them only inside strings,
// where the spelling means the same.
type harmless struct{ w io.Writer }

// Write takes whole values: the encoder writes each in one call.
func (h harmless) Write(p []byte) (int, error) {
	var out bytes.Buffer
	for i := 0; i < len(p); {
		r, size := utf8.DecodeRune(p[i:])
		if r == 0x7f || r >= 0x80 && r < 0xa0 || isDirection(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.Write(p[i : i+size])
		}
		i += size
	}
	if _, err := h.w.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}

func isDirection(r rune) bool {
	return r == 0x061c || r == 0x200e || r == 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// seconds gives a time as the database has it, nil when there is none.
func seconds(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return float64(t.UnixMicro()) / 1e6
}

// orNull gives a text, nil when there is none.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// cell is text of unknown origin in a column of w cells: one line, cut to at
// most most cells, padded.
func cell(text string, most, w int) string {
	text = ansi.Truncate(kit.CleanLine(text), most, "")
	return text + strings.Repeat(" ", max(0, w-ansi.StringWidth(text)))
}

// ago says how long ago t was, in the words of Hermes (store/README.md#command-line).
func ago(now, t time.Time) string {
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

// count writes a number with its noun: 1 hit, 1 204 hits.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}

// grouped writes a number in groups of three digits: 1 204.
func grouped(n int) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + " " + digits[i:]
	}
	return digits
}

// clean makes text of unknown origin one harmless line.
func clean(s string) string { return kit.CleanLine(s) }

// source is a source in upstream's column of six, which longer names widen.
func source(s string) string { return cell(s, 24, 6) }
