package print

import (
	"strconv"

	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model/files"
)

// Files prints what a conversation has done to files, in columns.
func Files(out *output.Writer, o Options, all []files.File) error {
	st := out.Styles()
	t := newTable(
		column{Head: "File", Min: 18},
		column{Head: "Reads", Right: true, Style: st.Muted.Render},
		column{Head: "Writes", Right: true},
		column{Head: "Edits", Right: true},
		column{Head: "Added", Right: true, Style: st.Good.Render},
		column{Head: "Removed", Right: true, Style: st.Bad.Render},
		column{Head: "Failed", Right: true, Drop: 1, Style: st.Warn.Render},
		column{Head: "Message", Right: true, Drop: 2, Style: st.Faint.Render},
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
