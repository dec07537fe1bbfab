// Package model holds the words of the program:
// sessions, conversations, messages, hits, and the pure rules over them.
// It does no I/O and imports only the standard library. Text in its values
// is as stored: whoever draws it cleans it first.
package model

import (
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

	BranchedFrom    string    // model_config $._branched_from
	DelegateFrom    string    // model_config $._delegate_from
	ResetFrom       string    // model_config $._reset_from
	LastMessageAt   time.Time // newest message; zero without messages
	VisibleMessages int       // messages in the table that were not rewound or archived by compaction
	LastActivityAt  time.Time // last_activity_at, where the schema has it
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

// State says how a conversation stands.
type State int

// The states, told from the tip's end and its last message.
const (
	StateDone        State = iota
	StateRunning           // open and active within RunningWindow
	StateInterrupted       // open, not active any more, or the last word is not the agent's
	StateFailed            // ended by an error
	StateEmpty             // no messages at all
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
	ScopeConversations Scope = iota // what people said, the default
	ScopeAutomation                 // sources that run by themselves: cron, tool, batch, …
	ScopeSubagents                  // delegates
	ScopeArchived                   // archived or hidden by upstream
	ScopeAll
)

// Scopes gives all scopes in that order.
func Scopes() []Scope {
	return []Scope{ScopeConversations, ScopeAutomation, ScopeSubagents, ScopeArchived, ScopeAll}
}

// String is the word of a scope on the command line and in commands.
func (s Scope) String() string {
	return [...]string{"conversations", "automation", "subagents", "archived", "all"}[s]
}

// ConversationPage is an answer to a ListQuery.
type ConversationPage struct {
	Conversations []Conversation
	Total         int      // conversations that match, before limit and offset
	OutOfScope    int      // conversations that match but lie outside the scope
	TotalsSkipped bool     // a first page whose totals were not counted
	FilterHints   []string // filters that this database can not answer, and why
}
