package ui

import (
	"errors"
	"testing"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/ui/uitest"
)

// openSessions leaves two conversations that run, one that works and one that waits, and one
// that is silent for too long.
func openSessions(lib *uitest.Fake) (working, waiting, silent string) {
	now := uitest.Now()
	for i := range lib.Convs {
		lib.Convs[i].EndedAt = now
		if lib.Convs[i].State == model.StateRunning {
			lib.Convs[i].State = model.StateDone
		}
	}
	for i, c := range []*model.Conversation{&lib.Convs[0], &lib.Convs[1], &lib.Convs[2]} {
		c.EndedAt, c.LastActive = time.Time{}, now.Add(-time.Duration(20+i*200)*time.Second)
		c.Profile = []string{"default", "work", "play"}[i]
		c.Total.Input, c.Total.Output = int64(i+1)*12_000, 400
	}
	lib.Convs[0].State, lib.Convs[1].State, lib.Convs[2].State = model.StateRunning, model.StateRunning, model.StateInterrupted
	call := model.Message{ID: 9001, SessionID: lib.Convs[0].ID, Role: "assistant", Calls: []model.ToolCall{{ID: "9", Name: "terminal", Arguments: `{"command": "kafka-topics --describe --topic retry"}`}}}
	lib.Messages[lib.Convs[0].ID] = append(lib.Messages[lib.Convs[0].ID], call)
	asked := lib.Messages[lib.Convs[2].ID]
	lib.Messages[lib.Convs[2].ID] = asked[:1]
	return lib.Convs[0].Title, lib.Convs[1].Title, lib.Convs[2].Preview
}

// The group at the top of the list tells what each session that runs is doing, counts the
// seconds, and shows within a second or two what another process writes.
func TestTheRunningGroupIsLive(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		working, waiting, silent := openSessions(lib)
		d := start(t, lib, 80, 28)
		d.sees("\n Running\n ▸ ● "+working, "\n     terminal kafka-topics --describe --topic retry", " silent 20s\n", "\n     "+waiting, "\n     waiting for you\n", "\n Pinned\n", "\n     "+silent).misses("● "+waiting, "● "+silent)
		d.wait(10 * time.Second)
		d.sees(" silent 30s\n")
		lib.Set(func() {
			id := lib.Convs[0].ID
			lib.Messages[id] = append(lib.Messages[id], model.Message{ID: 9002, SessionID: id, Role: "assistant", Content: model.Content{Text: "The topic was compacted."}})
			lib.Convs[0].LastActive, lib.Convs[0].Messages = uitest.Now(), lib.Convs[0].Messages+1
			lib.Version++
		})
		d.wait(3 * time.Second)
		d.sees("\n ▸   "+working+" ").misses("kafka-topics", "silent")
		lib.Set(func() {
			for i := range lib.Convs {
				lib.Convs[i].State = model.StateDone
			}
			lib.Version++
		})
		d.wait(2 * time.Second)
		d.misses("\n Running\n", "waiting for you")
		lib.Set(func() { lib.Err = errors.New("the disk is on fire") })
		d.keys("f5").sees("the disk is on fire")
	})
}

// What runs stops doing so by the clock, and when its process ends: neither changes the file.
func TestRowsThatRunAreReadAgain(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		openSessions(lib)
		lib.Convs[1].Lock = model.Lock{Kind: model.LockCompression, PID: 7, Seen: uitest.Now(), Expires: uitest.Now().Add(time.Hour)}
		d := start(t, lib, 80, 30).sees("\n Running\n", "\n     compressing ")
		lib.Set(func() { lib.Convs[1].Lock, lib.Convs[1].State = model.Lock{}, model.StateInterrupted })
		d.wait(7 * time.Second)
		d.misses("compressing").sees("\n Running\n")
		lib.Set(func() { lib.Convs[0].State = model.StateInterrupted })
		d.wait(model.RunningWindow)
		d.misses("\n Running\n")
	})
}

// The action running goes to the group, also out of a search and another order; where nothing
// runs, it says so.
func TestRunningGoesToTheGroup(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		working, _, _ := openSessions(lib)
		d := start(t, lib, 80, 24).keys("end").keys("ctrl+x", "w")
		if d.current() != working {
			t.Fatalf("at %q", d.current())
		}
		d.keys("ctrl+x", "w").sees("This is the newest running conversation")
		d.types("menu").keys("ctrl+s").keys("ctrl+x", "w").sees("\n Running\n", "recent first")
		if d.current() != working || d.query() != "" {
			t.Fatalf("at %q, the query is %q", d.current(), d.query())
		}
		d.keys("ctrl+s", "down").keys("ctrl+x", "w").sees("\n Running\n")
		lib.Set(func() { lib.Err = errors.New("the disk is on fire") })
		d.keys("f5").sees("the disk is on fire").keys("ctrl+x", "w").misses("newest running")
		lib.Set(func() {
			lib.Err = nil
			for i := range lib.Convs {
				lib.Convs[i].State = model.StateDone
			}
			lib.Version++
		})
		d.wait(2 * time.Second)
		d.keys(":").types("running").sees("no conversation is running")
	})
}

// Where the clock was set back, what is ahead of it is not silent since a time that has not
// come: no view makes up a length of time.
func TestViewsAfterTheClockWasSetBack(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		working, _, _ := openSessions(lib)
		ahead := uitest.Now().Add(50 * time.Hour)
		lib.Convs[0].StartedAt, lib.Convs[0].LastActive = ahead, ahead
		d := start(t, lib, 120, 40).sees("+2d", working).misses("silent -", "-50", "-2d")
		d.keys("ctrl+x", "X").sees("No conversation expires").misses("expires -")
	})
}
