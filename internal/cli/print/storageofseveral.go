package print

import (
	"fmt"
	"sort"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
)

// StorageOfSeveralObject returns the measurements of several databases for JSON, each with at most
// limit conversations, 0 for all.
func StorageOfSeveralObject(all []Measured, limit int) answer.StorageOfSeveral {
	o := answer.StorageOfSeveral{Databases: []answer.StorageOfDatabase{}}
	for _, m := range all {
		o.Databases = append(o.Databases, answer.StorageOfDatabase{Name: m.Name, Storage: StorageObject(m, limit)})
	}
	return o
}

// StorageOfSeveral prints the sizes of several databases as text, and the largest conversations
// of all of them, at most limit, 0 for all.
func StorageOfSeveral(out *output.Writer, o Options, all []Measured, limit int) error {
	s := out.Styles()
	number := func(head string, drop int) column {
		return column{Head: head, Right: true, Style: s.Muted.Render, Drop: drop}
	}
	databases := newTable(column{Head: "Database", Min: 8}, number("File", 0), number("Log", 3), number("Free pages", 2),
		number("Text", 1), number("Messages", 4), column{Head: "Path", Style: s.Faint.Render})
	conversations := rowsTable(out, "Conversation")
	type owned struct {
		model.StorageRow
		of *Measured
	}
	var rows []owned
	for i := range all {
		m := &all[i]
		databases.Row(output.Clean(m.Name), model.ByteSize(m.Sizes.File), model.ByteSize(m.Sizes.Log), model.ByteSize(m.Sizes.Free),
			model.ByteSize(m.Total.Text), output.Grouped(m.Total.Messages), output.Clean(m.Sizes.Path))
		for _, r := range m.Conversations {
			rows = append(rows, owned{r, m})
		}
	}
	sort.SliceStable(rows, func(i, j int) bool { return rows[i].Text > rows[j].Text })
	more := 0
	if limit > 0 && len(rows) > limit {
		rows, more = rows[:limit], len(rows)-limit
	}
	for _, r := range rows {
		addRow(conversations, r.of, Title(*r.Conversation), r.of.Name+"/"+r.Conversation.ID, r.StoredBytes)
	}
	if err := o.Print(out, databases); err != nil {
		return err
	}
	if len(rows) > 0 {
		fmt.Fprintln(out)
		if err := o.Print(out, conversations); err != nil {
			return err
		}
	}
	return printNote(out, more)
}
