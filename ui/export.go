package ui

import (
	"context"
	"errors"

	"hermes-sessions/ui/dialog"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"

	tea "charm.land/bubbletea/v2"
)

// export writes a file as a job, and asks before it replaces one.
func (c *changes) export(q shell.ExportConversations) tea.Cmd {
	of, e := q.Of, q.Export
	write := c.sh.Env().Outside.Export
	return c.jobs.add(&job{doing: "exporting " + of.Title(), do: func(ctx context.Context, tell func(done, total int)) (func() tea.Cmd, error) {
		out, err := write(ctx, e, tell)
		if errors.Is(err, shell.ErrExists) {
			return func() tea.Cmd { return c.sh.Do(dialog.ReplaceMenu(c.sh, of, e)) }, nil
		}
		if err != nil {
			return nil, err
		}
		return func() tea.Cmd {
			done := "exported to “" + out.File + "”, " + kit.Size(int(out.Bytes))
			if out.Redacted != "" {
				done += " · redacted " + out.Redacted
			}
			return c.sh.Say(done)
		}, nil
	}})
}
