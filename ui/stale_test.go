package ui

import (
	"fmt"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/uitest"
)

// A menu is open while another program deletes what the screen shows: what the menu offered is
// carried out on the row that was current when it opened, or refused, but never ends the browser.
func TestActionsOnRowsThatHaveGone(t *testing.T) {
	t.Parallel()
	for name, open := range map[string][]string{
		"list": nil, "search": {"k", "a", "f"}, "transcript": {"right"}, "lineage": {"ctrl+x", "l"}, "running": nil,
		"usage": {"ctrl+x", "U", "right"}, "conversations of the usage": {"ctrl+x", "U", "enter", "end"}, "space": {"ctrl+x", "S"},
		"clutter": {"ctrl+x", "c"}, "comparison": {"tab", "down", "tab", "ctrl+x", "C"},
	} {
		offered := 1
		for i := 0; i < offered; i += campaign.Length(3, 1) {
			t.Run(fmt.Sprintf("%s-%d", name, i), func(t *testing.T) {
				at(t, func(t *testing.T, lib *uitest.Fake) {
					stored(lib)
					if name == "running" {
						openSessions(lib)
					}
					d := start(t, lib, 120, 24).keys(open...)
					d.settle()
					var can []shell.Handler
					for _, h := range d.root.can() {
						if h.Why == "" && h.Offered() {
							can = append(can, h)
						}
					}
					offered = len(can)
					lib.Set(func() { lib.Convs, lib.Version = nil, lib.Version+1 })
					if d.root.top().Context() == shell.InUsage {
						d.keys("ctrl+l")
					}
					d.wait(20 * time.Second)
					defer func() {
						if r := recover(); r != nil {
							t.Errorf("%s: %v", can[i].Action, r)
						}
					}()
					d.run(can[i].Do())
					d.settle()
				})
			})
		}
	}
}
