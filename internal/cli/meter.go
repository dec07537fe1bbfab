package cli

import (
	"fmt"
	"strings"

	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/store"
)

// newMeter begins to show the progress of a task on standard error. Stop it in any case.
func (a *app) newMeter(verb string, count func(n int64) string) *output.Meter {
	return output.StartMeter(output.MeterOptions{
		Out: a.marking(), Quiet: a.quiet || a.json, Terminal: !a.lines && output.IsTerminal(a.Stderr) && a.Environ.Get("TERM") != "dumb",
		Width: func() int { return output.TerminalWidth(a.Stderr) }, Now: a.Now, Verb: verb, Count: count,
	})
}

// stepsOf has the store show the steps of a long task on a meter.
func stepsOf(m *output.Meter) store.Option {
	return store.WithProgress(func(p model.Progress) {
		step := output.Step{Verb: strings.ToUpper(p.Step[:1]) + p.Step[1:]}
		switch p.Unit {
		case "":
		case "bytes":
			step.Count = output.Bytes
		default:
			step.Count = func(n int64) string { return output.Count(int(n), strings.TrimSuffix(p.Unit, "s"), p.Unit) }
		}
		m.Begin(step)
		m.Set(p.Done, p.Total)
	})
}

// messagesOf writes a number of messages.
func messagesOf(n int64) string { return output.Count(int(n), "message", "messages") }

// printStopped says on standard error how far a canceled task has come.
func (a *app) printStopped(m *output.Meter, nothing, next string) {
	text := "stopped; " + nothing
	if done := m.Done(); done != "" {
		text = fmt.Sprintf("stopped after %s; %s", done, next)
	}
	a.say("hermes-sessions: %s", text)
}
