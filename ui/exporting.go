package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"
)

// export writes behind the screens, and asks first before it replaces a file.
func (r *Root) export(q ExportConversations) tea.Cmd {
	of, e := q.Of, q.Export
	write := r.opt.Outside.Export
	return r.work.add(&job{doing: "exporting " + of.title(), do: func(ctx context.Context, tell func(done, total int)) (func() tea.Cmd, error) {
		out, err := write(ctx, e, tell)
		if errors.Is(err, ErrExists) {
			return func() tea.Cmd { return r.Do(replaceMenu(r, of, e)) }, nil
		}
		return func() tea.Cmd {
			if err != nil {
				return nil
			}
			return r.Say("wrote " + out.File + ", " + bytes(int(out.Bytes)))
		}, err
	}})
}
