package ui

import (
	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
)

// glimpseFrom is from how many messages on reading the outline of a
// conversation takes longer than drawing a page of it.
const glimpseFrom = 3000

// glimpsed brings the messages around the place at which a transcript begins.
type glimpsed struct {
	of *transcript
	opened
}

// peek reads them while the outline of a long conversation is being read. Where
// they are not to be had, nothing is lost: the outline comes soon, and tells
// what is wrong.
func (t *transcript) peek() tea.Cmd {
	if t.pages != nil || t.conv.Messages < glimpseFrom || t.where.edge != 0 || t.numbered {
		return nil
	}
	ctx, lib, o, conv := t.env.Context, t.env.Library, t.where, t.conv
	return func() tea.Msg {
		messages, err := lib.MessagesNear(ctx, o.id, o.at, window)
		if err != nil || len(messages) == 0 {
			return nil
		}
		outline := model.Outline{Conversation: conv, SegmentStarts: []int{0}}
		for i := range messages {
			messages[i] = CleanMessage(messages[i])
			outline.MessageIDs = append(outline.MessageIDs, messages[i].ID)
		}
		p := newPages(outline)
		p.put(stretch{0, len(messages)}, messages)
		at := -1
		if o.at != 0 {
			var ok bool
			if at, ok = p.index[o.at]; !ok {
				return nil // it is not shown
			}
		}
		return glimpsed{t, opened{p, at}}
	}
}

// glimpsed shows them until the outline is there, where they fill the window:
// then what the outline brings stands at the same place. Until then they are
// but a picture.
func (t *transcript) glimpsed(msg glimpsed) {
	if msg.of != t || t.pages != nil {
		return
	}
	g := newTranscript(t.sh, t.conv, t.search.query, model.Hit{})
	g.habits = t.habits
	g.Resize(t.w, t.h)
	g.begin(msg.opened)
	if first := g.rows.top == 0 && g.rows.skip == 0; !first && len(g.rows.view()) == g.rows.h {
		t.glimpse = g
	}
}
