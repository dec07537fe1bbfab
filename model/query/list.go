package query

import (
	"slices"
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
)

// AdmitsOrigin reports whether a conversation comes from where the options ask: Sources,
// ExcludeSources, CWD and Workspace. A conversation has the source and the folder of its tip
// (store/README.md#q22).
func (o ListOptions) AdmitsOrigin(c *model.Conversation) bool {
	return (len(o.Sources) == 0 || slices.Contains(o.Sources, c.Source)) &&
		!slices.Contains(o.ExcludeSources, c.Source) &&
		(o.CWD == "" || c.CWD == o.CWD) &&
		(o.Workspace == "" || strings.Contains(foldText(c.Workspace()), foldText(o.Workspace)))
}

// ClosestUpTo is how many conversations with all words of a query make the closest
// others needless (ListOptions.Closest).
const ClosestUpTo = 50

// ListOptions select conversations and say in which order they come. The zero
// value selects the conversations of the default scope, last active first.
type ListOptions struct {
	Scope          model.Scope
	Sources        []string // any of these; nil for all
	ExcludeSources []string
	CWD            string // only conversations of this folder; "" for all
	Workspace      string // only conversations with this in the path of their workspace, in any case; "" for all
	Filters        []Filter
	EverySession   bool // list single sessions, delegates and branches included, instead of conversations
	Order          Order
	PinnedFirst    bool // pinned conversations come first if the order is by activity; FirstPage and searches ignore it
	Limit          int  // <= 0: all
	Offset         int
	Closest        bool // behind the conversations with all words come the closest others, if at most ClosestUpTo have all
	Further        bool // of Closest: also those that are much less close than the first
	FirstPage      bool // return the first rows fast, without totals (ConversationPage.TotalsSkipped)
	RowsOnly       bool // do not count totals (ConversationPage.TotalsSkipped), nor read what only a count needs (SearchResults.RowsOnly)
	NoPreviews     bool // leave Preview and State empty: messages are not read for them

	// ActiveSince leaves out conversations that were last active before it, in whole seconds,
	// where that saves time and NewestRows is true.
	ActiveSince time.Time
}

// NewestRows reports whether the rows are those of the conversations that were active last.
func (o ListOptions) NewestRows() bool {
	return (o.FirstPage || o.RowsOnly) && !(o.RowsOnly && o.PinnedFirst) && !o.EverySession && len(o.Filters) == 0 && o.Order == ByActivity && o.Limit > 0 && o.Offset <= 0
}

// ExcludedTerms returns the terms of the filters of [FieldText], which no predicate
// tests: the list leaves out the conversations that a search for any of them finds.
func (o ListOptions) ExcludedTerms() (terms []match.Term) {
	for _, f := range o.Filters {
		if f.Field == FieldText {
			terms = addTerm(terms, f.term())
		}
	}
	return terms
}

// SortOrder is the order in which the list comes: Order, except that a filter for expiring
// conversations turns the default order into [ByExpiry].
func (o ListOptions) SortOrder() Order {
	if o.Order == ByActivity && slices.ContainsFunc(o.Filters, Filter.Expiring) {
		return ByExpiry
	}
	return o.Order
}

// Expiring reports whether the filter asks for conversations that expire.
func (f Filter) Expiring() bool { return f.Field == FieldIs && f.Value == "expiring" && !f.Not }

// ShowsScope reports whether conversations of a scope are in the result. A scope
// is also shown when Sources or a filter names what it contains: source:cron shows
// automated conversations, is:archived the archived ones.
func (o ListOptions) ShowsScope(s model.Scope) bool {
	if o.Scope == model.ScopeAll || o.Scope == s || s == model.ScopeAll && slices.Contains(o.Sources, model.SourceFile) ||
		o.Scope == model.ScopeConversations && s == model.ScopeAutomation && len(o.Sources) > 0 {
		return true
	}
	return slices.ContainsFunc(o.Filters, func(f Filter) bool { return !f.Not && f.showsScope(s) })
}

// showsScope reports whether the filter names what a scope contains.
func (f Filter) showsScope(s model.Scope) bool {
	switch f.Field {
	case FieldID:
		return true
	case FieldSource:
		return s == model.ScopeAutomation || s == model.ScopeSubagents && f.Matches("subagent") || s == model.ScopeAll && f.Matches(model.SourceFile)
	case FieldIs:
		switch f.Value {
		case "archived":
			return s == model.ScopeArchived
		case "sub":
			return s == model.ScopeSubagents
		case "empty":
			return s == model.ScopeAll // empty conversations are in no other scope
		}
	}
	return false
}
