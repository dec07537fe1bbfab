package store

import (
	"cmp"
	"runtime/debug"
	"time"
)

// StartLight sets the collector for a process that browses a history, and is
// called once, first of all; the bench measures with it too.
//
// It puts the collector off for the first moments, in which the first rows are
// read and drawn: there is nothing to collect yet, and a fifth of that time
// would go into looking for it. The limit holds from the start and for good:
// near it the collector works harder, so that a history of a million messages
// is browsed in little memory. And it works three times as often as usual: what
// is kept is small or has nothing to follow, and turning pages for long fills
// the memory with what was drawn.
func StartLight() {
	debug.SetMemoryLimit(96 << 20)
	percent := debug.SetGCPercent(-1)
	time.AfterFunc(100*time.Millisecond, func() { debug.SetGCPercent(cmp.Or(percent/3, percent)) })
}
