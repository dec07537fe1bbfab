// Package namematch matches a query with the titles, ids and sources of conversations.
package namematch

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

// Matcher matches one query with the titles, ids and sources of conversations.
type Matcher struct {
	matcher  *match.Matcher
	idPrefix string   // the query, lower case, where it may begin an id, else ""
	words    []string // the terms of the query, lower case
}

// minIDLength is how many bytes of an id find a session: ids begin with a date, and
// 2026 is a word.
const minIDLength = 6

// New prepares a query for matching names.
func New(q query.Query) *Matcher {
	n := &Matcher{matcher: match.NewMatcher(q.Groups)}
	terms := q.Terms()
	for _, t := range terms {
		n.words = append(n.words, strings.ToLower(t.Text))
	}
	if len(terms) == 1 && len(terms[0].Text) >= minIDLength {
		n.idPrefix = n.words[0]
	}
	return n
}

// Kind is which name of a conversation matches, 0 for none.
type Kind uint8

// The kinds, the one that counts most first.
const (
	ByTitle Kind = iota + 1
	ByID
	BySource
)

// hitKind gives the kind of a hit in a name.
func (n Kind) hitKind() model.HitKind {
	return [...]model.HitKind{ByTitle: model.HitTitle, ByID: model.HitID, BySource: model.HitSource}[n]
}

// Request asks a part of the sessions for those with a name that matches.
func (n *Matcher) Request(ctx context.Context, q db.Querier, part *snapshot.Snapshot) error {
	return part.RequestNames(ctx, q, n.matcher, n.words, n.idPrefix)
}

// Match writes into found, by conversation, which of its names matches: the
// title before the id, the id before the source. It gives the conversations with a
// name that matches.
func (n *Matcher) Match(h *snapshot.ConversationIndex, found []Kind) (any []int32) {
	is := func(i int32, by Kind) {
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
				is(int32(i), BySource)
			}
		}
	}
	if n.idPrefix != "" {
		for i := range h.Sessions.WithPrefix(n.idPrefix) {
			if n := h.ConversationOf(i); n >= 0 { // else the session was deleted
				is(n, ByID)
			}
		}
	}
	for _, i := range n.matcher.MatchIndex(titles) {
		if titles.Text(int(i)) != "" {
			is(i, ByTitle)
		}
	}
	return any
}

// matchesID reports whether an id begins with the query.
func (n *Matcher) matchesID(id string) bool {
	return len(id) >= len(n.idPrefix) && strings.EqualFold(id[:len(n.idPrefix)], n.idPrefix)
}

// Hit gives the hit in the name of a conversation that matches. Its snippet is up to
// so many columns wide.
func (n *Matcher) Hit(m *model.Conversation, by Kind, width int) model.Hit {
	h := model.Hit{SessionID: m.ID, At: m.LastActive, Kind: by.hitKind()}
	switch by {
	case ByTitle:
		h.Snippet, _ = n.matcher.Snippet(m.Title, width)
	case ByID:
		if i := slices.IndexFunc(m.Segments, n.matchesID); i >= 0 {
			h.SessionID = m.Segments[i]
		}
		typed := min(len(n.idPrefix), len(h.SessionID))
		h.Snippet = match.Snippet{{Text: h.SessionID[:typed], Hit: true}, {Text: h.SessionID[typed:]}}
	case BySource:
		h.Snippet = match.Snippet{{Text: m.Source, Hit: true}}
	}
	return h
}
