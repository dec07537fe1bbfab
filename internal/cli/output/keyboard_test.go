package output

import (
	"os"
	"runtime"
	"strings"
	"testing"
)

// Wherever a line cuts what is typed and pasted in two, no mark of a paste is cut, and all
// bytes arrive.
func TestMarksOfAPasteComeWhole(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the console of Windows sends no marks")
	}
	const typed = "a\x1b[A\x1b[200~two\n\x1b[20lines\x1b[201~b\x1b[200~\x1b[201~\x1b"
	for cut := 1; cut < len(typed); cut++ {
		got := arriving(t, typed[:cut], typed[cut:])
		if all := strings.Join(got, ""); all != typed {
			t.Errorf("cut at %d: %q arrives", cut, all)
		}
		mayBeKeys := strings.HasSuffix(typed[:cut], "\x1b") && strings.HasPrefix(typed[cut:], "[200~") || strings.HasSuffix(typed[:cut], "\x1b[") && strings.HasPrefix(typed[cut:], "200~")
		for _, mark := range []string{pasteBegins, pasteEnds} {
			if n := strings.Count(got[0], mark) + strings.Count(got[1], mark); n != 2 && !mayBeKeys {
				t.Errorf("cut at %d: %d of 2 marks are whole in %q", cut, n, got)
			}
		}
	}
}

// A mark whose first bytes came alone, as keys do, is still seen: the next one is kept whole.
// Ctrl+C ends a paste whose end is lost.
func TestAMarkThatCameByteByByte(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the console of Windows sends no marks")
	}
	got := strings.Join(arriving(t, "\x1b", "[", "2", "00~text", "\x1b", "[201", "~", "\x1b[200~lost", "\x03", "\x03"), "|")
	if want := "\x1b|[||200~text|||\x1b[201~|\x1b[200~lost|\x1b[201~\x03|\x03"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// arriving returns what is read after each piece that a line carries.
func arriving(t *testing.T, pieces ...string) (got []string) {
	t.Helper()
	in, line, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer line.Close()
	k := Terminal{In: in}.Keyboard()
	for _, piece := range pieces {
		if _, err := line.WriteString(piece); err != nil {
			t.Fatal(err)
		}
		var p [64]byte
		n, err := k.Read(p[:])
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(p[:n]))
	}
	return got
}
