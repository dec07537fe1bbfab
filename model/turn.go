package model

import (
	"strconv"
	"strings"
	"time"
)

// Speaker is who a message is from, as a reader sees it.
type Speaker uint8

// The speakers. Others are roles that no writer of ours is known to use; they
// are shown under their own name.
const (
	Nobody Speaker = iota
	User
	Agent
	Tool
	System
	Other
)

// Speaker tells from the role who a message is from.
func (m Message) Speaker() Speaker {
	switch m.Role {
	case "user":
		return User
	case "assistant":
		return Agent
	case "tool":
		return Tool
	case "system":
		return System
	}
	return Other
}

// Gist is what folding needs to know of a message, without its text: it stays
// in memory when the message has left it. The zero value is a message that
// has not been read yet.
type Gist struct {
	Speaker Speaker
	At      time.Time
	Says    bool     // has words, media or damage to show
	Reasons bool     // has reasoning
	Calls   []string // names of the tools it calls, in order
	IDs     []string // ids of these calls
	Answers string   // the call id that a tool result answers
	Name    string   // the tool of a result
	Failed  bool     // a result that reports an error
}

// Gist gives the gist of a message.
func (m Message) Gist() Gist {
	g := Gist{
		Speaker: m.Speaker(), At: m.At, Reasons: m.Reasoning != "",
		Says: m.Speaks(),
	}
	if _, rest, ok := SplitSummary(m.Content.Text); ok && rest == "" && g.Speaker != Tool && len(m.Calls) == 0 {
		g.Speaker = System // nobody said that
	}
	// Names and ids may be pieces of the text that they were read from: copies
	// do not hold on to it.
	for _, c := range m.Calls {
		g.Calls, g.IDs = append(g.Calls, strings.Clone(c.Name)), append(g.IDs, strings.Clone(c.ID))
	}
	if g.Speaker == Tool {
		g.Answers, g.Name, g.Failed = strings.Clone(m.ToolCallID), strings.Clone(m.ToolName), m.Failed()
	}
	return g
}

// Speaks reports whether a message has more to show than tool calls and
// reasoning: words, attachments or damage.
func (m Message) Speaks() bool {
	return strings.TrimSpace(m.Content.Text) != "" || len(m.Content.Media) > 0 || m.Broken != ""
}

// Failed reports whether a tool result says that the call went wrong. Tools
// have no common form for that: it is read from how the text begins.
func (m Message) Failed() bool {
	if m.Role != "tool" {
		return false
	}
	t := strings.TrimSpace(m.Content.Text[:min(len(m.Content.Text), 400)])
	l := strings.ToLower(t)
	for _, p := range []string{"error", "traceback (most recent", "exception", "fatal:", "[error", "tool error", "failed"} {
		if strings.HasPrefix(l, p) {
			return true
		}
	}
	if !strings.HasPrefix(l, "{") {
		return false
	}
	l = strings.NewReplacer(" ", "", "\n", "", "\t", "").Replace(l)
	if i := strings.Index(l, `"error":`); i >= 0 && !strings.HasPrefix(l[i+8:], `null`) && !strings.HasPrefix(l[i+8:], `""`) &&
		!strings.HasPrefix(l[i+8:], `false`) {
		return true
	}
	if i := strings.Index(l, `"exit_code":`); i >= 0 {
		rest := l[i+12:]
		return rest != "" && !strings.HasPrefix(rest, "0") && !strings.HasPrefix(rest, "null")
	}
	return strings.Contains(l, `"success":false`)
}

// Weave ties a conversation together: tool results to the calls that they
// answer, and what the agent did between two things said into runs. Indices
// are positions in the conversation, -1 stands for none.
type Weave struct {
	Run    []int32 // the message that heads the run of tool work that a message is in
	End    []int32 // of a head: one past the last message of its run
	Caller []int32 // of a tool result: the message whose call it answers
	Nth    []int16 // of a tool result: which of the calls
}

// NewWeave ties the messages of a conversation together as far as they are
// known. starts are the positions where segments begin: no run crosses them.
// With reasoning, messages that carry some count as something said.
func NewWeave(gists []Gist, starts []int, reasoning bool) Weave {
	n := len(gists)
	w := Weave{Run: make([]int32, n), End: make([]int32, n), Caller: make([]int32, n), Nth: make([]int16, n)}
	type call struct {
		by  int32
		nth int16
	}
	open := map[string]call{} // unanswered calls; where ids repeat, the newest
	head, seg := int32(-1), 0
	for i := range gists {
		g := &gists[i]
		w.Run[i], w.End[i], w.Caller[i] = -1, -1, -1
		for seg < len(starts) && starts[seg] <= i {
			if starts[seg] == i {
				head = -1
			}
			seg++
		}
		switch {
		case g.Speaker == Tool:
			if c, ok := open[g.Answers]; ok && g.Answers != "" {
				w.Caller[i], w.Nth[i] = c.by, c.nth
				delete(open, g.Answers)
			}
		case g.Speaker == Agent && len(g.Calls) > 0:
			if g.Says || reasoning && g.Reasons {
				head = -1 // what it says ends the run before; its calls begin one
			}
			for k, id := range g.IDs {
				if id != "" {
					open[id] = call{int32(i), int16(k)}
				}
			}
		default:
			if g.Speaker == Nobody {
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
		w.Run[i], w.End[head] = head, int32(i+1)
	}
	return w
}

// Summary says what a run of tool work did, by its calls in order, as
// "3 tool calls: read_file, terminal ×2": names in the order in which they
// first came, with how often when more than once. results counts tool results
// of the run that answer no call.
func Summary(names []string, results int) string {
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
