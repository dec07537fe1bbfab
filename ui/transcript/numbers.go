package transcript

import (
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
)

// pause is how much time must pass between two messages to be worth a line.
const pause = time.Hour

// above gives the line over a message: where a segment begins, and where
// nothing was said for a while. segment is 0 where none begins.
func (t *Screen) above(i, segment int) string {
	var parts []string
	if segment > 0 {
		parts = append(parts, "compressed · segment "+strconv.Itoa(segment+1)+" of "+strconv.Itoa(len(t.Pages.Outline.SegmentStarts)))
	}
	if r := t.Pages.Outline.ReplayCounts; segment > 0 && segment < len(r) && r[segment] > 0 {
		parts = append(parts, kit.Plural(r[segment], "message", "messages")+" repeated")
	}
	if i > 0 {
		before, after := t.Pages.Gists[i-1].At, t.Pages.Gists[i].At
		if gap := after.Sub(before); !before.IsZero() && !after.IsZero() && gap >= pause {
			parts = append(parts, model.Age(after, before)+" later")
		}
	}
	if m := t.Pages.Outline.SegmentModels; segment > 0 && segment < len(m) && m[segment] != "" && m[segment] != m[segment-1] {
		parts = append(parts, kit.CleanLine(m[segment]))
	}
	return strings.Join(parts, " · ")
}

// turn adds up what was done in answer to a prompt, as far as it has been read.
func (t *Screen) turn(i int) string {
	var said, calls, failed int
	from, to := t.Pages.Gists[i].At, t.Pages.Gists[i].At
	if t.turnNumbers == nil {
		t.turnNumbers = countTurns(t.Pages.Gists)
	}
	prompts, known := int(t.turnNumbers[len(t.turnNumbers)-1]), t.turnNumbers[0] > 0
	number := int(t.turnNumbers[i+1])
	end := i + 1
	for ; end < len(t.Pages.Gists); end++ {
		g := &t.Pages.Gists[end]
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
		parts = append(parts, "turn "+kit.Count(number)+" of "+kit.Count(prompts))
	}
	messages := kit.Plural(said, "message", "messages")
	if end < len(t.Pages.Gists) && t.Pages.Gists[end].Author == model.NoAuthor {
		messages += " or more"
	}
	parts = append(parts, messages)
	if calls > 0 {
		parts = append(parts, kit.Plural(calls, "tool call", "tool calls"))
	}
	if failed > 0 {
		parts = append(parts, kit.Count(failed)+" failed")
	}
	if s := lasted(from, to); s != "" {
		parts = append(parts, s)
	}
	// Hermes writes down what a session costs, not what its turns do.
	cost := "cost ?"
	if known && prompts == 1 {
		cost = t.Conv.Total.Cost.String()
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
func (t *Screen) took(from, to int) string {
	if to <= from || to >= len(t.Pages.Gists) {
		return ""
	}
	return lasted(t.Pages.Gists[from].At, t.Pages.Gists[to].At)
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
func (t *Screen) wrap() tea.Cmd {
	t.hold(func() { t.chopped = !t.chopped })
	say := "long lines of code are broken"
	if t.chopped {
		say = "long lines of code are cut at the edge"
	}
	return tea.Batch(t.moved(), t.sh.Say(say))
}
