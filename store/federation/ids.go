package federation

import (
	"strings"

	"hermes-sessions/model"
)

// qualified returns the id in the federation of a session that a member refers to; "", which
// stands for none, stays.
func (m *member) qualified(id string) string {
	if id == "" {
		return ""
	}
	return m.own(id)
}

// own returns the id in the federation of a session of a member. A damaged file may have one
// with an empty id. The only member has no name.
func (m *member) own(id string) string {
	if m.name == "" {
		return id
	}
	return m.name + "/" + id
}

// qualifiedAll returns the ids in the federation of sessions of a member, in a new slice.
func (m *member) qualifiedAll(ids []string) []string {
	if ids == nil {
		return nil
	}
	all := make([]string, len(ids))
	for i, id := range ids {
		all[i] = m.own(id)
	}
	return all
}

// local returns the id in the member of one in the federation; an id of another stays.
func (m *member) local(id string) string {
	if rest, ok := strings.CutPrefix(id, m.name+"/"); ok {
		return rest
	}
	return id
}

// session changes the ids of a session to those in the federation.
func (m *member) session(s *model.Session) {
	if m.name == "" {
		return
	}
	s.ID = m.own(s.ID)
	for _, id := range []*string{&s.ParentID, &s.BranchedFrom, &s.DelegateFrom, &s.ResetFrom} {
		*id = m.qualified(*id)
	}
	s.Profile = m.name
}

// conversation changes the ids of a conversation, in a new slice: the store may have its own.
func (m *member) conversation(c *model.Conversation) {
	m.session(&c.Session)
	c.RootID, c.Segments = m.own(c.RootID), m.qualifiedAll(c.Segments)
}

// hit changes the id of a hit.
func (m *member) hit(h *model.Hit) { h.SessionID = m.qualified(h.SessionID) }

// messages changes the ids of sessions of messages.
func (m *member) messages(all []model.Message) {
	for i := range all {
		all[i].SessionID = m.qualified(all[i].SessionID)
	}
}

// tree changes the ids of a tree of sessions.
func (m *member) tree(root *model.Node) {
	if root == nil {
		return
	}
	root.Walk(func(n *model.Node, _ int) bool {
		m.session(&n.Session)
		n.Tip = m.qualified(n.Tip)
		return true
	})
}

// deletion changes the ids of a plan or a report.
func (m *member) deletion(d model.Deletion) model.Deletion {
	d.Sessions = m.qualifiedAll(d.Sessions)
	d.Orphaned = m.qualifiedAll(d.Orphaned)
	d.Running = m.qualifiedAll(d.Running)
	d.NotFound = m.qualifiedAll(d.NotFound)
	d.PerConversation = append([]model.DeletionShare(nil), d.PerConversation...)
	for i := range d.PerConversation {
		d.PerConversation[i].ID = m.qualified(d.PerConversation[i].ID)
	}
	d.Skipped = append([]model.SkippedConversation(nil), d.Skipped...)
	for i := range d.Skipped {
		d.Skipped[i].ID = m.qualified(d.Skipped[i].ID)
	}
	return d
}
