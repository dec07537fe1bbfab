package transcript

import (
	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
)

// firstPageFrom is the number of messages from which reading the outline of a conversation
// takes longer than drawing a page of it.
const firstPageFrom = 3000

// firstPageRead brings the messages around the place at which a transcript opens.
type firstPageRead struct {
	of *Screen
	opened
}

// readFirstPage reads the messages of the first page while the outline of a long
// conversation is being read. Its errors are dropped: the outline comes soon and reports
// them.
func (s *Screen) readFirstPage() tea.Cmd {
	if s.pages != nil || s.Conv.Messages < firstPageFrom || s.where.edge != 0 || s.numbered {
		return nil
	}
	ctx := s.env.Context
	lib := s.env.Library
	o := s.where
	conv := s.Conv
	return func() tea.Msg {
		messages, err := lib.MessagesNear(ctx, o.id, o.at, window)
		if err != nil || len(messages) == 0 {
			return nil
		}
		outline := model.Outline{Conversation: conv, SegmentStarts: []int{0}}
		for i := range messages {
			messages[i] = kit.CleanMessage(messages[i])
			outline.MessageIDs = append(outline.MessageIDs, messages[i].ID)
		}
		p := newPages(outline)
		p.put(positions{0, len(messages)}, messages)
		at := -1
		if o.at != 0 {
			var ok bool
			if at, ok = p.index[o.at]; !ok {
				return nil // the transcript does not show it
			}
		}
		return firstPageRead{s, opened{p, at}}
	}
}

// showFirstPage shows the first page until the outline has come. A page that does not fill
// the window is not shown, because its lines would move when the outline comes.
// The page takes no keys.
func (s *Screen) showFirstPage(msg firstPageRead) {
	if msg.of != s || s.pages != nil {
		return
	}
	page := New(s.sh, s.Conv, s.search.query, model.Hit{})
	page.habits, page.where.left = s.habits, s.where.left
	page.Resize(s.w, s.h)
	page.begin(msg.opened)
	if first := page.rows.Top == 0 && page.rows.Skip == 0; !first && len(page.rows.Visible()) == page.rows.Height {
		s.firstPage = page
	}
}
