package cli

import (
	"fmt"

	"hermes-sessions/internal/cli/output"
	"hermes-sessions/internal/cli/progress"
	"hermes-sessions/internal/cli/terminal"
)

// newMeter begins to show the progress of a task on standard error. Stop it in any case.
func newMeter(a *app, verb string, count func(n int64) string) *progress.Meter {
	return progress.Start(progress.Options{
		Out: a.Stderr, Quiet: a.quiet || a.json, Terminal: terminal.Is(a.Stderr) && a.Environ.Get("TERM") != "dumb",
		Width: func() int { return terminal.Width(a.Stderr) }, Now: a.Now, Verb: verb, Count: count,
	})
}

// messagesOf writes a number of messages.
func messagesOf(n int64) string { return output.Count(int(n), "message", "messages") }

// printStopped says on standard error how far a canceled task has come.
func printStopped(a *app, m *progress.Meter, nothing, next string) {
	text := "stopped; " + nothing
	if done := m.Done(); done != "" {
		text = fmt.Sprintf("stopped after %s; %s", done, next)
	}
	a.say("hermes-sessions: %s", text)
}
