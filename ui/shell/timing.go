package shell

import "time"

const (
	// RefreshPause is how many times as long as a refresh took the next one waits,
	// so that beside a busy writer reading does not become all that is done.
	RefreshPause = 8
	// RestTime is how long the current row must stay the same before more of it
	// is read: running through a list reads nothing.
	RestTime = 60 * time.Millisecond
	// TypedWithin is the longest pause between the keys of one text: letters that follow
	// each other within it belong together.
	TypedWithin = 700 * time.Millisecond
)
