package ui

import "time"

const (
	// restAfter is how many times as long as a refresh took the next one waits,
	// so that beside a busy writer reading does not become all that is done.
	restAfter = 8
	// doubleClick is the longest pause between two clicks that open a row.
	doubleClick = 400 * time.Millisecond
	// resting is how long the current row must stay the same before more of it
	// is read: running through a list reads nothing.
	resting = 60 * time.Millisecond
)
