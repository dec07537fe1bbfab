package fault

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// fragile is a model that panics in one of its methods.
type fragile struct{ where string }

type poke struct{}

func (f fragile) Init() tea.Cmd {
	if f.where == "init" {
		panic("boom in init")
	}
	return tea.Batch(func() tea.Msg { return nil }, func() tea.Msg {
		if f.where == "command" {
			panic("boom in command")
		}
		return poke{}
	})
}

func (f fragile) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(poke); ok && f.where == "update" {
		panic("boom in update")
	}
	return f, nil
}

func (f fragile) View() tea.View {
	if f.where == "view" {
		panic("boom in view")
	}
	v := tea.NewView("fine")
	v.AltScreen = true
	return v
}

// Whatever panics in the browser, the screen is put back, the exit code is 1,
// and one line names a report that holds the stack.
func TestPanicPutsTheScreenBack(t *testing.T) {
	for _, where := range []string{"init", "update", "view", "command"} {
		t.Run(where, func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir())
			t.Setenv("TMP", os.Getenv("TMPDIR"))
			var screen bytes.Buffer
			in, keys := io.Pipe()
			defer keys.Close()
			g := &Guard{Model: fragile{where}}
			p := tea.NewProgram(g, tea.WithContext(t.Context()), tea.WithInput(in), tea.WithOutput(&screen),
				tea.WithWindowSize(40, 10), tea.WithoutSignalHandler())
			g.Quit = p.Quit
			if end, limited := t.Deadline(); limited { // then the error below says what go test would not
				defer time.AfterFunc(time.Until(end)*9/10, p.Kill).Stop()
			}
			if _, err := p.Run(); err != nil {
				t.Fatalf("the program did not end by itself: %v", err)
			}
			if s := screen.String(); strings.LastIndex(s, "\x1b[?1049l") < strings.LastIndex(s, "\x1b[?1049h") {
				t.Errorf("the main screen is not back: %q", s)
			}
			f := Of(g.Err("1.2.3"))
			if f.Code != 1 {
				t.Errorf("exit code %d", f.Code)
			}
			line := f.Message + " (" + f.Remedy + ")"
			if strings.Contains(line, "\n") || !strings.HasPrefix(line, "internal error: boom in "+where) {
				t.Errorf("said %q", line)
			}
			reports, err := filepath.Glob(filepath.Join(os.TempDir(), "hermes-sessions-panic-*.txt"))
			if err != nil || len(reports) != 1 || !strings.Contains(line, reports[0]) {
				t.Fatalf("reports %q, said %q", reports, line)
			}
			report, err := os.ReadFile(reports[0])
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{"1.2.3", "boom in " + where, "crash_test.go"} {
				if !strings.Contains(string(report), want) {
					t.Errorf("the report lacks %q", want)
				}
			}
		})
	}
}
