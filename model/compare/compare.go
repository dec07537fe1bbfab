// Package compare finds where two conversations diverge, and sums up what each did after that.
//
// Messages are the same if role, text and tool calls are: ids and times do not count, since
// a branch has copies of the messages of its parent. A [Comparison] takes the messages of
// both sides in reading order, a page of one and then a page of the other, and holds only
// those that it cannot compare yet: memory does not depend on how much is the same.
//
//	read.go     reads two conversations into a comparison
//	compare.go  the comparison
//	text.go     its numbers in words
package compare

import (
	"sort"
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/files"
)

// Limits of what a [Side] holds.
const (
	maxText    = 2000 // bytes of an excerpt
	maxPrompts = 1000
	maxFiles   = 1000
)

// Excerpt is the beginning of a message.
type Excerpt struct {
	Message   int64 // its id
	SessionID string
	Text      string // the first 2,000 bytes, without inserted memories
}

// Tool is how often a tool was called.
type Tool struct {
	Name   string
	Calls  int
	Failed int // results that look like errors
}

// File is a file that tool calls wrote.
type File struct {
	Path      string // as in the arguments
	Writes    int
	Message   int64 // the last of them
	SessionID string
}

// Side is what one conversation did after the two parted.
type Side struct {
	Messages int     // of the conversation after that
	First    Excerpt // the first message after that; Message is 0 where there is none
	Prompts  []Excerpt
	Unlisted int // prompts beyond the first 1,000
	Tools    []Tool
	Files    []File
	Answer   Excerpt // the last message of the agent with a text
	from, to time.Time
}

// Duration is the time from the first to the last message, 0 where it is not known.
func (s *Side) Duration() time.Duration {
	if s.from.IsZero() || s.to.Before(s.from) {
		return 0
	}
	return s.to.Sub(s.from)
}

// Calls counts the tool calls, and those that failed.
func (s *Side) Calls() (calls, failed int) {
	for _, t := range s.Tools {
		calls, failed = calls+t.Calls, failed+t.Failed
	}
	return calls, failed
}

// Comparison is the comparison of two conversations. The zero value has compared nothing.
type Comparison struct {
	Common int        // messages that are the same, from the beginning
	Last   [2]Excerpt // the last of them on each side; Message is 0 where there is none
	Sides  [2]Side

	parted  bool
	pending [2][]model.Message // messages of the side that is ahead
	calls   [2]map[string]string
}

// share counts the first n messages of A as common without comparing them; last is the last
// of them. It is for a branch B that did not copy the messages of its parent A.
func (c *Comparison) share(n int, last Excerpt) {
	c.Common = n
	c.Last[0] = last
	c.parted = true
}

// next returns the side whose messages are needed next.
func (c *Comparison) next() int {
	if len(c.pending[0]) > len(c.pending[1]) {
		return 1
	}
	return 0
}

func (c *Comparison) add(side int, messages []model.Message) {
	if c.parted {
		for i := range messages {
			c.count(side, &messages[i])
		}
		return
	}
	c.pending[side] = append(c.pending[side], messages...)
	n, parted := 0, false
	for n < len(c.pending[0]) && n < len(c.pending[1]) {
		a, b := &c.pending[0][n], &c.pending[1][n]
		if parted = !equal(a, b); parted {
			break
		}
		c.Common++
		n++
	}
	if n > 0 {
		c.Last = [2]Excerpt{excerptOf(&c.pending[0][n-1]), excerptOf(&c.pending[1][n-1])}
	}
	for k := range c.pending {
		c.pending[k] = c.pending[k][n:]
		if len(c.pending[k]) == 0 {
			c.pending[k] = nil
		}
	}
	if parted {
		c.part()
	}
}

// part ends the comparison: the messages that were held, and all that follow, are counted
// and no longer compared.
func (c *Comparison) part() {
	c.parted = true
	for side := range c.pending {
		for i := range c.pending[side] {
			c.count(side, &c.pending[side][i])
		}
		c.pending[side] = nil
	}
}

// Same reports whether neither side has anything that the other does not have.
func (c *Comparison) Same() bool { return c.Sides[0].Messages == 0 && c.Sides[1].Messages == 0 }

// Verdict says in a sentence where the two diverge.
func (c *Comparison) Verdict() string {
	a, b := c.Sides[0].Messages, c.Sides[1].Messages
	common := "The first " + model.Quantity(c.Common, "message") + " are the same"
	if c.Common == 1 {
		common = "The first message is the same"
	}
	switch {
	case a == 0 && b == 0 && c.Common == 0:
		return "Neither has a message."
	case a == 0 && b == 0:
		return "All messages are the same, " + model.Quantity(c.Common, "message") + "."
	case c.Common == 0 && (a == 0 || b == 0):
		return "One of them has no messages."
	case c.Common == 0:
		return "They differ from the first message."
	case a == 0:
		return common + "; only B continues."
	case b == 0:
		return common + "; only A continues."
	}
	return common + "."
}

// equal reports whether two messages are the same.
func equal(a, b *model.Message) bool {
	if a.Role != b.Role || a.Content.Text != b.Content.Text || a.ToolName != b.ToolName || len(a.Calls) != len(b.Calls) || len(a.Content.Media) != len(b.Content.Media) {
		return false
	}
	for i := range a.Calls {
		if a.Calls[i].Name != b.Calls[i].Name || a.Calls[i].Arguments != b.Calls[i].Arguments {
			return false
		}
	}
	return true
}

// excerptOf copies the beginning of a message, so that the rest need not stay in memory.
func excerptOf(m *model.Message) Excerpt {
	text := m.Content.Text
	if call, ok := model.SkillCall(text); ok {
		text = call
	}
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	return Excerpt{Message: m.ID, SessionID: m.SessionID, Text: strings.Clone(model.StripMemory(text))}
}

// count adds a message to what a side did.
func (c *Comparison) count(side int, m *model.Message) {
	s := &c.Sides[side]
	if s.Messages++; s.Messages == 1 {
		s.First = excerptOf(m)
	}
	if !m.At.IsZero() {
		if s.from.IsZero() {
			s.from = m.At
		}
		s.to = m.At
	}
	_, _, summary := model.SplitSummary(m.Content.Text)
	switch m.Author() {
	case model.AuthorUser:
		if m.DisplayKind != "" || summary {
			return
		}
		if len(s.Prompts) == maxPrompts {
			s.Unlisted++
			return
		}
		s.Prompts = append(s.Prompts, excerptOf(m))
	case model.AuthorAgent:
		if strings.TrimSpace(m.Content.Text) != "" && !summary {
			s.Answer = excerptOf(m)
		}
		c.countCalls(side, m)
	case model.AuthorTool:
		name := m.ToolName
		if called, ok := c.calls[side][m.ToolCallID]; ok {
			name = called
			delete(c.calls[side], m.ToolCallID)
		}
		if m.Failed() {
			s.tool(name).Failed++
		}
	}
}

func (c *Comparison) countCalls(side int, m *model.Message) {
	s := &c.Sides[side]
	for _, call := range m.Calls {
		s.tool(call.Name).Calls++
		if call.ID != "" {
			if c.calls[side] == nil {
				c.calls[side] = map[string]string{}
			}
			c.calls[side][strings.Clone(call.ID)] = strings.Clone(call.Name)
		}
		for _, use := range files.Of(call) {
			if use.Action != files.Read {
				s.addWrite(strings.Clone(use.Path), m)
			}
		}
	}
}

// tool returns the counts of a tool, zero at first.
func (s *Side) tool(name string) *Tool {
	for i := range s.Tools {
		if s.Tools[i].Name == name {
			return &s.Tools[i]
		}
	}
	s.Tools = append(s.Tools, Tool{Name: strings.Clone(name)})
	return &s.Tools[len(s.Tools)-1]
}

// addWrite counts a write of a file.
func (s *Side) addWrite(path string, m *model.Message) {
	for i := range s.Files {
		if f := &s.Files[i]; f.Path == path {
			f.Writes++
			f.Message = m.ID
			f.SessionID = m.SessionID
			return
		}
	}
	if len(s.Files) < maxFiles {
		s.Files = append(s.Files, File{Path: path, Writes: 1, Message: m.ID, SessionID: m.SessionID})
	}
}

// sort puts the tools with most calls and the files with most writes first.
func (c *Comparison) sort() {
	for k := range c.Sides {
		s := &c.Sides[k]
		sort.SliceStable(s.Tools, func(i, j int) bool { return s.Tools[i].Calls > s.Tools[j].Calls })
		sort.SliceStable(s.Files, func(i, j int) bool { return s.Files[i].Writes > s.Files[j].Writes })
	}
}
