package model

import (
	"strings"
	"time"
)

// State is the state of a conversation.
type State int

// The states, derived from the end of the tip and its last message.
const (
	StateDone        State = iota
	StateRunning           // a process works in it, or it is open and was active within RunningWindow
	StateInterrupted       // open but no longer active, or its process is gone, or ended on a message that is not the agent's
	StateFailed            // ended by an error
	StateEmpty             // no messages at all
)

// String returns the name of a state in JSON output.
func (s State) String() string {
	return [...]string{"done", "running", "interrupted", "failed", "empty"}[s]
}

// RunningWindow is the maximum age of the last activity of a running session. An
// empty ended_at alone says little: an abandoned session keeps it empty forever.
const RunningWindow = 5 * time.Minute

// StateOf derives the state of a conversation from its tip and from the role of
// the tip's last message.
func StateOf(c *Conversation, lastRole string, now time.Time) State {
	switch {
	case c.Lock.Live(now):
		return StateRunning
	case c.Messages == 0:
		return StateEmpty
	case c.EndedAt.IsZero():
		if since := now.Sub(c.LastActive); since < RunningWindow && since > -RunningWindow && !c.LeftBehind(now) {
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
