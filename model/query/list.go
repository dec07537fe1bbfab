package query

import (
	"slices"

	"hermes-sessions/model"
)

// AdmitsSource tests the sources and the folder that a query asks for. A conversation
// has those of its tip, which are the ones it shows (store/README.md#q22).
func (o ListOptions) AdmitsSource(c *model.Conversation) bool {
	return (len(o.Sources) == 0 || slices.Contains(o.Sources, c.Source)) &&
		!slices.Contains(o.ExcludeSources, c.Source) &&
		(o.CWD == "" || c.CWD == o.CWD)
}

// ListOptions says which conversations are wanted, and in which order.
type ListOptions struct {
	Scope          model.Scope
	Sources        []string // any of these; nil for all
	ExcludeSources []string
	CWD            string // only conversations of this folder; "" for all
	Filters        []Filter
	EverySession   bool // every session by itself, children too, instead of conversations
	Order          Order
	PinnedFirst    bool // before all others where the order is by activity; not of a glance or a search
	Limit          int  // <= 0: all
	Offset         int
	FirstPage      bool // rather the first rows at once than honest totals (Page.Partial)
	RowsOnly       bool // the rows are wanted, the totals are not (Page.Partial)
}

// ShowsScope reports whether a conversation of a scope belongs to the answer. Who
// names sources wants those that run by themselves too, not only what people
// said, and so on for filters that name what a scope is made of.
func (o ListOptions) ShowsScope(s model.Scope) bool {
	if o.Scope == model.ScopeAll || o.Scope == s ||
		o.Scope == model.ScopeConversations && s == model.ScopeAutomation && len(o.Sources) > 0 {
		return true
	}
	return slices.ContainsFunc(o.Filters, func(f Filter) bool { return !f.Not && f.showsScope(s) })
}

// showsScope reports whether the filter names what a scope is made of.
func (f Filter) showsScope(s model.Scope) bool {
	switch f.Field {
	case FieldID:
		return true
	case FieldSource:
		return s == model.ScopeAutomation || s == model.ScopeSubagents && f.matchesName("subagent")
	case FieldIs:
		switch f.Value {
		case "archived":
			return s == model.ScopeArchived
		case "sub":
			return s == model.ScopeSubagents
		case "empty":
			return s == model.ScopeAll // where the list shows what is of no scope
		}
	}
	return false
}
