// Package fts answers full-text queries by reading the index of an FTS5 table
// from its shadow tables, instead of asking FTS5 with MATCH.
//
// # Why
//
// MATCH merges the doclists of all terms with a prefix before it returns the
// first row, and returns rows one by one. This package reads the same pages into
// bitmaps of rowids and caches what the next keystroke needs again. Measured
// at 100,000 messages, CPU time: 95 of 100 queries for words take at most 4 ms,
// 166 ms with MATCH; queries in Chinese, Japanese and Korean 2 ms instead of 290.
//
// # The index on disk
//
// The names are those of SQLite's fts5_index.c. An FTS5 table f has the shadow tables
//
//	f_config   k, v                version: the format, which must be 4
//	f_data     id, block           records and leaf pages
//	f_idx      segid, term, pgno   the first term of leaf pages (a prefix of it that
//	                               differs from the term before), page number * 2
//	f_content, f_docsize           not read
//
// and the rows of f_data are
//
//	id 1                   averages record, not read
//	id 10                  structure record: a cookie, the number of pages ever
//	                       written, the segments of each level
//	id segid<<37 | pgno    leaf page pgno of segment segid
//
// Each transaction writes new segments to level 0. Merges replace the segments
// of a level by one segment of the next level:
//
//	level 0   [segment 9] [segment 12]   newest
//	level 1   [segment 7]
//	level 2   [segment 3]                oldest, mostly the largest
//
// A segment holds terms in order, each with its doclist. What a newer segment
// says of a term in a row replaces what older segments say. The terms of a
// segment fill leaf pages of 4 KB; a doclist continues over as many as it needs:
//
//	0         2         4                                   szLeaf
//	+---------+---------+----------------------------------+------------+
//	| first   | szLeaf  | end of     | term    | term    … | page index |
//	| rowid   |         | a doclist  | doclist | doclist   |            |
//	+---------+---------+----------------------------------+------------+
//
//	first rowid  offset of the first rowid of the doclist that began on an
//	             earlier page, 0 for none; this rowid is stored in full
//	term         size, bytes; from the second term of a page on: the number of
//	             bytes shared with the term before, size, the other bytes.
//	             The first byte is '0' for the main index.
//	doclist      rowid, poslist; then distance to the next rowid, poslist; …
//	poslist      size * 2 + delete flag, then positions: the distance from the
//	             one before + 2; 1 and a number begin another column. A poslist
//	             without positions means that the term was removed from the row.
//	page index   offset of the first term, then distances from term to term
//
// Offsets in the header are 16 bits; all other numbers are varints. The doclist
// indexes of large doclists are not read: the rowids at which pages begin are
// found by binary search over the pages themselves.
//
// # How a query runs
//
//	"docker build*"
//	   |  [Index.Phrase]: the tokenizer gives terms, the last one as a prefix
//	   v
//	[Index.Search]
//	   |  mayMatch: a term that is in no segment ends the search
//	   |  operands of And: those with the fewest leaf pages first; each searches
//	   |  only the rows that the ones before left
//	   v
//	searchPhrase
//	   |  rowsOfTerm, for the term with the fewest leaf pages: a set of rowids,
//	   |  precomputed, cached, or read from the segments, newest first
//	   |  cheapRows: the other terms whose rowids cost little narrow the set
//	   v
//	matchInBatches
//	   |  newCandidates: the positions of the first term, where the phrase may start
//	   |  narrowCandidates: each other term keeps the candidates that it follows
//	   v
//	[hermes-sessions/store/internal/idset.Set] of rowids
//
// Where few rows are left and a term has many pages, the rows are looked up one by
// one (seek.go).
//
// # What is cached
//
//	term index of each segment (f_idx)      as long as the segment exists
//	leaf pages, up to 512 of at most 8 KB   until the structure record changes
//	whether a term exists, 512 terms        until the structure record changes
//	rowids of the last 4 terms              until the structure record changes
//	precomputed rowids of frequent terms    until the segments that they were read
//	and prefixes (Precompute)               from are merged
//
// # Damaged and unknown files
//
// Every length and offset is checked. Another format version, detail, tokenizer
// or option, tombstones of contentless tables, and pages that break the layout
// above are an [*UnsupportedError]; nothing is ever guessed. The caller then
// uses MATCH. Nothing is written.
//
// # Where to change what
//
//	store/internal/idset        sets of rowids
//	cache.go         what is cached between queries
//	cacheversion.go  lock and version of a cache that another package keeps of rows
//	ddl.go           the options of CREATE VIRTUAL TABLE that are understood
//	index.go         opening an index, transactions, statements
//	tokenizer.go     text to terms: unicode61 and trigram (unicode61_tables.go)
//	structure.go     structure record, segments
//	termindex.go     term to leaf page (f_idx)
//	leaf.go          layout of a leaf page; its numbers: varint.go
//	scan.go          terms of a segment from page to page
//	seek.go          single rowids of a large doclist
//	terms.go         whether a term exists, which terms have a prefix
//	walk.go          a few terms among many
//	doclist.go       doclists to bitmaps
//	poslist.go       position lists
//	expr.go          expressions: And, Or, Not, phrases, substrings
//	search.go        the order in which an expression is evaluated
//	phrase.go        phrases: terms, rowids, then positions
//	candidates.go    where a phrase may start in each row
//	precompute.go    frequent terms, read ahead
//	version.go       which rows changed between two versions of the index
package fts
