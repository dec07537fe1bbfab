package transcript

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/shell"
)

// start is where an agent started the conversation of a subagent.
type start struct {
	parent model.Conversation // that of the agent; its id is "" for any other conversation
	at     int64              // its last message before that, 0 for none
	err    error              // why the parent could not be read
}

// readStart reads where a conversation of a subagent was started.
func readStart(ctx context.Context, lib shell.Library, c model.Conversation) (s start) {
	if !c.OfSubagent() {
		return s
	}
	fork, err := lib.Fork(ctx, c.RootID)
	if err != nil || fork.Parent == "" {
		return start{err: err}
	}
	s.at = fork.LastShared
	s.parent, s.err = lib.Conversation(ctx, fork.Parent)
	return s
}

// origin says before the title what started the conversation of a subagent: subagent of “Parent”.
func (s *Screen) origin() string {
	switch {
	case !s.Conv.OfSubagent():
		return ""
	case s.pages == nil || s.pages.start.parent.ID == "":
		return "subagent · "
	}
	st := s.sh.Styles()
	return "subagent of “" + st.Cells.Truncate(shell.ConversationName(s.pages.start.parent), max(s.w/4, 12), st.Glyphs.Ellipsis) + "” · "
}

// parent is the action that reads the parent at the place where it started this subagent.
func (s *Screen) parent(why string) shell.Handler {
	if why == "" {
		at := s.pages.start
		switch {
		case !s.Conv.OfSubagent():
			why = "no agent started this conversation"
		case at.err != nil:
			why = "its parent could not be read: " + shell.Reason(at.err)
		case at.parent.ID == "":
			why = "its parent no longer exists"
		}
	}
	return shell.NewHandler(shell.Parent, why, func() tea.Cmd {
		return s.sh.Do(shell.OpenTranscript{Conversation: s.pages.start.parent, Hit: model.Hit{MessageID: s.pages.start.at}})
	})
}
