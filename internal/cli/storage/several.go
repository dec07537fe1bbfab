package storage

import (
	"fmt"
	"sort"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/listing"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/internal/cli/table"
	"hermes-sessions/model"
)

// ObjectOfSeveral returns the measurements of several databases for JSON, each with at most
// limit conversations, 0 for all.
func ObjectOfSeveral(all []Measured, limit int) answer.StorageOfSeveral {
	o := answer.StorageOfSeveral{Databases: []answer.StorageOfDatabase{}}
	for _, m := range all {
		o.Databases = append(o.Databases, answer.StorageOfDatabase{Name: m.Name, Storage: Object(m, limit)})
	}
	return o
}

// PrintSeveral prints the sizes of several databases as text, and the largest conversations
// of all of them, at most limit, 0 for all.
func PrintSeveral(out *output.Writer, o listing.Options, all []Measured, limit int) error {
	s := out.Styles()
	number := func(head string, drop int) table.Column {
		return table.Column{Head: head, Right: true, Style: s.Muted.Render, Drop: drop}
	}
	databases := table.New(table.Column{Head: "Database", Min: 8}, number("File", 0), number("Log", 3), number("Free pages", 2),
		number("Text", 1), number("Messages", 4), table.Column{Head: "Path", Style: s.Faint.Render})
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
		addRow(conversations, r.of, listing.Title(*r.Conversation), r.of.Name+"/"+r.Conversation.ID, r.StoredBytes)
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
