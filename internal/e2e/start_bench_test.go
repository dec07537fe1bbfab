//go:build !windows

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/internal/testing/corpus"
)

// BenchmarkStart measures from the start of the process to the first frame and to the
// first 50 rows, warm, at two sizes of history: on a terminal, with a chosen theme and with
// one that follows the terminal's background, which the terminal reports (auto) or does not
// (silent), and printed by list. In turn with them run what every start of ours takes, which
// says its version, and a Go program that only says hello.
func BenchmarkStart(b *testing.B) {
	hello := bareProgram(b)
	for _, size := range []struct {
		name   string
		config corpus.Config
	}{{"S", corpus.S()}, {"M", corpus.M()}} {
		b.Run(size.name, func(b *testing.B) {
			path, err := corpus.Cached(b.Context(), size.config)
			if err != nil {
				b.Fatal(err)
			}
			db := filepath.Join(b.TempDir(), "state.db")
			copyFile(b, path, db)
			row := row50(b, db)
			took := map[string][]time.Duration{}
			start := func(theme string, silent bool, frame, rows string) {
				t := untilShown(b, silent, []string{"hermes sessions", row}, program, "--db", db, "--theme", theme)
				took[frame] = append(took[frame], t[0])
				took[rows] = append(took[rows], t[1])
			}
			start("dark", false, "", "") // warm
			clear(took)
			b.ResetTimer()
			for range b.N {
				start("dark", false, "ms/frame", "ms/rows")
				start("auto", false, "ms/auto-frame", "ms/auto-rows")
				start("auto", true, "ms/silent-frame", "ms/silent-rows")
				took["ms/list"] = append(took["ms/list"], untilSaid(b, row, program, "list", "--limit", "50", "--db", db))
				took["ms/version"] = append(took["ms/version"], untilSaid(b, "", program, "version"))
				took["ms/bare"] = append(took["ms/bare"], untilShown(b, false, []string{"hello"}, hello)[0])
			}
			for unit, all := range took {
				slices.Sort(all)
				b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, unit)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// bareProgram builds a Go program that only says hello.
func bareProgram(b *testing.B) string {
	dir := b.TempDir()
	source := filepath.Join(dir, "hello.go")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() { println(\"hello\") }\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	bin := filepath.Join(dir, "hello")
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", bin, source).CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return bin
}

// row50 is what the screen shows of the fiftieth conversation: the answer
// that a start must give.
func row50(b *testing.B, db string) string {
	out, err := exec.CommandContext(b.Context(), program, "--db", db, "--plain", "--limit", "50").Output()
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if title, ok := strings.CutPrefix(line, " 50  "); ok {
			title, _, _ = strings.Cut(title, " · ")
			return ansi.Truncate(title, 12, "") // the list may have no room for more
		}
	}
	b.Fatalf("no fiftieth row\n%s", out)
	return ""
}

// untilShown starts a program on a terminal of 120 by 80, which may be silent about its
// background, and measures until each of some texts is on the screen.
func untilShown(b *testing.B, silent bool, texts []string, name string, args ...string) []time.Duration {
	begun := time.Now()
	c := openConsole(b, 120, 80, environment(b), name, args...)
	if silent {
		c.mu.Lock()
		c.screen.RegisterOscHandler(11, func([]byte) bool { return true })
		c.mu.Unlock()
	}
	took := make([]time.Duration, len(texts))
	for i, text := range texts {
		c.Sees(text)
		took[i] = time.Since(begun)
	}
	if c.onScreen() {
		c.Press("Ctrl+C")
	}
	c.ends()
	c.hangUp()
	return took
}

// untilSaid starts a program that writes into a pipe and measures until a text
// has come out of it, or the end where the text is empty.
func untilSaid(b *testing.B, text, name string, args ...string) time.Duration {
	cmd := exec.CommandContext(b.Context(), name, args...)
	cmd.Env = environment(b)
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	var took time.Duration
	var said []byte
	for buf := make([]byte, 64<<10); ; {
		n, err := out.Read(buf)
		said = append(said, buf[:n]...)
		if took == 0 && (text == "" && err != nil || text != "" && strings.Contains(string(said), text)) {
			took = time.Since(begun)
		}
		if err != nil {
			break
		}
	}
	if err := cmd.Wait(); err != nil || took == 0 {
		b.Fatalf("%v, no %q in\n%s", err, text, said)
	}
	return took
}

func copyFile(b *testing.B, from, to string) {
	data, err := os.ReadFile(from)
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o600); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkSeveralFiles opens twenty databases of 10,000 messages at once, and one of 200,000:
// the time until the first row is shown, and that of list.
func BenchmarkSeveralFiles(b *testing.B) {
	if !strings.Contains(os.Getenv("HERMES_SESSIONS_BENCH"), "twenty") {
		b.Skip("needs 4 GB: HERMES_SESSIONS_BENCH=twenty")
	}
	cached := func(c corpus.Config) string {
		path, err := corpus.Cached(b.Context(), c)
		if err != nil {
			b.Fatal(err)
		}
		return path
	}
	small, large := cached(corpus.S()), cached(corpus.Config{Messages: 200_000, Seed: 1})
	var twenty []string
	for i := range 20 {
		db := filepath.Join(b.TempDir(), fmt.Sprintf("part-%d.db", i))
		copyFile(b, small, db)
		twenty = append(twenty, "--db", db)
	}
	took := map[string][]time.Duration{}
	for b.Loop() {
		for unit, files := range map[string][]string{"twenty": twenty, "one": {"--db", large}} {
			shown := untilShown(b, false, []string{"\n ▸ "}, program, append([]string{"--theme", "dark"}, files...)...)
			took["ms/browser-"+unit] = append(took["ms/browser-"+unit], shown[0])
			took["ms/list-"+unit] = append(took["ms/list-"+unit], untilSaid(b, "", program, append([]string{"list"}, files...)...))
		}
	}
	for unit, all := range took {
		slices.Sort(all)
		b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, unit)
	}
	b.ReportMetric(0, "ns/op")
}
