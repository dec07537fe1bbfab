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

// match gives the conversations of which a name matches, and which: the title
// before the id, the id before the source. lines are their titles.
func (n *names) match(conv []model.Conversation, lines *model.Lines) map[int32]model.Why {
	found := map[int32]model.Why{}
	sources := map[string]bool{} // that a word of the query names
	for i := range conv {
		m := &conv[i]
		if n.id != "" && slices.ContainsFunc(m.Segments, n.begins) {
			found[int32(i)] = model.WhyID
			continue
		}
		named, known := sources[m.Source]
		if !known {
			named = slices.Contains(n.words, strings.ToLower(m.Source))
			sources[m.Source] = named
		}
		if named && n.matcher.Match(m.Title, m.Source) {
			found[int32(i)] = model.WhySource
		}
	}
	for _, i := range n.matcher.Lines(lines) {
		if conv[i].Title != "" {
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
