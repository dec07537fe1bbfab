package transcript

import (
	"strconv"
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
)

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

// turn returns the sums of the turn that begins with message i, as far as it has been read.
func (v *textView) turn(i int) string {
	var said, calls, failed int
	from, to := v.pages.skeletons[i].At, v.pages.skeletons[i].At
	if v.turnNumbers == nil {
		v.turnNumbers = countTurns(v.pages.skeletons)
	}
	prompts, known := int(v.turnNumbers[len(v.turnNumbers)-1]), v.turnNumbers[0] > 0
	number := int(v.turnNumbers[i+1])
	end := i + 1
	for ; end < len(v.pages.skeletons); end++ {
		g := &v.pages.skeletons[end]
		if g.Author == model.AuthorUser || g.Author == model.NoAuthor {
			break
		}
		said++
		calls += len(g.CallNames)
		if g.Failure != "" {
			failed++
		}
		if !g.At.IsZero() {
			to = g.At
		}
	}
	var parts []string
	if known {
		parts = append(parts, "turn "+kit.Count(number)+" of "+kit.Count(prompts))
	}
	messages := kit.Plural(said, "message", "messages")
	if end < len(v.pages.skeletons) && v.pages.skeletons[end].Author == model.NoAuthor {
		messages += " or more"
	}
	parts = append(parts, messages)
	if calls > 0 {
		parts = append(parts, kit.Plural(calls, "tool call", "tool calls"))
	}
	if failed > 0 {
		parts = append(parts, kit.Count(failed)+" failed")
	}
	if s := durationText(from, to); s != "" {
		parts = append(parts, s)
	}
	// Hermes stores the cost of a session, not of its turns.
	cost := "cost ?"
	if known && prompts == 1 {
		cost = v.Conv.Total.Cost.String()
	}
	return strings.Join(append(parts, cost), " · ")
}

// took writes the duration of a run of tool work.
func (v *textView) took(from, to int) string {
	if to <= from || to >= len(v.pages.skeletons) {
		return ""
	}
	return durationText(v.pages.skeletons[from].At, v.pages.skeletons[to].At)
}
