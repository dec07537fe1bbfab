package cli

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/internal/cli/fault"
)

// guard lets a panic of the browser end it like any other decision: the
// screen is put back and the database closed before anything is said. Bubble
// Tea's own net prints a page of stack over the screen instead.
type guard struct {
	tea.Model
	once  sync.Once
	quit  func()
	panic any
	stack []byte
}

// caught takes a panic; deferred around everything of the model.
func (g *guard) caught() {
	r := recover()
	if r == nil {
		return
	}
	stack := debug.Stack()
	g.once.Do(func() {
		g.panic, g.stack = r, stack
		go g.quit() // sending waits for the loop, which may be what called us
	})
}

// Init implements tea.Model.
func (g *guard) Init() (cmd tea.Cmd) {
	defer g.caught()
	return g.wrap(g.Model.Init())
}

// Update implements tea.Model.
func (g *guard) Update(msg tea.Msg) (same tea.Model, cmd tea.Cmd) {
	same = g // after a panic too
	defer g.caught()
	g.Model, cmd = g.Model.Update(msg)
	return g, g.wrap(cmd)
}

// View implements tea.Model.
func (g *guard) View() (v tea.View) {
	defer g.caught()
	v.AltScreen = true
	return g.Model.View()
}

// wrap guards a command and those that it stands for.
func (g *guard) wrap(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer g.caught()
		msg = cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i, c := range batch {
				batch[i] = g.wrap(c)
			}
		}
		return msg
	}
}

// err gives the panic as an error that names the report, or nil.
func (g *guard) err(version string) error {
	// Nothing writes any more once this has passed.
	g.once.Do(func() {})
	if g.panic == nil {
		return nil
	}
	f := &fault.Fault{Kind: "internal", Code: 1, Message: fmt.Sprintf("internal error: %v", g.panic)}
	report, err := os.CreateTemp("", "hermes-sessions-panic-*.txt")
	if err != nil {
		f.Remedy = "the report could not be written: " + err.Error()
		return f
	}
	_, err = fmt.Fprintf(report, "hermes-sessions %s, %s, %s/%s\n\npanic: %v\n\n%s",
		version, runtime.Version(), runtime.GOOS, runtime.GOARCH, g.panic, g.stack)
	if closed := report.Close(); err == nil {
		err = closed
	}
	f.Remedy = "please report it with " + report.Name()
	if err != nil {
		f.Remedy = strings.Join([]string{"the report could not be written:", err.Error()}, " ")
	}
	return f
}
