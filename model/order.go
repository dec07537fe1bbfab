package model

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Key is where a conversation stands in an order.
type Key struct {
	last    bool // what has no title or no known cost comes last
	at      time.Time
	size    float64
	text    string
	started time.Time
	id      string
}

// Key gives the place of a conversation in an order. By relevance nothing but
// the ties is known here.
func (by Sort) Key(c *Conversation) Key {
	k := Key{started: c.StartedAt, id: c.ID}
	switch by {
	case ByStart:
		k.at = c.FirstAt
	case ByTitle:
		k.last, k.text = c.Title == "", strings.ToLower(c.Title)
	case ByMessages:
		k.size = float64(c.Messages)
	case ByCost:
		k.last, k.size = !c.Total.Cost.Known, c.Total.Cost.USD
	default:
		k.at = c.LastActive
	}
	return k
}

// Compare puts keys of one order into it.
func (k *Key) Compare(o *Key) int {
	if k.last != o.last {
		if k.last {
			return 1
		}
		return -1
	}
	return cmp.Or(
		o.at.Compare(k.at), cmp.Compare(o.size, k.size), strings.Compare(k.text, o.text),
		o.started.Compare(k.started), strings.Compare(o.id, k.id),
	)
}

// Order gives the comparison of a sort. To put many in order, their keys are
// what to make once.
func (by Sort) Order() func(a, b *Conversation) int {
	return func(a, b *Conversation) int {
		k, o := by.Key(a), by.Key(b)
		return k.Compare(&o)
	}
}

// Admits tests the sources and the folder that a query asks for. A conversation
// has those of its tip, which are the ones it shows (store/README.md#q22).
func (q ListQuery) Admits(c *Conversation) bool {
	return (len(q.Sources) == 0 || slices.Contains(q.Sources, c.Source)) &&
		!slices.Contains(q.ExcludeSources, c.Source) &&
		(q.CWD == "" || c.CWD == q.CWD)
}
