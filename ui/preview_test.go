package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/uitest"
)

// A preview says how much comes before it, and shows at least a few messages that say
// something, however many of tools are between them.
func TestThePreviewSaysWhatComesBeforeIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		said, tools int // of each answer
		want, not   string
	}{
		{4, 0, "message 1 of", "earlier message"},
		{200, 0, "120 earlier messages", "message 100 of"},
		{30, 9, "message 24 of", "did it"},
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
					msgs = append(msgs, uitest.Calls("", uitest.Call(id, "terminal", "{}")), uitest.Result(id, "terminal", "did it"))
				}
				msgs = append(msgs, uitest.Said("assistant", fmt.Sprintf("message %d of all", i+1)))
			}
			lib.Convs = nil
			conv := addConversation(lib, nil, msgs...)
			conv.Messages = len(msgs)
			lib.Convs = []model.Conversation{conv}
			d := start(t, lib, 160, 90)
			d.settle()
			d.sees(fmt.Sprintf("message %d of all", c.said))
			for range 250 {
				d.keys("shift+up")
			}
			d.sees(c.want).misses(c.not)
		})
	}
}

// The first line is that of a message, and says whose it is, even where a longer run of
// the agent's work does not fit.
func TestThePreviewBeginsWithAMessage(t *testing.T) {
	t.Parallel()
	for h := 20; h < 44; h++ {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			msgs := []model.Message{uitest.Said("user", "go on")}
			for i := range 12 {
				id := fmt.Sprint("c", i)
				msgs = append(msgs, uitest.Calls(fmt.Sprintf("Step %d has\n\nthree paragraphs\n\nof text.", i), uitest.Call(id, "cat", `{"path": "a.txt"}`)), uitest.Result(id, "cat", "x"))
			}
			msgs = append(msgs, uitest.Said("assistant", "All done."))
			lib.Convs = nil
			lib.Convs = []model.Conversation{addConversation(lib, nil, msgs...)}
			d := start(t, lib, 120, h)
			d.settle()
			d.sees("All done.", "▸ cat a.txt")
			lines := strings.Split(d.screen(), "\n")
			at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "◆ hermes") || strings.Contains(l, "● you") })
			if at < 0 || !strings.Contains(lines[at+1], "Step ") && !strings.Contains(lines[at+1], "go on") {
				t.Errorf("no message begins the preview:\n%s", d.screen())
			}
		})
	}
}

// An event is shown as an event, not as a message.
func TestThePreviewTellsEvents(t *testing.T) {
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

// A window that becomes larger shows the preview of the current row, and the transcript
// beside a tree.
func TestALargerWindowShowsWhatFitsNow(t *testing.T) {
	t.Parallel()
	small, large := tea.WindowSizeMsg{Width: 80, Height: 24}, tea.WindowSizeMsg{Width: 160, Height: 50}
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, small.Width, small.Height)
		d.settle()
		d.misses("goes away.")
		d.send(large)
		d.settle()
		d.sees("goes away.")
		d.send(tea.WindowSizeMsg{Width: 60, Height: 20})
		d.keys("ctrl+l").sees("without branches, subagents or other segments")
		d.settle()
		d.misses("goes away.")
		d.send(large)
		d.settle()
		d.sees("goes away.")
	})
}

// A tall preview shows the best match where the transcript has it, with what stands around it and
// the words marked, in a low window too.
func TestThePreviewShowsTheTextAroundTheMatch(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Convs = nil
		messages := numberedMessages(200)
		messages[99].Content.Text = "a pelican, at last"
		lib.Convs = []model.Conversation{addConversation(lib, nil, messages...)}
		d := start(t, lib, 200, 50).types("pelican")
		d.settle()
		d.sees("number 99 of a talk", "number 101 of a talk").misses("number 200 of a talk")
		if marked := d.root.styles.Hit.Render("pelican"); strings.Count(d.root.View().Content, marked) < 1 {
			t.Errorf("%q is not marked:\n%s", marked, d.screen())
		}
		d.keys("shift+down", "shift+down", "shift+down").sees("number 102 of a talk")
		low := start(t, lib, 80, 24).types("pelican").keys("f3")
		low.settle()
		low.sees("a pelican, at last").misses("number 200 of a talk")
	})
}
