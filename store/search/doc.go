// Package search is the search engine of a session database: it finds messages and
// conversations at every key of a query, while other processes write them.
//
// # What comes in, what comes out
//
// A query has been parsed by package query into groups, of which one must match:
//
//	docker -build OR "exit code 137"   {All: docker  Not: build}  {All: "exit code 137"}
//
// A message matches by itself: all terms of one group in its content, the name of
// its tool or the arguments of its tool calls. [Engine.Search] gives conversations
// with the number of messages that match and the best of them, [Engine.Hits] and
// [Engine.HitIDs] the messages of one conversation, [Engine.SearchMessages] those of
// all sessions, as Hermes's own call does. The answer is the one that reading every
// message would give, whatever the indexes of the file hold.
//
// # The steps
//
//	                         query
//	                           │
//	capabilities.go    What can the full-text tables of this file answer,
//	                   in this read transaction, for which messages?
//	                           │
//	ladder.go          a tree of terms; each says which messages are sure to match
//	                   and which are possible, from the index or at a price
//	                           │
//	       ┌───────────────────┼─────────────────────┐
//	words.go            substrings.go         symbols.go
//	docker, "exit code" 部署, 🚀, }           C++, .env, "error."
//	       │                   │                     │
//	messages_fts        messages_fts_trigram  words first, then the trigrams
//	word index, and     trigram index, and    where symbols meet them
//	scriptborders.go    \uXXXX by the words   (boundaries.go)
//	       │                   │                     │
//	       │ ftsmatch.go: by the pages of the index (package fts), else by FTS5
//	       │                   │                     │
//	       └───────────────────┼─────────────────────┘
//	                           │    unindexed.go: what no index of today's files holds,
//	                           │    from memory, by all three
//	                           │    verify: read and match the possible ones, and
//	                           │    those that no index holds whole (readtexts.go);
//	                           │    while a key waits, the newest
//	                   the messages that match
//	                           │
//	hidden.go          less the rewound and the hidden ones
//	messagefilters.go  and those that role: and tool: leave out
//	                           │
//	hitcounter.go      count per conversation    ║  namematch: titles, ids
//	                           │                 ║  and sources that match
//	rank.go            order, first page of it; summaries.go: a summary counts less
//	                           │
//	snippets.go        read the best message of each; package snippet cuts it
//
// A query of filters alone is answered by the list: list.go, with listfilter.go. The filter
// file: is a search of its own: files.go. A query that only excludes (-docker) is a list less
// what a search finds: exclusions.go. Where few conversations have all words, those with most of them
// follow: closest.go, with package closest.
//
// The sessions and roles of messages: messagerows.go, which decides between reading
// those of all messages and of these alone. While no session has been read, as in a
// command that asks one question, part.go searches with the sessions of the messages
// that match and no others: search.go runs with an empty part, which notes the sessions
// that are requested of it, and again with these, until none is missing. With FirstPage
// this goes on until the sessions of all messages have been read: of many messages the
// newest are searched, and the answer has rows without counts, so that the browser shows
// rows while [Engine.Prepare] runs. With RowsOnly, as in a command, the first rows of many messages
// are those of all: firstrows.go bounds what each family of sessions can have, and the
// part gets the best families until no other can have a conversation among the rows.
//
// search.go joins these steps for conversations, searchmessages.go for messages. An
// [Engine] is in engine.go, one search in executor.go. An index that proves damaged on
// the way is left out, and the steps run again without it; of a damaged table, salvage.go
// searches what can be read. SearchResults.Plan says which steps led to an answer.
//
// # What each layer earns
//
// CPU of the process for a key, milliseconds, at 100,000 messages (M) and a million
// (L), with the layer and without it. A key may take 16 ms, for 95 of 100 keys at L.
//
//	layer                                           with   without
//	the reader of the index's pages, package fts
//	    M  words, p95                                  4       166
//	    M  Chinese, Japanese, Korean                   2       290
//	frequent words read before they are typed, prepare.go
//	    M  words, p95                                  4        14
//	where symbols meet words, by trigrams, boundaries.go
//	    M  .e                                          1       849
//	decision by the trigrams of the whole term, decide, with package textfacts
//	    M  ": null", all of the answer                62     2,000
//	    M  "a.", all of the answer                    44       430
//	the ends of messages, package textfacts
//	    M  {}, all of the answer                      12       500
//	reading 250 texts at first, keys with symbols, p95
//	    M  first rows                                 14        39
//	words beside scripts, those that come before them read ahead, package scriptborders
//	    M  co, first rows                              7        43
//	what no index holds read ahead, package unindexed, in a file of schema 31
//	    M  words, p95, all of the answer               9       320
//	    M  部署                                         5       390
//	    M  🚀, found nowhere                            1       500
//	the newest of the long results of tools until then, rowsToRead
//	    M  docker, first rows in a file of schema 31   10       330
//	counting 64 messages at a time, countPages
//	    M  d                                         1.5       2.5
//	roles of a page alone, pageroles.go: CPU of a whole process
//	    L  docker, 174,000 messages               1,320     2,450
//	sessions of the first rows, firstrows.go: CPU of a whole process
//	    M  docker, 21,500 messages                   140       190
//	    L  docker, 212,000 messages                  550     1,150
//	part of the sessions, part.go: CPU of a whole process
//	    M  "exit code 137", found nowhere             45       100
//	    L                                            148       765
//	    L  two characters, 20,000 messages           564     1,754
//	failed calls by the words of results, package failures
//	    L  has:failed                                920    29,600
//
// Layers that were measured and are not worth their code: a cache of the snippets of
// the last page would save half a millisecond of a key (M, four letters: 1.9 instead of
// 2.3; L, three letters, p95: 8.5 instead of 11.2), a cache of the last two phrases
// nothing, and a second connection to read texts no CPU. A cache of the gaps between escapes
// (\u6570, \u636e) saves 5 ms of a key at M and 26 at L, while the first rows come without it.
//
// # Caches
//
// Each records the version of the file that it was read at, and is brought up to date
// before it is used. None but unindexed changes an answer, see there.
//
//	indexes     readers of the full-text tables and the rows of frequent words
//	fileCalls   which files messages work on, see package filecalls
//	failures    which results of tools report a failure, see package failures
//	textFacts   what the trigram index does not store of a message, see package textfacts
//	unindexed   what no index of today's files holds, see package unindexed
//	borders     which words are beside a script without spaces (用docker部署), see package scriptborders
//	sessionRoles which roles, tools and failed calls a session has, see package sessionroles
//	hiddenIDs   rewound and hidden messages
//	summaryIDs  which messages are summaries of compressed context
//	indexGaps   how many messages a full-text table lacks
//	scorePool   the buffers of the last count
//	lastRead    what the last search found in messages that the word index does not hold whole
//	closeWords  the words of the last queries, for package closest
//
// The roles of messages, their sessions and the conversations are in the snapshot
// (package snapshot). [Engine.Prepare] fills the caches before the first key.
//
// # Where to change what
//
//	a new layout of the full-text tables   capabilities.go, unknownlayout.go, and package
//	                                       fts; their readers: ftsindexes.go
//	what a word or a symbol is             package match, then ladder.go and
//	                                       symbols.go: they must agree with it
//	another filter on messages             messagefilters.go; on sessions: package query
//	                                       evaluates it, filtercolumns.go says which columns
//	                                       it needs; with their messages: package sessionroles
//	values offered for a filter            fieldvalues.go
//	the order of results                   rank.go, words side by side: findPhrases; which
//	                                       message is best: hitScore
//	what a snippet shows                   package snippet, without markup by package
//	                                       prose; how long: snippet.Width
//	what Prepare reads                     prepare.go
//
// The tests compare every way to an answer with reading every message: set words.table
// to "" in an executor and search again, as most tests here do.
package search
