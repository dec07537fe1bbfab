package ui

import (
	"testing"
	"time"

	"hermes-sessions/ui/uitest"
)

// Rows say when Hermes deletes them, where that is soon and there is room; a key lists
// them, the soonest first.
func TestExpiring(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		const day = 24 * time.Hour
		for i, in := range []time.Duration{6*day + time.Hour, 5 * time.Hour, 20 * day, -day} {
			lib.Convs[i].ExpiresAt = uitest.Now().Add(in)
		}
		d := start(t, lib, 80, 24)
		d.sees("expires in 6 d", "expires in 5 h", "expires now").misses("in 20 d")
		d.keys("ctrl+x", "X").sees("is:expiring", "expiring within 14 days", "soonest first", "When Hermes starts", "Within a day", "Within a week").misses("Within two weeks")
		d.keys("esc").misses("is:expiring")
		narrow := start(t, lib, 40, 12)
		narrow.misses("expires")
	})
}
