//go:build linux || darwin

package cputime

import (
	"time"

	"golang.org/x/sys/unix"
)

var started = time.Now() //nolint:forbidigo // the clock of a measurement, where the system has no other

// thread returns the CPU time that this thread has taken.
func thread() time.Duration {
	var spent unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &spent); err != nil {
		return time.Since(started)
	}
	return time.Duration(spent.Nano())
}
