//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/bench/corpus"
)

// resident is the memory of another process, in bytes, and the most that it
// ever was.
func resident(tb testing.TB, pid int) (now, most int) {
	tb.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		tb.Fatal(err)
	}
	field := func(name string) int {
		_, rest, _ := strings.Cut(string(text), name+":")
		kb, err := strconv.Atoi(strings.Fields(rest)[0])
		if err != nil {
			tb.Fatal(err)
		}
		return kb << 10
	}
	return field("VmRSS"), field("VmHWM")
}

// pageThrough opens the program on a long conversation and turns all its pages
// from the end to the beginning, tool work unfolded. It gives the process's
// memory then.
func pageThrough(tb testing.TB, n int) (now, most int) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "state.db")
	if err := corpus.LongConversation(tb.Context(), path, n); err != nil {
		tb.Fatal(err)
	}
	c := openConsole(tb, 100, 45, environment(tb), program, "--db", path)
	c.Sees("A long life")
	c.Press("Right")
	c.Sees(fmt.Sprint("Step ", n-1))
	c.Types("t")
	first := regexp.MustCompile(`[ ·] 1 / \d`)
	for range 4 * n {
		c.Press("PgUp")
		select { // a picture is drawn for it
		case <-c.written:
		case <-time.After(100 * time.Millisecond): // there was nothing to draw
		}
		if first.MatchString(strings.SplitN(c.text(), "\n", 2)[0]) {
			now, most = resident(tb, c.cmd.Process.Pid)
			c.Types("q")
			c.Press("Ctrl+C")
			c.exits(130)
			return now, most
		}
	}
	tb.Fatalf("the beginning is never reached:\n%s", c.text())
	return 0, 0
}

// Reading on and on does not fill the memory.
func TestMemoryOfReadingAllPages(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes its time")
	}
	now, most := pageThrough(t, 3000)
	t.Logf("%d MB, %d MB at most", now/1e6, most/1e6)
	if most > 80_000_000 {
		t.Errorf("%d MB after reading, %d MB at most, want 80", now/1e6, most/1e6)
	}
}

// BenchmarkReadingMemory pages through 20,000 messages of a file with its index.
func BenchmarkReadingMemory(b *testing.B) {
	for b.Loop() {
		now, most := pageThrough(b, 20000)
		b.ReportMetric(float64(now)/1e6, "RSS-MB")
		b.ReportMetric(float64(most)/1e6, "most-MB")
	}
}
