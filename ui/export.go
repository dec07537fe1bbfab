package ui

import (
	"context"
	"errors"
	"hermes-sessions/ui/dialog"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"

	tea "charm.land/bubbletea/v2"
)

// export writes behind the screens, and asks first before it replaces a file.
func (r *Root) export(q shell.ExportConversations) tea.Cmd {
	of, e := q.Of, q.Export
	write := r.opt.Outside.Export
	return r.work.add(&job{doing: "exporting " + of.Title(), do: func(ctx context.Context, tell func(done, total int)) (func() tea.Cmd, error) {
		out, err := write(ctx, e, tell)
		if errors.Is(err, shell.ErrExists) {
			return func() tea.Cmd { return r.Do(dialog.ReplaceMenu(r, of, e)) }, nil
		}
		return func() tea.Cmd {
			if err != nil {
				return nil
			}
			return r.Say("wrote " + out.File + ", " + kit.Size(int(out.Bytes)))
		}, err
	}})
}
