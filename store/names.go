package store

import (
	"slices"
	"strings"

	"hermes-sessions/model"
)

// names matches a query with what conversations are called.
type names struct {
	matcher *model.Matcher
	id      string   // the query, where it may be the beginning of an id
	words   []string // of the query, lower case
}

// shortestID is how much of an id must be typed to find by it: 2026 is a word.
const shortestID = 6

func newNames(q model.Query) *names {
	n := &names{matcher: model.NewMatcher(q)}
	terms := q.Terms()
	for _, t := range terms {
		n.words = append(n.words, strings.ToLower(t.Text))
	}
	if len(terms) == 1 && len(terms[0].Text) >= shortestID {
		n.id = n.words[0]
	}
	return n
}

// unnamed is that no name of a conversation matches.
const unnamed = model.Why(-1)

// match says of each conversation which of its names matches, if any: the title
// before the id, the id before the source.
func (n *names) match(h *shelf) []model.Why {
	found := slices.Repeat([]model.Why{unnamed}, len(h.conv))
	titles, sources := h.names()
	for _, source := range sources {
		if !slices.Contains(n.words, strings.ToLower(source)) {
			continue
		}
		for i := range h.conv {
			if m := &h.conv[i]; m.Source == source && n.matcher.Match(m.Title, m.Source) {
				found[i] = model.WhySource
			}
		}
	}
	if n.id != "" {
		for i := range h.conv {
			if slices.ContainsFunc(h.conv[i].Segments, n.begins) {
				found[i] = model.WhyID
			}
		}
	}
	for _, i := range n.matcher.Lines(titles) {
		if h.conv[i].Title != "" {
			found[i] = model.WhyTitle
		}
	}
	return found
}

func (n *names) begins(id string) bool {
	return len(id) >= len(n.id) && strings.EqualFold(id[:len(n.id)], n.id)
}

// hit shows a name that matched.
func (n *names) hit(m *model.Conversation, why model.Why) model.Hit {
	h := model.Hit{SessionID: m.ID, At: m.LastActive, Why: why}
	switch why {
	case model.WhyTitle:
		h.Snippet, _ = n.matcher.Snippet(m.Title, snippetWidth)
	case model.WhyID:
		if i := slices.IndexFunc(m.Segments, n.begins); i >= 0 {
			h.SessionID = m.Segments[i]
		}
		typed := min(len(n.id), len(h.SessionID))
		h.Snippet = model.Snippet{{Text: h.SessionID[:typed], Hit: true}, {Text: h.SessionID[typed:]}}
	case model.WhySource:
		h.Snippet = model.Snippet{{Text: m.Source, Hit: true}}
	}
	return h
}
