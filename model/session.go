// Package model holds the words of the program:
// sessions, conversations, messages, hits, and the pure rules over them.
// It does no I/O and imports only the standard library. Text in its values
// is as stored: whoever draws it cleans it first.
package model

import (
	"slices"
	"time"
)

// Session is one row of the sessions table: a stretch of talk with its
// messages. Columns that an older schema lacks hold their zero value.
type Session struct {
	ID           string
	Source       string // an open set: cli, tui, telegram, cron, …
	Title        string
	Model        string
	ParentID     string // "" for a root
	EndReason    string
	StartedAt    time.Time
	EndedAt      time.Time // zero while open
	MessageCount int       // as counted by the writer
	ToolCalls    int
	Usage        Usage
	CWD          string
	GitBranch    string
	Profile      string
	Archived     bool
	Pinned       bool
	Hidden       bool

	BranchedFrom  string    // model_config $._branched_from
	DelegateFrom  string    // model_config $._delegate_from
	ResetFrom     string    // model_config $._reset_from
	LastMessageAt time.Time // newest message; zero without messages
	Visible       int       // messages in the table that were not rewound or archived by compaction
	ActivityAt    time.Time // last_activity_at, where the schema has it
}

// Usage is what a session has consumed. Costs are US dollars.
type Usage struct {
	Input, Output, CacheRead, CacheWrite, Reasoning int64 // tokens
	APICalls                                        int64
	Cost                                            Cost
}

// Tokens is the sum of input and output tokens.
func (u Usage) Tokens() int64 { return u.Input + u.Output }

// Add sums two usages. See [Cost.Add] on where a running sum starts.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, Output: u.Output + v.Output,
		CacheRead: u.CacheRead + v.CacheRead, CacheWrite: u.CacheWrite + v.CacheWrite,
		Reasoning: u.Reasoning + v.Reasoning, APICalls: u.APICalls + v.APICalls,
		Cost: u.Cost.Add(v.Cost),
	}
}

// Conversation is a chain of segments joined by compression, root to tip: the
// unit of the list. The embedded session is the tip, because resume, rename
// and read act through it; sums run over all segments.
type Conversation struct {
	Session
	RootID     string
	Segments   []string  // session ids, root first, tip last
	Branches   int       // conversations forked from any segment
	Delegates  int       // subagent sessions under any segment, to any depth
	Messages   int       // over all segments
	Total      Usage     // over all segments
	FirstAt    time.Time // the root's start
	LastActive time.Time // newest message of any segment, else its start
	Preview    string    // first user message, one line (store/README.md#previews)
	State      State
	Scope      Scope // where the list shows it
	Link       Link  // how its root hangs on what is above it
	Calls      int   // tool calls over all segments, as the writer counted them
}

// State says how a conversation stands.
type State int

// The states, told from the tip's end and its last message.
const (
	Done        State = iota
	Running           // open and active within RunningWindow
	Interrupted       // open, not active any more, or the last word is not the agent's
	Failed            // ended by an error
	Empty             // no messages at all
)

// String names a state as scripts get it.
func (s State) String() string {
	return [...]string{"done", "running", "interrupted", "failed", "empty"}[s]
}

// RunningWindow is how fresh the last activity of an open session must be to
// call it running: an empty ended_at alone means nothing (700 abandoned rows
// are not 700 live sessions).
const RunningWindow = 5 * time.Minute

// Scope names a part of the history that the list shows at a time.
type Scope int

// The scopes in the order in which the browser goes round them.
const (
	Conversations Scope = iota // what people said, the default
	Automation                 // sources that run by themselves: cron, tool, batch, …
	Subagents                  // delegates
	Archived                   // archived or hidden by upstream
	Everything
)

// Scopes gives all scopes in that order.
func Scopes() []Scope { return []Scope{Conversations, Automation, Subagents, Archived, Everything} }

// String is the word of a scope on the command line and in commands.
func (s Scope) String() string {
	return [...]string{"conversations", "automation", "subagents", "archived", "all"}[s]
}

// Sort is an order of the list.
type Sort int

// The orders. Ties fall to the newer start, then the greater id.
const (
	ByActivity Sort = iota
	ByStart
	ByTitle
	ByMessages
	ByCost
	ByRelevance // only while searching
)

// Sorts gives all orders of a list in which nothing is looked for.
func Sorts() []Sort { return []Sort{ByActivity, ByStart, ByTitle, ByMessages, ByCost} }

// String is the word of an order on the command line and in commands.
func (s Sort) String() string {
	return [...]string{"active", "started", "title", "messages", "cost", "relevance"}[s]
}

// ListQuery says which conversations are wanted, and in which order.
type ListQuery struct {
	Scope          Scope
	Sources        []string // any of these; nil for all
	ExcludeSources []string
	CWD            string // only conversations of this folder; "" for all
	Filters        []Filter
	Sessions       bool // every session by itself, children too, instead of conversations
	Sort           Sort
	PinnedFirst    bool // before all others where the order is by activity; not of a glance or a search
	Limit          int  // <= 0: all
	Offset         int
	Glance         bool // rather the first rows at once than honest totals (Page.Partial)
	RowsOnly       bool // the rows are wanted, the totals are not (Page.Partial)
}

// Shows reports whether a conversation of a scope belongs to the answer. Who
// names sources wants those that run by themselves too, not only what people
// said, and so on for filters that name what a scope is made of.
func (q ListQuery) Shows(s Scope) bool {
	if q.Scope == Everything || q.Scope == s ||
		q.Scope == Conversations && s == Automation && len(q.Sources) > 0 {
		return true
	}
	return slices.ContainsFunc(q.Filters, func(f Filter) bool { return !f.Not && f.shows(s) })
}

// shows reports whether the filter names what a scope is made of.
func (f Filter) shows(s Scope) bool {
	switch f.Field {
	case FilterID:
		return true
	case FilterSource:
		return s == Automation || s == Subagents && f.names("subagent")
	case FilterIs:
		switch f.Value {
		case "archived":
			return s == Archived
		case "sub":
			return s == Subagents
		case "empty":
			return s == Everything // where the list shows what is of no scope
		}
	}
	return false
}

// Page is an answer to a ListQuery.
type Page struct {
	Conversations []Conversation
	Total         int      // conversations that match, before limit and offset
	Hidden        int      // conversations that match but lie outside the scope
	Partial       bool     // a first page whose totals were not counted
	Hints         []string // filters that this database can not answer, and why
}
