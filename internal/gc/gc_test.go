package gc

import (
	"runtime/debug"
	"testing"
)

// A process that stays collects five times as often as usual, whether it says so at the start
// or later, and one that does not half as often; a collector that is off stays off.
func TestPace(t *testing.T) {
	usual := debug.SetGCPercent(-1)
	defer debug.SetGCPercent(usual)
	late := func() { setPace(func() { pace.late = true }) }
	for _, c := range []struct {
		usual int
		calls []func()
		want  int
	}{
		{100, nil, -1},
		{100, []func(){KeepSmall}, -1},
		{100, []func(){late}, 200},
		{100, []func(){KeepSmall, late}, 20},
		{100, []func(){late, KeepSmall}, 20},
		{-1, []func(){late, KeepSmall}, -1},
		{-1, []func(){late}, -1},
	} {
		debug.SetGCPercent(-1)
		pace.usual, pace.late, pace.small = c.usual, false, false
		for _, call := range c.calls {
			call()
		}
		if got := debug.SetGCPercent(-1); got != c.want {
			t.Errorf("usual %d, after %d calls: %d, want %d", c.usual, len(c.calls), got, c.want)
		}
	}
}
