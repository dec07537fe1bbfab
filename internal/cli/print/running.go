package print

import (
	"strconv"
	"time"

	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/theme"
)

// Running prints what open sessions are doing, in columns.
func Running(out *output.Writer, o Options, rows []model.Running) error {
	st := out.Styles()
	g := theme.New(theme.Mono, !o.Unicode).Glyphs
	t := newTable(
		column{Mark: true, Style: st.Good.Render},
		column{Head: "State", Style: st.Strong.Render},
		column{Head: "Silent", Right: true, Style: st.Muted.Render},
		column{Head: "Title", Min: 18, Want: 40},
		column{Head: "Last tool", Max: 48, Drop: 3, Style: st.Muted.Render},
		column{Head: "Source", Max: 16, Drop: 2, Style: st.Faint.Render},
		column{Head: "Tokens", Right: true, Drop: 4, Style: st.Muted.Render},
		column{Head: "Cost", Right: true, Drop: 1, Style: st.Muted.Render},
		column{Head: "Folder", Drop: optional, Style: st.Faint.Render},
		column{Head: "ID", Style: st.Faint.Render},
	)
	for _, r := range rows {
		mark, folder := "", ""
		if r.Activity == model.ActivityWorking || r.Activity == model.ActivityCompressing {
			mark = g.Running
		}
		if o.Wide {
			folder = output.Clean(r.CWD)
		}
		tool := output.Clean(r.Tool)
		if r.Object != "" {
			tool += " " + output.Clean(r.Object)
		}
		silent := "?" // the last message is in the future
		switch {
		case r.Silent >= 48*time.Hour: // of a turn that a lease keeps alive
			silent = strconv.Itoa(int(r.Silent/(24*time.Hour))) + "d"
		case r.Silent >= 0:
			silent = r.Silent.Truncate(time.Second).String()
		}
		t.Row(mark, r.Activity.String(), silent, Title(r.Conversation), tool, output.Clean(r.Source),
			model.CompactNumber(r.Total.Tokens()), o.Cost(r.Total.Cost), folder, output.Clean(r.ID))
	}
	return o.Print(out, t)
}
