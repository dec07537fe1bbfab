package main

import (
	"fmt"
	"slices"

	"hermes-sessions/ui/shell"
)

// keymap is every action with its keys: change it here, in the function of its
// screen. Keys are spelled as Bubble Tea spells them; the letter is what follows
// Ctrl+X.
func keymap() []shell.Binding {
	return slices.Concat(listKeys(), transcriptKeys(), lineageKeys(), cleanupKeys(), runningKeys(), storageKeys(), usageKeys(), comparisonKeys(), dialogKeys(), keysAnywhere())
}

// listKeys are the keys of the list of conversations. Typing searches, so no bare
// letter may act there; "?", ":" and "/" act only as the first character of a
// query.
func listKeys() []shell.Binding {
	return []shell.Binding{
		{Context: shell.InList, Action: shell.Resume, Keys: []string{"enter"}, Letter: "r", Hint: "resume", Footer: true, Help: "Resume in Hermes, at the newest segment"},
		{Context: shell.InList, Action: shell.ResumeInTUI, Keys: []string{"alt+enter"}, Letter: "R", Hint: "resume in the TUI", Help: "Resume in Hermes's TUI (hermes --tui)"},
		{Context: shell.InList, Action: shell.ResumeAndReturn, Letter: "b", Hint: "resume and return", Help: "Resume, and return to this list when Hermes ends"},
		{Context: shell.InList, Action: shell.Read, Keys: []string{"right", "ctrl+t"}, Letter: "t", Hint: "read", Footer: true, Help: "Read the transcript, at the best hit when searching (→ only at the end of the query)"},
		{Context: shell.InList, Action: shell.Delete, Keys: []string{"ctrl+d", "delete"}, Letter: "d", Hint: "delete", Footer: true, Help: "Delete the conversation, all selected ones or a single segment; asks first (delete key: only at the end of the query)"},
		{Context: shell.InList, Action: shell.Rename, Keys: []string{"ctrl+r", "f2"}, Letter: "n", Hint: "rename", Footer: true, Help: "Change or remove the title"},
		{Context: shell.InList, Action: shell.Note, Letter: "N", Hint: "note", Help: "Write a note on the conversation, kept outside the database"},
		{Context: shell.InList, Action: shell.Tags, Letter: "T", Hint: "tags", Help: "Tag the conversation; find it with tag:"},
		{Context: shell.InList, Action: shell.Pin, Letter: "p", Hint: "pin/unpin", Help: "Pin the conversation, or all selected ones, to the top of the list; again to unpin"},
		{Context: shell.InList, Action: shell.Archive, Letter: "a", Hint: "archive/unarchive", Help: "Archive the conversation, or all selected ones; in the archive, unarchive them"},
		{Context: shell.InList, Action: shell.Lineage, Keys: []string{"ctrl+l"}, Letter: "l", Hint: "lineage", Footer: true, Help: "The session tree: segments, branches and subagents, with the cost of each"},
		{Context: shell.InList, Action: shell.CycleScope, Keys: []string{"ctrl+o"}, Letter: "o", Hint: "scope", Footer: true, Help: "Next scope: conversations, automation, subagents, archived, all"},
		{Context: shell.InList, Action: shell.CycleSort, Keys: []string{"ctrl+s"}, Letter: "s", Hint: "sort", Footer: true, Help: "Next order: activity, start, title, messages, cost; in a search: best first, newest first"},
		{Context: shell.InList, Action: shell.Filter, Keys: []string{"f4"}, Letter: "f", Hint: "filter", Footer: true, Help: "Filter by scope, source, model, folder and time, with the number of conversations of each"},
		{Context: shell.InList, Action: shell.EarlierQueries, Letter: "h", Hint: "earlier queries", Help: "Choose an earlier query"},
		{Context: shell.InList, Action: shell.Queries, Keys: []string{"alt+1", "alt+2", "alt+3", "alt+4", "alt+5", "alt+6", "alt+7", "alt+8", "alt+9", "alt+0"}, Hint: "named queries", Help: "Show the named query of this number; alt+0 leaves it"},
		{Context: shell.InList, Action: shell.SaveQuery, Letter: "Q", Hint: "save query", Help: "Name the query with its scope and order; change or remove a named query"},
		{Context: shell.InList, Action: shell.Preview, Keys: []string{"ctrl+/", "ctrl+_", "f3"}, Letter: "/", Hint: "preview", Footer: true, Help: "Show or hide the preview"},
		{Context: shell.InList, Action: shell.Copy, Keys: []string{"ctrl+y"}, Letter: "y", Hint: "copy", Footer: true, Help: "Copy the ID, the resume command, the title or the folder"},
		{Context: shell.InList, Action: shell.Inspect, Letter: "i", Hint: "details", Help: "Show all details: IDs, folder, counts, usage by model, stored columns"},
		{Context: shell.InList, Action: shell.Export, Letter: "e", Hint: "export", Help: "Export it, or all selected ones: Markdown, HTML page or JSON lines"},
		{Context: shell.InList, Action: shell.Pager, Letter: "$", Hint: "pager", Help: "Read it in $PAGER"},
		{Context: shell.InList, Action: shell.Editor, Letter: "v", Hint: "editor", Help: "Open a temporary Markdown copy in $EDITOR"},
		{Context: shell.InList, Action: shell.CleanUp, Letter: "c", Hint: "clean up", Help: "Review and delete clutter (empty, ghosts, duplicates) and inactive conversations"},
		{Context: shell.InList, Action: shell.Running, Letter: "w", Hint: "running", Help: "Show which sessions are working, and which are waiting for you, live"},
		{Context: shell.InList, Action: shell.Storage, Letter: "S", Hint: "storage", Help: "Show what uses the most space, by conversation, source and month; vacuum the file"},
		{Context: shell.InList, Action: shell.Usage, Letter: "U", Hint: "usage", Help: "Usage stats: tokens and cost over time, by model, source, folder and tool"},
		{Context: shell.InList, Action: shell.Expiring, Letter: "X", Hint: "expiring", Help: "Show the conversations that will expire soon; pin or export to keep them"},
		{Context: shell.InList, Action: shell.Compare, Letter: "C", Hint: "compare", Help: "Compare two selected conversations: where they diverge, and what each did after that"},
		{Context: shell.InList, Action: shell.Undo, Keys: []string{"alt+z"}, Letter: "u", Hint: "undo", Help: "Undo the last change, and earlier ones step by step, until you quit"},
		{Context: shell.InList, Action: shell.Select, Keys: []string{"tab"}, Hint: "select", Footer: true, Help: "Select or deselect this row and go down; actions then apply to all selected rows"},
		{Context: shell.InList, Action: shell.SelectUp, Keys: []string{"shift+tab"}, Help: "Select or deselect this row and go up"},
		{Context: shell.InList, Action: shell.SelectToHere, Keys: []string{"alt+v"}, Letter: "M", Hint: "select to here", Help: "Select a range: from the last selected row to this one"},
		{Context: shell.InList, Action: shell.SelectAll, Keys: []string{"alt+a"}, Letter: "m", Hint: "select all", Help: "Select all rows of this query and scope"},
		{Context: shell.InList, Action: shell.Up, Keys: []string{"up", "ctrl+p", "ctrl+k"}, Help: "One row up (wraps around)"},
		{Context: shell.InList, Action: shell.Down, Keys: []string{"down", "ctrl+n", "ctrl+j"}, Help: "One row down (wraps around)"},
		{Context: shell.InList, Action: shell.PageUp, Keys: []string{"pgup"}, Help: "One page up"},
		{Context: shell.InList, Action: shell.PageDown, Keys: []string{"pgdown"}, Help: "One page down"},
		{Context: shell.InList, Action: shell.First, Keys: []string{"ctrl+home", "home"}, Help: "First row (home: only on an empty query)"},
		{Context: shell.InList, Action: shell.Last, Keys: []string{"ctrl+end", "end"}, Help: "Last row (end: only on an empty query)"},
		{Context: shell.InList, Action: shell.PreviewUp, Keys: []string{"shift+up"}, Letter: "[", Hint: "preview up", Help: "Scroll the preview up"},
		{Context: shell.InList, Action: shell.PreviewDown, Keys: []string{"shift+down"}, Letter: "]", Hint: "preview down", Help: "Scroll the preview down"},
		{Context: shell.InList, Action: shell.Reload, Keys: []string{"f5"}, Letter: "g", Hint: "reload", Help: "Reload the list (changes also appear automatically)"},
		{Context: shell.InList, Action: shell.Back, Keys: []string{"esc", "ctrl+g"}, Help: "Clear the selection, then the query, then quit"},
		{Context: shell.InList, Action: shell.More, Keys: []string{"ctrl+x"}, Hint: "more", Footer: true, Help: "All actions of this screen, each with a letter"},
		{Context: shell.InList, Action: shell.Commands, Keys: []string{":"}, Letter: ":", Hint: "commands", Help: "Find an action by name (: only as the first character)"},
		{Context: shell.InList, Action: shell.Type, Keys: []string{"/"}, Help: "Start a query (optional: typing does too)"},
		{Context: shell.InList, Action: shell.Help, Keys: []string{"f1", "?"}, Letter: "?", Hint: "help", Footer: true, Help: "Help (? only as the first character)"},
	}
}

func transcriptKeys() []shell.Binding {
	return []shell.Binding{
		{Context: shell.InTranscript, Action: shell.Resume, Keys: []string{"r"}, Letter: "r", Hint: "resume", Footer: true, Help: "Resume in Hermes, at the newest segment"},
		{Context: shell.InTranscript, Action: shell.ResumeInTUI, Keys: []string{"alt+enter"}, Letter: "T", Hint: "resume in the TUI", Help: "Resume in Hermes's TUI (hermes --tui)"},
		{Context: shell.InTranscript, Action: shell.ResumeAndReturn, Letter: "b", Hint: "resume and return", Help: "Resume, and return to this screen when Hermes ends"},
		{Context: shell.InTranscript, Action: shell.Fold, Keys: []string{"enter", "o"}, Letter: "o", Hint: "fold", Footer: true, Help: "Fold or unfold this message"},
		{Context: shell.InTranscript, Action: shell.Tools, Keys: []string{"t"}, Letter: "t", Hint: "tools", Footer: true, Help: "Show or hide tool calls and their results"},
		{Context: shell.InTranscript, Action: shell.Reasoning, Keys: []string{"R"}, Letter: "R", Hint: "reasoning", Footer: true, Help: "Show or hide the agent's reasoning"},
		{Context: shell.InTranscript, Action: shell.Find, Keys: []string{"/"}, Letter: "/", Hint: "find", Footer: true, Help: "Find in this conversation (alt+r: regular expression)"},
		{Context: shell.InTranscript, Action: shell.NextHit, Keys: []string{"n"}, Letter: "n", Hint: "next hit", Footer: true, Help: "Next hit; after the last one, the first of the next result"},
		{Context: shell.InTranscript, Action: shell.PreviousHit, Keys: []string{"N"}, Letter: "N", Hint: "previous hit", Help: "Previous hit; before the first one, the last of the previous result"},
		{Context: shell.InTranscript, Action: shell.NextResult, Keys: []string{">"}, Letter: ">", Hint: "next result", Help: "Next conversation of the list"},
		{Context: shell.InTranscript, Action: shell.PreviousResult, Keys: []string{"<"}, Letter: "<", Hint: "previous result", Help: "Previous conversation of the list"},
		{Context: shell.InTranscript, Action: shell.FoldAll, Keys: []string{"O"}, Letter: "O", Hint: "fold all", Help: "Fold or unfold everything"},
		{Context: shell.InTranscript, Action: shell.Up, Keys: []string{"k", "up"}, Help: "One line up"},
		{Context: shell.InTranscript, Action: shell.Down, Keys: []string{"j", "down"}, Help: "One line down"},
		{Context: shell.InTranscript, Action: shell.PageUp, Keys: []string{"b", "pgup", "ctrl+b"}, Help: "One page up"},
		{Context: shell.InTranscript, Action: shell.PageDown, Keys: []string{"space", "pgdown", "ctrl+f"}, Help: "One page down"},
		{Context: shell.InTranscript, Action: shell.HalfUp, Keys: []string{"ctrl+u"}, Help: "Half a page up"},
		{Context: shell.InTranscript, Action: shell.HalfDown, Keys: []string{"ctrl+d"}, Help: "Half a page down"},
		{Context: shell.InTranscript, Action: shell.First, Keys: []string{"g", "home"}, Letter: "g", Hint: "first line", Help: "Start"},
		{Context: shell.InTranscript, Action: shell.Last, Keys: []string{"G", "end"}, Letter: "G", Hint: "last line", Help: "End"},
		{Context: shell.InTranscript, Action: shell.PreviousMessage, Keys: []string{"K"}, Letter: "k", Hint: "previous message", Help: "Previous message"},
		{Context: shell.InTranscript, Action: shell.NextMessage, Keys: []string{"J"}, Letter: "j", Hint: "next message", Help: "Next message"},
		{Context: shell.InTranscript, Action: shell.PreviousPrompt, Keys: []string{"["}, Letter: "[", Hint: "previous prompt", Help: "Previous prompt"},
		{Context: shell.InTranscript, Action: shell.NextPrompt, Keys: []string{"]"}, Letter: "]", Hint: "next prompt", Help: "Next prompt"},
		{Context: shell.InTranscript, Action: shell.NextFailure, Keys: []string{"!"}, Letter: "E", Hint: "next failure", Help: "Next tool call that failed; after the last one, the first"},
		{Context: shell.InTranscript, Action: shell.GoTo, Letter: "%", Hint: "go to", Help: "Go to a message number or a percentage: 1234G, 50%"},
		{Context: shell.InTranscript, Action: shell.Follow, Keys: []string{"f"}, Letter: "f", Hint: "follow", Footer: true, Help: "Go to the end and follow new messages"},
		{Context: shell.InTranscript, Action: shell.Outline, Keys: []string{"\\"}, Letter: "\\", Hint: "outline", Footer: true, Help: "Show or hide the outline of prompts"},
		{Context: shell.InTranscript, Action: shell.Numbers, Keys: []string{"#"}, Letter: "#", Hint: "numbers", Help: "Show or hide message numbers and turn totals"},
		{Context: shell.InTranscript, Action: shell.Wrap, Keys: []string{"w"}, Letter: "w", Hint: "wrap", Help: "Wrap or cut long lines of code"},
		{Context: shell.InTranscript, Action: shell.Lineage, Keys: []string{"l"}, Letter: "l", Hint: "lineage", Footer: true, Help: "The session tree, at the current segment"},
		{Context: shell.InTranscript, Action: shell.Copy, Keys: []string{"y"}, Letter: "y", Hint: "copy", Footer: true, Help: "Copy this message"},
		{Context: shell.InTranscript, Action: shell.CopyMenu, Keys: []string{"Y", "ctrl+y"}, Letter: "Y", Hint: "copy menu", Help: "Copy a code block, a link, the ID, the resume command, the title or the folder"},
		{Context: shell.InTranscript, Action: shell.Inspect, Keys: []string{"i"}, Letter: "i", Hint: "details", Help: "Show all details: IDs, folder, counts, usage by model, stored columns"},
		{Context: shell.InTranscript, Action: shell.Export, Keys: []string{"e"}, Letter: "e", Hint: "export", Help: "Export it: Markdown, HTML page or JSON lines"},
		{Context: shell.InTranscript, Action: shell.Editor, Keys: []string{"v"}, Letter: "v", Hint: "editor", Help: "Open a temporary Markdown copy in $EDITOR"},
		{Context: shell.InTranscript, Action: shell.Pager, Keys: []string{"$"}, Letter: "$", Hint: "pager", Help: "Read it in $PAGER"},
		{Context: shell.InTranscript, Action: shell.Rename, Keys: []string{"ctrl+r", "f2"}, Letter: "m", Hint: "rename", Help: "Change or remove the title"},
		{Context: shell.InTranscript, Action: shell.Note, Keys: []string{"a"}, Letter: "C", Hint: "note", Help: "Write a note on this message"},
		{Context: shell.InTranscript, Action: shell.Tags, Keys: []string{"A"}, Letter: "A", Hint: "tags", Help: "Tag this conversation; find it with tag:"},
		{Context: shell.InTranscript, Action: shell.BookmarkMessage, Keys: []string{"m"}, Letter: "B", Hint: "bookmark", Help: "Set or clear a bookmark on this message"},
		{Context: shell.InTranscript, Action: shell.NextBookmark, Keys: []string{"M"}, Letter: "M", Hint: "next bookmark", Help: "Next message with a bookmark or a note"},
		{Context: shell.InTranscript, Action: shell.Pin, Letter: "p", Hint: "pin/unpin", Help: "Pin this conversation to the top of the list; again to unpin"},
		{Context: shell.InTranscript, Action: shell.Archive, Letter: "a", Hint: "archive/unarchive", Help: "Archive or unarchive this conversation"},
		{Context: shell.InTranscript, Action: shell.Delete, Keys: []string{"d"}, Letter: "d", Hint: "delete", Help: "Delete this conversation or a single segment; asks first"},
		{Context: shell.InTranscript, Action: shell.Undo, Keys: []string{"u", "alt+z"}, Letter: "u", Hint: "undo", Help: "Undo the last change"},
		{Context: shell.InTranscript, Action: shell.Reload, Keys: []string{"f5"}, Letter: "5", Hint: "reload", Help: "Reload the conversation"},
		{Context: shell.InTranscript, Action: shell.Back, Keys: []string{"q", "esc", "h", "left"}, Letter: "q", Hint: "back", Footer: true, Help: "Back to the list"},
		{Context: shell.InTranscript, Action: shell.More, Keys: []string{"ctrl+x"}, Hint: "more", Footer: true, Help: "All actions of this screen, each with a letter"},
		{Context: shell.InTranscript, Action: shell.Commands, Keys: []string{":"}, Letter: ":", Hint: "commands", Help: "Find an action by name"},
		{Context: shell.InTranscript, Action: shell.Help, Keys: []string{"?", "f1"}, Letter: "?", Hint: "help", Footer: true, Help: "Help"},
	}
}

func lineageKeys() []shell.Binding {
	return []shell.Binding{
		{Context: shell.InLineage, Action: shell.Read, Keys: []string{"enter"}, Letter: "t", Hint: "read", Footer: true, Help: "Read this session; a branch opens at its fork point"},
		{Context: shell.InLineage, Action: shell.Resume, Keys: []string{"r"}, Letter: "r", Hint: "resume", Footer: true, Help: "Resume the conversation of this session in Hermes, at its newest segment"},
		{Context: shell.InLineage, Action: shell.ResumeInTUI, Keys: []string{"alt+enter"}, Letter: "T", Hint: "resume in the TUI", Help: "Resume in Hermes's TUI (hermes --tui)"},
		{Context: shell.InLineage, Action: shell.ResumeAndReturn, Letter: "b", Hint: "resume and return", Help: "Resume, and return to this tree when Hermes ends"},
		{Context: shell.InLineage, Action: shell.ForkPoint, Keys: []string{"o"}, Letter: "o", Hint: "fork point", Footer: true, Help: "Read the parent at the point where this session was forked or started"},
		{Context: shell.InLineage, Action: shell.Compare, Keys: []string{"c"}, Letter: "c", Hint: "compare", Footer: true, Help: "Compare this branch with its parent: what each did after the fork"},
		{Context: shell.InLineage, Action: shell.Find, Keys: []string{"/"}, Letter: "/", Hint: "find", Footer: true, Help: "Find in this tree, folded parts included"},
		{Context: shell.InLineage, Action: shell.NextHit, Keys: []string{"n"}, Letter: "n", Hint: "next hit", Help: "Next hit"},
		{Context: shell.InLineage, Action: shell.PreviousHit, Keys: []string{"N"}, Letter: "N", Hint: "previous hit", Help: "Previous hit"},
		{Context: shell.InLineage, Action: shell.UnfoldAll, Keys: []string{"*"}, Letter: "*", Hint: "unfold all", Footer: true, Help: "Unfold everything"},
		{Context: shell.InLineage, Action: shell.FoldAll, Keys: []string{"-"}, Letter: "-", Hint: "fold all", Help: "Fold everything below the first level"},
		{Context: shell.InLineage, Action: shell.Copy, Keys: []string{"y"}, Letter: "y", Hint: "copy ID", Footer: true, Help: "Copy the ID of this session"},
		{Context: shell.InLineage, Action: shell.Rename, Keys: []string{"ctrl+r", "f2"}, Letter: "m", Hint: "rename", Help: "Change or remove the title of the conversation"},
		{Context: shell.InLineage, Action: shell.Pin, Letter: "P", Hint: "pin/unpin", Help: "Pin its conversation to the top of the list, or unpin it"},
		{Context: shell.InLineage, Action: shell.Archive, Letter: "a", Hint: "archive/unarchive", Help: "Archive or unarchive its conversation"},
		{Context: shell.InLineage, Action: shell.Inspect, Keys: []string{"i"}, Letter: "i", Hint: "details", Footer: true, Help: "Show all details of its conversation"},
		{Context: shell.InLineage, Action: shell.Export, Keys: []string{"e"}, Letter: "e", Hint: "export", Help: "Export its conversation: Markdown, HTML page or JSON lines"},
		{Context: shell.InLineage, Action: shell.Editor, Keys: []string{"v"}, Letter: "v", Hint: "editor", Help: "Open a temporary Markdown copy in $EDITOR"},
		{Context: shell.InLineage, Action: shell.Pager, Keys: []string{"$"}, Letter: "$", Hint: "pager", Help: "Read it in $PAGER"},
		{Context: shell.InLineage, Action: shell.Delete, Keys: []string{"d"}, Letter: "d", Hint: "delete", Help: "Delete the conversation of this session or a single segment; asks first"},
		{Context: shell.InLineage, Action: shell.Undo, Keys: []string{"u", "alt+z"}, Letter: "u", Hint: "undo", Help: "Undo the last change"},
		{Context: shell.InLineage, Action: shell.Up, Keys: []string{"k", "up", "ctrl+p"}, Help: "One row up"},
		{Context: shell.InLineage, Action: shell.Down, Keys: []string{"j", "down", "ctrl+n"}, Help: "One row down"},
		{Context: shell.InLineage, Action: shell.Unfold, Keys: []string{"right", "l"}, Help: "Unfold; if unfolded, go to the first child; without children, open the transcript"},
		{Context: shell.InLineage, Action: shell.Fold, Keys: []string{"left", "h"}, Help: "Fold; if folded, go to the parent"},
		{Context: shell.InLineage, Action: shell.Parent, Keys: []string{"p"}, Letter: "p", Hint: "parent", Help: "Parent session"},
		{Context: shell.InLineage, Action: shell.NextSibling, Keys: []string{"J"}, Letter: "J", Hint: "next sibling", Help: "Next session of the same parent"},
		{Context: shell.InLineage, Action: shell.PreviousSibling, Keys: []string{"K"}, Letter: "K", Hint: "previous sibling", Help: "Previous session of the same parent"},
		{Context: shell.InLineage, Action: shell.PageUp, Keys: []string{"b", "pgup", "ctrl+b"}, Help: "One page up"},
		{Context: shell.InLineage, Action: shell.PageDown, Keys: []string{"space", "pgdown", "ctrl+f"}, Help: "One page down"},
		{Context: shell.InLineage, Action: shell.HalfUp, Keys: []string{"ctrl+u"}, Help: "Half a page up"},
		{Context: shell.InLineage, Action: shell.HalfDown, Keys: []string{"ctrl+d"}, Help: "Half a page down"},
		{Context: shell.InLineage, Action: shell.First, Keys: []string{"g", "home"}, Help: "Root"},
		{Context: shell.InLineage, Action: shell.Last, Keys: []string{"G", "end"}, Help: "Last row"},
		{Context: shell.InLineage, Action: shell.PreviewUp, Keys: []string{"shift+up"}, Letter: "[", Hint: "preview up", Help: "Scroll the transcript pane up"},
		{Context: shell.InLineage, Action: shell.PreviewDown, Keys: []string{"shift+down"}, Letter: "]", Hint: "preview down", Help: "Scroll the transcript pane down"},
		{Context: shell.InLineage, Action: shell.Reload, Keys: []string{"f5"}, Letter: "f", Hint: "reload", Help: "Reload the tree (changes also appear automatically)"},
		{Context: shell.InLineage, Action: shell.Back, Keys: []string{"q", "esc", "ctrl+l"}, Letter: "q", Hint: "back", Footer: true, Help: "Back"},
		{Context: shell.InLineage, Action: shell.More, Keys: []string{"ctrl+x"}, Hint: "more", Footer: true, Help: "All actions of this screen, each with a letter"},
		{Context: shell.InLineage, Action: shell.Commands, Keys: []string{":"}, Letter: ":", Hint: "commands", Help: "Find an action by name"},
		{Context: shell.InLineage, Action: shell.Help, Keys: []string{"?", "f1"}, Letter: "?", Hint: "help", Footer: true, Help: "Help"},
	}
}

// cleanupKeys are the keys of the clean-up screen.
func cleanupKeys() []shell.Binding {
	return []shell.Binding{
		{Context: shell.InCleanup, Action: shell.Delete, Keys: []string{"d", "ctrl+d", "delete"}, Letter: "d", Hint: "delete selected", Footer: true, Help: "Delete all selected conversations; asks first"},
		{Context: shell.InCleanup, Action: shell.Select, Keys: []string{"space", "tab"}, Letter: "m", Hint: "select", Footer: true, Help: "Select or deselect this row and go down"},
		{Context: shell.InCleanup, Action: shell.SelectAll, Keys: []string{"*", "alt+a"}, Letter: "*", Hint: "select all", Footer: true, Help: "Select all, or none"},
		{Context: shell.InCleanup, Action: shell.View, Keys: []string{"right", "l"}, Letter: "l", Hint: "view", Footer: true, Help: "Next view: clutter (empty, ghosts, duplicates); inactive for 30, 90, 180 or 365 days"},
		{Context: shell.InCleanup, Action: shell.PreviousView, Keys: []string{"left", "h"}, Letter: "h", Hint: "previous view", Help: "Previous view"},
		{Context: shell.InCleanup, Action: shell.Read, Keys: []string{"enter"}, Letter: "t", Hint: "read", Footer: true, Help: "Read this conversation"},
		{Context: shell.InCleanup, Action: shell.Resume, Keys: []string{"r"}, Letter: "r", Hint: "resume", Help: "Resume this conversation in Hermes, at its newest segment"},
		{Context: shell.InCleanup, Action: shell.ResumeInTUI, Keys: []string{"alt+enter"}, Letter: "T", Hint: "resume in the TUI", Help: "Resume in Hermes's TUI (hermes --tui)"},
		{Context: shell.InCleanup, Action: shell.ResumeAndReturn, Letter: "b", Hint: "resume and return", Help: "Resume, and return to this screen when Hermes ends"},
		{Context: shell.InCleanup, Action: shell.Undo, Keys: []string{"u", "alt+z"}, Letter: "u", Hint: "undo", Help: "Undo the last change"},
		{Context: shell.InCleanup, Action: shell.Up, Keys: []string{"k", "up", "ctrl+p"}, Help: "One row up"},
		{Context: shell.InCleanup, Action: shell.Down, Keys: []string{"j", "down", "ctrl+n"}, Help: "One row down"},
		{Context: shell.InCleanup, Action: shell.PageUp, Keys: []string{"b", "pgup", "ctrl+b"}, Help: "One page up"},
		{Context: shell.InCleanup, Action: shell.PageDown, Keys: []string{"f", "pgdown", "ctrl+f"}, Help: "One page down"},
		{Context: shell.InCleanup, Action: shell.First, Keys: []string{"g", "home"}, Help: "First row"},
		{Context: shell.InCleanup, Action: shell.Last, Keys: []string{"G", "end"}, Help: "Last row"},
		{Context: shell.InCleanup, Action: shell.Reload, Keys: []string{"f5"}, Letter: "5", Hint: "reload", Help: "Reload the list"},
		{Context: shell.InCleanup, Action: shell.Back, Keys: []string{"q", "esc"}, Letter: "q", Hint: "back", Footer: true, Help: "Back to the list"},
		{Context: shell.InCleanup, Action: shell.More, Keys: []string{"ctrl+x"}, Hint: "more", Footer: true, Help: "All actions of this screen, each with a letter"},
		{Context: shell.InCleanup, Action: shell.Commands, Keys: []string{":"}, Letter: ":", Hint: "commands", Help: "Find an action by name"},
		{Context: shell.InCleanup, Action: shell.Help, Keys: []string{"?", "f1"}, Letter: "?", Hint: "help", Footer: true, Help: "Help"},
	}
}

// runningKeys are the keys of the open sessions.
func runningKeys() []shell.Binding {
	return []shell.Binding{
		{Context: shell.InRunning, Action: shell.Read, Keys: []string{"enter", "right", "l"}, Letter: "t", Hint: "read", Footer: true, Help: "Read the transcript at its end; new messages appear there"},
		{Context: shell.InRunning, Action: shell.Resume, Keys: []string{"r"}, Letter: "r", Hint: "resume", Footer: true, Help: "Resume in Hermes, at the newest segment; asks first if it may be running"},
		{Context: shell.InRunning, Action: shell.ResumeInTUI, Keys: []string{"alt+enter"}, Letter: "T", Hint: "resume in the TUI", Help: "Resume in Hermes's TUI (hermes --tui)"},
		{Context: shell.InRunning, Action: shell.ResumeAndReturn, Letter: "b", Hint: "resume and return", Help: "Resume, and return to this screen when Hermes ends"},
		{Context: shell.InRunning, Action: shell.Lineage, Keys: []string{"ctrl+l"}, Letter: "L", Hint: "lineage", Footer: true, Help: "The session tree: segments, branches and subagents, with the cost of each"},
		{Context: shell.InRunning, Action: shell.Inspect, Keys: []string{"i"}, Letter: "i", Hint: "details", Footer: true, Help: "Show all details: IDs, folder, counts, usage by model, stored columns"},
		{Context: shell.InRunning, Action: shell.Copy, Keys: []string{"y"}, Letter: "y", Hint: "copy ID", Footer: true, Help: "Copy the ID of the session"},
		{Context: shell.InRunning, Action: shell.Export, Keys: []string{"e"}, Letter: "e", Hint: "export", Help: "Export it: Markdown, HTML page or JSON lines"},
		{Context: shell.InRunning, Action: shell.Editor, Keys: []string{"v"}, Letter: "v", Hint: "editor", Help: "Open a temporary Markdown copy in $EDITOR"},
		{Context: shell.InRunning, Action: shell.Pager, Keys: []string{"$"}, Letter: "$", Hint: "pager", Help: "Read it in $PAGER"},
		{Context: shell.InRunning, Action: shell.Undo, Keys: []string{"u", "alt+z"}, Letter: "u", Hint: "undo", Help: "Undo the last change"},
		{Context: shell.InRunning, Action: shell.Up, Keys: []string{"k", "up", "ctrl+p"}, Help: "One row up"},
		{Context: shell.InRunning, Action: shell.Down, Keys: []string{"j", "down", "ctrl+n"}, Help: "One row down"},
		{Context: shell.InRunning, Action: shell.PageUp, Keys: []string{"b", "pgup", "ctrl+b"}, Help: "One page up"},
		{Context: shell.InRunning, Action: shell.PageDown, Keys: []string{"space", "pgdown", "ctrl+f"}, Help: "One page down"},
		{Context: shell.InRunning, Action: shell.First, Keys: []string{"g", "home"}, Help: "First row"},
		{Context: shell.InRunning, Action: shell.Last, Keys: []string{"G", "end"}, Help: "Last row"},
		{Context: shell.InRunning, Action: shell.Reload, Keys: []string{"f5"}, Letter: "5", Hint: "reload", Help: "Reload the sessions (changes also appear automatically)"},
		{Context: shell.InRunning, Action: shell.Back, Keys: []string{"q", "esc", "h", "left"}, Letter: "q", Hint: "back", Footer: true, Help: "Back to the list"},
		{Context: shell.InRunning, Action: shell.More, Keys: []string{"ctrl+x"}, Hint: "more", Footer: true, Help: "All actions of this screen, each with a letter"},
		{Context: shell.InRunning, Action: shell.Commands, Keys: []string{":"}, Letter: ":", Hint: "commands", Help: "Find an action by name"},
		{Context: shell.InRunning, Action: shell.Help, Keys: []string{"?", "f1"}, Letter: "?", Hint: "help", Footer: true, Help: "Help"},
	}
}

func storageKeys() []shell.Binding {
	return []shell.Binding{
		{Context: shell.InStorage, Action: shell.Open, Keys: []string{"enter"}, Letter: "t", Hint: "open", Footer: true, Help: "Read this conversation, or list the conversations of this source"},
		{Context: shell.InStorage, Action: shell.Delete, Keys: []string{"d", "ctrl+d", "delete"}, Letter: "d", Hint: "delete", Footer: true, Help: "Delete this conversation; asks first"},
		{Context: shell.InStorage, Action: shell.View, Keys: []string{"right", "tab", "l"}, Letter: "l", Hint: "view", Footer: true, Help: "Next view: conversations, sources, months"},
		{Context: shell.InStorage, Action: shell.PreviousView, Keys: []string{"left", "shift+tab", "h"}, Letter: "h", Hint: "previous view", Help: "Previous view"},
		{Context: shell.InStorage, Action: shell.Vacuum, Keys: []string{"V"}, Letter: "v", Hint: "vacuum", Footer: true, Help: "Remove free pages from the file; shows what this needs, and asks first"},
		{Context: shell.InStorage, Action: shell.EmptyTheLog, Keys: []string{"C"}, Letter: "c", Hint: "empty the log", Help: "Move the write-ahead log into the file and empty it; safe while Hermes runs"},
		{Context: shell.InStorage, Action: shell.Resume, Keys: []string{"r"}, Letter: "r", Hint: "resume", Help: "Resume this conversation in Hermes, at its newest segment"},
		{Context: shell.InStorage, Action: shell.ResumeInTUI, Keys: []string{"alt+enter"}, Letter: "T", Hint: "resume in the TUI", Help: "Resume in Hermes's TUI (hermes --tui)"},
		{Context: shell.InStorage, Action: shell.ResumeAndReturn, Letter: "b", Hint: "resume and return", Help: "Resume, and return to this screen when Hermes ends"},
		{Context: shell.InStorage, Action: shell.Undo, Keys: []string{"u", "alt+z"}, Letter: "u", Hint: "undo", Help: "Undo the last change"},
		{Context: shell.InStorage, Action: shell.Up, Keys: []string{"k", "up", "ctrl+p"}, Help: "One row up"},
		{Context: shell.InStorage, Action: shell.Down, Keys: []string{"j", "down", "ctrl+n"}, Help: "One row down"},
		{Context: shell.InStorage, Action: shell.PageUp, Keys: []string{"b", "pgup", "ctrl+b"}, Help: "One page up"},
		{Context: shell.InStorage, Action: shell.PageDown, Keys: []string{"f", "space", "pgdown", "ctrl+f"}, Help: "One page down"},
		{Context: shell.InStorage, Action: shell.First, Keys: []string{"g", "home"}, Help: "First row"},
		{Context: shell.InStorage, Action: shell.Last, Keys: []string{"G", "end"}, Help: "Last row"},
		{Context: shell.InStorage, Action: shell.Reload, Keys: []string{"f5"}, Letter: "5", Hint: "reload", Help: "Measure again"},
		{Context: shell.InStorage, Action: shell.Back, Keys: []string{"q", "esc"}, Letter: "q", Hint: "back", Footer: true, Help: "Back"},
		{Context: shell.InStorage, Action: shell.More, Keys: []string{"ctrl+x"}, Hint: "more", Footer: true, Help: "All actions of this screen, each with a letter"},
		{Context: shell.InStorage, Action: shell.Commands, Keys: []string{":"}, Letter: ":", Hint: "commands", Help: "Find an action by name"},
		{Context: shell.InStorage, Action: shell.Help, Keys: []string{"?", "f1"}, Letter: "?", Hint: "help", Footer: true, Help: "Help"},
	}
}

func usageKeys() []shell.Binding {
	return []shell.Binding{
		{Context: shell.InUsage, Action: shell.Open, Keys: []string{"enter"}, Letter: "o", Hint: "open", Footer: true, Help: "List the conversations of this row; on a conversation, read it"},
		{Context: shell.InUsage, Action: shell.View, Keys: []string{"right", "tab"}, Letter: "v", Hint: "view", Footer: true, Help: "Next view: time, models, sources, folders, tools, hours, weekdays, conversations"},
		{Context: shell.InUsage, Action: shell.PreviousView, Keys: []string{"left", "shift+tab"}, Letter: "V", Hint: "previous view", Help: "Previous view"},
		{Context: shell.InUsage, Action: shell.Unit, Keys: []string{"d", "w"}, Letter: "d", Hint: "unit", Footer: true, Help: "By day, week or month; a session counts on the day it started"},
		{Context: shell.InUsage, Action: shell.Range, Keys: []string{"t"}, Letter: "t", Hint: "range", Footer: true, Help: "Next range: 12 months, all time, 7, 30 or 90 days"},
		{Context: shell.InUsage, Action: shell.ShorterRange, Keys: []string{"T"}, Letter: "T", Hint: "shorter range", Help: "Previous range"},
		{Context: shell.InUsage, Action: shell.Measure, Keys: []string{"m"}, Letter: "m", Hint: "measure", Footer: true, Help: "Measure tokens, cache reads, cost, sessions or messages; for tools, calls or failures"},
		{Context: shell.InUsage, Action: shell.List, Keys: []string{"l"}, Letter: "l", Hint: "list", Footer: true, Help: "Show the conversations of this row in the list, as a query"},
		{Context: shell.InUsage, Action: shell.Earlier, Keys: []string{"["}, Letter: "[", Hint: "earlier", Footer: true, Help: "The previous period of the same length"},
		{Context: shell.InUsage, Action: shell.Later, Keys: []string{"]"}, Letter: "]", Hint: "later", Footer: true, Help: "The next period of the same length"},
		{Context: shell.InUsage, Action: shell.Resume, Keys: []string{"r"}, Letter: "r", Hint: "resume", Help: "Resume this conversation in Hermes, at its newest segment"},
		{Context: shell.InUsage, Action: shell.ResumeInTUI, Keys: []string{"alt+enter"}, Letter: "R", Hint: "resume in the TUI", Help: "Resume in Hermes's TUI (hermes --tui)"},
		{Context: shell.InUsage, Action: shell.ResumeAndReturn, Letter: "b", Hint: "resume and return", Help: "Resume, and return to this screen when Hermes ends"},
		{Context: shell.InUsage, Action: shell.Undo, Keys: []string{"u", "alt+z"}, Letter: "u", Hint: "undo", Help: "Undo the last change"},
		{Context: shell.InUsage, Action: shell.Up, Keys: []string{"k", "up", "ctrl+p"}, Help: "One row up"},
		{Context: shell.InUsage, Action: shell.Down, Keys: []string{"j", "down", "ctrl+n"}, Help: "One row down"},
		{Context: shell.InUsage, Action: shell.PageUp, Keys: []string{"b", "pgup", "ctrl+b"}, Help: "One page up"},
		{Context: shell.InUsage, Action: shell.PageDown, Keys: []string{"space", "pgdown", "ctrl+f"}, Help: "One page down"},
		{Context: shell.InUsage, Action: shell.First, Keys: []string{"g", "home"}, Help: "First row"},
		{Context: shell.InUsage, Action: shell.Last, Keys: []string{"G", "end"}, Help: "Last row"},
		{Context: shell.InUsage, Action: shell.Reload, Keys: []string{"f5"}, Letter: "5", Hint: "reload", Help: "Read the sessions again (changes also appear automatically)"},
		{Context: shell.InUsage, Action: shell.Back, Keys: []string{"q", "esc"}, Letter: "q", Hint: "back", Footer: true, Help: "Back: leave an open group, or return to the list"},
		{Context: shell.InUsage, Action: shell.More, Keys: []string{"ctrl+x"}, Hint: "more", Footer: true, Help: "All actions of this screen, each with a letter"},
		{Context: shell.InUsage, Action: shell.Commands, Keys: []string{":"}, Letter: ":", Hint: "commands", Help: "Find an action by name"},
		{Context: shell.InUsage, Action: shell.Help, Keys: []string{"?", "f1"}, Letter: "?", Hint: "help", Footer: true, Help: "Help"},
	}
}

// comparisonKeys are the keys of the screen that compares two conversations.
func comparisonKeys() []shell.Binding {
	return []shell.Binding{
		{Context: shell.InComparison, Action: shell.Read, Keys: []string{"enter"}, Letter: "t", Hint: "read", Footer: true, Help: "Read this conversation at this message"},
		{Context: shell.InComparison, Action: shell.OtherSide, Keys: []string{"tab", "right", "l", "shift+tab", "left", "h"}, Letter: "l", Hint: "other side", Footer: true, Help: "The other conversation"},
		{Context: shell.InComparison, Action: shell.Resume, Keys: []string{"r"}, Letter: "r", Hint: "resume", Help: "Resume this conversation in Hermes, at its newest segment"},
		{Context: shell.InComparison, Action: shell.ResumeInTUI, Keys: []string{"alt+enter"}, Letter: "T", Hint: "resume in the TUI", Help: "Resume in Hermes's TUI (hermes --tui)"},
		{Context: shell.InComparison, Action: shell.ResumeAndReturn, Letter: "b", Hint: "resume and return", Help: "Resume, and return to this screen when Hermes ends"},
		{Context: shell.InComparison, Action: shell.Undo, Keys: []string{"u", "alt+z"}, Letter: "u", Hint: "undo", Help: "Undo the last change"},
		{Context: shell.InComparison, Action: shell.Up, Keys: []string{"k", "up", "ctrl+p"}, Help: "One message up"},
		{Context: shell.InComparison, Action: shell.Down, Keys: []string{"j", "down", "ctrl+n"}, Help: "One message down"},
		{Context: shell.InComparison, Action: shell.PageUp, Keys: []string{"b", "pgup", "ctrl+b"}, Help: "One page up"},
		{Context: shell.InComparison, Action: shell.PageDown, Keys: []string{"f", "space", "pgdown", "ctrl+f"}, Help: "One page down"},
		{Context: shell.InComparison, Action: shell.First, Keys: []string{"g", "home"}, Help: "Start"},
		{Context: shell.InComparison, Action: shell.Last, Keys: []string{"G", "end"}, Help: "End"},
		{Context: shell.InComparison, Action: shell.Reload, Keys: []string{"f5"}, Letter: "5", Hint: "reload", Help: "Compare again"},
		{Context: shell.InComparison, Action: shell.Back, Keys: []string{"q", "esc"}, Letter: "q", Hint: "back", Footer: true, Help: "Back"},
		{Context: shell.InComparison, Action: shell.More, Keys: []string{"ctrl+x"}, Hint: "more", Footer: true, Help: "All actions of this screen, each with a letter"},
		{Context: shell.InComparison, Action: shell.Commands, Keys: []string{":"}, Letter: ":", Hint: "commands", Help: "Find an action by name"},
		{Context: shell.InComparison, Action: shell.Help, Keys: []string{"?", "f1"}, Letter: "?", Hint: "help", Footer: true, Help: "Help"},
	}
}

// dialogKeys are the keys of boxes that are read or chosen from.
func dialogKeys() []shell.Binding {
	return []shell.Binding{
		{Context: shell.InDialog, Action: shell.Up, Keys: []string{"up", "ctrl+p"}, Help: "One line up"},
		{Context: shell.InDialog, Action: shell.Down, Keys: []string{"down", "ctrl+n"}, Help: "One line down"},
		{Context: shell.InDialog, Action: shell.PageUp, Keys: []string{"pgup"}, Help: "One page up"},
		{Context: shell.InDialog, Action: shell.PageDown, Keys: []string{"pgdown"}, Help: "One page down"},
		{Context: shell.InDialog, Action: shell.First, Keys: []string{"home"}, Help: "Start"},
		{Context: shell.InDialog, Action: shell.Last, Keys: []string{"end"}, Help: "End"},
		{Context: shell.InDialog, Action: shell.ChooseEntry, Keys: []string{"enter"}, Hint: "choose", Help: "Choose the current entry"},
		{Context: shell.InDialog, Action: shell.Close, Keys: []string{"esc", "ctrl+g"}, Hint: "close", Help: "Close the box"},
	}
}

// keysAnywhere are the keys that hold in all screens and boxes.
func keysAnywhere() []shell.Binding {
	return []shell.Binding{
		{Context: shell.Anywhere, Action: shell.Suspend, Keys: []string{"ctrl+z"}, Letter: "z", Hint: "suspend", Help: "Suspend to the shell; fg returns"},
		{Context: shell.Anywhere, Action: shell.Stop, Keys: []string{"alt+c"}, Letter: "!", Hint: "stop", Help: "Stop the running change; what it has done so far can be undone"},
		{Context: shell.Anywhere, Action: shell.Quit, Keys: []string{"ctrl+c"}, Letter: "x", Hint: "quit", Help: "Quit (exit code 130)"},
	}
}

// keys returns the key map of a preset with the user's own keys, checked. With
// feeds, Enter may come as a line feed. The error names the row that is wrong.
func keys(preset string, feeds bool, own shell.Overrides) (shell.Keys, error) {
	typing, overrides := shell.Searches, shell.Overrides{}
	switch preset {
	case "", "default":
	case "vim":
		typing, overrides = shell.ActsAlways, vim()
	case "upstream":
		typing, overrides = shell.ActsFirst, upstream()
	default:
		return shell.Keys{}, fmt.Errorf("unknown preset %q (default, vim or upstream)", preset)
	}
	rows, err := shell.Rebind(keymap(), overrides)
	if err != nil {
		return shell.Keys{}, err
	}
	if feeds {
		rows = lineFeeds(rows)
	}
	if rows, err = shell.Rebind(rows, own); err != nil {
		return shell.Keys{}, err
	}
	return shell.NewKeys(rows, typing)
}

// vim starts the list with letters that act; / or i begins a query, Esc ends
// typing it. The transcript has these keys in every preset.
func vim() shell.Overrides {
	return shell.Overrides{
		shell.InList: {
			shell.Up:           {"k", "up", "ctrl+p", "ctrl+k"},
			shell.Down:         {"j", "down", "ctrl+n", "ctrl+j"},
			shell.PageUp:       {"ctrl+b", "pgup"},
			shell.PageDown:     {"ctrl+f", "pgdown"},
			shell.First:        {"g", "ctrl+home", "home"},
			shell.Last:         {"G", "ctrl+end", "end"},
			shell.Resume:       {"enter", "r"},
			shell.Read:         {"l", "right", "ctrl+t"},
			shell.Type:         {"i", "/"},
			shell.Copy:         {"y y", "ctrl+y"},
			shell.Delete:       {"d d", "ctrl+d", "delete"},
			shell.Undo:         {"u", "alt+z"},
			shell.Select:       {"space", "m", "tab"},
			shell.SelectToHere: {"v", "alt+v"},
			shell.CycleScope:   {"o", "ctrl+o"},
			shell.CycleSort:    {"s", "ctrl+s"},
			shell.Preview:      {"p", "ctrl+/", "ctrl+_", "f3"},
			shell.Back:         {"q", "esc", "ctrl+g"},
		},
	}
}

// upstream lets q quit and d delete on an empty query, as Hermes's own picker
// does (store/README.md#command-line).
func upstream() shell.Overrides {
	return shell.Overrides{
		shell.InList: {
			shell.Back:   {"esc", "ctrl+g", "q"},
			shell.Delete: {"ctrl+d", "delete", "d"},
		},
	}
}

// lineFeeds is for terminals whose Enter sends a line feed, which arrives as
// Ctrl+J: that key then does what Enter does, and nothing else.
func lineFeeds(rows []shell.Binding) []shell.Binding {
	for i := range rows {
		rows[i].Keys = slices.DeleteFunc(rows[i].Keys, func(k string) bool { return k == "ctrl+j" })
		if slices.Contains(rows[i].Keys, "enter") {
			rows[i].Keys = append(rows[i].Keys, "ctrl+j")
		}
	}
	return rows
}
