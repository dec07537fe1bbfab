package model

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Link says how a session hangs on its parent. The column parent_session_id
// is used for all of these (store-behaviour 3.5).
type Link int

// The links.
const (
	LinkRoot     Link = iota // no parent, or one that is not there
	LinkSegment              // goes on after context compression
	LinkBranch               // forked by the user, or started anew after a reset
	LinkDelegate             // started by an agent for a subtask
)

// Lineage is the ties between sessions. All slices run parallel to Sessions;
// positions are indexes into it, -1 for none.
type Lineage struct {
	Sessions []Session
	Parent   []int  // after orphans and cycles are cut
	Link     []Link // to Parent
	Next     []int  // the segment that goes on from here

	marked bool // delegates carry their mark
}

// early is how much a continuation may start before its parent's end: the two
// rows are written one after the other (quirk Q9).
const early = 5 * time.Second

// compressing is the longest time between a session's last message and its
// continuation: the summary is written by a model in between.
const compressing = 10 * time.Minute

// NewLineage finds out what ties sessions together. marked says that the file
// was written by software that marks every delegate in model_config
// (schema 16 and later); without marks, a child of a compressed session that
// began and ended inside its parent's time is a delegate.
//
// A parent that does not exist is none. A cycle is cut above its oldest
// session. Where several sessions go on from one parent, one that was itself
// compressed wins, then one still open, then the latest active, the latest
// started, the greatest id; the others are branches, so that nothing is lost.
func NewLineage(sessions []Session, marked bool) *Lineage {
	n := len(sessions)
	l := &Lineage{
		Sessions: sessions, marked: marked,
		Parent: make([]int, n), Link: make([]Link, n), Next: make([]int, n),
	}
	at := make(map[string]int, n)
	for i := range sessions {
		at[sessions[i].ID] = i
	}
	for i := range sessions {
		l.Parent[i], l.Next[i] = -1, -1
		if id := sessions[i].ParentID; id != "" {
			if p, ok := at[id]; ok && p != i {
				l.Parent[i] = p
			}
		}
	}
	l.cutCycles()
	for i := range sessions {
		l.Link[i] = l.link(i, marked)
	}
	for i, p := range l.Parent {
		if l.Link[i] != LinkSegment {
			continue
		}
		if rival := l.Next[p]; rival < 0 {
			l.Next[p] = i
		} else if l.prefer(i, rival) {
			l.Next[p], l.Link[rival] = i, LinkBranch
		} else {
			l.Link[i] = LinkBranch
		}
	}
	return l
}

// cutCycles makes the oldest session of each ring of parents a root.
func (l *Lineage) cutCycles() {
	const fresh, onPath, done = 0, 1, 2
	state := make([]byte, len(l.Parent))
	var path []int
	for i := range l.Parent {
		path = path[:0]
		j := i
		for ; j >= 0 && state[j] == fresh; j = l.Parent[j] {
			state[j] = onPath
			path = append(path, j)
		}
		if j >= 0 && state[j] == onPath {
			oldest := j
			for k := l.Parent[j]; k != j; k = l.Parent[k] {
				if older(&l.Sessions[k], &l.Sessions[oldest]) {
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

func older(a, b *Session) bool {
	if c := a.StartedAt.Compare(b.StartedAt); c != 0 {
		return c < 0
	}
	return a.ID < b.ID
}

// link tells the kind of one child without regard to its siblings.
func (l *Lineage) link(i int, marked bool) Link {
	s := &l.Sessions[i]
	if l.Parent[i] < 0 {
		if s.DelegateFrom != "" && s.BranchedFrom == "" {
			return LinkDelegate
		}
		return LinkRoot
	}
	p := &l.Sessions[l.Parent[i]]
	switch {
	case s.BranchedFrom != "" || s.ResetFrom != "":
		return LinkBranch
	case s.DelegateFrom != "" || s.Source == "subagent" || s.Source == "tool":
		return LinkDelegate
	case p.EndReason == "compression":
		if s.Visible == 0 && s.EndReason != "compression" && !s.EndedAt.IsZero() {
			return LinkBranch // a ghost that nobody ever wrote to
		}
		if marked || goesOn(s, p) {
			return LinkSegment
		}
		return LinkDelegate
	case p.EndReason == "branched" && !s.StartedAt.Before(p.EndedAt):
		return LinkBranch
	}
	// The parent was reopened, which wipes the reason it had ended for
	// (quirks Q7 and Q8). A child that was written to after the parent fell
	// silent is no delegate: an agent goes on when its delegate is done.
	// Nor is one with a title, which Hermes gives to branches.
	if !p.EndedAt.IsZero() || !marked && (s.EndReason != "" || !s.LastMessageAt.After(p.LastMessageAt)) {
		if s.Title != "" {
			return LinkBranch
		}
		return LinkDelegate
	}
	if gap := s.StartedAt.Sub(p.LastMessageAt); gap > -early && gap < compressing {
		return LinkSegment
	}
	return LinkBranch
}

// goesOn tells a continuation from an unmarked delegate of a session that was
// compressed later.
func goesOn(s, p *Session) bool {
	if !s.StartedAt.Before(p.EndedAt) {
		return true
	}
	return !s.StartedAt.Before(p.EndedAt.Add(-early)) && (s.EndedAt.IsZero() || s.EndedAt.After(p.EndedAt))
}

// prefer reports whether a is the better continuation.
func (l *Lineage) prefer(a, b int) bool {
	s, t := &l.Sessions[a], &l.Sessions[b]
	rank := func(s *Session) int {
		switch {
		case s.EndReason == "compression":
			return 4
		case s.Visible == 0:
			return 1 // nothing was said there that could be gone on with
		case s.EndedAt.IsZero():
			return 3
		}
		return 2
	}
	return cmp.Or(
		cmp.Compare(rank(s), rank(t)),
		s.active().Compare(t.active()),
		s.StartedAt.Compare(t.StartedAt),
		cmp.Compare(s.ID, t.ID),
	) > 0
}

// active is when a session was last written to.
func (s *Session) active() time.Time {
	at := s.StartedAt
	if !s.LastMessageAt.IsZero() {
		at = s.LastMessageAt
	}
	if s.ActivityAt.After(at) {
		at = s.ActivityAt
	}
	return at
}

// automatic are the sources that run by themselves.
var automatic = []string{"cron", "tool", "batch", "kanban", "oneshot", "webhook", "schedule", "hook", "watcher", "eval"}

// Conversations builds the conversations and says for every session, by
// position, which one it belongs to. Preview and State are left to whoever
// reads messages ([StateOf]). now decides which empty conversations are fresh
// enough to be shown.
func (l *Lineage) Conversations(now time.Time) (conv []Conversation, of []int) {
	of = make([]int, len(l.Sessions))
	for i := range of {
		of[i] = -1
	}
	// Tens of thousands of them are large: they are made once, at their place.
	roots := 0
	for _, link := range l.Link {
		if link != LinkSegment {
			roots++
		}
	}
	conv = make([]Conversation, 0, roots)
	var chain []Session
	for i := range l.Sessions {
		if l.Link[i] == LinkSegment {
			continue
		}
		chain = chain[:0]
		for j := i; j >= 0; j = l.Next[j] {
			of[j] = len(conv)
			chain = append(chain, l.Sessions[j])
		}
		c := sum(chain)
		c.Link, c.Scope = l.Link[i], scopeOf(&c, l.Link[i], now)
		conv = append(conv, c)
	}
	l.count(conv, of)
	return conv, of
}

// Each gives every session as a conversation of its own.
func (l *Lineage) Each(now time.Time) []Conversation {
	conv := make([]Conversation, len(l.Sessions))
	for i := range l.Sessions {
		conv[i] = sum(l.Sessions[i : i+1 : i+1])
		conv[i].Link, conv[i].Scope = l.Link[i], scopeOf(&conv[i], l.Link[i], now)
	}
	return conv
}

// sum makes one conversation of its segments, root first.
func sum(chain []Session) Conversation {
	tip := &chain[len(chain)-1]
	c := Conversation{
		Session: *tip, RootID: chain[0].ID, Segments: make([]string, 0, len(chain)),
		Total: chain[0].Usage, FirstAt: chain[0].StartedAt,
	}
	for i := range chain {
		s := &chain[i]
		c.Segments = append(c.Segments, s.ID)
		c.Messages += s.Visible
		c.Calls += s.ToolCalls
		if i > 0 {
			c.Total = c.Total.Add(s.Usage)
		}
		if at := s.active(); at.After(c.LastActive) {
			c.LastActive = at
		}
	}
	return c
}

// scopeOf says where the list shows a conversation. What matters is the tip:
// an archived root hides nothing. Empty conversations without a title are in
// no scope but Everything, unless they were just begun.
func scopeOf(c *Conversation, link Link, now time.Time) Scope {
	switch {
	case c.Archived || c.Hidden:
		return Archived
	case link == LinkDelegate || c.Source == "subagent":
		return Subagents
	case c.Messages == 0 && c.Title == "" && (!c.EndedAt.IsZero() || now.Sub(c.LastActive) > RunningWindow):
		return Everything
	case slices.Contains(automatic, c.Source) || strings.HasPrefix(c.Source, "webhook"):
		return Automation
	}
	return Conversations
}

// count fills in branches and delegates.
func (l *Lineage) count(conv []Conversation, of []int) {
	under := make([][]int, len(conv)) // delegate conversations hanging on one
	sizes := make([]int, len(conv))
	for i, p := range l.Parent {
		if l.Link[i] == LinkSegment || p < 0 {
			continue
		}
		switch c := of[p]; l.Link[i] {
		case LinkBranch:
			conv[c].Branches++
		case LinkDelegate:
			under[c] = append(under[c], of[i])
		}
	}
	for i := range sizes {
		sizes[i] = -1
	}
	// Parents form a forest once cycles are cut, but a deep one must not
	// exhaust the stack, so this goes down and up by hand.
	var stack []int
	for i := range conv {
		stack = append(stack[:0], i)
		for len(stack) > 0 {
			c := stack[len(stack)-1]
			ready, total := true, 0
			for _, d := range under[c] {
				if sizes[d] < 0 {
					stack, ready = append(stack, d), false
				} else {
					total += sizes[d] + len(conv[d].Segments)
				}
			}
			if ready {
				sizes[c] = total
				stack = stack[:len(stack)-1]
			}
		}
		conv[i].Delegates = sizes[i]
	}
}

// StateOf tells how a conversation stands from its tip and the role of the
// tip's last message.
func StateOf(c *Conversation, lastRole string, now time.Time) State {
	switch {
	case c.Messages == 0:
		return Empty
	case c.EndedAt.IsZero():
		if since := now.Sub(c.LastActive); since < RunningWindow && since > -RunningWindow {
			return Running
		}
		return Interrupted
	case strings.Contains(c.EndReason, "error") || strings.Contains(c.EndReason, "fail") || strings.Contains(c.EndReason, "crash"):
		return Failed
	case lastRole == "user" || lastRole == "tool":
		return Interrupted
	}
	return Done
}
