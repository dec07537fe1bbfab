// Package cputime measures the work of a test in CPU time, so that a limit on it
// holds on a machine that is busy with other things.
package cputime

import (
	"runtime"
	"time"
)

// Of returns the CPU time that work takes on the thread of its caller. What work starts
// in other goroutines does not count. Where the system does not count the CPU time of
// a thread, this is the time on the clock.
func Of(work func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := thread()
	work()
	return thread() - began
}
