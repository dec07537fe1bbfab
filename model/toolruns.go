package model

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Skeleton is a message without its text: what the transcript needs to fold tool
// runs. It stays in memory when the message is no longer there. The zero value is a
// message that has not been read yet.
type Skeleton struct {
	Author       Author
	At           time.Time
	HasContent   bool // see [Message.HasContent]
	HasReasoning bool
	CallNames    []string // tool names of its calls, in order
	CallObjects  []string // what these calls work on, see [ToolCall.Object]
	CallIDs      []string // ids of these calls
	ResultOf     string   // of a tool result: the id of its call
	ToolName     string   // of a tool result
	Failure      string   // of a tool result, see [Message.Failure]
}

// Skeleton returns the skeleton of a message. It copies the strings that it keeps, so
// that the message can be freed.
func (m Message) Skeleton() Skeleton {
	s := Skeleton{
		Author: m.Author(), At: m.At, HasReasoning: m.Reasoning != "",
		HasContent: m.HasContent(),
	}
	if _, rest, ok := SplitSummary(m.Content.Text); ok && rest == "" && s.Author != AuthorTool && len(m.Calls) == 0 {
		s.Author = AuthorSystem // Hermes inserted it
	}
	// Names and ids may be substrings of a whole column: copy them.
	for _, c := range m.Calls {
		s.CallNames, s.CallIDs = append(s.CallNames, strings.Clone(c.Name)), append(s.CallIDs, strings.Clone(c.ID))
		s.CallObjects = append(s.CallObjects, strings.Clone(c.Object()))
	}
	if s.Author == AuthorTool {
		s.ResultOf = strings.Clone(m.ToolCallID)
		s.ToolName = strings.Clone(m.ToolName)
		s.Failure = m.Failure()
	}
	return s
}

// ToolPairing pairs tool results with their calls, and groups messages into tool
// runs. The slices are indexed by position in the conversation and contain such
// positions; -1 stands for none.
type ToolPairing struct {
	RunStart  []int32 // the first message of the tool run that a message is in
	RunEnd    []int32 // of the first message of a run: one past its last message
	Caller    []int32 // of a tool result: the message with the call
	CallIndex []int16 // of a tool result: the index of the call in that message
}

// PairTools pairs the tool calls and results of a conversation. Messages that have
// not been read (zero skeletons) end a run and all open calls. starts are the
// positions where segments begin; no run crosses them. With reasoning, a message
// that has reasoning ends the run before it, as one that says something does.
func PairTools(skeletons []Skeleton, starts []int, reasoning bool) ToolPairing {
	n := len(skeletons)
	p := ToolPairing{RunStart: make([]int32, n), RunEnd: make([]int32, n), Caller: make([]int32, n), CallIndex: make([]int16, n)}
	type call struct {
		by  int32
		nth int16
	}
	open := map[string]call{} // calls without a result; the newest if an id repeats
	head, seg := int32(-1), 0
	for i := range skeletons {
		s := &skeletons[i]
		p.RunStart[i] = -1
		p.RunEnd[i] = -1
		p.Caller[i] = -1
		for seg < len(starts) && starts[seg] <= i {
			if starts[seg] == i {
				head = -1
			}
			seg++
		}
		switch {
		case s.Author == AuthorTool:
			if c, ok := open[s.ResultOf]; ok && s.ResultOf != "" {
				p.Caller[i], p.CallIndex[i] = c.by, c.nth
				delete(open, s.ResultOf)
			}
		case s.Author == AuthorAgent && len(s.CallNames) > 0:
			if s.HasContent || reasoning && s.HasReasoning {
				head = -1 // its text ends the run before; its calls begin a new one
			}
			for k, id := range s.CallIDs {
				if id != "" {
					open[id] = call{int32(i), int16(k)}
				}
			}
		default:
			if s.Author == NoAuthor {
				clear(open)
			}
			head = -1
			continue
		}
		if p.Caller[i] >= 0 && head < 0 {
			continue // the result of a call in an earlier run, shown there
		}
		if head < 0 {
			head = int32(i)
		}
		p.RunStart[i], p.RunEnd[head] = head, int32(i+1)
	}
	return p
}

// Limits of what a summary says about the objects of calls, in characters.
const (
	maxGroupText = 60
	maxRunText   = 120
)

// RunPart is a part of the summary of a tool run: a tool with the number of its calls, and what
// they worked on, "" where that is not known.
type RunPart struct{ Tool, Object string }

func (p RunPart) String() string {
	if p.Object == "" {
		return p.Tool
	}
	return p.Tool + " " + p.Object
}

// RunParts summarizes a tool run: a part for each group of calls, and one for the number of tool
// results without a call.
func RunParts(groups []CallGroup, results int) (parts []RunPart) {
	room := maxRunText
	for _, g := range groups {
		part := RunPart{Tool: g.Name}
		if g.Count > 1 {
			part.Tool += " ×" + strconv.Itoa(g.Count)
		}
		if room > 0 {
			part.Object = truncate(g.ObjectText(), min(maxGroupText, room), "…")
			room -= utf8.RuneCountInString(part.Object)
		}
		parts = append(parts, part)
	}
	if results > 0 {
		parts = append(parts, RunPart{Tool: Quantity(results, "result") + " without a call"})
	}
	return parts
}

// SummarizeRun describes a tool run in one line, as the transcript does: "web_search ovens ·
// terminal ×2 make; make test". results is the number of tool results without a call.
func SummarizeRun(groups []CallGroup, results int) string {
	var b strings.Builder
	for i, part := range RunParts(groups, results) {
		if i > 0 {
			b.WriteString(" · ")
		}
		b.WriteString(part.String())
	}
	return b.String()
}
