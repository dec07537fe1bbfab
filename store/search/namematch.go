package search

import (
	"slices"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/snapshot"
)

// nameMatch matches a query with the titles, ids and sources of conversations.
type nameMatch struct {
	matcher  *match.Matcher
	idPrefix string   // the query, lower case, where it may begin an id, else ""
	words    []string // the terms of the query, lower case
}

// minIDLength is how many bytes of an id find a session: ids begin with a date, and
// 2026 is a word.
const minIDLength = 6

// newNameMatch prepares a query for matching names.
func newNameMatch(q query.Query) *nameMatch {
	n := &nameMatch{matcher: match.NewMatcher(q.Groups)}
	terms := q.Terms()
	for _, t := range terms {
		n.words = append(n.words, strings.ToLower(t.Text))
	}
	if len(terms) == 1 && len(terms[0].Text) >= minIDLength {
		n.idPrefix = n.words[0]
	}
	return n
}

// nameKind is which name of a conversation matches, 0 for none.
type nameKind uint8

const (
	byTitle nameKind = iota + 1
	byID
	bySource
)

// hitKind gives the kind of a hit in a name.
func (n nameKind) hitKind() model.HitKind {
	return [...]model.HitKind{byTitle: model.HitTitle, byID: model.HitID, bySource: model.HitSource}[n]
}

// matchNames writes into found, by conversation, which of its names matches: the
// title before the id, the id before the source. It gives the conversations with a
// name that matches.
func (n *nameMatch) matchNames(h *snapshot.ConversationIndex, found []nameKind) (any []int32) {
	is := func(i int32, by nameKind) {
		if found[i] == 0 {
			any = append(any, i)
		}
		found[i] = by
	}
	titles, sources, source := h.NamesAndSources()
	for number, name := range sources {
		if !slices.Contains(n.words, strings.ToLower(name)) {
			continue
		}
		for i, its := range source {
			if its == int32(number) && h.Scopes[i] != snapshot.NoScope && n.matcher.Match(titles.Text(i), name) {
				is(int32(i), bySource)
			}
		}
	}
	if n.idPrefix != "" {
		for i := range h.Sessions.WithPrefix(n.idPrefix) {
			if n := h.ConversationOf(i); n >= 0 { // else the session was deleted
				is(n, byID)
			}
		}
	}
	for _, i := range n.matcher.MatchIndex(titles) {
		if titles.Text(int(i)) != "" {
			is(i, byTitle)
		}
	}
	return any
}

// matchesID reports whether an id begins with the query.
func (n *nameMatch) matchesID(id string) bool {
	return len(id) >= len(n.idPrefix) && strings.EqualFold(id[:len(n.idPrefix)], n.idPrefix)
}

// nameHit gives the hit in the name of a conversation that matches.
func (n *nameMatch) nameHit(m *model.Conversation, by nameKind) model.Hit {
	h := model.Hit{SessionID: m.ID, At: m.LastActive, Kind: by.hitKind()}
	switch by {
	case byTitle:
		h.Snippet, _ = n.matcher.Snippet(m.Title, snippetWidth)
	case byID:
		if i := slices.IndexFunc(m.Segments, n.matchesID); i >= 0 {
			h.SessionID = m.Segments[i]
		}
		typed := min(len(n.idPrefix), len(h.SessionID))
		h.Snippet = match.Snippet{{Text: h.SessionID[:typed], Hit: true}, {Text: h.SessionID[typed:]}}
	case bySource:
		h.Snippet = match.Snippet{{Text: m.Source, Hit: true}}
	}
	return h
}
