package db

import (
	"cmp"
	"runtime/debug"
	"time"
)

// ReduceStartCost sets the collector for a process that browses a history, and is
// called once, first of all; the bench measures with it too. Each setting has a
// figure, taken without it at 100,000 messages (M) or a million (L):
//
//   - The collector is off for the first tenth of a second, in which the first rows
//     are read and drawn: there is nothing to collect yet. To the first 50 rows at
//     M the process computes 47 ms, 61 with the collector on from the start.
//   - The limit holds from the start and for good: near it the collector works
//     harder. After a thousand searches at L, collecting as often as usual, the
//     process has 125 MB, 140 at most; with no setting at all 173 and 227.
//   - It collects three times as often as usual, since turning pages for long fills
//     the memory with what was drawn. After a thousand searches at M the process has
//     44 MB, 47 at most, else 53 and 62. That costs a key 0.3 ms.
func ReduceStartCost() {
	debug.SetMemoryLimit(96 << 20)
	percent := debug.SetGCPercent(-1)
	time.AfterFunc(100*time.Millisecond, func() { debug.SetGCPercent(cmp.Or(percent/3, percent)) })
}
