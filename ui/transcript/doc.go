// Package transcript is the screen on which a conversation is read: one text
// over all its segments, however long it is.
//
// # How a stored message becomes lines
//
//	shell.Library ── Outline, MessagesOf ──► pages         what has been read
//	                                            │ skeletons, tool runs
//	                                            ▼
//	kit.Rows ──── which rows are in sight ───► textView      what is shown, folded, where
//	                                            │ renderItem: a message part and its state
//	                                            ▼
//	                                          renderer       Markdown, tool work, marks
//	                                            │ rendered: lines, fold points, hits
//	                                            ▼
//	                                         renderCache ──► Screen.Lines
//
// Each of these keeps the work of a key independent of the length of the text:
//
//   - A conversation is two rows for each message: its text and its tool
//     work. Only rows in sight are laid out (pages.go, kit.Rows).
//   - pages holds the messages around the window and skeletons of the others. It
//     reads windows through a latest-wins request: a reader who has gone on is
//     not kept waiting by an old answer.
//   - A renderItem is all that its lines depend on; its key names them in the
//     cache. A change of width, styles, folds or marks is another key, so nothing
//     is ever dropped by hand (renderer.go, cache.go).
//   - The renderer draws on the loop without the colors of code, and again with
//     them in the background, for the window and the pages beside it
//     (prerender.go). Code is colored a page ahead of the reader.
//   - A long conversation shows one page read by itself until its outline has come
//     (firstpage.go).
//
// # What each layer earns
//
// CPU in milliseconds, in a conversation of 20,000 messages (go test -bench Transcript
// ./ui/transcript has the times):
//
//	opening, up to the first frame              23
//	    with every message laid out          3,150
//	    a conversation of 50 messages          3.5
//	a frame, items from the cache             0.04
//	    items rendered                         0.9
//	the next page, rendered in the background 0.13
//	    rendered with the key                  0.8
//	a message with 100 lines of code, quick    2.8
//	    with the colors of code                 28
//	reading the first page alone                 5
//	    the outline                             37
//
// # Where to change what
//
//   - what is shown of a message, and when: textView.textItem and toolItem
//   - how it looks: renderer.go, toolwork.go, kit.Markdown
//   - what a key does: handlers.go; moving and the mouse: moving.go; folding: textview.go
//   - finding: find.go; in the background over the rest of the text: sweep.go
//   - failed tool calls: failures.go; the place of a reader who comes back: leftat.go
//   - what started a subagent, and the way back there: start.go
//   - the next conversation of the list, without leaving the transcript: neighbor.go
//   - what a line above a message says: textView.above; the sums of a turn: turns.go
//   - messages that are new, bookmarks and notes: newsince.go, noted.go
//   - what can be copied: copy.go, codeblocks.go
//   - the end of a conversation in a preview: excerpt.go
//   - new messages while reading: follow.go
//   - the list of prompts beside the text: outline.go; going to a number: goto.go
//
// Fields, methods and limits with a capital that no other package uses are there for the
// tests of package ui.
package transcript
