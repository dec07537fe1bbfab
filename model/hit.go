package model

import (
	"time"

	"hermes-sessions/model/match"
)

// HitKind is the part of a conversation that matched.
type HitKind int

// The kinds, highest rank first.
const (
	HitTitle HitKind = iota
	HitID
	HitSource
	HitUser  // a message of the user
	HitAgent // a message of the agent
	HitTool  // a tool's name, arguments or result
)

// Hit is a message that matches a query. MessageID is 0 when the
// conversation's title, id or source matched instead.
type Hit struct {
	MessageID int64
	SessionID string
	Role      string
	ToolName  string
	At        time.Time
	Snippet   match.Snippet
	Kind      HitKind
}

// Match is a conversation that matches a query.
type Match struct {
	Conversation
	Best Hit
	Hits int // matching messages over all segments
}

// SearchResults are the results of a search. "In the scope" means the scopes that
// the search shows.
type SearchResults struct {
	Matches       []Match
	Conversations int    // that match in the scope, before the limit
	Hits          int    // matching messages in the scope
	HiddenHits    int    // matching messages outside the scope
	HiddenScope   Scope  // the scope with the most hidden matches
	IndexNote     string // what the index could not answer, else ""

	HiddenConversations int // conversations that match outside the scope

	RowsOnly bool // totals were not requested and not counted (query.ListOptions.RowsOnly)

	Hints []string // filters that this database cannot answer, and why
	Plan  []string // how the search was executed, for --explain
}
