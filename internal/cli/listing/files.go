package listing

import (
	"strconv"

	"hermes-sessions/internal/cli/output"
	"hermes-sessions/internal/cli/table"
	"hermes-sessions/model/files"
)

// Files prints what a conversation has done to files, in columns.
func Files(out *output.Writer, o Options, all []files.File) error {
	st := out.Styles()
	t := table.New(
		table.Column{Head: "File", Min: 18},
		table.Column{Head: "Reads", Right: true, Style: st.Muted.Render},
		table.Column{Head: "Writes", Right: true},
		table.Column{Head: "Edits", Right: true},
		table.Column{Head: "Added", Right: true, Style: st.Good.Render},
		table.Column{Head: "Removed", Right: true, Style: st.Bad.Render},
		table.Column{Head: "Failed", Right: true, Drop: 1, Style: st.Warn.Render},
		table.Column{Head: "Message", Right: true, Drop: 2, Style: st.Faint.Render},
	)
	for _, f := range all {
		t.Row(output.Clean(f.Path), some("", f.Reads), some("", f.Writes), some("", f.Edits), some("+", f.Added), some("-", f.Removed), some("", f.Failed),
			strconv.FormatInt(f.Last, 10))
	}
	return o.Print(out, t)
}

// some writes a number behind a sign, "" for none.
func some(sign string, n int) string {
	if n == 0 {
		return ""
	}
	return sign + strconv.Itoa(n)
}
