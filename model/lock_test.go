package model

import (
	"testing"
	"time"
)

// What a process has written into the file tells what a conversation does, whatever its last
// messages are; without it the messages do.
func TestLocksTellWhatRuns(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_790_000_000, 0)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	asked := []Message{{Role: "user"}}
	answered := []Message{{Role: "assistant"}}
	turn := Lock{Kind: LockTurn, PID: 7, Seen: ago(10 * time.Second), Expires: now.Add(time.Minute)}
	compression := Lock{Kind: LockCompression, Expires: now.Add(time.Minute)}
	gone, expired, future := turn, turn, turn
	gone.Gone, expired.Expires, future.Seen = true, now, now.Add(time.Hour)
	for _, c := range []struct {
		name     string
		lock     Lock
		link     Link
		active   time.Duration
		tail     []Message
		activity Activity
		state    State
		silent   time.Duration
	}{
		{"a turn that writes nothing", turn, LinkRoot, time.Hour, asked, ActivityWorking, StateRunning, 10 * time.Second},
		{"a turn after an answer", turn, LinkRoot, time.Second, answered, ActivityWorking, StateRunning, time.Second},
		{"a compression", compression, LinkRoot, time.Hour, asked, ActivityCompressing, StateRunning, time.Hour},
		{"a process that is gone", gone, LinkRoot, time.Minute, asked, ActivityDead, StateInterrupted, 10 * time.Second},
		{"a lock that has expired", expired, LinkRoot, time.Minute, asked, ActivityDead, StateInterrupted, 10 * time.Second},
		{"a message after the lock expired", Lock{Kind: LockTurn, Expires: ago(time.Hour)}, LinkRoot, time.Minute, answered, ActivityWaiting, StateRunning, time.Minute},
		{"no turn, and no answer", Lock{Kind: LockNone}, LinkRoot, time.Minute, asked, ActivityWaiting, StateRunning, time.Minute},
		{"a subagent, which works in the turn of another", Lock{Kind: LockNone}, LinkDelegate, time.Minute, asked, ActivityWorking, StateRunning, time.Minute},
		{"a file that does not tell", Lock{}, LinkRoot, time.Minute, asked, ActivityWorking, StateRunning, time.Minute},
		{"the same, silent", Lock{}, LinkRoot, time.Hour, asked, ActivitySilent, StateInterrupted, time.Hour},
		{"the same, waiting", Lock{}, LinkRoot, time.Hour, answered, ActivityWaiting, StateInterrupted, time.Hour},
		{"a lock of the future", future, LinkRoot, time.Minute, asked, ActivityWorking, StateRunning, -time.Hour},
	} {
		conv := Conversation{Messages: 1, Link: c.link, LastActive: ago(c.active), Lock: c.lock}
		if r := RunningOf(conv, c.tail, now); r.Activity != c.activity || r.Silent != c.silent {
			t.Errorf("%s: %s, silent for %v", c.name, r.Activity, r.Silent)
		}
		if got := StateOf(&conv, "user", now); got != c.state {
			t.Errorf("%s: %s", c.name, got)
		}
	}
	if got := (Running{Conversation: Conversation{Lock: turn}}).At(now.Add(2 * time.Minute)).Activity; got != ActivityDead {
		t.Errorf("a turn whose time has run out on the screen: %s", got)
	}
	for _, c := range []struct {
		lock Lock
		want string
	}{
		{Lock{}, ""}, {Lock{Kind: LockNone}, ""},
		{turn, "a turn of the agent, process 7, silent 10s"},
		{compression, "compressing its context, silent 5m"},
		{gone, "nothing: its last turn was left behind, process 7, silent 10s"},
	} {
		conv := Conversation{Lock: c.lock, LastActive: ago(5 * time.Minute)}
		if got := conv.Work(now); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
