package query

import (
	"cmp"
	"strings"
	"time"

	"hermes-sessions/model"
)

// SortKey is where a conversation stands in an order.
type SortKey struct {
	missing bool // what has no title or no known cost comes last
	at      time.Time
	number  float64
	text    string
	started time.Time
	id      string
}

// KeyOf gives the place of a conversation in an order. By relevance nothing but
// the ties is known here.
func (o Order) KeyOf(c *model.Conversation) SortKey {
	k := SortKey{started: c.StartedAt, id: c.ID}
	switch o {
	case ByStart:
		k.at = c.RootStartedAt
	case ByTitle:
		k.missing, k.text = c.Title == "", strings.ToLower(c.Title)
	case ByMessages:
		k.number = float64(c.Messages)
	case ByCost:
		k.missing, k.number = !c.Total.Cost.Known, c.Total.Cost.USD
	default:
		k.at = c.LastActive
	}
	return k
}

// Compare puts keys of one order into it.
func (k *SortKey) Compare(o *SortKey) int {
	if k.missing != o.missing {
		if k.missing {
			return 1
		}
		return -1
	}
	return cmp.Or(
		o.at.Compare(k.at), cmp.Compare(o.number, k.number), strings.Compare(k.text, o.text),
		o.started.Compare(k.started), strings.Compare(o.id, k.id),
	)
}

// Comparison gives the comparison of a sort. To put many in order, their keys are
// what to make once.
func (o Order) Comparison() func(a, b *model.Conversation) int {
	return func(a, b *model.Conversation) int {
		ka, kb := o.KeyOf(a), o.KeyOf(b)
		return ka.Compare(&kb)
	}
}

// Order is an order of the list.
type Order int

// The orders. Ties fall to the newer start, then the greater id.
const (
	ByActivity Order = iota
	ByStart
	ByTitle
	ByMessages
	ByCost
	ByRelevance // only while searching
)

// Orders gives all orders of a list in which nothing is looked for.
func Orders() []Order { return []Order{ByActivity, ByStart, ByTitle, ByMessages, ByCost} }

// String is the word of an order on the command line and in commands.
func (o Order) String() string {
	return [...]string{"active", "started", "title", "messages", "cost", "relevance"}[o]
}
