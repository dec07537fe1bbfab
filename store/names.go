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
	n := &names{matcher: model.NewMatcher(q.Groups)}
	terms := q.Terms()
	for _, t := range terms {
		n.words = append(n.words, strings.ToLower(t.Text))
	}
	if len(terms) == 1 && len(terms[0].Text) >= shortestID {
		n.id = n.words[0]
	}
	return n
}

// name is one of those that a conversation has, 0 for none.
type name uint8

const (
	byTitle name = iota + 1
	byID
	bySource
)

// why gives what a name says to people.
func (n name) why() model.Why {
	return [...]model.Why{byTitle: model.WhyTitle, byID: model.WhyID, bySource: model.WhySource}[n]
}

// match says of each conversation which of its names matches, if any: the title
// before the id, the id before the source. It gives those of which one does.
func (n *names) match(h *shelf, found []name) (any []int32) {
	is := func(i int32, by name) {
		if found[i] == 0 {
			any = append(any, i)
		}
		found[i] = by
	}
	titles, sources, source := h.names()
	for number, name := range sources {
		if !slices.Contains(n.words, strings.ToLower(name)) {
			continue
		}
		for i, its := range source {
			if its == int32(number) && h.scopes[i] != none && n.matcher.Match(titles.Line(i), name) {
				is(int32(i), bySource)
			}
		}
	}
	if n.id != "" {
		for i := range h.sessions.beginning(n.id) {
			if at := h.of(i); at >= 0 { // else it is gone
				is(at, byID)
			}
		}
	}
	for _, i := range n.matcher.Lines(titles) {
		if titles.Line(int(i)) != "" {
			is(i, byTitle)
		}
	}
	return any
}

func (n *names) begins(id string) bool {
	return len(id) >= len(n.id) && strings.EqualFold(id[:len(n.id)], n.id)
}

// hit shows a name that matched.
func (n *names) hit(m *model.Conversation, by name) model.Hit {
	h := model.Hit{SessionID: m.ID, At: m.LastActive, Why: by.why()}
	switch by {
	case byTitle:
		h.Snippet, _ = n.matcher.Snippet(m.Title, snippetWidth)
	case byID:
		if i := slices.IndexFunc(m.Segments, n.begins); i >= 0 {
			h.SessionID = m.Segments[i]
		}
		typed := min(len(n.id), len(h.SessionID))
		h.Snippet = model.Snippet{{Text: h.SessionID[:typed], Hit: true}, {Text: h.SessionID[typed:]}}
	case bySource:
		h.Snippet = model.Snippet{{Text: m.Source, Hit: true}}
	}
	return h
}
