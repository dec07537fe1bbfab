package document

import (
	"strings"

	"hermes-sessions/model"
)

// layout writes the parts in one form. Names, notes and texts are clean but
// not escaped.
type layout interface {
	begin(title string)
	heading(title string, facts []string, first bool)
	seam(note string)
	speaker(e entry)
	prose(text string)
	plain(text string)      // as it stands
	aside(text string)      // one line that nobody said
	fold(name, body string) // something long that is not wanted at first
	work(summary string, failed int, steps []step)
	endEntry()
	endConversation()
	end()
}

// entry is the beginning of what somebody says.
type entry struct {
	name string
	who  model.Author
	at   string // "" when unknown
	id   int64
}

// step is a part of a run of tool work.
type step struct {
	name      string
	args      string // "" for none
	reasoning bool   // args are what the agent thought
	orphan    bool   // a result that answers no call in sight
	answered  bool
	failed    bool
	result    string
	notes     []string // attachments and damage
}

// take puts a result into a step.
func (s *step) take(m model.Message, text string) {
	s.answered, s.failed = true, m.Failed()
	s.result = strings.Trim(text, "\n")
	for _, media := range m.Content.Media {
		s.notes = append(s.notes, model.MediaLabel(line(media)))
	}
	if m.DecodeError != "" {
		s.notes = append(s.notes, "shown as stored: "+line(m.DecodeError))
	}
	if s.name == "" {
		s.name = "unknown"
	}
}

// label names a step, and says what is unusual about it.
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

func failures(n int) string {
	if n == 0 {
		return ""
	}
	return " · " + counted(n, "failure")
}
