package model

import (
	"cmp"
	"slices"
	"strings"
)

// Order gives the comparison of a sort. What has no title or no known cost
// comes last. By relevance nothing but the ties is known here.
func (by Sort) Order() func(a, b *Conversation) int {
	key := func(a, b *Conversation) int { return b.LastActive.Compare(a.LastActive) }
	last := func(yes bool) int {
		if yes {
			return 1
		}
		return 0
	}
	switch by {
	case ByStart:
		key = func(a, b *Conversation) int { return b.FirstAt.Compare(a.FirstAt) }
	case ByTitle:
		key = func(a, b *Conversation) int {
			return cmp.Or(
				cmp.Compare(last(a.Title == ""), last(b.Title == "")),
				strings.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)),
			)
		}
	case ByMessages:
		key = func(a, b *Conversation) int { return cmp.Compare(b.Messages, a.Messages) }
	case ByCost:
		key = func(a, b *Conversation) int {
			return cmp.Or(
				cmp.Compare(last(!a.Total.Cost.Known), last(!b.Total.Cost.Known)),
				cmp.Compare(b.Total.Cost.USD, a.Total.Cost.USD),
			)
		}
	}
	return func(a, b *Conversation) int {
		return cmp.Or(key(a, b), b.StartedAt.Compare(a.StartedAt), strings.Compare(b.ID, a.ID))
	}
}

// Admits tests the sources and the folder that a query asks for. A conversation
// has those of its tip, which are the ones it shows (quirk Q22).
func (q ListQuery) Admits(c *Conversation) bool {
	return (len(q.Sources) == 0 || slices.Contains(q.Sources, c.Source)) &&
		!slices.Contains(q.ExcludeSources, c.Source) &&
		(q.CWD == "" || c.CWD == q.CWD)
}
