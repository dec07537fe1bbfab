package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/model/prose"
	"hermes-sessions/store"
	"hermes-sessions/theme"
)

func lineageCommand(a *app) *cobra.Command {
	var ascii bool
	cmd := &cobra.Command{
		Use:   "lineage ID",
		Short: "Print the session tree of a conversation, with costs",
		Long: `lineage prints the tree of all sessions related to one: the segments of a
conversation in sequence, branches and subagents below their parents. Each line has
the messages, tool calls, tokens and cost of the session, and totals that include
its descendants. ~ marks an estimated cost, ≥ a partly known one, ? an unknown one.

` + nameHelp,
		Args: func(_ *cobra.Command, words []string) error {
			if len(words) == 0 {
				return fault.Usage("lineage needs a session ID")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, words []string) error {
			ctx := cmd.Context()
			return a.read(ctx, func(s *store.Store) error {
				id, err := findSession(ctx, s, strings.Join(words, " "))
				if err != nil {
					return err
				}
				root, err := s.Lineage(ctx, id)
				if err != nil {
					return err
				}
				forks, err := forksOf(ctx, s, root)
				if err != nil {
					return err
				}
				if a.json {
					return a.out.JSON(nodeObjects(root, forks))
				}
				a.printTree(root, forks, id, ascii)
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&ascii, "ascii", false, "draw with ASCII only")
	return cmd
}

// forksOf returns by session id where each branch of a tree left its parent.
func forksOf(ctx context.Context, s *store.Store, root *model.Node) (map[string]model.Fork, error) {
	forks := map[string]model.Fork{}
	var err error
	root.Walk(func(n *model.Node, _ int) bool {
		if n.Link == model.LinkBranch {
			forks[n.ID], err = s.Fork(ctx, n.ID)
		}
		return err == nil
	})
	return forks, err
}

// treeColumn is a column of the tree.
type treeColumn struct {
	head  string
	left  bool // aligned to the left
	cells []string
}

// printTree prints a tree, one line for each session, in aligned columns, and its
// totals. Empty columns are left out; the session that was asked for is bold.
func (a *app) printTree(root *model.Node, forks map[string]model.Fork, asked string, ascii bool) {
	g := theme.New(theme.Mono, ascii).Glyphs
	rows := root.Rows(func(*model.Node) bool { return false })
	columns := []treeColumn{
		{head: "Session", left: true},
		{head: "Source", left: true},
		{head: "Model", left: true},
		{head: "Messages"},
		{head: "Tools"},
		{head: "Tokens"},
		{head: "Cost"},
		{head: "All messages"},
		{head: "All tokens"},
		{head: "All cost"},
		{head: "Age"},
		{head: "Notes", left: true},
		{head: "ID", left: true},
	}
	for _, r := range rows {
		n := r.Node
		own := n.OwnTotals()
		all := []string{"", "", ""} // empty for a leaf, whose totals are its own
		if len(n.Children) > 0 {
			all = []string{output.Grouped(n.Total.Messages), model.CompactNumber(n.Total.Usage.Tokens()), cost(n.Total.Usage.Cost, ascii)}
		}
		fork, ok := forks[n.ID]
		notes := notes(n, fork, ok)
		for i, text := range append([]string{
			ansi.Truncate(g.Rails(r.Continues, r.Depth > len(r.Continues), 3, 0)+nodeMark(g, n)+nodeTitle(n), 56, g.Ellipsis),
			ansi.Truncate(output.Clean(n.Source), 16, g.Ellipsis), ansi.Truncate(output.Clean(n.Model), 28, g.Ellipsis),
			output.Grouped(own.Messages), output.Grouped(own.ToolCalls), model.CompactNumber(own.Usage.Tokens()), cost(own.Usage.Cost, ascii),
			all[0], all[1], all[2],
			model.Age(a.Now(), n.LastActive()), strings.Join(notes, ", "),
		}, output.Clean(n.ID)) {
			columns[i].cells = append(columns[i].cells, text)
		}
	}
	columns = slices.DeleteFunc(columns, func(c treeColumn) bool {
		return !slices.ContainsFunc(c.cells, func(text string) bool { return text != "" })
	})
	widths := make([]int, len(columns))
	for i, c := range columns {
		widths[i] = ansi.StringWidth(c.head)
		for _, text := range c.cells {
			widths[i] = max(widths[i], ansi.StringWidth(text))
		}
	}
	line := func(text func(treeColumn) string) string {
		var b strings.Builder
		for i, c := range columns {
			fill := strings.Repeat(" ", widths[i]-ansi.StringWidth(text(c)))
			if !c.left {
				b.WriteString(fill)
			}
			b.WriteString(text(c))
			if c.left {
				b.WriteString(fill)
			}
			b.WriteString("  ")
		}
		return strings.TrimRight(b.String(), " ")
	}
	fmt.Fprintln(a.out, line(func(c treeColumn) string { return c.head }))
	for i, r := range rows {
		text := line(func(c treeColumn) string { return c.cells[i] })
		if r.Node.ID == asked {
			text = a.out.Bold(text)
		}
		fmt.Fprintln(a.out, text)
	}
	fmt.Fprintln(a.out, "\n"+treeTotals(root, ascii))
}

// nodeMark returns the sign for the kind of a session: segment, branch, subagent.
func nodeMark(g theme.Glyphs, n *model.Node) string {
	switch n.Link {
	case model.LinkSegment:
		return g.Segment + " "
	case model.LinkBranch:
		return g.Branch + " "
	case model.LinkDelegate:
		return g.Delegate + " "
	}
	return ""
}

// nodeTitle returns the title of a session, else its preview, cleaned.
func nodeTitle(n *model.Node) string {
	for _, t := range []string{n.Title, prose.Inline(n.Preview)} {
		if t = output.Clean(t); t != "" {
			return t
		}
	}
	return "(untitled)"
}

// notes returns the last column of a session: its segment, its fork, its state.
func notes(n *model.Node, fork model.Fork, forked bool) []string {
	var out []string
	if n.SegmentCount > 1 {
		out = append(out, fmt.Sprintf("segment %d of %d", n.Segment, n.SegmentCount))
	}
	switch {
	case forked && fork.Position > 0:
		out = append(out, fmt.Sprintf("left at message %d of %d", fork.Position, fork.ParentMessages))
	case forked && fork.LastShared > 0:
		out = append(out, fmt.Sprintf("left at #%d", fork.LastShared))
	}
	switch {
	case n.State == model.StateRunning:
		out = append(out, "running")
	case n.State == model.StateEmpty:
		out = append(out, "empty")
	}
	if n.Archived {
		out = append(out, "archived")
	}
	if n.EndReason != "" {
		out = append(out, output.Clean(n.EndReason))
	}
	return out
}

// cost writes a cost, with ASCII only if asked.
func cost(c model.Cost, ascii bool) string {
	if ascii {
		return strings.Replace(c.String(), "≥", ">=", 1)
	}
	return c.String()
}

// treeTotals returns the line below a tree.
func treeTotals(root *model.Node, ascii bool) string {
	kinds := map[model.Link]int{}
	root.Walk(func(n *model.Node, _ int) bool {
		kinds[n.Link]++
		return true
	})
	parts := []string{output.Count(root.Total.Sessions, "session", "sessions")}
	if k := kinds[model.LinkBranch]; k > 0 {
		parts = append(parts, output.Count(k, "branch", "branches"))
	}
	if k := kinds[model.LinkDelegate]; k > 0 {
		parts = append(parts, output.Count(k, "subagent", "subagents"))
	}
	u := root.Total.Usage
	sum := "cost " + cost(u.Cost, ascii)
	if u.Cost.Known {
		sum = cost(u.Cost, ascii)
	}
	dot := " · "
	if ascii {
		dot = ", "
	}
	return strings.Join(append(parts,
		output.Count(root.Total.Messages, "message", "messages"),
		output.Count(root.Total.ToolCalls, "tool call", "tool calls"),
		model.CompactNumber(u.Input)+" tokens in, "+model.CompactNumber(u.Output)+" out", sum), dot)
}

// nodeObjects returns a tree for JSON.
func nodeObjects(root *model.Node, forks map[string]model.Fork) *answer.Node {
	made := map[*model.Node]*answer.Node{}
	var order []*model.Node
	root.Walk(func(n *model.Node, _ int) bool {
		t := n.Total
		o := &answer.Node{
			ID: n.ID, Kind: n.Link.String(), ParentID: output.OrNull(n.ParentID), Title: output.OrNull(n.Title), Preview: n.Preview,
			Source: output.OrNull(n.Source), Model: output.OrNull(n.Model), State: n.State.String(), Archived: n.Archived,
			Segment: n.Segment, Segments: n.SegmentCount, TipID: n.Tip,
			StartedAt: output.Seconds(n.StartedAt), EndedAt: output.Seconds(n.EndedAt), LastActive: output.Seconds(n.LastActive()),
			EndReason: output.OrNull(n.EndReason), Messages: n.VisibleMessages, ToolCalls: n.ToolCalls, Usage: usageOf(n.Usage),
			Total:    answer.Total{Sessions: t.Sessions, Messages: t.Messages, ToolCalls: t.ToolCalls, Usage: usageOf(t.Usage)},
			Children: []*answer.Node{},
		}
		if f, ok := forks[n.ID]; ok {
			o.Fork = &answer.Fork{
				SessionID: f.Parent, MessageID: output.OrNull(f.LastShared), Number: f.Position, Of: f.ParentMessages,
				Copied: f.CopiedMessages, First: output.OrNull(f.FirstOwn),
			}
		}
		made[n] = o
		order = append(order, n)
		return true
	})
	for _, n := range order {
		for _, child := range n.Children {
			made[n].Children = append(made[n].Children, made[child])
		}
	}
	return made[root]
}
