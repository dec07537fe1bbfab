// Package listing prints conversations and what a search has found, for people.
package listing

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"hermes-sessions/internal/cli/output"
	"hermes-sessions/internal/cli/table"
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
	return fixed(out, o.Now, rows)
}

// columns prints conversations in columns that fit the terminal, or all columns with
// o.Wide.
func columns(out *output.Writer, o Options, rows []model.Conversation) error {
	st := out.Styles()
	g := theme.New(theme.Mono, !o.Unicode).Glyphs
	t := table.New(
		table.Column{Mark: true, Style: st.Good.Render},
		table.Column{Head: "Title", Min: 18, Want: 40},
		table.Column{Head: "Source", Max: 16, Drop: 2, Style: st.Faint.Render},
		table.Column{Head: "Model", Max: 24, Drop: table.Optional, Style: st.Faint.Render},
		table.Column{Head: "Messages", Right: true, Drop: 3, Style: st.Muted.Render},
		table.Column{Head: "Tools", Right: true, Drop: table.Optional, Style: st.Muted.Render},
		table.Column{Head: "Tokens", Right: true, Drop: table.Optional, Style: st.Muted.Render},
		table.Column{Head: "Cost", Right: true, Drop: 4, Style: st.Muted.Render},
		table.Column{Head: "Age", Right: true, Drop: 1, Style: st.Muted.Render},
		table.Column{Head: "Folder", Drop: table.Optional, Style: st.Faint.Render},
		table.Column{Head: "ID", Style: st.Faint.Render},
	)
	for _, c := range rows {
		mark, tools, tokens, folder := "", "", "", ""
		switch {
		case c.State == model.StateRunning:
			mark = g.Running
		case c.Pinned:
			mark = g.Pin
		}
		if o.Wide {
			tools, tokens, folder = output.Grouped(c.Calls), model.CompactNumber(c.Total.Tokens()), output.Clean(c.CWD)
		}
		t.Row(mark, Title(c), output.Clean(c.Source), output.Clean(c.Model), output.Grouped(c.Messages), tools, tokens,
			o.Cost(c.Total.Cost), model.Age(o.Now, c.LastActive), folder, output.Clean(c.ID))
	}
	return o.Print(out, t)
}

// Print prints a table in the width of the terminal; with o.Wide it cuts nothing.
func (o Options) Print(out *output.Writer, t *table.Table) error {
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
func Title(c model.Conversation) string { return TitleOf(c.Title, c.Preview) }

// TitleOf returns a title, else the preview in its place, cleaned.
func TitleOf(title, preview string) string {
	for _, t := range []string{title, prose.Inline(preview)} {
		if t = output.Clean(t); t != "" {
			return t
		}
	}
	return "(untitled)"
}

// fixed prints conversations in one of the two layouts of Hermes
// (store/README.md#command-line): with titles where any of them has one.
func fixed(out io.Writer, now time.Time, rows []model.Conversation) error {
	titled := false
	for _, c := range rows {
		titled = titled || c.Title != ""
	}
	if !titled {
		fmt.Fprintln(out, output.Cell("Preview", 50, 50), output.Cell("Last Active", 13, 13), output.Cell("Src", 6, 6), "ID")
		fmt.Fprintln(out, strings.Repeat("─", 95))
		for _, c := range rows {
			fmt.Fprintln(out, output.Cell(c.Preview, 48, 50), output.Cell(output.Ago(now, c.LastActive), 13, 13), output.Cell(c.Source, 24, 6), output.Clean(c.ID))
		}
		return nil
	}
	fmt.Fprintln(out, output.Cell("Title", 32, 32), output.Cell("Preview", 40, 40), output.Cell("Last Active", 13, 13), "ID")
	fmt.Fprintln(out, strings.Repeat("─", 110))
	for _, c := range rows {
		title := cmp.Or(c.Title, "—")
		fmt.Fprintln(out, output.Cell(title, 30, 32), output.Cell(c.Preview, 38, 40), output.Cell(output.Ago(now, c.LastActive), 13, 13), output.Clean(c.ID))
	}
	return nil
}
