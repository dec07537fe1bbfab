package search

import (
	"slices"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/snapshot"
)

// nameMatch matches a query with what conversations are called.
type nameMatch struct {
	matcher  *match.Matcher
	idPrefix string   // the query, where it may be the beginning of an id
	words    []string // of the query, lower case
}

// minIDLength is how much of an id must be typed to find by it: 2026 is a word.
const minIDLength = 6

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

// nameKind is one of those that a conversation has, 0 for none.
type nameKind uint8

const (
	byTitle nameKind = iota + 1
	byID
	bySource
)

// hitKind gives what a name says to people.
func (n nameKind) hitKind() model.HitKind {
	return [...]model.HitKind{byTitle: model.HitTitle, byID: model.HitID, bySource: model.HitSource}[n]
}

// matchNames says of each conversation which of its names matches, if any: the title
// before the id, the id before the source. It gives those of which one does.
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
			if at := h.ConversationOf(i); at >= 0 { // else it is gone
				is(at, byID)
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

func (n *nameMatch) matchesID(id string) bool {
	return len(id) >= len(n.idPrefix) && strings.EqualFold(id[:len(n.idPrefix)], n.idPrefix)
}

// nameHit shows a name that matched.
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
