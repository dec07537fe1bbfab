package ui

import (
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
)

// pause is how much time must pass between two messages to be worth a line.
const pause = time.Hour

// above gives the line over a message: where a segment begins, and where
// nothing was said for a while. segment is 0 where none begins.
func (t *transcript) above(i, segment int) string {
	var parts []string
	if segment > 0 {
		parts = append(parts, "compressed · segment "+strconv.Itoa(segment+1)+" of "+strconv.Itoa(len(t.pages.outline.SegmentStarts)))
	}
	if r := t.pages.outline.ReplayCounts; segment > 0 && segment < len(r) && r[segment] > 0 {
		parts = append(parts, some(r[segment], "message", "messages")+" repeated")
	}
	if i > 0 {
		before, after := t.pages.gists[i-1].At, t.pages.gists[i].At
		if gap := after.Sub(before); !before.IsZero() && !after.IsZero() && gap >= pause {
			parts = append(parts, model.Age(after, before)+" later")
		}
	}
	if m := t.pages.outline.SegmentModels; segment > 0 && segment < len(m) && m[segment] != "" && m[segment] != m[segment-1] {
		parts = append(parts, CleanLine(m[segment]))
	}
	return strings.Join(parts, " · ")
}

// turn adds up what was done in answer to a prompt, as far as it has been read.
func (t *transcript) turn(i int) string {
	var said, calls, failed int
	from, to := t.pages.gists[i].At, t.pages.gists[i].At
	if t.turns == nil {
		t.turns = countTurns(t.pages.gists)
	}
	prompts, known := int(t.turns[len(t.turns)-1]), t.turns[0] > 0
	number := int(t.turns[i+1])
	end := i + 1
	for ; end < len(t.pages.gists); end++ {
		g := &t.pages.gists[end]
		if g.Author == model.AuthorUser || g.Author == model.NoAuthor {
			break
		}
		said++
		calls += len(g.CallNames)
		if g.Failed {
			failed++
		}
		if !g.At.IsZero() {
			to = g.At
		}
	}
	var parts []string
	if known {
		parts = append(parts, "turn "+count(number)+" of "+count(prompts))
	}
	messages := some(said, "message", "messages")
	if end < len(t.pages.gists) && t.pages.gists[end].Author == model.NoAuthor {
		messages += " or more"
	}
	parts = append(parts, messages)
	if calls > 0 {
		parts = append(parts, some(calls, "tool call", "tool calls"))
	}
	if failed > 0 {
		parts = append(parts, count(failed)+" failed")
	}
	if s := lasted(from, to); s != "" {
		parts = append(parts, s)
	}
	// Hermes writes down what a session costs, not what its turns do.
	cost := "cost ?"
	if known && prompts == 1 {
		cost = t.conv.Total.Cost.String()
	}
	return strings.Join(append(parts, cost), " · ")
}

// countTurns gives for every message the number of its turn, from the second
// place on; the last is how many there are. The first is 1 where all messages
// are known, else 0.
func countTurns(gists []model.Skeleton) []int32 {
	out := make([]int32, len(gists)+1)
	out[0] = 1
	n := int32(0)
	for i := range gists {
		switch gists[i].Author {
		case model.AuthorUser:
			n++
		case model.NoAuthor:
			out[0] = 0
		}
		out[i+1] = n
	}
	return out
}

// took says how long a run of tool work went on.
func (t *transcript) took(from, to int) string {
	if to <= from || to >= len(t.pages.gists) {
		return ""
	}
	return lasted(t.pages.gists[from].At, t.pages.gists[to].At)
}

// lasted writes a span of time, "" below a second, which clocks do not tell.
func lasted(from, to time.Time) string {
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

// wrap cuts long lines of code at the edge, or breaks them again.
func (t *transcript) wrap() tea.Cmd {
	t.hold(func() { t.chopped = !t.chopped })
	say := "long lines of code are broken"
	if t.chopped {
		say = "long lines of code are cut at the edge"
	}
	return tea.Batch(t.moved(), t.sh.Say(say))
}
