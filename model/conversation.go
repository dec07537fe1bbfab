package model

import (
	"time"
)

// Conversation is a chain of segments joined by compression, root to tip: the
// unit of the list. The embedded session is the tip, because resume, rename
// and read act through it; sums run over all segments.
type Conversation struct {
	Session
	RootID        string
	Segments      []string  // session ids, root first, tip last
	Branches      int       // conversations forked from any segment
	Delegates     int       // subagent sessions under any segment, to any depth
	Messages      int       // over all segments
	Total         Usage     // over all segments
	RootStartedAt time.Time // the root's start
	LastActive    time.Time // newest message of any segment, else its start
	Preview       string    // first user message, one line (store/README.md#previews)
	State         State
	Scope         Scope // where the list shows it
	Link          Link  // how its root hangs on what is above it
	Calls         int   // tool calls over all segments, as the writer counted them
}

// ConversationPage is an answer to a ListQuery.
type ConversationPage struct {
	Conversations []Conversation
	Total         int      // conversations that match, before limit and offset
	OutOfScope    int      // conversations that match but lie outside the scope
	TotalsSkipped bool     // a first page whose totals were not counted
	FilterHints   []string // filters that this database can not answer, and why
}

// Conversation makes the one of which a session is the root. Preview and State
// are left to whoever reads messages ([StateOf]). now decides whether an empty
// conversation is fresh enough to be shown.
func (l *Lineage) Conversation(root int, now time.Time) (c Conversation) {
	l.FillConversation(&c, root, now)
	return c
}

// FillConversation makes the conversation of which a session is the root in the place of
// another one, whose Segments are written over: to make many, one after the
// other, allocates nothing then. now is as in [Lineage.Conversation].
func (l *Lineage) FillConversation(c *Conversation, root int, now time.Time) {
	*c = Conversation{
		Segments: c.Segments[:0], Link: l.Link[root],
		Branches: int(l.branchCounts[root]), Delegates: int(l.delegateCounts[root]),
	}
	for i := root; i >= 0; i = int(l.Next[i]) {
		l.addSegment(c, i)
	}
	c.Scope = scopeOf(c, now)
}

// FillSession makes a conversation of one session by itself, in the place of another
// one as [Lineage.FillConversation]. What hangs on it is not counted.
func (l *Lineage) FillSession(c *Conversation, i int, now time.Time) {
	*c = Conversation{Segments: c.Segments[:0], Link: l.Link[i]}
	l.addSegment(c, i)
	c.Scope = scopeOf(c, now)
}

// addSegment takes the next segment in, which is the tip then.
func (l *Lineage) addSegment(c *Conversation, i int) {
	c.Session = l.Session(i)
	if len(c.Segments) == 0 {
		c.RootID, c.RootStartedAt, c.Total = c.ID, c.StartedAt, c.Usage
	} else {
		c.Total = c.Total.Add(c.Usage)
	}
	c.Segments = append(c.Segments, c.ID)
	c.Messages += c.VisibleMessages
	c.Calls += c.ToolCalls
	if at := c.lastActive(); at.After(c.LastActive) {
		c.LastActive = at
	}
}
