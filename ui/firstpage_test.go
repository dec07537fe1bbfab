package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/transcript"
	"hermes-sessions/ui/uitest"
)

// openWithSlowOutline opens a conversation whose outline takes its time.
func openWithSlowOutline(t *testing.T, lib *uitest.Fake, n int, asked string, hit int64) *driver {
	t.Helper()
	d := start(t, lib, 80, 30)
	c := addConversation(lib, nil, numberedMessages(n)...)
	lib.Set(func() {
		lib.Delay = func(what string) time.Duration {
			if what == "first page" {
				return 0
			}
			return 100 * time.Millisecond
		}
	})
	d.run(d.root.push(transcript.New(d.root, c, query.Parse(asked, false), model.Hit{MessageID: hit})))
	d.wait(10 * time.Millisecond)
	return d
}

// body is the screen without its header and its footer.
func body(d *driver) string {
	lines := strings.Split(d.screen(), "\n")
	return strings.Join(lines[2:29], "\n")
}

// A long conversation is on the screen before its outline is, and when the
// outline comes nothing moves.
func TestLongConversationsAreSeenBeforeTheirOutline(t *testing.T) {
	t.Parallel()
	for name, hit := range map[string]int64{"end": 0, "hit": 1001 + 81} {
		t.Run(name, func(t *testing.T) {
			at(t, func(t *testing.T, lib *uitest.Fake) {
				d := openWithSlowOutline(t, lib, 4000, "walrus", hit)
				d.sees(map[string]string{"end": "message number 4000 of", "hit": "the second walrus"}[name])
				d.misses(" / " + kit.Count(4000))
				seen := body(d)
				// Only the first page is there: keys wait for the whole text.
				d.send(keyPress("j"))
				d.wait(time.Millisecond)
				d.sees("Still reading")
				d.settle()
				if now := body(d); now != seen {
					t.Errorf("the screen moved:\n%s\nwas\n%s", now, seen)
				}
				d.sees(" / " + kit.Count(4000))
			})
		})
	}
}

// The first page is not shown where the outline would move its lines.
func TestNoFirstPageThatWouldMove(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		n   int
		hit int64
	}{"short": {200, 0}, "at the beginning": {4000, 1003}, "gone": {4000, 77}} {
		t.Run(name, func(t *testing.T) {
			at(t, func(t *testing.T, lib *uitest.Fake) {
				d := openWithSlowOutline(t, lib, c.n, "", c.hit)
				d.misses("message number").sees("The oven timer")
				d.settle()
				d.sees("message number")
			})
		})
	}
}

// The window may be resized while only the first page has been read.
func TestTheFirstPageIsResized(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := openWithSlowOutline(t, lib, 4000, "", 0)
		d.send(tea.WindowSizeMsg{Width: 50, Height: 20})
		d.sees("message number 4000 of")
		d.settle()
		d.sees("message number 4000 of", kit.Count(4000)+" / "+kit.Count(4000))
	})
}
