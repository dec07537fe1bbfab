package answer

// Comparison is the answer of compare: where two conversations diverge, and what each
// did after that.
type Comparison struct {
	Common int          `json:"common_messages"`                  // messages at the start with the same role, text and tool calls
	Same   bool         `json:"same"`                             // neither has other messages
	Last   any          `json:"last_common" schema:"string|null"` // the start of the last common message
	A      ComparedSide `json:"a"`
	B      ComparedSide `json:"b"`
}

// ComparedSide is one of the two conversations. Usage covers the whole conversation,
// everything else the messages after they diverge.
type ComparedSide struct {
	ID       string         `json:"id"` // of the newest segment
	RootID   string         `json:"root_id"`
	Title    any            `json:"title" schema:"string|null"`
	Messages int            `json:"messages"`
	First    any            `json:"first_message" schema:"integer|null"` // ID of the first message that differs
	Seconds  float64        `json:"seconds"`                             // from the first to the last message
	Prompts  []ComparedText `json:"prompts"`                             // at most 1,000
	Tools    []ComparedTool `json:"tools"`                               // most calls first
	Files    []ComparedFile `json:"files_written"`                       // most writes first
	Outcome  *ComparedText  `json:"outcome"`                             // the last answer
	Usage    Usage          `json:"usage"`
}

// ComparedText is the start of a message, at most 2,000 bytes.
type ComparedText struct {
	Message int64  `json:"message"`
	Text    string `json:"text"`
}

// ComparedTool counts the calls of a tool.
type ComparedTool struct {
	Name   string `json:"name"`
	Calls  int    `json:"calls"`
	Failed int    `json:"failed"` // calls whose results look like errors
}

// ComparedFile counts the writes of a file by tool calls.
type ComparedFile struct {
	Path   string `json:"path"` // as in the arguments
	Writes int    `json:"writes"`
}
