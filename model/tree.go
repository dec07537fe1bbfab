package model

import "slices"

// Node is one session in the tree of its lineage, with what hangs below it.
type Node struct {
	Session
	Link  Link // to the node above
	Below Sums // over this session and all below it

	Children []*Node // oldest first; the segment that goes on from here is one of them
}

// Sums adds up sessions.
type Sums struct {
	Sessions  int
	Messages  int // those that were not rewound
	ToolCalls int // as the writer counted them
	Usage     Usage
}

// add takes in the sums of other sessions. The first of all starts from the
// zero value, which is no cost in itself.
func (s *Sums) add(t Sums) {
	if s.Sessions == 0 {
		*s = t
		return
	}
	s.Sessions += t.Sessions
	s.Messages += t.Messages
	s.ToolCalls += t.ToolCalls
	s.Usage = s.Usage.Add(t.Usage)
}

// String names a link as scripts get it.
func (l Link) String() string {
	return [...]string{"root", "segment", "branch", "delegate"}[l]
}

// Path gives the positions from the root of a session's lineage down to the
// session itself.
func (l *Lineage) Path(i int) []int {
	var path []int
	for ; i >= 0; i = l.Parent[i] {
		path = append(path, i)
	}
	slices.Reverse(path)
	return path
}

// Tree builds the tree that a session belongs to, from its root, whatever the
// session's own place in it.
func (l *Lineage) Tree(i int) *Node {
	below := make(map[int][]int)
	for child, p := range l.Parent {
		if p >= 0 {
			below[p] = append(below[p], child)
		}
	}
	// Parents form a forest once cycles are cut, but a deep one must not
	// exhaust the stack: first down, every node before those below it, then
	// up again with the sums.
	top := l.Path(i)[0]
	root := l.node(top)
	order, positions := []*Node{root}, []int{top}
	for n := 0; n < len(order); n++ {
		children := below[positions[n]]
		slices.SortFunc(children, func(a, b int) int {
			if older(&l.Sessions[a], &l.Sessions[b]) {
				return -1
			}
			return 1
		})
		for _, child := range children {
			node := l.node(child)
			order[n].Children = append(order[n].Children, node)
			order, positions = append(order, node), append(positions, child)
		}
	}
	for n := len(order) - 1; n >= 0; n-- {
		for _, child := range order[n].Children {
			order[n].Below.add(child.Below)
		}
	}
	return root
}

func (l *Lineage) node(i int) *Node {
	s := l.Sessions[i]
	return &Node{Session: s, Link: l.Link[i], Below: Sums{
		Sessions: 1, Messages: s.Visible, ToolCalls: s.ToolCalls, Usage: s.Usage,
	}}
}

// Each calls f with every node, those above before those below and siblings
// oldest first, and with how deep each stands: 0 for n itself. It ends when f
// gives false.
func (n *Node) Each(f func(n *Node, depth int) bool) {
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
