package ui

import "hermes-sessions/model"

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

func only(c model.Conversation) Subjects {
	return Subjects{Roots: []string{c.RootID}, IDs: []string{c.ID}, Titles: []string{named(c)}, Conversations: []model.Conversation{c}}
}

// named is what a conversation is called, safe to draw.
func named(c model.Conversation) string {
	cleanConversation(&c)
	title, _ := titleOf(&c)
	return title
}

// title names one, or counts several.
func (s Subjects) title() string {
	if len(s.IDs) == 1 {
		return "“" + s.Titles[0] + "”"
	}
	return some(len(s.IDs), "conversation", "conversations")
}

// called names the conversation with this root.
func (s Subjects) called(root string) string {
	for i := range s.Roots {
		if s.Roots[i] == root {
			return "“" + s.Titles[i] + "”"
		}
	}
	return CleanLine(root)
}

// deletable is what a question about a deletion is about.
type deletable struct {
	ids     []string
	options model.DeleteOptions
}

// deletable is the whole of it, or one segment alone.
func (s Subjects) deletable(segment string) deletable {
	if segment != "" {
		return deletable{ids: []string{segment}, options: model.DeleteOptions{SegmentOnly: true}}
	}
	return deletable{ids: s.IDs, options: model.DeleteOptions{SkipBlocked: len(s.IDs) > 1}}
}
