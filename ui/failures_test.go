package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/uitest"
)

// failing is a long talk with three failed tool calls, two of them of one message.
func failing() []model.Message {
	msgs := numberedMessages(400)
	msgs[100] = uitest.Calls("", uitest.Call("1", "terminal", `{"command":"make"}`), uitest.Call("2", "terminal", `{"command":"make test"}`), uitest.Call("3", "read_file", `{"path":"/a/log.txt"}`))
	msgs[101] = uitest.Result("1", "terminal", `{"output": "no rule", "exit_code": 2}`)
	msgs[102] = uitest.Result("2", "terminal", `{"output": "fine", "exit_code": 0}`)
	msgs[103] = uitest.Result("3", "read_file", "Error: no such file")
	msgs[300] = uitest.Calls("", uitest.Call("4", "web", `{"url":"https://example.com"}`))
	msgs[301] = uitest.Result("4", "web", `{"success": false}`)
	return msgs
}

func TestNextFailure(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 30)
		d.reads(addConversation(lib, nil, failing()...), "", 0)
		d.keys("g").misses("exit 2")
		d.keys("!").sees("! exit 2", "no rule", "101 / 400")
		d.keys("!").sees("! failed", "no such file", "101 / 400")
		d.keys("!").sees("success: false", "301 / 400")
		d.keys("!").sees("No more failed tool calls below; ! starts at the top")
		d.keys("!").sees("! exit 2", "101 / 400")
		d.keys("g", "!").sees("! exit 2", "101 / 400")
		d.keys("G", "!").sees("failed tool calls below; ! starts at the top")
		d.keys("K", "!").sees("failed tool calls below; ! starts at the top")
		d.keys("!").sees("! exit 2", "101 / 400")
	})
}

func TestNextFailureWhereNoneFailed(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 30)
		d.reads(addConversation(lib, nil, numberedMessages(40)...), "", 0)
		d.keys("G", "!").sees("No failed tool calls").misses("below", "starts at the top")
		d.keys("g", "!").sees("No failed tool calls").misses("below", "starts at the top")
	})
}

func TestOutlineMarksTurnsWithFailures(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 160, 30)
		d.reads(addConversation(lib, nil, uitest.Said("user", "<memory-context>"+strings.Repeat("They like tea. ", 200)+"</memory-context>\nbuild **it**"), uitest.Calls("", uitest.Call("1", "terminal", "{}")), uitest.Result("1", "terminal", "Error: no"),
			uitest.Said("user", "and now?"), uitest.Said("assistant", "fine")), "", 0)
		d.sees("2 prompts")
		marked := 0
		for _, l := range strings.Split(d.screen(), "\n") {
			if _, pane, ok := strings.Cut(l, "│"); ok && strings.Contains(pane, "build it") && strings.Contains(pane, "! 1") {
				marked++
			} else if ok && strings.Contains(pane, "and now?") && strings.Contains(pane, "!") {
				t.Errorf("%q has a mark", pane)
			}
		}
		if marked != 1 {
			t.Errorf("%d prompts are shown with a mark\n%s", marked, d.screen())
		}
	})
}

// The outline is there by itself where the window is wide, and as the reader has chosen
// otherwise.
func TestOutlineByWidth(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		w             int
		first, second bool
	}{{100, false, false}, {130, false, true}, {150, true, false}, {200, true, false}} {
		t.Run(fmt.Sprint(c.w), func(t *testing.T) {
			at(t, func(t *testing.T, lib *uitest.Fake) {
				d := start(t, lib, c.w, 30)
				d.reads(addConversation(lib, nil, numberedMessages(10)...), "", 0)
				for _, want := range []bool{c.first, c.second} {
					if got := strings.Contains(d.screen(), "3 prompts"); got != want {
						t.Errorf("the outline is shown: %v\n%s", got, d.screen())
					}
					d.keys("\\")
				}
			})
		})
	}
}

// A long prompt of the outline has two lines where all prompts fit. Each leads to it.
func TestOutlineWraps(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		const long = "Why do the pressure cooker and the oven never agree on the time?"
		d := start(t, lib, 120, 30)
		d.reads(addConversation(lib, nil, uitest.Said("user", long), uitest.Said("assistant", "They count from different moments."), uitest.Said("user", "And the egg timer?")), "", 0)
		d.keys("\\").sees("▸ And the egg timer?", "│   Why do the pressure cooker   1", "│   and the oven never agree on…")
		d.clickOn("and the oven never agree on…").sees("▸ Why do the pressure cooker")
	})
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 120, 20)
		d.reads(addConversation(lib, nil, numberedMessages(60)...), "", 0)
		d.keys("\\").sees("15 prompts", "│ ▸ This is message number 57 … 57")
	})
}

func TestReaderReturnsToThePlace(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Convs = nil
		lib.Convs = []model.Conversation{addConversation(lib, nil, numberedMessages(400)...)}
		d := start(t, lib, 80, 24)
		d.keys("right").sees("400 / 400")
		d.keys("1", "2", "3", "G", "j", "j", "J").sees("125 / 400")
		before := d.screen()
		d.keys("q", "right")
		if after := d.screen(); after != before {
			t.Errorf("the place has changed:\n%s\nis now\n%s", before, after)
		}
		d.keys("G", "q", "right").sees("400 / 400")
	})
}

// A window with no line for the text has none for the outline.
func TestTheOutlineInALowWindow(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 200, 50)
		d.reads(addConversation(lib, nil, numberedMessages(10)...), "", 0)
		d.sees("3 prompts")
		for _, prompt := range []string{"/", "5"} {
			d.keys(prompt)
			for h := 1; h < 8; h++ {
				d.send(tea.WindowSizeMsg{Width: 200, Height: h})
			}
			d.send(tea.WindowSizeMsg{Width: 200, Height: 50})
			d.keys("esc").sees("3 prompts")
		}
	})
}
