package main

import (
	"os"
	"strconv"
	"strings"
)

// memory returns how many megabytes are resident now and were at most, 0 where
// the system does not say so in /proc.
func memory() (now, peak float64) {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(b)) {
		name, value, _ := strings.Cut(line, ":")
		kb, _ := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 64)
		switch name {
		case "VmRSS":
			now = kb / 1024
		case "VmHWM":
			peak = kb / 1024
		}
	}
	return now, peak
}

// load returns how busy the machine is, "" where it does not say so.
func load() string {
	b, _ := os.ReadFile("/proc/loadavg")
	one, _, _ := strings.Cut(string(b), " ")
	return one
}
