package model

import "time"

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

// Outline is the skeleton of a conversation: every visible message id in
// reading order, and where each segment begins. What compression copied from
// one segment into the next stands there once, where it was said.
type Outline struct {
	Conversation  Conversation
	MessageIDs    []int64
	SegmentStarts []int    // index into IDs where Conversation.Segments[i] begins
	SegmentModels []string // of the segments; "" where the row has none
	Rewound       int      // messages left out because the user took them back

	ReplayCounts []int           // of each segment, how many are left out as copies
	Replays      map[int64]int64 // ids of copies, and the ids of what they copy, in IDs
}

// Segment gives the ids of one session's messages, nil when it is no segment
// of the conversation.
func (o Outline) Segment(id string) []int64 {
	for k, segment := range o.Conversation.Segments {
		if segment != id || k >= len(o.SegmentStarts) {
			continue
		}
		end := len(o.MessageIDs)
		if k+1 < len(o.SegmentStarts) {
			end = o.SegmentStarts[k+1]
		}
		return o.MessageIDs[o.SegmentStarts[k]:end]
	}
	return nil
}
