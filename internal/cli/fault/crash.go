package fault

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"

	tea "charm.land/bubbletea/v2"
)

// Guard is the browser's model with every panic caught. A panic ends the
// browser as quitting does: the screen is restored and the database closed before
// the error is printed. Bubble Tea itself would print the stack over the screen.
type Guard struct {
	tea.Model
	once  sync.Once
	Quit  func() // ends the program; set before it runs
	panic any    // the first one
	stack []byte // of it
}

// recover stores the first panic and ends the program; each method defers it.
func (g *Guard) recover() {
	r := recover()
	if r == nil {
		return
	}
	stack := debug.Stack()
	g.once.Do(func() {
		g.panic, g.stack = r, stack
		go g.Quit() // it sends to the event loop, which may be the caller
	})
}

// Init implements tea.Model.
func (g *Guard) Init() (cmd tea.Cmd) {
	defer g.recover()
	return g.wrap(g.Model.Init())
}

// Update implements tea.Model.
func (g *Guard) Update(msg tea.Msg) (same tea.Model, cmd tea.Cmd) {
	same = g // the result after a panic too
	defer g.recover()
	g.Model, cmd = g.Model.Update(msg)
	return g, g.wrap(cmd)
}

// View implements tea.Model.
func (g *Guard) View() (v tea.View) {
	defer g.recover()
	v.AltScreen = true
	return g.Model.View()
}

// wrap guards a command and the commands of a batch that it returns.
func (g *Guard) wrap(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer g.recover()
		msg = cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i, c := range batch {
				batch[i] = g.wrap(c)
			}
		}
		return msg
	}
}

// Err writes the panic to a report in the folder for temporary files and returns
// an error that names it; nil where nothing has panicked.
func (g *Guard) Err(version string) error {
	// After this call no goroutine writes the fields.
	g.once.Do(func() {})
	if g.panic == nil {
		return nil
	}
	f := &Fault{Kind: "internal", Code: 1, Message: fmt.Sprintf("internal error: %v", g.panic)}
	report, err := os.CreateTemp("", "hermes-sessions-panic-*.txt")
	if err == nil {
		_, err = fmt.Fprintf(report, "hermes-sessions %s, %s, %s/%s\n\npanic: %v\n\n%s",
			version, runtime.Version(), runtime.GOOS, runtime.GOARCH, g.panic, g.stack)
		err = cmp.Or(err, report.Close())
		f.Remedy = "please report it with " + report.Name()
	}
	if err != nil {
		f.Remedy = "the report could not be written: " + err.Error()
	}
	return f
}
