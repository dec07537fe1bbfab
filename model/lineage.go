package model

import (
	"cmp"
	"slices"
	"time"
)

// Link says how a session hangs on its parent. The column parent_session_id
// is used for all of these (store/README.md#lineage).
type Link uint8

// The links.
const (
	LinkRoot     Link = iota // no parent, or one that is not there
	LinkSegment              // goes on after context compression
	LinkBranch               // forked by the user, or started anew after a reset
	LinkDelegate             // started by an agent for a subtask
)

// SessionSource is sessions by their positions, from 0 on, however they are kept: all
// of them at once are large.
type SessionSource interface {
	Len() int
	Session(i int) Session
}

// SessionSlice are a Roll as they are.
type SessionSlice []Session

// Len gives how many there are.
func (s SessionSlice) Len() int { return len(s) }

// Session gives one of them.
func (s SessionSlice) Session(i int) Session { return s[i] }

// Lineage is the ties between sessions. All slices run parallel to the Roll;
// positions are indexes into it, -1 for none. It is never changed after it was
// made.
type Lineage struct {
	SessionSource
	Parent []int32 // after orphans and cycles are cut
	Link   []Link  // to Parent
	Next   []int32 // the segment that goes on from here
	Root   []int32 // the first segment of its conversation; -1 for a session that is gone

	// Of the conversations, by the positions of their roots.
	branchCounts, delegateCounts []int32

	delegatesMarked bool // delegates carry their mark
}

// clockSkew is how much a continuation may start before its parent's end: the two
// rows are written one after the other (store/README.md#q9).
const clockSkew = 5 * time.Second

// maxCompressionGap is the longest time between a session's last message and its
// continuation: the summary is written by a model in between.
const maxCompressionGap = 10 * time.Minute

// BuildLineage finds out what ties sessions together. marked says that the file
// was written by software that marks every delegate in model_config
// (schema 16 and later); without marks, a child of a compressed session that
// began and ended inside its parent's time is a delegate.
//
// A parent that does not exist is none. A cycle is cut above its oldest
// session. Where several sessions go on from one parent, one that was itself
// compressed wins, then one still open, then the latest active, the latest
// started, the greatest id; the others are branches, so that nothing is lost.
func BuildLineage(sessions SessionSource, marked bool) *Lineage {
	n := sessions.Len()
	l := &Lineage{SessionSource: sessions, delegatesMarked: marked}
	l.grow(n)
	at := make(map[string]int32, n)
	parents, all := make([]string, n), make([]int32, n)
	for i := range n {
		s := sessions.Session(i)
		at[s.ID], parents[i], all[i] = int32(i), s.ParentID, int32(i)
	}
	for i, id := range parents {
		if id != "" {
			if p, ok := at[id]; ok && int(p) != i {
				l.Parent[i] = p
			}
		}
	}
	l.linkAll(all)
	return l
}

// grow makes room for more sessions, none of which is tied to another or makes
// a conversation yet.
func (l *Lineage) grow(n int) {
	for len(l.Parent) < n {
		l.Parent, l.Next, l.Root = append(l.Parent, -1), append(l.Next, -1), append(l.Root, -1)
	}
	l.Link = append(l.Link, make([]Link, n-len(l.Link))...)
	l.branchCounts = append(l.branchCounts, make([]int32, n-len(l.branchCounts))...)
	l.delegateCounts = append(l.delegateCounts, make([]int32, n-len(l.delegateCounts))...)
}

// Updated gives the lineage of other sessions at the same positions, and of more,
// when those at some positions have changed, have come, or are gone. find gives
// the position of an id, if it is there; one whose own id is found elsewhere or
// nowhere is gone. Sessions that name one that came as their parent must be
// among the changed. What is tied to none of them is taken over; families gives
// all others that are there.
func (l *Lineage) Updated(sessions SessionSource, changed []int32, find func(id string) (int, bool)) (with *Lineage, families []int32) {
	w := &Lineage{
		SessionSource: sessions, delegatesMarked: l.delegatesMarked,
		Parent: slices.Clone(l.Parent), Link: slices.Clone(l.Link), Next: slices.Clone(l.Next), Root: slices.Clone(l.Root),
		branchCounts: slices.Clone(l.branchCounts), delegateCounts: slices.Clone(l.delegateCounts),
	}
	w.grow(sessions.Len())
	parent := func(i int32) int32 {
		if id := sessions.Session(int(i)).ParentID; id != "" {
			if p, ok := find(id); ok && p != int(i) {
				return int32(p)
			}
		}
		return -1
	}
	// A family is known by who stands at its top, as it was before.
	tops := make([]int32, len(w.Parent))
	for i := range tops {
		tops[i] = -1
	}
	top := func(i int32) int32 {
		t := i
		for tops[t] < 0 && w.Parent[t] >= 0 {
			t = w.Parent[t]
		}
		if tops[t] >= 0 {
			t = tops[t]
		}
		for j := i; j >= 0 && tops[j] < 0; j = w.Parent[j] {
			tops[j] = t
		}
		return t
	}
	touched := map[int32]bool{}
	for _, i := range changed {
		touched[top(i)] = true
		if p := parent(i); p >= 0 {
			touched[top(p)] = true
		}
	}
	for i := range w.Parent {
		if !touched[top(int32(i))] {
			continue
		}
		at, ok := find(sessions.Session(i).ID)
		w.Root[i] = -1
		if ok && at == i {
			families = append(families, int32(i))
		}
	}
	for i := range w.Parent {
		if touched[tops[i]] {
			w.Parent[i] = -1
		}
	}
	for _, i := range families {
		w.Parent[i] = parent(i)
	}
	w.linkAll(families)
	return w, families
}

// linkAll finds out all else about sessions, whole families, whose parents are
// known.
func (l *Lineage) linkAll(some []int32) {
	l.cutCycles(some)
	for _, i := range some {
		l.Next[i], l.branchCounts[i], l.delegateCounts[i] = -1, 0, 0
		l.Link[i] = l.classify(int(i), l.delegatesMarked)
	}
	for _, i := range some {
		if l.Link[i] != LinkSegment {
			continue
		}
		p := l.Parent[i]
		if rival := l.Next[p]; rival < 0 {
			l.Next[p] = i
		} else if l.betterContinuation(int(i), int(rival)) {
			l.Next[p], l.Link[rival] = i, LinkBranch
		} else {
			l.Link[i] = LinkBranch
		}
	}
	for _, i := range some {
		if l.Link[i] == LinkSegment {
			continue
		}
		for j := i; j >= 0; j = l.Next[j] {
			l.Root[j] = i
		}
	}
	l.countChildren(some)
}

// cutCycles makes the oldest session of each ring of parents a root.
func (l *Lineage) cutCycles(some []int32) {
	const fresh, onPath, done = 0, 1, 2
	state := make([]byte, len(l.Parent))
	var path []int32
	for _, i := range some {
		path = path[:0]
		j := i
		for ; j >= 0 && state[j] == fresh; j = l.Parent[j] {
			state[j] = onPath
			path = append(path, j)
		}
		if j >= 0 && state[j] == onPath {
			oldest := j
			for k := l.Parent[j]; k != j; k = l.Parent[k] {
				if l.startedBefore(int(k), int(oldest)) {
					oldest = k
				}
			}
			l.Parent[oldest] = -1
		}
		for _, k := range path {
			state[k] = done
		}
	}
}

func (l *Lineage) startedBefore(i, j int) bool {
	a, b := l.Session(i), l.Session(j)
	if c := a.StartedAt.Compare(b.StartedAt); c != 0 {
		return c < 0
	}
	return a.ID < b.ID
}

// classify tells the kind of one child without regard to its siblings.
func (l *Lineage) classify(i int, marked bool) Link {
	s := l.Session(i)
	if l.Parent[i] < 0 {
		if s.DelegateFrom != "" && s.BranchedFrom == "" {
			return LinkDelegate
		}
		return LinkRoot
	}
	p := l.Session(int(l.Parent[i]))
	switch {
	case s.BranchedFrom != "" || s.ResetFrom != "":
		return LinkBranch
	case s.DelegateFrom != "" || s.Source == "subagent" || s.Source == "tool":
		return LinkDelegate
	case p.EndReason == "compression":
		if s.VisibleMessages == 0 && s.EndReason != "compression" && !s.EndedAt.IsZero() {
			return LinkBranch // a ghost that nobody ever wrote to
		}
		if marked || continues(&s, &p) {
			return LinkSegment
		}
		return LinkDelegate
	case p.EndReason == "branched" && !s.StartedAt.Before(p.EndedAt):
		return LinkBranch
	}
	// The parent was reopened, which wipes the reason it had ended for
	// (store/README.md#q7 and #q8). A child that was written to after the parent fell
	// silent is no delegate: an agent goes on when its delegate is done.
	// Nor is one with a title, which Hermes gives to branches.
	if !p.EndedAt.IsZero() || !marked && (s.EndReason != "" || !s.LastMessageAt.After(p.LastMessageAt)) {
		if s.Title != "" {
			return LinkBranch
		}
		return LinkDelegate
	}
	if gap := s.StartedAt.Sub(p.LastMessageAt); gap > -clockSkew && gap < maxCompressionGap {
		return LinkSegment
	}
	return LinkBranch
}

// continues tells a continuation from an unmarked delegate of a session that was
// compressed later.
func continues(s, p *Session) bool {
	if !s.StartedAt.Before(p.EndedAt) {
		return true
	}
	return !s.StartedAt.Before(p.EndedAt.Add(-clockSkew)) && (s.EndedAt.IsZero() || s.EndedAt.After(p.EndedAt))
}

// betterContinuation reports whether a is the better continuation.
func (l *Lineage) betterContinuation(a, b int) bool {
	s, t := l.Session(a), l.Session(b)
	rank := func(s *Session) int {
		switch {
		case s.EndReason == "compression":
			return 4
		case s.VisibleMessages == 0:
			return 1 // nothing was said there that could be gone on with
		case s.EndedAt.IsZero():
			return 3
		}
		return 2
	}
	return cmp.Or(
		cmp.Compare(rank(&s), rank(&t)),
		s.lastActive().Compare(t.lastActive()),
		s.StartedAt.Compare(t.StartedAt),
		cmp.Compare(s.ID, t.ID),
	) > 0
}

// countChildren counts branches and delegates.
func (l *Lineage) countChildren(some []int32) {
	under := map[int32][]int32{} // delegate conversations hanging on one, by their roots
	segments := make([]int32, len(l.Root))
	for _, i := range some {
		segments[l.Root[i]]++
		p := l.Parent[i]
		if p < 0 {
			continue
		}
		switch c := l.Root[p]; l.Link[i] {
		case LinkBranch:
			l.branchCounts[c]++
		case LinkDelegate:
			under[c] = append(under[c], i)
		}
	}
	counted := make([]bool, len(l.Root))
	// Parents form a forest once cycles are cut, but a deep one must not
	// exhaust the stack, so this goes down and up by hand.
	var stack []int32
	for i := range under {
		if counted[i] {
			continue
		}
		stack = append(stack[:0], i)
		for len(stack) > 0 {
			c := stack[len(stack)-1]
			ready, total := true, int32(0)
			for _, d := range under[c] {
				if len(under[d]) > 0 && !counted[d] {
					stack, ready = append(stack, d), false
				} else {
					total += l.delegateCounts[d] + segments[d]
				}
			}
			if ready {
				l.delegateCounts[c], counted[c] = total, true
				stack = stack[:len(stack)-1]
			}
		}
	}
}

// SegmentsOf gives the segments of the conversation that the session at position i
// is in, root first.
func (l *Lineage) SegmentsOf(i int) []int {
	var chain []int
	for i = int(l.Root[i]); i >= 0; i = int(l.Next[i]) {
		chain = append(chain, i)
	}
	return chain
}

// PathFromRoot gives the positions from the root of a session's lineage down to the
// session itself.
func (l *Lineage) PathFromRoot(i int) []int {
	var path []int
	for ; i >= 0; i = int(l.Parent[i]) {
		path = append(path, i)
	}
	slices.Reverse(path)
	return path
}

// Descendants gives the positions of all sessions under one, segments that go on
// from it among them: each after its parent, siblings oldest first.
func (l *Lineage) Descendants(i int) []int {
	children := l.children()
	var below []int
	for stack := []int{i}; len(stack) > 0; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if at != i {
			below = append(below, at)
		}
		for _, child := range slices.Backward(l.sortByStart(children[at])) {
			stack = append(stack, child)
		}
	}
	return below
}

// children gives the positions of the sessions under each.
func (l *Lineage) children() [][]int {
	children := make([][]int, len(l.Parent))
	for child, p := range l.Parent {
		if p >= 0 {
			children[p] = append(children[p], child)
		}
	}
	return children
}

// sortByStart sorts positions, oldest session first.
func (l *Lineage) sortByStart(at []int) []int {
	slices.SortFunc(at, func(a, b int) int {
		if l.startedBefore(a, b) {
			return -1
		}
		return 1
	})
	return at
}

// String names a link as scripts get it.
func (l Link) String() string {
	return [...]string{"root", "segment", "branch", "delegate"}[l]
}
