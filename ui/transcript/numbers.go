package transcript

import (
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
)

// pause is how much time must pass between two messages for a line to say so.
const pause = time.Hour

// countTurns numbers the turns: element i+1 is the turn of message i, so the last element
// is their number. Element 0 is 1 if every message has been read at least once, else 0.
func countTurns(skeletons []model.Skeleton) []int32 {
	out := make([]int32, len(skeletons)+1)
	out[0] = 1
	n := int32(0)
	for i := range skeletons {
		switch skeletons[i].Author {
		case model.AuthorUser:
			n++
		case model.NoAuthor:
			out[0] = 0
		}
		out[i+1] = n
	}
	return out
}

// durationText writes a duration, "" below a second.
func durationText(from, to time.Time) string {
	d := to.Sub(from)
	switch {
	case from.IsZero() || to.IsZero() || d < time.Second:
		return ""
	case d < time.Minute:
		return strconv.Itoa(int(d.Seconds())) + " s"
	case d < time.Hour:
		return strings.TrimSuffix(strconv.Itoa(int(d.Minutes()))+" min "+strconv.Itoa(int(d.Seconds())%60)+" s", " 0 s")
	}
	return strings.TrimSuffix(strconv.Itoa(int(d.Hours()))+" h "+strconv.Itoa(int(d.Minutes())%60)+" min", " 0 min")
}

// toggleWrap switches long lines of code between cut at the edge and wrapped.
func (t *Screen) toggleWrap() tea.Cmd {
	t.hold(func() { t.chopped = !t.chopped })
	say := "long code lines wrap"
	if t.chopped {
		say = "long code lines are cut off"
	}
	return tea.Batch(t.moved(), t.sh.Say(say))
}
