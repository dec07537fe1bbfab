package transcript

import (
	"hermes-sessions/model"
	"hermes-sessions/ui/shell"
)

// newMessages is what has come since the conversation was last read. The line over it stays
// while more comes.
type newMessages struct {
	since shell.LastRead
	known bool // since has been looked up
	from  int  // the position of the first new message, 0 for none
}

// findNew finds the first message that came after the conversation was last read.
func (s *Screen) findNew() {
	n := &s.news
	if m := s.env.Memory; m != nil && !n.known {
		n.known = true
		n.since, _ = m.LastRead(s.Conv.RootID)
	}
	n.from = 0
	if n.since.Message == 0 {
		return
	}
	for i, id := range s.pages.outline.MessageIDs {
		if id > n.since.Message {
			n.from = i
			return
		}
	}
}

// ReadUntil returns the greatest message id of the conversation as it is on the screen, and the
// time of its last activity; ok is false before the conversation has been read.
func (s *Screen) ReadUntil() (r shell.LastRead, ok bool) {
	if s.pages == nil || s.err != nil || s.rows.Len == 0 {
		return shell.LastRead{}, false
	}
	r = shell.LastRead{At: s.env.Clock(), Until: s.Conv.LastActive}
	for _, id := range s.pages.outline.MessageIDs {
		r.Message = max(r.Message, id)
	}
	return r, true
}

// newSince returns the line over the first new message that has one; "" for every other.
func (v *textView) newSince(i int) string {
	if v.news.from == 0 || i < v.news.from {
		return ""
	}
	for j := v.news.from; j < i; j++ {
		if v.pages.skeletons[j].Author == model.NoAuthor || !v.silent(j) {
			return ""
		}
	}
	return "new since " + stamp(v.renderer.now, v.news.since.At)
}
