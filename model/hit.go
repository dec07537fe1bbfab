package model

import (
	"time"

	"hermes-sessions/model/match"
)

// HitKind says what of a conversation matched.
type HitKind int

// The reasons, strongest first.
const (
	HitTitle HitKind = iota
	HitID
	HitSource
	HitUser  // said by the user
	HitAgent // said by the agent
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

// Match is a conversation with its best hit.
type Match struct {
	Conversation
	Best Hit
	Hits int // matching messages over all segments
}

// SearchResults is an answer to a search.
type SearchResults struct {
	Matches       []Match
	Conversations int    // that match in the scope, before the limit
	Hits          int    // matching messages in the scope
	HiddenHits    int    // matching messages outside the scope
	HiddenScope   Scope  // the scope that holds most of the hidden ones
	IndexNote     string // what an index could not answer, "" if nothing

	HiddenConversations int // conversations that match outside the scope

	RowsOnly bool // totals were not requested and not counted (query.ListOptions.RowsOnly)

	Hints []string // filters that this database can not answer, and why
	Plan  []string // by which roads the answer was found, for people
}
