//go:build !linux && !darwin

package cputime

import "time"

var started = time.Now()

// thread returns the time since the start of the process.
func thread() time.Duration { return time.Since(started) }
