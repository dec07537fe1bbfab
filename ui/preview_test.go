package ui

import (
	"fmt"
	"testing"

	"hermes-sessions/model"
	"hermes-sessions/ui/uitest"
)

// A recap says how much it leaves out where it knows, and that it does where
// counting would take reading everything.
func TestTheRecapIsHonestAboutWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		said, tools int // of each answer
		want, not   string
	}{
		{4, 0, "message 1 of", "earlier message"},
		{30, 0, "… 10 earlier messages", "message 9 of"},
		{200, 0, "… earlier messages", "0 earlier messages"},
		{30, 9, "… 10 earlier messages", "message 1 of"}, // two answers in eighty messages are no recap
	} {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			var msgs []model.Message
			for i := range c.said {
				if i%2 == 0 {
					msgs = append(msgs, uitest.Said("user", fmt.Sprintf("message %d of all", i+1)))
					continue
				}
				for k := range c.tools {
					id := fmt.Sprint("c", i, k)
					msgs = append(msgs, model.Message{Role: "tool", ToolCallID: id, Content: model.Content{Text: "did it"}})
				}
				msgs = append(msgs, uitest.Said("assistant", fmt.Sprintf("message %d of all", i+1)))
			}
			lib.Convs = nil
			conv := addConversation(lib, nil, msgs...)
			conv.Messages = len(msgs)
			lib.Convs = []model.Conversation{conv}
			d := start(t, lib, 160, 90)
			d.settle()
			d.sees(c.want, fmt.Sprintf("message %d of all", c.said)).misses(c.not)
			if c.tools > 0 {
				d.sees("message 11 of all") // twenty entries all the same
			}
		})
	}
}

// An event is shown as an event, not as a message.
func TestTheRecapTellsEvents(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		event := uitest.Said("user", "[switched]")
		event.DisplayKind = "model_switch"
		lib.Convs = nil
		lib.Convs = []model.Conversation{addConversation(lib, nil, uitest.Said("user", "hello"), event, uitest.Said("assistant", "hi"))}
		d := start(t, lib, 140, 40)
		d.settle()
		d.sees("◈ model changed", "hello").misses("[switched]")
	})
}

// The browser can begin at a message; back leads to the list.
func TestBeginningAtAMessage(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		c := addConversation(lib, nil, numberedMessages(200)...)
		d := start(t, lib, 100, 24, func(o *Options) { o.Place = &Place{Conversation: c, Message: 1050} })
		d.sees("This is message number 50 of a talk.", "50 / 200")
		d.keys("q").sees("hermes sessions").misses("message number 50 of a talk.")
	})
}
