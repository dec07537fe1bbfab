// Package snapshot keeps all sessions of a database in memory, as of one read
// transaction, and makes of them what the list, the search and the lineage need:
// conversations, their orders, previews, names. It reads while other processes
// write, and never writes.
//
// # What a Snapshot is
//
// A [Snapshot] is never changed after it was built; a newer one takes its place.
//
//	table sessions ──► sessiontable ──► model.Lineage ──► ConversationIndex
//	                   one row of       parents, roots,   conversations by number,
//	                   numbers each,    segments          orders, titles, sources
//	                   texts in one           ▲
//	                   string                 │
//	table messages ──► counts and last time of each session
//	               └─► MessageSessions: message id → session, from the first search on,
//	                   by the pages of an index (package btree) where they can be read
//
// A position is the place of a session in the [sessiontable.Table]. The number of a
// conversation is the position of its root. Times and counts of messages come from the
// messages themselves, not from the columns of the session (store/README.md#last-activity).
//
// # How it is read
//
//	is there one, and is DataVersion what it was?
//	     │ yes            │ no
//	the cached one        │
//	           ┌──────────┴───────────┐
//	 a change, a count       a list of many sessions: RecentSnapshot
//	 CurrentSnapshot         a key of a search: ReadSnapshotTx, in its read transaction
//	           │                      │
//	           │        fingerprint (fingerprint.go): the ids and titles
//	           │        of all sessions, the greatest message id, the
//	           │        inactive messages; each from an index alone
//	           │                      │
//	           │          few changes │ many, a write of this process,
//	           │                      │ or a list that is due (renewAfter)
//	           │                      ├───────────────┐
//	           │          refresh: read the changed   │
//	           │          sessions, their children    │
//	           │          and parents (refresh.go)    │
//	           │                                      │
//	           └──► read every session (reading.go) ◄─┘
//	                by two goroutines (sharedscan.go)
//	                damaged pages: package salvage reads around them
//
// A refreshed snapshot may be stale in what the fingerprint does not cover, such as a
// pin or a folder of a session without new messages, or a message that was deleted, until
// every session is read again. Beside a writer a list does that when it takes a hundredth
// of the time since (32,903 sessions: after 99 seconds), and [Sessions.Renewals] tells a
// program that has nothing else to wake it; a list of less than a thousand sessions, what
// changes or deletes, and [Sessions.CurrentSnapshot] are never stale.
// A write of this process is never stale: every session is read after it.
//
// Before there is a snapshot, the first page of a large file, one conversation, by its name
// too (namematch.go), and a search of few messages are read without it: firstpage.go reads the sessions that were
// active last with their families, family.go one session with its ancestors and all
// their descendants, and part.go those that a search requests, with their families.
//
// # What each layer earns
//
// CPU of the process in milliseconds, median, at 100,000 messages in 2,537 sessions (M)
// and a million in 32,903 (L):
//
//	                                              M        L
//	read every session                           77      849
//	first page without it, FirstPage             13       17
//	                       RowsOnly              13       93
//	one conversation without it                 0.6      0.5
//	fingerprint (a refresh reads this and
//	the changed sessions)                       0.7      8.2
//	read the message → session map by a
//	statement                                    32      357
//	by pages, with the counts of messages         -      230
//	50 rows of the list, previews cached        0.1      0.4
//	                     previews read          1.0      1.4
//	order of the list by title, once            2.3       36
//
// Memory in MB:
//
//	sessiontable.Table                          0.5      6.1
//	    the same as a slice of model.Session    1.2     15.7
//	message → session map, with the set of ids  0.7      8.1
//
// # Who owns the roles of messages
//
// [RoleSets] serve only the search: they rank its hits and answer role:. They are in this
// package because they depend on the message → session map.
// SQLite gives no message id twice (store/README.md#messages-table), but a process can
// insert a message under the id of a deleted one. The roles of an id are therefore
// dropped when a new map does not have the id. A map is made when every session is read;
// a refresh does not see a deleted message, so a search uses the former role of an id
// that was reused since. The roles and tools of a session (package sessionroles) answer the
// same filters in the list, and are cached by the counts of that session. A value that a
// search computes from a snapshot is in Snapshot.Derived and is dropped with it.
//
// # Where to change what
//
//	another column of a session    sessionrow.go, package sessiontable;
//	                               if a search must see it at once: fingerprint.go
//	a filter of the list           package search
//	an order of the list           query.Order; conversationindex.go keeps it sorted
//	what a preview shows           previews.go (store/README.md#previews)
//	which sessions belong together model.BuildLineage; family.go must read all of them
//	names and prefixes of ids      resolve.go (store/README.md#id-prefixes)
//	names that a person types      namematch.go
//	when an index is distrusted    agreement.go compares indexes with their tables
package snapshot
