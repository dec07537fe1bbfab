package model

import "time"

// Span is a piece of text; Hit marks that it matched.
type Span struct {
	Text string
	Hit  bool
}

// Snippet is a stretch of text around a match, in pieces, so that cleaning one
// piece can not move the marks of another.
type Snippet []Span

// Why says what of a conversation matched.
type Why int

// The reasons, strongest first.
const (
	WhyTitle Why = iota
	WhyID
	WhySource
	WhyUser  // said by the user
	WhyAgent // said by the agent
	WhyTool  // a tool's name, arguments or result
)

// Hit is a message that matches a query. MessageID is 0 when the
// conversation's title, id or source matched instead.
type Hit struct {
	MessageID int64
	SessionID string
	Role      string
	ToolName  string
	At        time.Time
	Snippet   Snippet
	Why       Why
}

// Match is a conversation with its best hit.
type Match struct {
	Conversation
	Best Hit
	Hits int // matching messages over all segments
}

// Results is an answer to a search.
type Results struct {
	Matches       []Match
	Conversations int    // that match in the scope, before the limit
	Hits          int    // matching messages in the scope
	Hidden        int    // matching messages outside the scope
	HiddenIn      Scope  // the scope that holds most of the hidden ones
	Note          string // what an index could not answer, "" if nothing

	HiddenConversations int // conversations that match outside the scope

	Partial bool // no totals were wanted, and none were counted (ListQuery.RowsOnly)

	Hints []string // filters that this database can not answer, and why
	Route []string // by which roads the answer was found, for people
}

// Note is something that a person should know about a database: what is
// wrong, and the exact thing to do.
type Note struct {
	Kind    string // stable, for scripts: fts-missing, newer-schema, …
	Message string
	Remedy  string
}
