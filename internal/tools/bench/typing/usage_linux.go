package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime is what the whole process has computed so far, the collector too.
func cpuTime() time.Duration { return clockTime(unix.CLOCK_PROCESS_CPUTIME_ID) }

// threadTime is what this thread has computed so far. It says something only to
// a goroutine that is locked to it.
func threadTime() time.Duration { return clockTime(unix.CLOCK_THREAD_CPUTIME_ID) }

func clockTime(clock int32) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(clock, &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
