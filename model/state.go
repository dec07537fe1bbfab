package model

import (
	"strings"
	"time"
)

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

// StateOf tells how a conversation stands from its tip and the role of the
// tip's last message.
func StateOf(c *Conversation, lastRole string, now time.Time) State {
	switch {
	case c.Messages == 0:
		return StateEmpty
	case c.EndedAt.IsZero():
		if since := now.Sub(c.LastActive); since < RunningWindow && since > -RunningWindow {
			return StateRunning
		}
		return StateInterrupted
	case strings.Contains(c.EndReason, "error") || strings.Contains(c.EndReason, "fail") || strings.Contains(c.EndReason, "crash"):
		return StateFailed
	case lastRole == "user" || lastRole == "tool":
		return StateInterrupted
	}
	return StateDone
}
