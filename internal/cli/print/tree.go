package print

import (
	"fmt"
	"strings"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/theme"
)

// TreeOptions say what is printed of a tree.
type TreeOptions struct {
	Options
	Forks map[string]model.Fork // by session id, where each branch left its parent
	Asked string                // the session that was asked for
}

// Tree prints a tree, one line for each session, in aligned columns that fit the
// terminal, and its totals. The session that was asked for is bold.
func Tree(out *output.Writer, root *model.Node, o TreeOptions) error {
	st := out.Styles()
	g := theme.New(theme.Mono, !o.Unicode).Glyphs
	t := newTable(
		column{Head: "Session", Max: 56, Min: 20},
		column{Head: "Source", Max: 16, Drop: 6, Style: st.Faint.Render},
		column{Head: "Model", Max: 28, Drop: 10, Style: st.Faint.Render},
		column{Head: "Messages", Right: true, Drop: 1, Style: st.Muted.Render},
		column{Head: "Tools", Right: true, Drop: 9, Style: st.Muted.Render},
		column{Head: "Tokens", Right: true, Drop: 5, Style: st.Muted.Render},
		column{Head: "Cost", Right: true, Drop: 2, Style: st.Muted.Render},
		column{Head: "All messages", Right: true, Drop: 7, Style: st.Muted.Render},
		column{Head: "All tokens", Right: true, Drop: 8, Style: st.Muted.Render},
		column{Head: "All cost", Right: true, Drop: 4, Style: st.Muted.Render},
		column{Head: "Age", Right: true, Drop: 1, Style: st.Muted.Render},
		column{Head: "Notes", Min: 10, Drop: 3, Style: st.Muted.Render},
		column{Head: "ID", Style: st.Faint.Render},
	)
	for _, r := range root.Rows(func(*model.Node) bool { return false }) {
		n := r.Node
		own := n.OwnTotals()
		all := []string{"", "", ""} // empty for a leaf, whose totals are its own
		if len(n.Children) > 0 {
			all = []string{output.Grouped(n.Total.Messages), model.CompactNumber(n.Total.Usage.Tokens()), o.Cost(n.Total.Usage.Cost)}
		}
		fork, ok := o.Forks[n.ID]
		var draw func(string) string
		if n.ID == o.Asked {
			draw = out.Bold
		}
		t.DrawnRow(draw,
			g.Rails(r.Continues, r.Depth > len(r.Continues), 3, 0)+nodeMark(g, n)+titleOf(n.Title, n.Preview),
			output.Clean(n.Source), output.Clean(n.Model),
			output.Grouped(own.Messages), output.Grouped(own.ToolCalls), model.CompactNumber(own.Usage.Tokens()), o.Cost(own.Usage.Cost),
			all[0], all[1], all[2],
			model.Age(o.Now, n.LastActive()), strings.Join(treeNotes(n, fork, ok), ", "), output.Clean(n.ID))
	}
	if err := o.Print(out, t); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, "\n"+output.Wrap(treeTotals(root, o), o.Width(out), ""))
	return err
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

// treeNotes returns the last column of a session: its segment, its fork, its state.
func treeNotes(n *model.Node, fork model.Fork, forked bool) []string {
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

// treeTotals returns the line below a tree.
func treeTotals(root *model.Node, o TreeOptions) string {
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
	sum := o.Cost(u.Cost)
	if !u.Cost.Known {
		sum = "cost " + sum
	}
	dot := " · "
	if !o.Unicode {
		dot = ", "
	}
	return strings.Join(append(parts,
		output.Count(root.Total.Messages, "message", "messages"),
		output.Count(root.Total.ToolCalls, "tool call", "tool calls"),
		model.CompactNumber(u.Input)+" tokens in, "+model.CompactNumber(u.Output)+" out", sum), dot)
}

// MaxNested is how deep sessions may be below one another in JSON. Each takes two levels,
// and readers stop at some: that of Python at a thousand.
const MaxNested = 400

// CheckDepth refuses a tree that is too deep for JSON.
func CheckDepth(root *model.Node) error {
	deepest := 0
	root.Walk(func(_ *model.Node, depth int) bool {
		deepest = max(deepest, depth)
		return true
	})
	if deepest <= MaxNested {
		return nil
	}
	return &fault.Fault{
		Kind: "too-deep", Code: 1,
		Message: fmt.Sprintf("lineage: sessions are nested %d deep, and JSON with more than %d levels of them cannot be read", deepest, MaxNested),
		Remedy:  "without --json it prints one session a line",
	}
}

// TreeObject returns a tree for JSON.
func TreeObject(root *model.Node, forks map[string]model.Fork) *answer.Node {
	made := map[*model.Node]*answer.Node{}
	var order []*model.Node
	root.Walk(func(n *model.Node, _ int) bool {
		t := n.Total
		o := &answer.Node{
			ID: n.ID, Kind: n.Link.String(), ParentID: output.OrNull(n.ParentID), Title: output.OrNull(n.Title), Preview: n.Preview,
			Source: output.OrNull(n.Source), Model: output.OrNull(n.Model), State: n.State.String(), Archived: n.Archived,
			Segment: n.Segment, Segments: n.SegmentCount, TipID: n.Tip,
			StartedAt: output.Seconds(n.StartedAt), EndedAt: output.Seconds(n.EndedAt), LastActive: output.Seconds(n.LastActive()),
			EndReason: output.OrNull(n.EndReason), Messages: n.VisibleMessages, ToolCalls: n.ToolCalls, Usage: answer.UsageOf(n.Usage),
			Total:    answer.Total{Sessions: t.Sessions, Messages: t.Messages, ToolCalls: t.ToolCalls, Usage: answer.UsageOf(t.Usage)},
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
