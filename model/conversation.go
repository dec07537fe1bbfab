package model

import (
	"time"
)

// Conversation is a chain of segments joined by compression, root to tip. It is the
// unit of the list. The embedded session is the tip, which resume, rename and read
// act on; the sums are over all segments.
type Conversation struct {
	Session
	RootID        string
	Segments      []string    // session ids, root first, tip last
	Branches      int         // conversations forked from any segment
	Delegates     int         // subagent sessions under any segment, to any depth
	Messages      int         // over all segments
	Total         Usage       // over all segments
	RootStartedAt time.Time   // the root's start
	Starts        []time.Time // of the segments, where the store has read them
	LastActive    time.Time   // newest message of any segment, else its start
	Preview       string      // first user message, one line (store/README.md#previews)
	State         State
	Lock          Lock  // of the process that works in it
	Scope         Scope // where the list shows it
	Link          Link  // of its root
	Calls         int   // tool calls over all segments, as counted by Hermes
	Failed        int   // failed tool calls that the filters has:failed and failed: found; 0 without one

	ExpiresAt     time.Time // when Hermes may delete it, or the first of its segments ([Retention]); zero for never, or unknown
	ExpiresInPart bool      // other segments stay then
}

// ConversationPage is one page of a list of conversations.
type ConversationPage struct {
	Conversations []Conversation
	Total         int      // conversations that match, before limit and offset
	OutOfScope    int      // conversations that match but lie outside the scope
	TotalsSkipped bool     // Total and OutOfScope were not counted
	FilterHints   []string // filters that this database cannot answer, and why
}

// Results returns the page as the results of a search without words.
func (p ConversationPage) Results() SearchResults {
	res := SearchResults{
		Conversations: p.Total, HiddenConversations: p.OutOfScope, Hints: p.FilterHints,
		Plan: []string{"the list of sessions"}, RowsOnly: p.TotalsSkipped,
	}
	for _, c := range p.Conversations {
		res.Matches = append(res.Matches, Match{Conversation: c})
	}
	return res
}

// Conversation returns the conversation with this root. It does not set Preview and
// State, which depend on messages ([StateOf]). An empty conversation that was
// active shortly before now is shown in the list, an older one is not
// ([RunningWindow]).
func (l *Lineage) Conversation(root int, now time.Time) (c Conversation) {
	l.FillConversation(&c, root, now)
	return c
}

// FillConversation sets *c to the conversation with this root, as
// [Lineage.Conversation] does, and reuses the array of c.Segments: a loop over many
// conversations does not allocate.
func (l *Lineage) FillConversation(c *Conversation, root int, now time.Time) {
	*c = Conversation{
		Segments: c.Segments[:0], Starts: c.Starts[:0], Link: l.Link[root],
		Branches: int(l.branchCounts[root]), Delegates: int(l.delegateCounts[root]),
	}
	var e expiry
	for i := root; i >= 0; i = int(l.Next[i]) {
		l.addSegment(c, i)
		c.Lock.add(l.Locks, c.ID, now)
		e.add(&l.Retention, &c.Session)
	}
	e.set(&l.Retention, c, now)
	c.Scope = scopeOf(c, now)
}

// FillSession sets *c to a conversation of one session alone, without counts of
// branches and delegates. It reuses c.Segments as [Lineage.FillConversation] does.
func (l *Lineage) FillSession(c *Conversation, i int, now time.Time) {
	*c = Conversation{Segments: c.Segments[:0], Starts: c.Starts[:0], Link: l.Link[i]}
	var e expiry
	l.addSegment(c, i)
	c.Lock.add(l.Locks, c.ID, now)
	e.add(&l.Retention, &c.Session)
	e.set(&l.Retention, c, now)
	c.Scope = scopeOf(c, now)
}

// addSegment appends a segment, which becomes the tip.
func (l *Lineage) addSegment(c *Conversation, i int) {
	c.Session = l.Session(i)
	if len(c.Segments) == 0 {
		c.RootID = c.ID
		c.RootStartedAt = c.StartedAt
		c.Total = c.Usage
	} else {
		c.Total = c.Total.Add(c.Usage)
	}
	c.Segments, c.Starts = append(c.Segments, c.ID), append(c.Starts, c.StartedAt)
	c.Messages += c.VisibleMessages
	c.Calls += c.ToolCalls
	if at := c.Session.LastActive(); at.After(c.LastActive) {
		c.LastActive = at
	}
}

// OfSubagent reports whether an agent started the conversation for a subtask.
func (c *Conversation) OfSubagent() bool {
	return c.Link == LinkDelegate || c.Scope == ScopeSubagents || c.Source == "subagent"
}

// Speakers names who asks in the conversation and who answers: a subagent is asked by the agent.
func (c *Conversation) Speakers() (asks, answers string) {
	if c.OfSubagent() {
		return "hermes", "subagent"
	}
	return "you", "hermes"
}

// Speaker is [Hit.Speaker] of a hit of the conversation, by the names of its speakers.
func (c *Conversation) Speaker(h Hit) string {
	asks, answers := c.Speakers()
	who := h.Speaker()
	switch {
	case who == "you" && h.Role == "user":
		return asks
	case who == "hermes" && h.Role == "assistant":
		return answers
	}
	return who
}
