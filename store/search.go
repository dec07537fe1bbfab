package store

import (
	"context"
	"slices"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/transcriptfiles"
	"hermes-sessions/store/search"
)

// Search finds conversations: those with a message, or a title, id or source,
// that matches the query. A message matches by itself: all terms of a group in
// one message. The filters of the query and those of list both apply; a query of
// filters alone lists. With filters on messages (role:, tool:) only messages
// match.
//
// The order is that of list.Order. By relevance means: a matching title first,
// then a message with the words side by side as typed, where up to 500 messages
// match, then how many match, in powers of two, those of the user and the
// agent counted twice those of tools, then the last activity. The best hit is the
// newest message with the words side by side, else the newest of the user or the
// agent, one without tool calls where there is one, else the newest of a tool. A
// summary of compressed context is the best hit only where none of the few
// messages before it matches by its text.
//
// Rewound and hidden messages are never found, archived ones of in-place
// compaction are (store/README.md#hidden-rows).
//
// Messages, the sessions that they belong to, conversations and titles are read
// in one transaction. Other columns of a session that another process has
// changed, such as a pin, a cost or its end, may be as [Store.Prepare] or the
// list last read them, so that no keystroke waits until all sessions are read
// again.
//
// With list.Limit, the counts of conversations that are not on the page may
// include messages that no transcript shows (role session_meta), which Hermes
// writes without text. With list.FirstPage, and before [Store.Prepare] has read
// the sessions of all messages, only the newest of many messages are searched. Of messages
// that have to be read because no index holds them, FirstPage and RowsOnly search the newest.
// With list.RowsOnly, before [Store.Prepare], a search that many messages match reads only the
// sessions of its rows; it counts no more than these, and no hidden conversations.
// In all these cases RowsOnly of the answer says that more may match.
//
// The error is [context.Canceled] soon after ctx is canceled.
func (s *Store) Search(ctx context.Context, q query.Query, list query.ListOptions) (model.SearchResults, error) {
	if !q.FiltersOnly() {
		res, err := s.engine.Search(ctx, q, list)
		if err == nil {
			res.Hints = append(res.Hints, s.files.SearchHints(ctx, list)...)
		}
		return res, err
	}
	list.Filters = slices.Concat(list.Filters, q.Filters)
	page, err := s.Conversations(ctx, list)
	return page.Results(), err
}

// Hits returns the first messages of one conversation that match, in reading
// order: at most limit of them, all when it is 0. id is any session of it.
func (s *Store) Hits(ctx context.Context, q query.Query, id string, limit int) ([]model.Hit, error) {
	hits, err := s.engine.Hits(ctx, q, id, limit)
	return inFiles(ctx, s, id, hits, err, func(*transcriptfiles.Conversation) ([]model.Hit, error) { return nil, nil })
}

// HitIDs returns the ids of all messages of one conversation that match, in
// reading order. id is any session of it. It does not read the texts for
// snippets, which is most of the time that [Store.Hits] takes. Of a conversation that only files have
// it reads all texts.
func (s *Store) HitIDs(ctx context.Context, q query.Query, id string) ([]int64, error) {
	ids, err := s.engine.HitIDs(ctx, q, id)
	return inFiles(ctx, s, id, ids, err, func(f *transcriptfiles.Conversation) ([]int64, error) { return f.HitIDs(ctx, q) })
}

// SearchMessages finds messages of all sessions, those of delegates and of
// earlier segments too (search_messages, store/README.md#search). The query is
// in the language of [query.Parse]; its filters apply to the conversation that a
// message belongs to, and a query of filters alone finds no message. total
// counts all that match, not only the page.
//
// It differs from the documented call where that one fails its users: no query
// is an error (store/README.md#q1), escaped text is found (#q2), operators work in
// every script (#q5, #q6, #q23), every snippet is marked and readable (#q20),
// context goes by id (#q17).
func (s *Store) SearchMessages(ctx context.Context, text string, o SearchOptions) (hits []MessageHit, total int, err error) {
	return s.engine.SearchMessages(ctx, text, o)
}

// SearchOptions narrows [Store.SearchMessages]; see [search.Options] for
// its fields.
type SearchOptions = search.Options

// SearchSort is an order of the messages that [Store.SearchMessages] finds.
type SearchSort = search.Sort

// The orders of [Store.SearchMessages].
const (
	Relevance = search.Relevance // the default
	Newest    = search.Newest
	Oldest    = search.Oldest
)

// MessageHit is a message that [Store.SearchMessages] found; see
// [search.MessageHit] for its fields.
type MessageHit = search.MessageHit

// Prepare reads ahead what searches need, so that each of them is fast: the
// sessions, the session and the role of each message, the posting lists of the
// most common words and of their beginnings, what the indexes do not store of
// messages, and in a small file the roles of each session. A search without it gives the same answer, only slower. Later
// calls read the sessions, and of the rest only what has changed since.
//
// On a million messages it takes two to three seconds: run it in a goroutine of
// its own. The error is [context.Canceled] soon after ctx is canceled.
func (s *Store) Prepare(ctx context.Context) error {
	return s.engine.Prepare(ctx)
}
