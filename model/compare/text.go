package compare

import (
	"strconv"
	"time"

	"hermes-sessions/model"
)

// DurationText writes a duration in its largest unit, "" for none.
func DurationText(d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d < time.Minute:
		return model.Quantity(int(max(d, time.Second)/time.Second), "second")
	case d < time.Hour:
		return model.Quantity(int(d/time.Minute), "minute")
	case d < 48*time.Hour:
		return model.Quantity(int(d/time.Hour), "hour")
	}
	return model.Quantity(int(d/(24*time.Hour)), "day")
}

// Times writes how often something was done, "" for once.
func Times(n int) string {
	if n == 1 {
		return ""
	}
	return " ×" + strconv.Itoa(n)
}
