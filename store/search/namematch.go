package search

import (
	"context"
	"slices"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/snapshot"
)

// nameMatcher matches one query with the titles, ids and sources of conversations.
type nameMatcher struct {
	matcher  *match.Matcher
	idPrefix string   // the query, lower case, where it may begin an id, else ""
	words    []string // the terms of the query, lower case
}

// minIDLength is how many bytes of an id find a session: ids begin with a date, and
// 2026 is a word.
const minIDLength = 6

// newNameMatcher returns the matcher of a query.
func newNameMatcher(q query.Query) *nameMatcher {
	n := &nameMatcher{matcher: match.NewMatcher(q.Groups)}
	terms := q.Terms()
	for _, t := range terms {
		n.words = append(n.words, strings.ToLower(t.Text))
	}
	if len(terms) == 1 && len(terms[0].Text) >= minIDLength {
		n.idPrefix = n.words[0]
	}
	return n
}

// nameKind says which name of a conversation matches, 0 for none.
type nameKind uint8

// The kinds, the one that counts most first.
const (
	byTitle nameKind = iota + 1
	byID
	bySource
)

func (k nameKind) hitKind() model.HitKind {
	return [...]model.HitKind{byTitle: model.HitTitle, byID: model.HitID, bySource: model.HitSource}[k]
}

// request notes which conversations a snapshot of a part of the sessions is to have because
// their id matches. The error is [snapshot.ErrPart] where the query names a
// source: all sessions have to be read then.
func (n *nameMatcher) request(ctx context.Context, q db.Querier, part *snapshot.Snapshot) error {
	return part.RequestNames(ctx, q, n.words, n.idPrefix)
}

// match writes into found, by position in the index, which name of a conversation matches:
// the title before the id, the id before the source. found has a zero for each conversation.
// The result is the positions of the conversations with a name that matches.
func (n *nameMatcher) match(index *snapshot.ConversationIndex, found []nameKind) (matching []int32) {
	mark := func(i int32, by nameKind) {
		if found[i] == 0 {
			matching = append(matching, i)
		}
		found[i] = by
	}
	titles, sources, sourceNumbers := index.NamesAndSources()
	for number, name := range sources {
		if !slices.Contains(n.words, strings.ToLower(name)) {
			continue
		}
		for i, of := range sourceNumbers {
			if of == int32(number) && index.Scopes[i] != snapshot.NoScope && n.matcher.Match(titles.Text(i), name) {
				mark(int32(i), bySource)
			}
		}
	}
	if n.idPrefix != "" {
		for session := range index.Sessions.WithPrefix(n.idPrefix) {
			if i := index.ConversationOf(session); i >= 0 { // else the session was deleted
				mark(i, byID)
			}
		}
	}
	for _, i := range n.matcher.MatchIndex(titles) {
		if titles.Text(int(i)) != "" {
			mark(i, byTitle)
		}
	}
	return matching
}

// matchesID reports whether an id begins with the query, in any case of its letters.
func (n *nameMatcher) matchesID(id string) bool {
	return len(id) >= len(n.idPrefix) && strings.EqualFold(id[:len(n.idPrefix)], n.idPrefix)
}

// hit returns the hit in the name of a conversation that matches. Its snippet is at most
// width columns wide.
func (n *nameMatcher) hit(m *model.Conversation, by nameKind, width int) model.Hit {
	h := model.Hit{SessionID: m.ID, At: m.LastActive, Kind: by.hitKind()}
	switch by {
	case byTitle:
		h.Snippet, _ = n.matcher.Snippet(m.Title, width)
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
