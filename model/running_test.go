package model

import (
	"testing"
	"time"
)

// The last message says whose turn it is, the time since whether the agent is at work.
func TestRunningOf(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	user, answer := Message{Role: "user"}, Message{Role: "assistant", Content: Content{Text: "Done."}}
	call := Message{Role: "assistant", Calls: []ToolCall{{Name: "read_file", Arguments: `{"path": "a/b.go"}`}, {Name: "terminal", Arguments: `{"command": "go test ./..."}`}}}
	result := Message{Role: "tool", ToolName: "terminal"}
	for name, c := range map[string]struct {
		tail     []Message
		ago      time.Duration
		activity Activity
		tool     string
	}{
		"asked a moment ago":        {[]Message{answer, user}, time.Second, ActivityWorking, ""},
		"called a tool":             {[]Message{user, call}, time.Minute, ActivityWorking, "terminal"},
		"a tool has ended":          {[]Message{user, call, result}, time.Minute, ActivityWorking, "terminal"},
		"a tool has long ended":     {[]Message{user, call, result}, time.Hour, ActivitySilent, "terminal"},
		"it has answered":           {[]Message{user, call, result, answer}, time.Second, ActivityWaiting, "terminal"},
		"it answered long ago":      {[]Message{user, answer}, 30 * time.Hour, ActivityWaiting, ""},
		"nothing was said":          {nil, time.Second, ActivityWorking, ""},
		"the clock was set back":    {[]Message{user}, -time.Hour, ActivitySilent, ""},
		"two clocks differ":         {[]Message{user}, -time.Minute, ActivityWorking, ""},
		"nothing was said for long": {nil, time.Hour, ActivitySilent, ""},
	} {
		silent := c.ago
		if c.ago < 0 && c.ago > -RunningWindow {
			silent = 0
		}
		r := RunningOf(Conversation{LastActive: now.Add(-c.ago)}, c.tail, now)
		if r.Activity != c.activity || r.Tool != c.tool || r.Silent != silent || c.tool != "" && r.Object != "go test ./..." {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
