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

// New returns the matcher of a query.
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

// Kind says which name of a conversation matches, 0 for none.
type Kind uint8

// The kinds, the one that counts most first.
const (
	ByTitle Kind = iota + 1
	ByID
	BySource
)

func (k Kind) hitKind() model.HitKind {
	return [...]model.HitKind{ByTitle: model.HitTitle, ByID: model.HitID, BySource: model.HitSource}[k]
}

// Request notes which conversations a snapshot of a part of the sessions is to have because
// one of their names matches. The error is [snapshot.ErrPart] where the query names a
// source: all sessions have to be read then.
func (n *Matcher) Request(ctx context.Context, q db.Querier, part *snapshot.Snapshot) error {
	return part.RequestNames(ctx, q, n.matcher, n.words, n.idPrefix)
}

// Match writes into found, by position in the index, which name of a conversation matches:
// the title before the id, the id before the source. found has a zero for each conversation.
// The result is the positions of the conversations with a name that matches.
func (n *Matcher) Match(index *snapshot.ConversationIndex, found []Kind) (matching []int32) {
	mark := func(i int32, by Kind) {
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
				mark(int32(i), BySource)
			}
		}
	}
	if n.idPrefix != "" {
		for session := range index.Sessions.WithPrefix(n.idPrefix) {
			if i := index.ConversationOf(session); i >= 0 { // else the session was deleted
				mark(i, ByID)
			}
		}
	}
	for _, i := range n.matcher.MatchIndex(titles) {
		if titles.Text(int(i)) != "" {
			mark(i, ByTitle)
		}
	}
	return matching
}

// matchesID reports whether an id begins with the query, in any case of its letters.
func (n *Matcher) matchesID(id string) bool {
	return len(id) >= len(n.idPrefix) && strings.EqualFold(id[:len(n.idPrefix)], n.idPrefix)
}

// Hit returns the hit in the name of a conversation that matches. Its snippet is at most
// width columns wide.
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
