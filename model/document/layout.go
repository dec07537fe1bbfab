package document

import (
	"cmp"
	"strconv"
	"strings"

	"hermes-sessions/model"
)

// layout writes the parts of a document in one form: text, Markdown or HTML. Its
// methods escape what they are given; they are called in this order:
//
//	begin { heading { segmentBreak | note | author { prose | plain | note | collapsible | toolRun } endEntry } endConversation } end
type layout interface {
	begin(title string)
	heading(title string, facts []string, first bool)
	segmentBreak(note string)
	author(e entry)
	prose(text string)             // Markdown of a user or the agent
	plain(text string)             // text of any other role
	note(text string)              // one line, such as an event or an attachment
	collapsible(name, body string) // reasoning, a summary or a system prompt
	toolRun(run toolRun, steps []step)
	endEntry()
	endConversation()
	end()
}

// entry is one or more messages under the name of their author.
type entry struct {
	name  string
	who   model.Author
	event bool   // it stands for an event
	at    string // time of the first message, "" if unknown
	id    int64  // of the first message
}

// step is a tool call with its result, or reasoning, in a tool run.
type step struct {
	name      string
	args      string // "" for none
	change    Change
	reasoning bool // args is reasoning
	orphan    bool // a result without a call in this run
	answered  bool // has a result
	failed    bool
	result    string
	rest      string   // fields that describe the result
	notes     []string // attachments and decode errors
}

func (s *step) setResult(m model.Message, body, rest string) {
	s.answered, s.failed = true, m.Failed()
	s.result, s.rest = strings.Trim(body, "\n"), strings.Trim(rest, "\n")
	for _, media := range m.Content.Media {
		s.notes = append(s.notes, line(media.Placeholder()))
	}
	if m.DecodeError != "" {
		s.notes = append(s.notes, "shown as stored: "+line(m.DecodeError))
	}
	s.name = cmp.Or(s.name, "unknown")
}

// label returns the name of a step, with a remark if it failed or lacks a call or a
// result.
func (s step) label() string {
	switch {
	case s.reasoning:
		return s.name
	case s.orphan:
		return s.name + " (a result without a call)"
	case !s.answered:
		return s.name + " (no result)"
	case s.failed:
		return s.name + " (failed)"
	}
	return s.name
}

// toolRun says what a run of tool work consists of.
type toolRun struct {
	groups  []model.CallGroup
	orphans int // results without a call
	failed  int // calls
}

// summary describes the run in one line.
func (r toolRun) summary() string {
	text := model.SummarizeRun(r.groups, r.orphans)
	if r.failed > 0 {
		text += " · " + r.failures()
	}
	return text
}

// failures says how many calls failed, "" for none.
func (r toolRun) failures() string {
	if r.failed == 0 {
		return ""
	}
	return strconv.Itoa(r.failed) + " failed"
}
