package answer

// The types of this file document rows that are printed as the database has them.

// Stored has the columns of the table sessions. The columns of schema 11 are always
// there in a file of that version; an older file lacks some, a newer one has more,
// under their names in the database.
type Stored struct {
	Open
	ID              string `json:"id"`
	Source          any    `json:"source" schema:"string|null"`
	UserID          any    `json:"user_id" schema:"string|null,optional"`
	Model           any    `json:"model" schema:"string|null,optional"`
	ModelConfig     any    `json:"model_config" schema:"string|null,optional"`  // JSON as a string
	SystemPrompt    any    `json:"system_prompt" schema:"string|null,optional"` // in list, search and prune only with --full
	ParentSessionID any    `json:"parent_session_id" schema:"string|null,optional"`
	StartedAt       any    `json:"started_at" schema:"number|null"`
	EndedAt         any    `json:"ended_at" schema:"number|null,optional"`
	EndReason       any    `json:"end_reason" schema:"string|null,optional"`
	MessageCount    any    `json:"message_count" schema:"integer|null,optional"` // of this segment, as counted by Hermes
	ToolCallCount   any    `json:"tool_call_count" schema:"integer|null,optional"`
	InputTokens     any    `json:"input_tokens" schema:"integer|null,optional"`
	OutputTokens    any    `json:"output_tokens" schema:"integer|null,optional"`
	CacheRead       any    `json:"cache_read_tokens" schema:"integer|null,optional"`
	CacheWrite      any    `json:"cache_write_tokens" schema:"integer|null,optional"`
	Reasoning       any    `json:"reasoning_tokens" schema:"integer|null,optional"`
	EstimatedCost   any    `json:"estimated_cost_usd" schema:"number|null,optional"`
	ActualCost      any    `json:"actual_cost_usd" schema:"number|null,optional"`
	Title           any    `json:"title" schema:"string|null,optional"`
	APICallCount    any    `json:"api_call_count" schema:"integer|null,optional"`
	CWD             any    `json:"cwd" schema:"string|null,optional"`
	GitRepoRoot     any    `json:"git_repo_root" schema:"string|null,optional"`
	GitBranch       any    `json:"git_branch" schema:"string|null,optional"`
	TitleSource     any    `json:"title_source" schema:"string|null,optional"`   // who gave the title: derived, llm, user, …; null for the user
	CreatedSource   any    `json:"created_source" schema:"string|null,optional"` // the source that began it
	Archived        any    `json:"archived" schema:"integer|null,optional"`      // 1 or 0
	Pinned          any    `json:"pinned" schema:"integer|null,optional"`        // 1 or 0
}

// Session is a conversation: the row of its newest segment, with values for all its
// segments.
type Session struct {
	Stored
	Preview    string   `json:"preview"`                          // the start of the first prompt
	LastActive any      `json:"last_active" schema:"number|null"` // over all segments
	RootID     string   `json:"root_id"`                          // the oldest segment
	Segments   []string `json:"segments"`                         // IDs, oldest first
	Delegates  int      `json:"delegates"`                        // subagents
	Branches   int      `json:"branches"`
	Workspace  any      `json:"workspace" schema:"string|null"`  // top folder of its git work tree, else its folder
	ExpiresAt  any      `json:"expires_at" schema:"number|null"` // when Hermes will delete it or the first of its segments, by its settings
	Profile    string   `json:"profile" schema:",optional"`      // profile of its database, if several are listed
}

// Match is a conversation found by a search.
type Match struct {
	Session
	Match   string   `json:"match"`   // all: all words in one message; forms: some of them in other forms; apart: in different messages; close: not all words
	Missing []string `json:"missing"` // in closest matches: the missing words, rarest first; a misspelled word in its corrected form
	Hits    int      `json:"hits"`    // messages that match
	Best    Best     `json:"best"`
}

// Best is the best message of a match. Its ID is null if the title, the ID or the source
// matched.
type Best struct {
	ID             any    `json:"id" schema:"integer|null"`
	SessionID      string `json:"session_id"`
	Role           any    `json:"role" schema:"string|null"`
	Snippet        string `json:"snippet"` // with the matches between >>> and <<<
	Timestamp      any    `json:"timestamp" schema:"number|null"`
	ToolName       any    `json:"tool_name" schema:"string|null"`
	Source         string `json:"source"`
	Model          any    `json:"model" schema:"string|null"`
	SessionStarted any    `json:"session_started" schema:"number|null"`
}

// Hit is a message that matches, in the form of Hermes's own search.
type Hit struct {
	Best
	Context []ContextMessage `json:"context"` // the message before, the match, the message after
}

// ContextMessage is a match, or the message before or after it.
type ContextMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"` // its first 200 characters
}

// Shown is the answer of show, and a line of export: a session with its messages, as
// Hermes exports it. import reads it.
type Shown struct {
	Stored
	Messages []Message `json:"messages"`
}

// Message is a row of the table messages.
type Message struct {
	Open
	ID         int64  `json:"id"`
	SessionID  string `json:"session_id"`
	Role       any    `json:"role" schema:"string|null"` // user, assistant, tool, system
	Content    any    `json:"content" schema:"any"`      // a string, or the parts of a message with images
	ToolCallID any    `json:"tool_call_id" schema:"string|null,optional"`
	ToolCalls  any    `json:"tool_calls" schema:"any,optional"`
	ToolName   any    `json:"tool_name" schema:"string|null,optional"`
	Timestamp  any    `json:"timestamp" schema:"number|null"`
}
