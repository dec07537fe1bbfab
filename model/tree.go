package model

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
)

// Node is one session in the tree of its lineage. The segments of a
// conversation stand in line: all but the first are children of the first, in
// their order, with the sessions that left it in between.
type Node struct {
	Session
	Link         Link   // to the session that it goes on from, or left
	Preview      string // what its user said first, one line
	State        State  // a segment that others follow is Done
	Tip          string // the newest segment of its conversation
	Segment      int    // its number in its conversation, from 1
	SegmentCount int    // segments of its conversation
	Total        Totals // over this session and all below it

	Children []*Node // in the order of time
}

// OwnTotals gives what a session adds up to by itself.
func (n *Node) OwnTotals() Totals {
	return Totals{Sessions: 1, Messages: n.VisibleMessages, ToolCalls: n.ToolCalls, Usage: n.Usage}
}

// LastActive is when the session was last written to.
func (n *Node) LastActive() time.Time { return n.Session.lastActive() }

// Totals adds up sessions.
type Totals struct {
	Sessions  int
	Messages  int // those that were not rewound
	ToolCalls int // as the writer counted them
	Usage     Usage
}

// add takes in the sums of other sessions. The first of all starts from the
// zero value, which is no cost in itself.
func (s *Totals) add(t Totals) {
	if s.Sessions == 0 {
		*s = t
		return
	}
	s.Sessions += t.Sessions
	s.Messages += t.Messages
	s.ToolCalls += t.ToolCalls
	s.Usage = s.Usage.Add(t.Usage)
}

// Tree builds the tree that a session belongs to, from its root, whatever the
// session's own place in it. Preview and State are left to whoever reads
// messages.
func (l *Lineage) Tree(i int) *Node {
	// Parents form a forest once cycles are cut, but a deep one must not
	// exhaust the stack: first down, every node before those below it, then
	// up again with the sums.
	children := l.children()
	members := []int{l.PathFromRoot(i)[0]} // positions in the Roll
	up := []int{-1}                        // positions in members: of the parent,
	for k := 0; k < len(members); k++ {
		for _, child := range children[members[k]] {
			members, up = append(members, child), append(up, k)
		}
	}
	nodes := make([]*Node, len(members))
	above := make([]int, len(members)) // of what stands above in the tree,
	next := make([]int, len(members))  // and of the segment that goes on
	begun := make([]time.Time, len(members))
	for k, at := range members {
		n := &Node{Session: l.Session(at), Link: l.Link[at], Segment: 1}
		n.Total = n.OwnTotals()
		nodes[k], begun[k], above[k], next[k] = n, n.StartedAt, up[k], -1
		if n.Link != LinkSegment {
			continue
		}
		before := up[k]
		next[before] = k
		n.Segment = nodes[before].Segment + 1
		if nodes[before].Segment > 1 {
			above[k] = above[before]
		}
		if begun[before].After(begun[k]) {
			begun[k] = begun[before] // clocks step back, conversations do not
		}
	}
	under := make([][]int, len(members))
	for k, n := range slices.Backward(nodes) {
		n.Tip, n.SegmentCount = n.ID, n.Segment
		if next[k] >= 0 {
			n.Tip, n.SegmentCount = nodes[next[k]].Tip, nodes[next[k]].SegmentCount
		}
		if k > 0 {
			nodes[above[k]].Total.add(n.Total)
			under[above[k]] = append(under[above[k]], k)
		}
	}
	for k, below := range under {
		slices.SortFunc(below, func(a, b int) int {
			return cmp.Or(begun[a].Compare(begun[b]), cmp.Compare(nodes[a].segmentRank(), nodes[b].segmentRank()), strings.Compare(nodes[a].ID, nodes[b].ID))
		})
		for _, child := range below {
			nodes[k].Children = append(nodes[k].Children, nodes[child])
		}
	}
	return nodes[0]
}

// segmentRank puts segments of equal age in line and before what left them.
func (n *Node) segmentRank() int {
	if n.Link == LinkSegment {
		return n.Segment
	}
	return math.MaxInt
}

// Walk calls f with every node, those above before those below and siblings
// in their order, and with how deep each stands: 0 for n itself. It ends when
// f gives false.
func (n *Node) Walk(f func(n *Node, depth int) bool) {
	type place struct {
		node  *Node
		depth int
	}
	stack := []place{{n, 0}}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !f(at.node, at.depth) {
			return
		}
		for _, child := range slices.Backward(at.node.Children) {
			stack = append(stack, place{child, at.depth + 1})
		}
	}
}

// maxRails is how many levels of lines a row remembers: a chain as deep as a
// history must not cost its square in memory.
const maxRails = 64

// TreeRow is a node as one line of a drawn tree.
type TreeRow struct {
	Node      *Node
	Depth     int
	ParentRow int // the row of the node above, -1 for none
	// Continues says for the levels above the row, the outermost first, and for
	// its own, whether more follows below on that level. Of a very deep row it
	// has the innermost levels only.
	Continues []bool
	Expanded  bool // has children, and they are shown
}

// Rows gives the lines of a drawn tree. The children of nodes that are folded
// are left out.
func (n *Node) Rows(folded func(*Node) bool) []TreeRow {
	var rows []TreeRow
	stack := []TreeRow{{Node: n, ParentRow: -1}}
	for len(stack) > 0 {
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		r.Expanded = len(r.Node.Children) > 0 && !folded(r.Node)
		at := len(rows)
		rows = append(rows, r)
		if !r.Expanded {
			continue
		}
		rails := r.Continues[max(0, len(r.Continues)-maxRails+1):]
		last := len(r.Node.Children) - 1
		for i, child := range slices.Backward(r.Node.Children) {
			stack = append(stack, TreeRow{
				Node: child, Depth: r.Depth + 1, ParentRow: at,
				Continues: append(rails[:len(rails):len(rails)], i < last),
			})
		}
	}
	return rows
}
