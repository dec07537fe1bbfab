package ui

import (
	"slices"
	"testing"

	"hermes-sessions/ui/uitest"
)

// The parts of the history are offered with their numbers, one key each, and
// are said above the list while they are in force.
func TestTheListIsConfinedToSourcesAndFolders(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 40).keys("f4").sees("Show only", "scope automation", "source cli", "source cron", "folder /home/ada/larder")
		d.types("source cli").keys("enter").sees("source cli")
		if q := d.asks().List; !slices.Equal(q.Sources, []string{"cli"}) || len(d.root.dialogs) != 0 {
			t.Fatalf("asked for %+v", q)
		}
		d.types(":source tele").sees("Show this source too").keys("enter")
		if q := d.asks().List; len(q.Sources) != 2 {
			t.Fatalf("asked for %+v", q)
		}
		d.keys("f4").types("folder").keys("enter").sees("in /home/ada/larder")
		if q := d.root.Listed(); q.CWD != "/home/ada/larder" || len(q.Sources) != 2 {
			t.Fatalf("left behind: %+v", q)
		}
		d.types(":source all").keys("enter").types(":folder all").keys("enter").misses("in /home/ada")
		if q := d.asks().List; q.Sources != nil || q.CWD != "" {
			t.Fatalf("asked for %+v", q)
		}
	})
}
