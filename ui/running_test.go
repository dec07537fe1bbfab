package ui

import (
	"errors"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"hermes-sessions/model"
	"hermes-sessions/ui/uitest"
)

// openSessions leaves three open sessions: one that works, one that waits and one that is
// silent.
func openSessions(lib *uitest.Fake) (working, waiting, silent string) {
	now := uitest.Now()
	for i := range lib.Convs {
		lib.Convs[i].EndedAt = now
	}
	for i, c := range []*model.Conversation{&lib.Convs[0], &lib.Convs[1], &lib.Convs[2]} {
		c.EndedAt, c.LastActive = time.Time{}, now.Add(-time.Duration(20+i*600)*time.Second)
		c.Profile = []string{"default", "work", "play"}[i]
		c.Total.Input, c.Total.Output = int64(i+1)*12_000, 400
	}
	call := model.Message{ID: 9001, SessionID: lib.Convs[0].ID, Role: "assistant", Calls: []model.ToolCall{{ID: "9", Name: "terminal", Arguments: `{"command": "kafka-topics --describe --topic retry"}`}}}
	lib.Messages[lib.Convs[0].ID] = append(lib.Messages[lib.Convs[0].ID], call)
	asked := lib.Messages[lib.Convs[2].ID]
	lib.Messages[lib.Convs[2].ID] = asked[:1]
	return lib.Convs[0].Title, lib.Convs[1].Title, lib.Convs[2].Preview
}

// The board tells what each open session is doing, counts the seconds, and shows within a
// second or two what another process writes.
func TestTheRunningBoardIsLive(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		working, waiting, silent := openSessions(lib)
		d := start(t, lib, 110, 30).keys("ctrl+x", "w")
		d.sees("Running · 1 working, 1 waiting for you, 1 silent", "── Working", working, "terminal kafka-topics --describe", "── Waiting for you", waiting, "── Silent", silent, "12k")
		d.misses("nightly report").sees(" 21s ")
		d.wait(10 * time.Second)
		d.sees(" 31s ", " 10m ")
		lib.Set(func() {
			id := lib.Convs[0].ID
			lib.Messages[id] = append(lib.Messages[id], model.Message{ID: 9002, SessionID: id, Role: "assistant", Content: model.Content{Text: "The topic was compacted."}})
			lib.Convs[0].LastActive, lib.Convs[0].Messages = uitest.Now(), lib.Convs[0].Messages+1
			lib.Version++
		})
		d.wait(2 * time.Second)
		d.sees("Running · 2 waiting for you, 1 silent").misses("── Working")
		lib.Set(func() {
			for i := range lib.Convs {
				lib.Convs[i].EndedAt = uitest.Now()
			}
			lib.Version++
		})
		d.wait(2 * time.Second)
		d.sees("No open sessions.").keys("enter").misses("following")
		lib.Set(func() { lib.Err = errors.New("the disk is on fire") })
		d.keys("f5").sees("the disk is on fire").misses("No open sessions.")
	})
}

// What works becomes silent by the clock alone.
func TestASessionThatWritesNothingBecomesSilent(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		openSessions(lib)
		d := start(t, lib, 110, 30).keys("ctrl+x", "w").sees("1 working")
		d.wait(model.RunningWindow)
		d.sees("1 waiting for you, 2 silent")
	})
}

// Where the file tells who works, that is shown: a compression, a turn, and one whose process
// is gone; and what was alive a moment ago is dead when its time has run out.
func TestTheRunningBoardShowsLocks(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		working, waiting, _ := openSessions(lib)
		lock := model.Lock{Kind: model.LockTurn, PID: 7, Seen: uitest.Now().Add(-5 * time.Second), Expires: uitest.Now().Add(time.Minute)}
		lib.Convs[0].Lock = lock
		lib.DetailsOf = map[string]model.Details{lib.Convs[0].ID: {Conversation: lib.Convs[0]}}
		lock.Kind = model.LockCompression
		lib.Convs[1].Lock = lock
		lock.Gone = true
		lib.Convs[2].Lock = lock
		d := start(t, lib, 110, 30).keys("ctrl+x", "w")
		d.sees("Running · 1 working, 1 compressing, 1 dead", "── Working", working, " 6s ", "── Compressing", waiting, "── Dead")
		d.keys("i").sees("at work", "a turn of the agent, process 7, last sign of life just now").keys("esc")
		d.wait(70 * time.Second)
		d.sees("Running · 3 dead").misses("── Working")
	})
}

// Where the clock was set back, what is ahead of it is neither working nor silent since a time
// that has not come: no view makes up a length of time.
func TestViewsAfterTheClockWasSetBack(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		working, _, _ := openSessions(lib)
		ahead := uitest.Now().Add(50 * time.Hour)
		lib.Convs[0].StartedAt, lib.Convs[0].LastActive = ahead, ahead
		d := start(t, lib, 120, 40).sees("+2d")
		d.keys("ctrl+x", "w").sees("1 waiting for you, 2 silent", working, " ? ").misses("── Working", "-50", "-2d")
		d.keys("q").keys("ctrl+x", "X").sees("No conversation expires").misses("expires -")
	})
}

// Enter reads the conversation at its end and follows it; resuming asks first.
func TestTheRunningBoardLeadsToTheEnd(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		addResumeWarnings(lib)
		openSessions(lib)
		d := start(t, lib, 110, 30).keys("ctrl+x", "w").keys("enter").sees("kafka-topics --describe", "following")
		d.keys("q").sees("1 working").keys("r").sees("It may still be running").keys("esc").keys("ctrl+l").sees("Lineage").keys("q").sees("1 working")
	})
}

func TestTheRunningBoardAtEverySize(t *testing.T) {
	t.Parallel()
	for name, size := range map[string][2]int{"200x50": {200, 50}, "120x40": {120, 40}, "80x24": {80, 24}, "30x8": {30, 8}} {
		t.Run(name, func(t *testing.T) {
			at(t, func(t *testing.T, lib *uitest.Fake) {
				openSessions(lib)
				golden.RequireEqual(t, start(t, lib, size[0], size[1], func(o *Options) { o.Several = true }).keys("ctrl+x", "w", "down").screen())
			})
		})
	}
}
