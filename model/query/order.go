package query

import (
	"cmp"
	"strings"
	"time"

	"hermes-sessions/model"
)

// SortKey is the sort key of a conversation in one order.
type SortKey struct {
	missing bool // no title, or no known cost: comes last
	at      time.Time
	number  float64
	text    string
	started time.Time
	id      string
}

// KeyOf returns the sort key of a conversation. For ByRelevance it only breaks ties,
// as ByActivity does.
func (o Order) KeyOf(c *model.Conversation) SortKey {
	k := SortKey{started: c.StartedAt, id: c.ID}
	switch o {
	case ByStart:
		k.at = c.RootStartedAt
	case ByTitle:
		k.missing, k.text = c.Title == "", strings.ToLower(c.Title)
	case ByMessages:
		k.number = float64(c.Messages)
	case ByExpiry:
		k.missing, k.number = c.ExpiresAt.IsZero(), -float64(c.ExpiresAt.Unix())
	case ByCost:
		k.missing, k.number = !c.Total.Cost.Known, c.Total.Cost.USD
	default:
		k.at = c.LastActive
	}
	return k
}

// Compare compares two keys of the same order: negative if k comes first.
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

// Comparison returns a comparison function for sorting. It computes both keys on
// every call: to sort many conversations, compute the keys once instead.
func (o Order) Comparison() func(a, b *model.Conversation) int {
	return func(a, b *model.Conversation) int {
		ka, kb := o.KeyOf(a), o.KeyOf(b)
		return ka.Compare(&kb)
	}
}

// Order is a sort order of conversations.
type Order int

// The orders. Of two equal conversations the one started later comes first, then
// the one with the greater id.
const (
	ByActivity Order = iota
	ByStart
	ByTitle
	ByMessages
	ByCost
	ByRelevance // of search results only
	ByExpiry    // soonest first; see [ListOptions.SortOrder]
)

// Orders returns the orders of a list without search terms: all but ByRelevance
// and ByExpiry.
func Orders() []Order { return []Order{ByActivity, ByStart, ByTitle, ByMessages, ByCost} }

// String returns the name of an order on the command line and in commands.
func (o Order) String() string {
	return [...]string{"active", "started", "title", "messages", "cost", "relevance", "expires"}[o]
}
