package model

import (
	"strconv"
	"time"
)

// Lock is what a process that works in a conversation has written into the file: that it
// takes a turn there, or that it compresses a segment (store/README.md#sessions-in-use). The
// zero value is none, in a file that may not tell.
type Lock struct {
	Kind    LockKind
	Gone    bool      // its process has ended
	PID     int       // of its process, 0 where it does not name it
	Seen    time.Time // the last sign of life besides messages; zero for none
	Expires time.Time
}

// LockKind is what a process does in a conversation.
type LockKind uint8

// The kinds of locks.
const (
	LockUnknown     LockKind = iota // the file does not tell of turns
	LockNone                        // no turn, in a file that tells of them
	LockTurn                        // a turn of the agent
	LockCompression                 // its context is being compressed
)

// Live reports whether the process still works.
func (l Lock) Live(now time.Time) bool { return l.Kind >= LockTurn && !l.Gone && l.Expires.After(now) }

// Locks is what a file says about the processes that work in its sessions.
type Locks struct {
	Turns         bool              // it tells of every turn
	BySession     map[string][]Lock // a turn by the first segment of the conversation, a compression by the segment
	ProcessExists func(pid int) bool
}

// add takes the locks of one more segment into the lock of its conversation: a live one
// before one that was left behind, a compression before the turn that it is part of.
func (l *Lock) add(all Locks, segment string, now time.Time) {
	for _, other := range all.BySession[segment] {
		other.Gone = other.PID != 0 && !all.ProcessExists(other.PID)
		if live := other.Live(now); live != l.Live(now) && live || live == l.Live(now) && other.Kind > l.Kind {
			*l = other
		}
	}
	if l.Kind == LockUnknown && all.Turns {
		l.Kind = LockNone
	}
}

// LockOf returns the lock of the conversation that session i belongs to.
func (l *Lineage) LockOf(i int, now time.Time) (lock Lock) {
	for k := l.Root[i]; k >= 0 && len(l.Locks.BySession) > 0; k = l.Next[k] {
		lock.add(l.Locks, l.Session(int(k)).ID, now)
	}
	return lock
}

// LeftBehind reports whether the process that worked in an open conversation is gone: its
// lock is still there, and nothing was written after it.
func (c *Conversation) LeftBehind(now time.Time) bool {
	return c.Lock.Kind >= LockTurn && c.EndedAt.IsZero() && !c.Lock.Live(now) && !c.LastActive.After(c.Lock.Expires)
}

// Work says what a process does in a conversation, with the time since its last sign of life, or
// that it is gone; "" where the file tells of none.
func (c *Conversation) Work(now time.Time) string {
	text, live := "a turn of the agent", c.Lock.Live(now)
	switch {
	case live && c.Lock.Kind == LockCompression:
		text = "compressing its context"
	case !live && c.LeftBehind(now):
		text = "nothing: its last turn was left behind"
	case !live:
		return ""
	}
	if c.Lock.PID != 0 {
		text += ", process " + strconv.Itoa(c.Lock.PID)
	}
	if silence := Silence(now.Sub(c.LastSeen())); silence != "" && !c.LastSeen().IsZero() {
		text += ", " + silence
	}
	return text
}

// Silence says for how long nothing was heard of a process, "" where the last sign of life is in
// the future.
func Silence(d time.Duration) string {
	switch {
	case d < 0:
		return ""
	case d < time.Minute:
		return "silent " + strconv.Itoa(int(d/time.Second)) + "s"
	}
	seen := time.Unix(0, 0)
	return "silent " + Age(seen.Add(d), seen)
}

// LastSeen is the last sign of life of a conversation: its last activity, or that of the
// process that works in it.
func (c *Conversation) LastSeen() time.Time {
	if c.Lock.Seen.After(c.LastActive) {
		return c.Lock.Seen
	}
	return c.LastActive
}
