// Package gc sets the garbage collector for a process that answers once, or browses a history.
// The program and the bench of the search use the same settings.
package gc

import (
	"cmp"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// tuned reports whether Tune was called.
var tuned atomic.Bool

// pace is how often the collector runs, which Tune and KeepSmall decide.
var pace struct {
	sync.Mutex
	usual       int // GOGC
	late, small bool
}

// setPace changes the pace with f and sets the collector, except at the start.
func setPace(f func()) {
	pace.Lock()
	defer pace.Unlock()
	f()
	switch {
	case pace.late && pace.small:
		debug.SetGCPercent(cmp.Or(pace.usual/5, pace.usual))
	case pace.late:
		debug.SetGCPercent(2 * pace.usual)
	}
}

// Tune sets the collector; call it once, before anything else. Each setting has
// a figure, measured against the process without it at 100,000 messages (M) or
// a million (L):
//
//   - The collector is off for the first tenth of a second, in which the first
//     rows are read and drawn: there is nothing to collect yet. Up to the first
//     50 rows at M the process uses 47 ms of CPU, and 61 ms with the collector on
//     from the start.
//   - The memory limit holds from the start to the end: near it the collector
//     works harder. After a thousand searches at L, collecting as often as usual,
//     the process has 125 MB, 140 at most; with no setting at all 173 and 227.
//   - After that it collects half as often as usual: a command ends soon. A search by a
//     command takes 0.72 s of CPU at L with 97 MB, and 0.88 with 65 as below; at M 0.27
//     with 54 MB, and 0.38 with 42.
//   - After [KeepSmall] it collects five times as often as usual, since each page that
//     is turned leaves the memory of the one before. After a thousand searches at L the
//     search has 83 MB, 89 with three times as often, at 3 % more CPU; a browser has 89
//     in the pause after typing and 97 before it.
//   - When the collector has had nothing to do for ten seconds, the system gets back
//     what is free: a browser that is left open at L after some searches keeps 68 MB of its
//     own instead of 81. That costs 3 ms each time.
func Tune() {
	tuned.Store(true)
	debug.SetMemoryLimit(96 << 20)
	pace.usual = debug.SetGCPercent(-1)
	time.AfterFunc(100*time.Millisecond, func() { setPace(func() { pace.late = true }) })
	go func() {
		var last int64
		for range time.Tick(10 * time.Second) {
			if collections() == last {
				debug.FreeOSMemory()
			}
			last = collections()
		}
	}()
}

// KeepSmall says that the process stays for long, or handles texts of many megabytes.
func KeepSmall() { setPace(func() { pace.small = true }) }

// Release gives free memory back to the system, in a process that Tune was called in.
// In others, tests above all, it does nothing: it costs a collection.
func Release() {
	if tuned.Load() {
		debug.FreeOSMemory()
	}
}

// collections returns how many times the collector has run.
func collections() int64 {
	var stats debug.GCStats
	debug.ReadGCStats(&stats)
	return stats.NumGC
}
