// Package list is the first screen of the browser: the conversations, a line
// to search them with, and a preview of the current one.
//
// What comes in is keys, answers of the library, and the news that another
// process has written. The steps of a key that changes the query:
//
//	prompt ─▶ filters.rowsQuery ─▶ fetch.ask ──command──▶ library
//	                                                        │
//	 lines ◀─ layout ◀─ results.settle ◀─ results.take ◀────┘ answer
//	  ▲                        optimistic: rows that are away or back before
//	  │                        the database knows are corrected here
//	  └── preview.Aim ◀─ current row
//
// The parts, each in the file of its name:
//
//   - screen.go holds them together and routes messages; input.go takes typing
//     and the mouse, typing.go says whether letters are typed or act, handlers.go has
//     the actions, commands.go the commands of the palette; view.go, headline.go and
//     notices.go draw.
//   - results: the rows, which one is current and why it moves; pending moves
//     (pending.go), marks (marks.go), the guard that keeps Enter from resuming a
//     row that has just come under the cursor (misfireguard.go), finished lines
//     (lines.go), and removals ahead of the database (optimistic.go has the page
//     on them, rowmerge.go the places of restored rows, removal.go their verbs).
//   - fetch (paging.go): answers are read by pages, the first 50 rows at the
//     start, 60 with a key, and more before the view gets there.
//   - closest: the second tier of a search, conversations that have most of the
//     words (closest.go has the page on them).
//   - filters: scope, sources, folder and order beside the query; facets: the columns of
//     parts that F4 offers, with their counts.
//   - queryline and complete: the query as it is understood, and what could be
//     typed next; named: the queries that have names, as tabs.
//   - watch, preparation (prepare.go): what happens without a key.
//   - item, columns, layout: a row, its columns, the places of the parts. The pane is
//     package preview.
//
// CPU of a frame in milliseconds, with 20,000 rows (bench_test.go has the times):
//
//	lines of rows from lineCache      0.06
//	    drawn                          1.5
//	    every row drawn, not a window 1,190
//
// A new column is a name in shell.Columns, a field of rowShape, a line of rowLine and one of
// columnTitlesOf; a new filter
// beside the query is a field of filters and a line of its rowsQuery. peek.go is for the
// tests of package ui.
package list
