package model

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"
	"time"
)

// Node is one session in the tree of its lineage. The later segments of a
// conversation are children of its first segment and not of each other, so that a
// long chain does not get deeper with every segment.
type Node struct {
	Session
	Link         Link   // to the parent
	Preview      string // see [Preview]
	State        State  // StateDone for a segment that is not the tip
	Tip          string // id of the newest segment of its conversation
	Segment      int    // its number in its conversation, from 1
	SegmentCount int    // segments of its conversation
	Total        Totals // over this session and all its descendants

	Children []*Node // oldest first
}

// OwnTotals returns the totals of the session alone.
func (n *Node) OwnTotals() Totals {
	return Totals{Sessions: 1, Messages: n.VisibleMessages, ToolCalls: n.ToolCalls, Usage: n.Usage}
}

// Totals are sums over sessions.
type Totals struct {
	Sessions  int
	Messages  int // visible ones
	ToolCalls int // as counted by Hermes
	Usage     Usage
}

// add adds the totals of other sessions. The zero value takes them over unchanged,
// because its cost is unknown and not zero ([Cost.Add]).
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

// Tree builds the whole tree that session i belongs to and returns its root. It does
// not set Preview and State, which depend on messages.
func (l *Lineage) Tree(i int) *Node {
	// Without recursion, because a chain may be as deep as the history: first
	// down, every node before its children, then up again with the totals.
	children := l.children()
	members := []int{l.PathFromRoot(i)[0]} // positions in the lineage
	up := []int{-1}                        // indexes into members: of the parent,
	for k := 0; k < len(members); k++ {
		for _, child := range children[members[k]] {
			members, up = append(members, child), append(up, k)
		}
	}
	nodes := make([]*Node, len(members))
	above := make([]int, len(members)) // of the parent in the tree,
	next := make([]int, len(members))  // and of the next segment
	sortTime := make([]time.Time, len(members))
	for k, at := range members {
		n := &Node{Session: l.Session(at), Link: l.Link[at], Segment: 1}
		n.Total = n.OwnTotals()
		nodes[k] = n
		sortTime[k] = n.StartedAt
		above[k] = up[k]
		next[k] = -1
		if n.Link != LinkSegment {
			continue
		}
		before := up[k]
		next[before] = k
		n.Segment = nodes[before].Segment + 1
		if nodes[before].Segment > 1 {
			above[k] = above[before]
		}
		if sortTime[before].After(sortTime[k]) {
			sortTime[k] = sortTime[before] // the clock was set back between the segments
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
		sort.Slice(below, func(i, j int) bool {
			a, b := below[i], below[j]
			return cmp.Or(sortTime[a].Compare(sortTime[b]), cmp.Compare(nodes[a].segmentRank(), nodes[b].segmentRank()), strings.Compare(nodes[a].ID, nodes[b].ID)) < 0
		})
		for _, child := range below {
			nodes[k].Children = append(nodes[k].Children, nodes[child])
		}
	}
	return nodes[0]
}

// segmentRank sorts siblings that started at the same time: segments by number,
// before all others.
func (n *Node) segmentRank() int {
	if n.Link == LinkSegment {
		return n.Segment
	}
	return math.MaxInt
}

// Walk calls f with n and its descendants in preorder, and with their depth, which
// is 0 for n itself. It stops when f returns false.
func (n *Node) Walk(f func(n *Node, depth int) bool) {
	type visit struct {
		node  *Node
		depth int
	}
	stack := []visit{{n, 0}}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !f(at.node, at.depth) {
			return
		}
		for _, child := range slices.Backward(at.node.Children) {
			stack = append(stack, visit{child, at.depth + 1})
		}
	}
}

// maxRails is the maximum length of TreeRow.Continues. Without it, the rows of a
// chain of n sessions would take memory for n²/2 levels.
const maxRails = 64

// TreeRow is one line of a drawn tree.
type TreeRow struct {
	Node      *Node
	Depth     int
	ParentRow int // index of the parent's row, -1 for none
	// Continues says, for each level from the outermost to that of the row
	// itself, whether a later row follows on that level. It is limited to the
	// innermost levels of a very deep row.
	Continues []bool
	Expanded  bool // has children, and they are shown
}

// Rows returns the lines of a drawn tree, without the descendants of folded nodes.
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
