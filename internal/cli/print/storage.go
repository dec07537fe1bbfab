package print

import (
	"cmp"
	"context"
	"fmt"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
)

// Measured is a database whose bytes have been counted.
type Measured struct {
	Name string // among several, "" for the only one
	model.Storage
	Conversations, Sources, Months []model.StorageRow
}

// Measure counts the bytes of a database. progress is told how many messages have been
// read.
func Measure(ctx context.Context, s *store.Store, progress func(done, total int)) (m Measured, err error) {
	if m.Sizes, err = s.FileSizes(ctx); err != nil {
		return m, err
	}
	page, err := s.Conversations(ctx, query.ListOptions{Scope: model.ScopeAll})
	if err != nil {
		return m, err
	}
	for m.Next = model.FromNewest; !m.Done; {
		step, err := s.MeasureStorage(ctx, m.Next)
		if err != nil {
			return m, err
		}
		m.Add(step)
		progress(m.Total.Messages, 0)
	}
	m.Conversations = m.ByConversation(page.Conversations)
	m.Sources, m.Months = m.BySource(page.Conversations), m.ByMonth()
	return m, nil
}

// StorageObject returns the measurements for JSON, with at most limit conversations, 0 for all.
func StorageObject(m Measured, limit int) answer.Storage {
	bytes := func(b model.StoredBytes) answer.StoredBytes {
		return answer.StoredBytes{Messages: b.Messages, TextBytes: b.Text, Freed: m.Freed(b)}
	}
	o := answer.Storage{
		Files: answer.FileSizesOf(m.Sizes), TextBytes: m.Total.Text, OverheadBytes: m.Overhead(), Messages: m.Total.Messages, Total: len(m.Conversations),
		Conversations: []answer.StorageOfOne{}, Sources: []answer.StorageOfSource{}, Months: []answer.StorageOfMonth{},
	}
	for _, r := range firstRows(m.Conversations, limit) {
		c := r.Conversation
		o.Conversations = append(o.Conversations, answer.StorageOfOne{
			ID: c.ID, RootID: c.RootID, Title: output.OrNull(c.Title), Source: c.Source, LastActive: output.Seconds(c.LastActive), StoredBytes: bytes(r.StoredBytes),
		})
	}
	for _, r := range m.Sources {
		o.Sources = append(o.Sources, answer.StorageOfSource{Source: r.Name, Conversations: r.Conversations, StoredBytes: bytes(r.StoredBytes)})
	}
	for _, r := range m.Months {
		o.Months = append(o.Months, answer.StorageOfMonth{Month: output.OrNull(monthOf(r)), StoredBytes: bytes(r.StoredBytes)})
	}
	return o
}

// firstRows returns at most limit rows, 0 for all.
func firstRows(rows []model.StorageRow, limit int) []model.StorageRow {
	if limit > 0 && len(rows) > limit {
		return rows[:limit]
	}
	return rows
}

// Storage prints the measurements as text, with at most limit conversations, 0 for all.
func Storage(out *output.Writer, o Options, m Measured, limit int) error {
	printSizes(out, m.Sizes)
	sizeLine(out, "texts", model.ByteSize(m.Total.Text)+" in "+output.Count(m.Total.Messages, "message", "messages"))
	sizeLine(out, "overhead", model.ByteSize(m.Overhead())+" for the search index, other indexes and the rows themselves")
	for _, part := range []struct {
		head string
		rows []model.StorageRow
		name func(model.StorageRow) string
	}{
		{"Conversation", firstRows(m.Conversations, limit), func(r model.StorageRow) string { return Title(*r.Conversation) }},
		{"Source", m.Sources, func(r model.StorageRow) string { return sourceName(r.Name) }},
		{"Month", m.Months, func(r model.StorageRow) string { return cmp.Or(monthOf(r), "(none)") }},
	} {
		if len(part.rows) == 0 {
			continue
		}
		fmt.Fprintln(out)
		if err := printRows(out, o, m, part.head, part.rows, part.name); err != nil {
			return err
		}
	}
	return printNote(out, len(m.Conversations)-len(firstRows(m.Conversations, limit)))
}

// printNote prints below the rows how many conversations are left out, and what the columns mean.
func printNote(out *output.Writer, more int) error {
	if more > 0 {
		fmt.Fprintf(out, "\n%s (--limit)\n", output.Count(more, "more conversation", "more conversations"))
	}
	_, err := fmt.Fprintln(out, "\nTexts are measured. Frees is an estimate of what a deletion and a vacuum after it give back:\n"+
		"the texts and part of their copies in the search index, which shrinks as Hermes optimizes it.")
	return err
}

// monthOf returns the month of a row as 2026-05, "" for messages without a time.
func monthOf(r model.StorageRow) string {
	if r.Month.IsZero() {
		return ""
	}
	return r.Month.Format("2006-01")
}

func printRows(out *output.Writer, o Options, m Measured, head string, rows []model.StorageRow, name func(model.StorageRow) string) error {
	t := rowsTable(out, head)
	for _, r := range rows {
		id := ""
		if r.Conversation != nil {
			id = r.Conversation.ID
		}
		addRow(t, &m, name(r), id, r.StoredBytes)
	}
	return o.Print(out, t)
}

// rowsTable gives an empty table of what conversations, sources or months take.
func rowsTable(out *output.Writer, head string) *table {
	s := out.Styles()
	return newTable(
		column{Head: head, Min: 12},
		column{Head: "Frees", Right: true, Style: s.Muted.Render},
		column{Head: "Messages", Right: true, Style: s.Muted.Render, Drop: 3},
		column{Head: "ID", Style: s.Faint.Render},
	)
}

// addRow adds what something of a database takes.
func addRow(t *table, m *Measured, name, id string, b model.StoredBytes) {
	t.Row(name, "~"+model.ByteSize(m.Freed(b)), output.Grouped(b.Messages), output.Clean(id))
}

func sizeLine(out *output.Writer, name, value string) {
	fmt.Fprintln(out, " ", output.Cell(name, 16, 16), value)
}

func printSizes(out *output.Writer, s model.FileSizes) {
	fmt.Fprintf(out, "%s\n\n", out.Bold(output.Clean(s.Path)))
	sizeLine(out, "file", model.ByteSize(s.File))
	if s.Journal == "wal" {
		sizeLine(out, "write-ahead log", model.ByteSize(s.Log))
	}
	free := "none"
	if s.Free > 0 {
		free = model.ByteSize(s.Free) + "; --vacuum removes them from the file"
	}
	sizeLine(out, "free pages", free)
}
