package shell

import (
	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
)

// Subjects are the conversations that an action is about. They are fixed when
// its box opens: whatever the list does behind it, nothing else is touched.
type Subjects struct {
	Roots         []string
	IDs           []string // of the tips
	Titles        []string
	Conversations []model.Conversation // as last seen, safe to draw
	Marked        bool                 // they were picked one by one

	Segment string // the one at hand, of a single conversation; "" for its newest
}

// Single makes one conversation the subject.
func Single(c model.Conversation) Subjects {
	return Subjects{Roots: []string{c.RootID}, IDs: []string{c.ID}, Titles: []string{ConversationName(c)}, Conversations: []model.Conversation{c}}
}

// ConversationName is what a conversation is called, safe to draw.
func ConversationName(c model.Conversation) string {
	kit.CleanConversation(&c)
	title, _ := kit.TitleOf(&c)
	return title
}

// Title names one, or counts several.
func (s Subjects) Title() string {
	if len(s.IDs) == 1 {
		return "“" + s.Titles[0] + "”"
	}
	return kit.Plural(len(s.IDs), "conversation", "conversations")
}

// NameOf names the conversation with this root.
func (s Subjects) NameOf(root string) string {
	for i := range s.Roots {
		if s.Roots[i] == root {
			return "“" + s.Titles[i] + "”"
		}
	}
	return kit.CleanLine(root)
}

// DeleteQuestion is a deletion to plan and to ask about: the sessions, and how to delete
// them.
type DeleteQuestion struct {
	IDs     []string
	Options model.DeleteOptions
}

// Deletable returns the deletion of all subjects, or of one segment alone; "" for none.
func (s Subjects) Deletable(segment string) DeleteQuestion {
	if segment != "" {
		return DeleteQuestion{IDs: []string{segment}, Options: model.DeleteOptions{SegmentOnly: true}}
	}
	return DeleteQuestion{IDs: s.IDs, Options: model.DeleteOptions{SkipBlocked: len(s.IDs) > 1}}
}
