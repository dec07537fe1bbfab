// Package print makes the answers of the commands: as text for people, and as the objects of
// package answer for JSON. A file has the name of what it prints.
//
//	table.go          rows in columns that fit the terminal
//	conversations.go  the list; the rows of its JSON: conversationobjects.go
//	matches.go        what a search found; for JSON: matchobjects.go
//	explain.go        how a query was read, and the help on queries
//	stats.go          totals; with --by: usage.go, and usagetable.go, which reads and sorts them
//	recap.go          how a conversation ended, in short
package print

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/model/prose"
	"hermes-sessions/theme"
)

// Options say how a list is printed.
type Options struct {
	Now     time.Time
	Unicode bool // the terminal shows more than ASCII
	Wide    bool // every column, and nothing cut
}

// Conversations prints conversations: on a terminal, and with Wide anywhere, in columns
// that fit, elsewhere as Hermes does.
func Conversations(out *output.Writer, o Options, rows []model.Conversation) error {
	if o.Wide || out.ToTerminal() {
		return columns(out, o, rows)
	}
	return fixedConversations(out, o.Now, rows)
}

// columns prints conversations in columns that fit the terminal, or all columns with
// o.Wide.
func columns(out *output.Writer, o Options, rows []model.Conversation) error {
	st := out.Styles()
	g := theme.New(theme.Mono, !o.Unicode).Glyphs
	t := newTable(
		column{Mark: true, Style: st.Good.Render},
		column{Head: "Title", Min: 18, Want: 40},
		column{Drop: 5, Style: st.Faint.Render}, // segments and subagents
		column{Head: "Source", Max: 16, Drop: 2, Style: st.Faint.Render},
		column{Head: "Workspace", Max: 16, Drop: 6, Style: st.Faint.Render},
		column{Head: "Model", Max: 24, Drop: optional, Style: st.Faint.Render},
		column{Head: "Messages", Right: true, Drop: 3, Style: st.Muted.Render},
		column{Head: "Tools", Right: true, Drop: optional, Style: st.Muted.Render},
		column{Head: "Tokens", Right: true, Drop: optional, Style: st.Muted.Render},
		column{Head: "Cost", Right: true, Drop: 4, Style: st.Muted.Render},
		column{Head: "Age", Right: true, Drop: 1, Style: st.Muted.Render},
		column{Head: "Folder", Drop: optional, Style: st.Faint.Render},
		column{Head: "ID", Style: st.Faint.Render},
	)
	for _, c := range rows {
		var mark, parts, tools, tokens, folder string
		switch {
		case c.State == model.StateRunning:
			mark = g.Running
		case c.State == model.StateFailed:
			mark = g.Failed
		case c.Pinned:
			mark = g.Pin
		}
		if n := len(c.Segments); n > 1 {
			parts = g.Segment + output.Grouped(n)
		}
		if c.Delegates > 0 {
			parts = strings.TrimSpace(parts + " " + g.Delegate + output.Grouped(c.Delegates))
		}
		if o.Wide {
			tools = output.Grouped(c.Calls)
			tokens = model.CompactNumber(c.Total.Tokens())
			folder = output.Clean(c.CWD)
		}
		t.Row(mark, Title(c), parts, output.Clean(c.SourceName()), output.Clean(c.WorkspaceName()), output.Clean(c.Model), output.Grouped(c.Messages), tools, tokens,
			o.Cost(c.Total.Cost), model.Age(o.Now, c.LastActive), folder, output.Clean(c.ID))
	}
	return o.Print(out, t)
}

// Print prints a table in the width of the terminal; with o.Wide it cuts nothing.
func (o Options) Print(out *output.Writer, t *table) error {
	t.Heading = out.Styles().Group.Render
	if !o.Unicode {
		t.Ellipsis = theme.New(theme.Mono, true).Glyphs.Ellipsis
	}
	for i := range t.Columns {
		if o.Wide {
			t.Columns[i].Max = 0
		}
	}
	return t.Print(out, o.Width(out))
}

// Width returns the columns for a table and what stands below it, 0 for any number.
func (o Options) Width(out *output.Writer) int {
	if o.Wide {
		return 0
	}
	return out.Width()
}

// Cost writes a cost, with ASCII only where the terminal shows no more.
func (o Options) Cost(c model.Cost) string {
	if o.Unicode {
		return c.String()
	}
	return strings.Replace(c.String(), "≥", ">=", 1)
}

// Title returns the title of a conversation, else its preview, cleaned.
func Title(c model.Conversation) string { return titleOf(c.Title, c.Preview) }

// titleOf returns a title, else the preview in its place, cleaned.
func titleOf(title, preview string) string {
	for _, t := range []string{title, prose.Inline(preview)} {
		if t = output.Clean(t); t != "" {
			return t
		}
	}
	return "(untitled)"
}

// fixedConversations prints conversations in one of the four layouts of Hermes
// (store/README.md#command-line): with titles where any of them has one, and with
// workspaces where any has one.
func fixedConversations(out io.Writer, now time.Time, rows []model.Conversation) error {
	titled := slices.ContainsFunc(rows, func(c model.Conversation) bool { return c.Title != "" })
	placed := slices.ContainsFunc(rows, func(c model.Conversation) bool { return c.Workspace() != "" })
	type column struct {
		head  string
		width int
		most  int // characters of a value
		value func(c model.Conversation) string
	}
	title := func(c model.Conversation) string { return cmp.Or(c.Title, "—") }
	preview := func(c model.Conversation) string { return c.Preview }
	workspace := column{"Workspace", 18, 16, func(c model.Conversation) string { return cmp.Or(c.WorkspaceName(), "—") }}
	active := column{"Last Active", 13, 13, func(c model.Conversation) string { return output.Ago(now, c.LastActive) }}
	source := column{"Src", 6, 24, func(c model.Conversation) string { return c.SourceName() }}
	columns, rule := []column{{"Preview", 50, 48, preview}, active, source}, 95
	switch {
	case titled && placed:
		columns, rule = []column{{"Title", 28, 26, title}, workspace, active}, 64
	case titled:
		columns, rule = []column{{"Title", 32, 30, title}, {"Preview", 40, 38, preview}, active}, 110
	case placed:
		columns, rule = []column{{"Preview", 38, 36, preview}, workspace, active, source}, 81
	}
	for _, c := range columns {
		fmt.Fprint(out, output.Cell(c.head, c.width, c.width), " ")
	}
	fmt.Fprintln(out, "ID\n"+strings.Repeat("─", rule))
	for _, row := range rows {
		for _, c := range columns {
			fmt.Fprint(out, output.Cell(c.value(row), c.most, c.width), " ")
		}
		fmt.Fprintln(out, output.Clean(row.ID))
	}
	return nil
}
