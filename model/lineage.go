package model

import (
	"cmp"
	"slices"
	"sort"
	"time"
)

// Link is the relation of a session to its parent. Hermes stores all of them in the
// column parent_session_id (store/README.md#lineage).
type Link uint8

// The links.
const (
	LinkRoot     Link = iota // no parent, or the parent does not exist
	LinkSegment              // continues the parent after context compression
	LinkBranch               // forked from the parent by the user or by a reset
	LinkDelegate             // started by the parent's agent for a subtask
)

// SessionSource gives sessions by position, from 0 on. It hides how they are held
// in memory: as [Session] values, all sessions of a large database take too much.
type SessionSource interface {
	Len() int
	Session(i int) Session
}

// SessionSlice is a [SessionSource] over a slice.
type SessionSlice []Session

// Len returns the number of sessions.
func (s SessionSlice) Len() int { return len(s) }

// Session returns the session at position i.
func (s SessionSlice) Session(i int) Session { return s[i] }

// Lineage is the relations between all sessions of a database. All slices are
// indexed by the positions of the SessionSource; -1 stands for no session. A
// Lineage does not change once it is in use, so any number of goroutines may read it.
type Lineage struct {
	SessionSource
	Parent []int32 // -1 where the parent does not exist or a cycle was cut
	Link   []Link  // to Parent
	Next   []int32 // the next segment of the conversation
	Root   []int32 // the first segment of the conversation; -1 for a session that no longer exists

	// Of conversations, indexed by the position of the root.
	branchCounts, delegateCounts []int32

	delegatesMarked bool // the file marks every delegate (schema 16 and later)

	// Retention is the rule by which Hermes deletes sessions. The builder of the lineage sets
	// it before the first conversation is read.
	Retention Retention

	// Locks are what processes do in the sessions, set as Retention is.
	Locks Locks
}

// clockSkew is how long before its parent's end a continuation may start: Hermes
// writes the two rows one after the other (store/README.md#q9).
const clockSkew = 5 * time.Second

// maxCompressionGap is the maximum time between a session's last message and its
// continuation. In between a model writes the summary.
const maxCompressionGap = 10 * time.Minute

// BuildLineage derives the relations between sessions. marked says that the file
// marks every delegate in model_config (schema 16 and later). Without marks, a
// child of a compressed session that started and ended before its parent ended is
// a delegate.
//
// A parent that does not exist counts as none. A cycle is cut above its oldest
// session. If several sessions continue one parent, the continuation is one that
// was itself compressed, else one that is open, else the one active last, started
// last, with the greatest id; the others become branches, so that every session
// stays visible.
func BuildLineage(sessions SessionSource, marked bool) *Lineage {
	n := sessions.Len()
	l := &Lineage{SessionSource: sessions, delegatesMarked: marked}
	l.grow(n)
	at := make(map[string]int32, n)
	parents, all := make([]string, n), make([]int32, n)
	for i := range n {
		s := sessions.Session(i)
		at[s.ID] = int32(i)
		parents[i] = s.ParentID
		all[i] = int32(i)
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

// grow extends the slices to n sessions. The new ones have no relations and belong
// to no conversation yet.
func (l *Lineage) grow(n int) {
	for len(l.Parent) < n {
		l.Parent = append(l.Parent, -1)
		l.Next = append(l.Next, -1)
		l.Root = append(l.Root, -1)
	}
	l.Link = append(l.Link, make([]Link, n-len(l.Link))...)
	l.branchCounts = append(l.branchCounts, make([]int32, n-len(l.branchCounts))...)
	l.delegateCounts = append(l.delegateCounts, make([]int32, n-len(l.delegateCounts))...)
}

// Updated returns the lineage after some sessions were changed, added or deleted.
// Sessions keep their positions; new ones are appended. changed are the positions
// of changed, new and deleted sessions, and of those that name a new session as
// their parent. find gives the position of an id. A session is deleted if find
// gives no position for its id, or another one.
//
// Only families (trees of sessions) with a changed session are computed again;
// their sessions are the second result. All others are copied from l.
func (l *Lineage) Updated(sessions SessionSource, changed []int32, find func(id string) (int, bool)) (updated *Lineage, families []int32) {
	w := &Lineage{
		SessionSource: sessions, delegatesMarked: l.delegatesMarked, Retention: l.Retention, Locks: l.Locks,
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
	// A family is identified by its topmost session in the old lineage.
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

// linkAll computes everything but Parent for some sessions, which must be whole
// families.
func (l *Lineage) linkAll(some []int32) {
	l.cutCycles(some)
	for _, i := range some {
		l.Next[i] = -1
		l.branchCounts[i] = 0
		l.delegateCounts[i] = 0
		l.Link[i] = l.classify(int(i))
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

// cutCycles makes the oldest session of each cycle of parents a root.
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

// classify returns the link of one session to its parent, without regard to its
// siblings.
func (l *Lineage) classify(i int) Link {
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
	case s.Replaces(&p):
		return LinkBranch
	case p.EndReason == "compression":
		if s.VisibleMessages == 0 && s.EndReason != "compression" && !s.EndedAt.IsZero() {
			return LinkBranch // ended without a message
		}
		if l.delegatesMarked || continues(&s, &p) {
			return LinkSegment
		}
		return LinkDelegate
	case p.EndReason == "branched" && !s.StartedAt.Before(p.EndedAt):
		return LinkBranch
	}
	// The parent was reopened, which clears its end reason (store/README.md#q7 and
	// #q8). A child with messages after the parent's last one is no delegate: an
	// agent continues when its delegate is done. Neither is a child with a title,
	// which Hermes gives to branches.
	if !p.EndedAt.IsZero() || !l.delegatesMarked && (s.EndReason != "" || !s.LastMessageAt.After(p.LastMessageAt)) {
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

// Replaces reports whether the gateway began s in the chat of p when p was reset: both
// have the key of that chat. Not every Hermes that writes keys writes ResetFrom too.
func (s *Session) Replaces(p *Session) bool {
	return s.SessionKey != "" && s.SessionKey == p.SessionKey && slices.Contains(resetReasons, p.EndReason)
}

// resetReasons are the end reasons of a chat's session that another one replaces.
var resetReasons = []string{"session_reset", "session_switch", "idle", "daily", "suspended", "resume_pending_expired"}

// continues reports whether s continues p after compression. If not, s is an
// unmarked delegate of p, which was compressed later.
func continues(s, p *Session) bool {
	if !s.StartedAt.Before(p.EndedAt) {
		return true
	}
	return !s.StartedAt.Before(p.EndedAt.Add(-clockSkew)) && (s.EndedAt.IsZero() || s.EndedAt.After(p.EndedAt))
}

// betterContinuation reports whether a rather than b is the continuation of their
// common parent (see [BuildLineage]).
func (l *Lineage) betterContinuation(a, b int) bool {
	s, t := l.Session(a), l.Session(b)
	rank := func(s *Session) int {
		switch {
		case s.EndReason == "compression":
			return 4
		case s.VisibleMessages == 0:
			return 1 // no message that could be continued
		case s.EndedAt.IsZero():
			return 3
		}
		return 2
	}
	return cmp.Or(
		cmp.Compare(rank(&s), rank(&t)),
		s.LastActive().Compare(t.LastActive()),
		s.StartedAt.Compare(t.StartedAt),
		cmp.Compare(s.ID, t.ID),
	) > 0
}

// countChildren counts the branches and delegates of conversations.
func (l *Lineage) countChildren(some []int32) {
	under := map[int32][]int32{} // delegate conversations of a conversation, by roots
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
	// An explicit stack: recursion over a chain as deep as the history would
	// exhaust that of the goroutine.
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

// SegmentsOf returns the positions of all segments of the conversation that session i
// belongs to, root first.
func (l *Lineage) SegmentsOf(i int) []int {
	var chain []int
	for i = int(l.Root[i]); i >= 0; i = int(l.Next[i]) {
		chain = append(chain, i)
	}
	return chain
}

// PathFromRoot returns the positions from the top of the tree down to session i.
func (l *Lineage) PathFromRoot(i int) []int {
	var path []int
	for ; i >= 0; i = int(l.Parent[i]) {
		path = append(path, i)
	}
	slices.Reverse(path)
	return path
}

// Descendants returns the positions of all sessions below session i, later segments
// included, each after its parent, siblings oldest first.
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

// children gives, by position, the positions of a session's children.
func (l *Lineage) children() [][]int {
	children := make([][]int, len(l.Parent))
	for child, p := range l.Parent {
		if p >= 0 {
			children[p] = append(children[p], child)
		}
	}
	return children
}

// sortByStart sorts positions in place, oldest session first.
func (l *Lineage) sortByStart(at []int) []int {
	sort.Slice(at, func(i, j int) bool { return l.startedBefore(at[i], at[j]) })
	return at
}

// String returns the name of a link in JSON output.
func (l Link) String() string {
	return [...]string{"root", "segment", "branch", "delegate"}[l]
}
