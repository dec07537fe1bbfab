//go:build !windows

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/internal/testing/corpus"
)

// benchmarkedSizes calls run with the cached history of each size that
// HERMES_SESSIONS_BENCH names, and of S.
func benchmarkedSizes(b *testing.B, run func(b *testing.B, db string)) {
	for _, size := range []string{"S", "M", "L"} {
		if size != "S" && !strings.Contains(os.Getenv("HERMES_SESSIONS_BENCH"), size) {
			continue
		}
		b.Run(size, func(b *testing.B) {
			config, _ := corpus.Named(size)
			db, err := corpus.Cached(b.Context(), config)
			if err != nil {
				b.Fatal(err)
			}
			run(b, db)
		})
	}
}

// BenchmarkFrames types words into the list of a terminal of 120 by 40, letter by letter,
// and measures from each key to the end of the frame in which the query and the first row
// stand as they will stay: with all words, or the closest where nothing has them all.
func BenchmarkFrames(b *testing.B) {
	benchmarkedSizes(b, func(b *testing.B, db string) {
		words := titleWords(b, db)
		c := openConsole(b, 120, 40, environment(b), program, "--db", db, "--theme", "dark")
		var mu sync.Mutex
		var frames []frameAt
		c.watch(func(text string) {
			at := c.lastRead()
			mu.Lock()
			defer mu.Unlock()
			if n := len(frames); n == 0 || frames[n-1].text != text {
				frames = append(frames, frameAt{at, text})
			}
		})
		settled := func() []frameAt { // the frames until the screen stands still
			for {
				select {
				case <-c.written:
				case <-time.After(150 * time.Millisecond):
					mu.Lock()
					defer mu.Unlock()
					all := frames
					frames = nil
					return all
				}
			}
		}
		c.Sees(" conversations")
		settled()
		var took []time.Duration
		typeAll := func() {
			for _, word := range words {
				for i := range word {
					begun := time.Now()
					c.Types(word[i : i+1])
					if end, ok := answered(settled(), word[:i+1]); ok {
						took = append(took, end.Sub(begun))
					}
				}
				c.Press("Ctrl+U")
				settled()
			}
		}
		typeAll() // meanwhile the browser reads what makes keys quick
		took = nil
		for b.Loop() {
			typeAll()
		}
		c.Press("Ctrl+C")
		c.ends()
		if len(took) < 50 {
			b.Fatalf("only %d keys were answered", len(took))
		}
		slices.Sort(took)
		for unit, part := range map[string]int{"ms-p50": 50, "ms-p95": 95, "ms-p99": 99} {
			b.ReportMetric(float64(took[len(took)*part/100].Microseconds())/1000, unit)
		}
		b.ReportMetric(0, "ns/op")
	})
}

// frameAt is a screen and when its last byte was read.
type frameAt struct {
	at   time.Time
	text string
}

// answered returns the end of the first frame that shows the query and the first row of
// the last one.
func answered(frames []frameAt, query string) (time.Time, bool) {
	if len(frames) == 0 || !strings.Contains(frames[len(frames)-1].text, query) {
		return time.Time{}, false
	}
	row := firstRow(frames[len(frames)-1].text)
	for _, f := range frames {
		if strings.Contains(f.text, query) && firstRow(f.text) == row {
			return f.at, true
		}
	}
	return time.Time{}, false
}

// firstRow returns the row under the cursor, without the preview beside it.
func firstRow(text string) string {
	for line := range strings.Lines(text) {
		if row, ok := strings.CutPrefix(line, " ▸ "); ok {
			row, _, _ = strings.Cut(row, "│")
			return row
		}
	}
	return ""
}

// titleWords returns words of the titles of the latest conversations.
func titleWords(b *testing.B, db string) []string {
	var words []string
	for _, title := range titles(b, db, "list", "--json", "--limit", "200") {
		for _, word := range regexp.MustCompile(`[a-z]{4,12}`).FindAllString(strings.ToLower(title), -1) {
			if len(words) < 25 && !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	return words
}

// titles returns the titles of the conversations that a command lists.
func titles(b *testing.B, db string, args ...string) []string {
	out, err := exec.CommandContext(b.Context(), program, append([]string{"--db", db}, args...)...).Output()
	if err != nil {
		b.Fatal(err)
	}
	type row struct{ Title string }
	var listed struct{ Sessions, Conversations []row }
	if err := json.Unmarshal(out, &listed); err != nil {
		b.Fatal(err)
	}
	var all []string
	for _, r := range append(listed.Sessions, listed.Conversations...) {
		if r.Title != "" {
			all = append(all, r.Title)
		}
	}
	if len(all) == 0 {
		b.Fatalf("no titles in\n%s", out)
	}
	return all
}

// BenchmarkFirstAnswer types a word the moment the program starts, and measures until
// the first rows are on the screen, and until the best of all is, from a warm file.
func BenchmarkFirstAnswer(b *testing.B) {
	const query = "docker"
	benchmarkedSizes(b, func(b *testing.B, db string) {
		best := ansi.Truncate(titles(b, db, "search", "--json", "--limit", "1", query)[0], 12, "")
		var rows, whole time.Duration
		for range b.N {
			begun := time.Now()
			c := openConsole(b, 120, 40, environment(b), program, "--db", db, "--theme", "dark")
			c.Types(query)
			c.until("rows answer the query", func(text string) bool {
				return strings.Contains(text, "▸ "+query) && firstRow(text) != ""
			})
			rows += time.Since(begun)
			c.Sees(best)
			whole += time.Since(begun)
			c.Press("Ctrl+C")
			c.ends()
			c.hangUp()
		}
		b.ReportMetric(float64(rows.Microseconds())/float64(b.N)/1000, "ms/rows")
		b.ReportMetric(float64(whole.Microseconds())/float64(b.N)/1000, "ms/best")
		b.ReportMetric(0, "ns/op")
	})
}
