package model

import (
	"strconv"
	"strings"
	"time"
)

// Skeleton is what folding needs to know of a message, without its text: it stays
// in memory when the message has left it. The zero value is a message that
// has not been read yet.
type Skeleton struct {
	Author       Author
	At           time.Time
	HasContent   bool     // has words, media or damage to show
	HasReasoning bool     // has reasoning
	CallNames    []string // names of the tools it calls, in order
	CallIDs      []string // ids of these calls
	ResultOf     string   // the call id that a tool result answers
	ToolName     string   // the tool of a result
	Failed       bool     // a result that reports an error
}

// Skeleton gives the gist of a message.
func (m Message) Skeleton() Skeleton {
	g := Skeleton{
		Author: m.Author(), At: m.At, HasReasoning: m.Reasoning != "",
		HasContent: m.HasContent(),
	}
	if _, rest, ok := SplitSummary(m.Content.Text); ok && rest == "" && g.Author != AuthorTool && len(m.Calls) == 0 {
		g.Author = AuthorSystem // nobody said that
	}
	// Names and ids may be pieces of the text that they were read from: copies
	// do not hold on to it.
	for _, c := range m.Calls {
		g.CallNames, g.CallIDs = append(g.CallNames, strings.Clone(c.Name)), append(g.CallIDs, strings.Clone(c.ID))
	}
	if g.Author == AuthorTool {
		g.ResultOf, g.ToolName, g.Failed = strings.Clone(m.ToolCallID), strings.Clone(m.ToolName), m.Failed()
	}
	return g
}

// ToolPairing ties a conversation together: tool results to the calls that they
// answer, and what the agent did between two things said into runs. Indices
// are positions in the conversation, -1 stands for none.
type ToolPairing struct {
	RunStart  []int32 // the message that heads the run of tool work that a message is in
	RunEnd    []int32 // of a head: one past the last message of its run
	Caller    []int32 // of a tool result: the message whose call it answers
	CallIndex []int16 // of a tool result: which of the calls
}

// PairTools ties the messages of a conversation together as far as they are
// known. starts are the positions where segments begin: no run crosses them.
// With reasoning, messages that carry some count as something said.
func PairTools(gists []Skeleton, starts []int, reasoning bool) ToolPairing {
	n := len(gists)
	w := ToolPairing{RunStart: make([]int32, n), RunEnd: make([]int32, n), Caller: make([]int32, n), CallIndex: make([]int16, n)}
	type call struct {
		by  int32
		nth int16
	}
	open := map[string]call{} // unanswered calls; where ids repeat, the newest
	head, seg := int32(-1), 0
	for i := range gists {
		g := &gists[i]
		w.RunStart[i], w.RunEnd[i], w.Caller[i] = -1, -1, -1
		for seg < len(starts) && starts[seg] <= i {
			if starts[seg] == i {
				head = -1
			}
			seg++
		}
		switch {
		case g.Author == AuthorTool:
			if c, ok := open[g.ResultOf]; ok && g.ResultOf != "" {
				w.Caller[i], w.CallIndex[i] = c.by, c.nth
				delete(open, g.ResultOf)
			}
		case g.Author == AuthorAgent && len(g.CallNames) > 0:
			if g.HasContent || reasoning && g.HasReasoning {
				head = -1 // what it says ends the run before; its calls begin one
			}
			for k, id := range g.CallIDs {
				if id != "" {
					open[id] = call{int32(i), int16(k)}
				}
			}
		default:
			if g.Author == NoAuthor {
				clear(open)
			}
			head = -1
			continue
		}
		if w.Caller[i] >= 0 && head < 0 {
			continue // answers a call of an earlier run, and is shown there
		}
		if head < 0 {
			head = int32(i)
		}
		w.RunStart[i], w.RunEnd[head] = head, int32(i+1)
	}
	return w
}

// SummarizeRun says what a run of tool work did, by its calls in order, as
// "3 tool calls: read_file, terminal ×2": names in the order in which they
// first came, with how often when more than once. results counts tool results
// of the run that answer no call.
func SummarizeRun(names []string, results int) string {
	var order []string
	times := map[string]int{}
	for _, n := range names {
		if n == "" {
			n = "unknown"
		}
		if times[n]++; times[n] == 1 {
			order = append(order, n)
		}
	}
	for i, n := range order {
		if times[n] > 1 {
			order[i] += " ×" + strconv.Itoa(times[n])
		}
	}
	s := ""
	if len(names) > 0 || results == 0 {
		s = plural(len(names), "tool call")
	}
	if len(order) > 0 {
		s += ": " + strings.Join(order, ", ")
	}
	if results > 0 {
		if s != "" {
			s += " · "
		}
		s += plural(results, "result") + " without a call"
	}
	return s
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
