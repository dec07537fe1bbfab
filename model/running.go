package model

import "time"

// Activity is what an open session is doing.
type Activity int

// The activities. Hermes writes a message when it is complete, so a long call of a tool or
// of a model writes nothing until it ends. Newer files tell of every turn ([Lock]); in others
// the last message tells, and when it was written.
const (
	ActivityWorking     Activity = iota // the agent's turn
	ActivityCompressing                 // its context is being compressed
	ActivityWaiting                     // the next message is the user's
	ActivitySilent                      // the agent's turn, and nothing was written for RunningWindow: it works on one thing, or was ended
	ActivityDead                        // the agent's turn, and its process is gone
)

// String returns the name of an activity in JSON output.
func (a Activity) String() string {
	return [...]string{"working", "compressing", "waiting", "silent", "dead"}[a]
}

// Running is an open session and what it is doing.
type Running struct {
	Conversation
	Activity Activity
	Silent   time.Duration // since its last sign of life, negative where that is in the future
	Tool     string        // the last tool that was called in the messages given, "" for none
	Object   string        // what that call is about, see [ToolCall.Object]
	answered bool          // by the agent, as the last of those messages
}

// RunningOf says what an open conversation is doing, by the last of its messages.
func RunningOf(c Conversation, tail []Message, now time.Time) Running {
	r := Running{Conversation: c}
	for i := len(tail) - 1; i >= 0 && r.Tool == ""; i-- {
		if calls := tail[i].Calls; len(calls) > 0 {
			last := calls[len(calls)-1]
			r.Tool, r.Object = last.Name, last.Object()
		}
	}
	last := len(tail) - 1
	r.answered = last >= 0 && tail[last].Author() == AuthorAgent && len(tail[last].Calls) == 0
	return r.At(now)
}

// At returns the session as it is at a later moment, if nothing was written since.
func (r Running) At(now time.Time) Running {
	r.Silent = now.Sub(r.LastSeen())
	ahead := r.Silent < 0 // the last message is in the future: one of two clocks is wrong
	if ahead && r.Silent > -RunningWindow {
		r.Silent, ahead = 0, false
	}
	// A subagent works within the turn of the agent that started it.
	told := r.Lock.Kind != LockUnknown && r.Link != LinkDelegate
	switch {
	case r.Lock.Live(now) && r.Lock.Kind == LockCompression:
		r.Activity = ActivityCompressing
	case r.Lock.Live(now):
		r.Activity = ActivityWorking
	case r.LeftBehind(now):
		r.Activity = ActivityDead
	case r.answered || told:
		r.Activity = ActivityWaiting
	case r.Silent < RunningWindow && !ahead:
		r.Activity = ActivityWorking
	default:
		r.Activity = ActivitySilent
	}
	return r
}
