package main

import (
	"syscall"
	"time"
)

// threadTime is what this thread has computed so far. It says something only to
// a goroutine that is locked to it.
func threadTime() time.Duration { return computed(syscall.RUSAGE_THREAD) }
