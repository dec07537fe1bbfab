package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/uitest"
)

// appendMessages lets another process add messages to the conversation of
// addConversation.
func appendMessages(lib *uitest.Fake, msgs ...model.Message) {
	lib.Set(func() {
		all := lib.Messages["book"]
		for _, m := range msgs {
			m.ID, m.SessionID, m.At = all[len(all)-1].ID+1, "book", uitest.Now()
			all = append(all[:len(all):len(all)], m)
		}
		lib.Messages["book"] = all
		lib.Version++
	})
}

func TestNewMessagesAppearByThemselves(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		d.reads(addConversation(lib, nil, numberedMessages(60)...), "", 0)
		lib.Set(func() { lib.Convs[len(lib.Convs)-1].State = model.StateRunning })
		d.sees("60 / 60")
		appendMessages(lib, uitest.Said("user", "one more thing"), uitest.Calls("", uitest.Call("1", "terminal", "{}")))
		d.wait(3 * time.Second)
		d.sees("one more thing", "▸ terminal", "62 / 62 · following")
		appendMessages(lib, uitest.Result("1", "terminal", "x"), uitest.Calls("", uitest.Call("2", "cat", "{}")))
		d.wait(3 * time.Second)
		d.sees("▸ terminal · cat", "following")
		// Who reads elsewhere is told, and is not moved.
		d.keys("2", "0", "G")
		before := strings.SplitN(d.screen(), "\n", 2)[1]
		appendMessages(lib, uitest.Said("assistant", "done with it"), uitest.Said("user", "fine"))
		d.wait(3 * time.Second)
		d.sees("20 / 66 · 2 new below")
		if after := strings.SplitN(d.screen(), "\n", 2)[1]; after != before {
			t.Errorf("the text has moved:\n%s", after)
		}
		d.keys("f").sees("done with it", "fine", "66 / 66", "Following: new messages appear here").misses("new below")
		d.keys("g").sees("message number 1 of").keys("G").sees("done with it", "fine")
	})
}

func TestAConversationThatWasRewrittenIsReadAnew(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		d.reads(addConversation(lib, nil, numberedMessages(200)...), "", 0)
		d.keys("1", "0", "0", "G").sees("100 / 200", "message number 100 of")
		lib.Set(func() { // the user takes ten messages back
			all := lib.Messages["book"]
			lib.Messages["book"] = append(append([]model.Message{}, all[:40]...), all[50:]...)
			lib.Rewound = 10
			lib.Version++
		})
		d.wait(3 * time.Second)
		d.sees("90 / 190", "message number 100 of", "10 rewound")
	})
}

// A conversation is replaced by a shorter one while text to find in it is typed, or its hits
// are shown: they are found anew.
func TestFindInAConversationThatBecameShorter(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][]string{"typing": {"/", "m"}, "found": {"/", "m", "enter"}, "both": {"/", "m", "enter", "/", "n", "u"}} {
		for _, query := range []string{"", "message"} {
			t.Run(name+query, func(t *testing.T) {
				at(t, func(t *testing.T, lib *uitest.Fake) {
					d := start(t, lib, 80, 24)
					d.reads(addConversation(lib, nil, numberedMessages(60)...), query, 0)
					d.keys(keys...).sees("60 / 60")
					lib.Set(func() {
						m := uitest.Said("user", "another message begins")
						m.ID, m.SessionID, m.At = 900, "book", uitest.Now()
						lib.Messages["book"] = []model.Message{m}
						lib.Version++
					})
					d.wait(3 * time.Second)
					if name != "both" {
						d.sees("match 1 of 1")
					}
					d.keys("esc").sees("another message begins", "1 / 1")
					d.keys("n", "N", "/", "x", "esc")
				})
			})
		}
	}
}

func TestFindLooksIntoWhatIsNew(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		d.reads(addConversation(lib, nil, numberedMessages(60)...), "", 0)
		d.keys("/").types("otter").sees("no matches").keys("enter")
		appendMessages(lib, uitest.Said("assistant", "an otter at last"))
		d.wait(3 * time.Second)
		d.sees("match 1 of 1")
	})
}

func TestPromptsAreListedBesideTheText(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 140, 30)
		d.reads(addConversation(lib, nil, numberedMessages(2000)...), "", 0)
		d.keys("\\").sees("500 prompts", "▸ This is message number … 1,997")
		d.sees("\n    This is message number 1996 ") // beside a margin of four columns
		d.keys("[", "[").sees("▸ This is message number … 1,993", "1,993 / 2,000")
		d.keys("g").sees("▸ This is message number 1 of… 1")
		d.send(tea.MouseClickMsg{X: 130, Y: lineOf(d, "33 … 33"), Button: tea.MouseLeft})
		d.settle()
		d.sees("33 / 2,000", "▸ This is message number 33 … 33")
		d.keys("#").sees("turn 9 of 500")
		d.keys("\\").misses("500 prompts")
		d.keys("q")
		d = start(t, lib, 100, 30)
		d.reads(lib.Convs[len(lib.Convs)-1], "", 0)
		d.keys("\\").sees("Outline needs 120 columns")
		if n := len(lib.Asked); n > 200 {
			t.Errorf("%d questions: %v", n, fmt.Sprint(lib.Asked[n-5:]))
		}
	})
}
