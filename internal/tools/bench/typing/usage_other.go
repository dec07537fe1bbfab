//go:build !linux

package main

import "time"

// cpuTime and threadTime are not known here.
func cpuTime() time.Duration    { return 0 }
func threadTime() time.Duration { return 0 }
