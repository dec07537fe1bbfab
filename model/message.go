package model

import (
	"strings"
	"time"
)

// Message is one row of the messages table, decoded.
type Message struct {
	ID           int64
	SessionID    string
	Role         string // user, assistant, tool, system, or anything else found
	Content      Content
	Calls        []ToolCall // of an assistant message
	ToolCallID   string     // of a tool result
	ToolName     string
	At           time.Time
	FinishReason string
	Reasoning    string // from whichever of the four columns has it
	DisplayKind  string // display_kind
	Observed     bool   // group chatter that was not addressed to the agent
	Rewound      bool   // taken back by the user; hidden
	Compacted    bool   // archived by in-place compaction; findable, not in the transcript
	DecodeError  string // what could not be decoded, "" if all could
}

// Content is what a message says.
type Content struct {
	Text  string   // all text parts, joined by blank lines
	Media []string // attached images and files, by kind or name
}

// ToolCall is one entry of an assistant message's tool_calls.
type ToolCall struct {
	ID        string
	Name      string // "unknown" where the row has none
	Arguments string // JSON as stored, or whatever stood there
}

// Author is who a message is from, as a reader sees it.
type Author uint8

// The speakers. Others are roles that no writer of ours is known to use; they
// are shown under their own name.
const (
	NoAuthor Author = iota
	AuthorUser
	AuthorAgent
	AuthorTool
	AuthorSystem
	AuthorOther
)

// Author tells from the role who a message is from.
func (m Message) Author() Author {
	switch m.Role {
	case "user":
		return AuthorUser
	case "assistant":
		return AuthorAgent
	case "tool":
		return AuthorTool
	case "system":
		return AuthorSystem
	}
	return AuthorOther
}

// HasContent reports whether a message has more to show than tool calls and
// reasoning: words, attachments or damage.
func (m Message) HasContent() bool {
	return strings.TrimSpace(m.Content.Text) != "" || len(m.Content.Media) > 0 || m.DecodeError != ""
}

// Failed reports whether a tool result says that the call went wrong. Tools
// have no common form for that: it is read from how the text begins.
func (m Message) Failed() bool {
	if m.Role != "tool" {
		return false
	}
	t := strings.TrimSpace(m.Content.Text[:min(len(m.Content.Text), 400)])
	l := strings.ToLower(t)
	for _, p := range []string{"error", "traceback (most recent", "exception", "fatal:", "[error", "tool error", "failed"} {
		if strings.HasPrefix(l, p) {
			return true
		}
	}
	if !strings.HasPrefix(l, "{") {
		return false
	}
	l = strings.NewReplacer(" ", "", "\n", "", "\t", "").Replace(l)
	if i := strings.Index(l, `"error":`); i >= 0 && !strings.HasPrefix(l[i+8:], `null`) && !strings.HasPrefix(l[i+8:], `""`) &&
		!strings.HasPrefix(l[i+8:], `false`) {
		return true
	}
	if i := strings.Index(l, `"exit_code":`); i >= 0 {
		rest := l[i+12:]
		return rest != "" && !strings.HasPrefix(rest, "0") && !strings.HasPrefix(rest, "null")
	}
	return strings.Contains(l, `"success":false`)
}
