package main

import (
	"fmt"
	"slices"
	"strings"

	"hermes-sessions/ui/shell"
)

// keymap is every action with its keys: change it here, in the function of its
// screen. Keys are spelled as Bubble Tea spells them; the letter is what follows
// Ctrl+X.
func keymap() []shell.Binding {
	return slices.Concat(
		listKeys(), transcriptKeys(), lineageKeys(), spaceKeys(), runningKeys(), usageKeys(),
		comparisonKeys(), dialogKeys(), keysAnywhere(),
	)
}

// row is an action of a screen: its keys with blanks between, the letter after Ctrl+X, one or two
// words for the footer and the menu, and a sentence for the help.
type row struct {
	action             shell.Action
	keys, letter, hint string
	footer             bool
	help               string
}

// Whether an action is worth a place in the footer.
const (
	footer   = true
	noFooter = false
)

// bindings are the rows of one screen.
func bindings(on shell.Context, rows []row) []shell.Binding {
	all := make([]shell.Binding, 0, len(rows))
	for _, r := range rows {
		all = append(all, shell.Binding{
			Context: on, Action: r.action, Keys: strings.Fields(r.keys), Letter: r.letter,
			Hint: r.hint, Footer: r.footer, Help: r.help,
		})
	}
	return all
}

// listKeys are the keys of the list of conversations. Typing searches, so no bare
// letter may act there; "?", ":" and "/" act only as the first character of a
// query.
func listKeys() []shell.Binding {
	return bindings(shell.InList, []row{
		{shell.Resume, "enter", "r", "resume", footer, "Resume in Hermes, at the newest segment"},
		{shell.ResumeInTUI, "alt+enter", "R", "resume in the TUI", noFooter, "Resume in Hermes's TUI (hermes --tui)"},
		{shell.ResumeAndReturn, "", "b", "resume and return", noFooter,
			"Resume, and return to this list when Hermes ends"},
		{shell.Read, "right ctrl+t", "t", "read", footer,
			"Read the transcript, at the best match when searching (→ only at the end of the query)"},
		{shell.Delete, "ctrl+d delete", "d", "delete", footer,
			"Delete the conversation, all selected ones or a single segment; asks first (delete key: only at the end of the query)"},
		{shell.Rename, "ctrl+r f2", "n", "rename", footer, "Change or remove the title"},
		{shell.Note, "", "N", "note", noFooter, "Write a note on the conversation, kept outside the database"},
		{shell.Tags, "", "T", "tags", noFooter, "Tag the conversation; find it with tag:"},
		{shell.Pin, "", "p", "pin/unpin", noFooter,
			"Pin the conversation, or all selected ones, to the top of the list; again to unpin"},
		{shell.Archive, "", "a", "archive/unarchive", noFooter,
			"Archive the conversation, or all selected ones; in the archive, unarchive them"},
		{shell.Lineage, "ctrl+l", "l", "lineage", footer,
			"The session tree: segments, branches and subagents, with the cost of each"},
		{shell.CycleScope, "ctrl+o", "o", "scope", footer,
			"Next scope: conversations, automation, subagents, archived, all"},
		{shell.CycleSort, "ctrl+s", "s", "sort", footer,
			"Next order: activity, start, title, messages, cost; in a search: best first, newest first"},
		{shell.Filter, "f4", "f", "filter", footer,
			"Filter by scope, source, model, folder and time, with the number of conversations of each"},
		{shell.EarlierQueries, "", "h", "earlier queries", noFooter, "Choose an earlier query"},
		{shell.Queries, "alt+1 alt+2 alt+3 alt+4 alt+5 alt+6 alt+7 alt+8 alt+9 alt+0", "", "named queries", noFooter,
			"Show the named query of this number; alt+0 leaves it"},
		{shell.SaveQuery, "", "Q", "save query", noFooter,
			"Name the query with its scope and order; change or remove a named query"},
		{shell.Preview, "ctrl+/ ctrl+_ f3", "/", "preview", footer, "Show or hide the preview"},
		{shell.Copy, "ctrl+y", "y", "copy", footer, "Copy the ID, the resume command, the title or the folder"},
		{shell.Inspect, "", "i", "details", noFooter,
			"Show all details: IDs, folder, counts, usage by model, stored columns"},
		{shell.Export, "", "e", "export", noFooter,
			"Export it, or all selected ones: Markdown, HTML page or JSON lines"},
		{shell.Pager, "", "$", "pager", noFooter, "Read it in $PAGER"},
		{shell.Editor, "", "v", "editor", noFooter, "Open a temporary Markdown copy in $EDITOR"},
		{shell.CleanUp, "", "c", "clean up", noFooter,
			"Review and delete clutter (empty, ghosts, duplicates) and inactive conversations"},
		{shell.Running, "", "w", "running", noFooter,
			"Show which sessions are working, and which are waiting for you, live"},
		{shell.Storage, "", "S", "storage", noFooter,
			"Show what uses the most space; vacuum the file"},
		{shell.Usage, "", "U", "usage", noFooter,
			"Usage stats: tokens and cost over time, by model, source, folder and tool"},
		{shell.Expiring, "", "X", "expiring", noFooter,
			"Show the conversations that will expire soon; pin or export to keep them"},
		{shell.Compare, "", "C", "compare", noFooter,
			"Compare two selected conversations: where they diverge, and what each did after that"},
		{shell.Undo, "alt+z", "u", "undo", noFooter,
			"Undo the last change, and earlier ones step by step, until you quit"},
		{shell.Select, "tab", "", "select", footer,
			"Select or deselect this row and go down; actions then apply to all selected rows"},
		{shell.SelectUp, "shift+tab", "", "", noFooter, "Select or deselect this row and go up"},
		{shell.SelectToHere, "alt+v", "M", "select to here", noFooter,
			"Select a range: from the last selected row to this one"},
		{shell.SelectAll, "alt+a", "m", "select all", noFooter, "Select all rows of this query and scope"},
		{shell.Up, "up ctrl+p ctrl+k", "", "", noFooter, "One row up (wraps around)"},
		{shell.Down, "down ctrl+n ctrl+j", "", "", noFooter, "One row down (wraps around)"},
		{shell.PageUp, "pgup", "", "", noFooter, "One page up"},
		{shell.PageDown, "pgdown", "", "", noFooter, "One page down"},
		{shell.First, "ctrl+home home", "", "", noFooter, "First row (home: only on an empty query)"},
		{shell.Last, "ctrl+end end", "", "", noFooter, "Last row (end: only on an empty query)"},
		{shell.PreviewUp, "shift+up", "[", "preview up", noFooter, "Scroll the preview up"},
		{shell.PreviewDown, "shift+down", "]", "preview down", noFooter, "Scroll the preview down"},
		{shell.Reload, "f5", "g", "reload", noFooter, "Reload the list (changes also appear automatically)"},
		{shell.Back, "esc ctrl+g", "", "", noFooter, "Clear the selection, then the query, then quit"},
		{shell.More, "ctrl+x", "", "more", footer, "All actions of this screen, each with a letter"},
		{shell.Commands, ":", ":", "commands", noFooter, "Find an action by name (: only as the first character)"},
		{shell.Type, "/", "", "", noFooter, "Start a query (optional: typing does too)"},
		{shell.Help, "f1 ?", "?", "help", footer, "Help (? only as the first character)"},
	})
}

func transcriptKeys() []shell.Binding {
	return bindings(shell.InTranscript, []row{
		{shell.Resume, "r", "r", "resume", footer, "Resume in Hermes, at the newest segment"},
		{shell.ResumeInTUI, "alt+enter", "T", "resume in the TUI", noFooter, "Resume in Hermes's TUI (hermes --tui)"},
		{shell.ResumeAndReturn, "", "b", "resume and return", noFooter,
			"Resume, and return to this screen when Hermes ends"},
		{shell.Fold, "enter o", "o", "fold", footer, "Fold or unfold this message"},
		{shell.Tools, "t", "t", "tools", footer, "Show or hide tool calls and their results"},
		{shell.Reasoning, "R", "R", "reasoning", footer, "Show or hide the agent's reasoning"},
		{shell.Find, "/", "/", "find", footer, "Find in this conversation (alt+r: regular expression)"},
		{shell.NextMatch, "n", "n", "next match", footer, "Next match; after the last one, the first of the next result"},
		{shell.PreviousMatch, "N", "N", "previous match", noFooter,
			"Previous match; before the first one, the last of the previous result"},
		{shell.NextResult, ">", ">", "next result", noFooter, "Next conversation of the list"},
		{shell.PreviousResult, "<", "<", "previous result", noFooter, "Previous conversation of the list"},
		{shell.FoldAll, "O", "O", "fold all", noFooter, "Fold or unfold everything"},
		{shell.Up, "k up", "", "", noFooter, "One line up"},
		{shell.Down, "j down", "", "", noFooter, "One line down"},
		{shell.PageUp, "b pgup ctrl+b", "", "", noFooter, "One page up"},
		{shell.PageDown, "space pgdown ctrl+f", "", "", noFooter, "One page down"},
		{shell.HalfUp, "ctrl+u", "", "", noFooter, "Half a page up"},
		{shell.HalfDown, "ctrl+d", "", "", noFooter, "Half a page down"},
		{shell.First, "g home", "g", "first line", noFooter, "Start"},
		{shell.Last, "G end", "G", "last line", noFooter, "End"},
		{shell.PreviousMessage, "K", "k", "previous message", noFooter, "Previous message"},
		{shell.NextMessage, "J", "j", "next message", noFooter, "Next message"},
		{shell.PreviousPrompt, "[", "[", "previous prompt", noFooter, "Previous prompt"},
		{shell.NextPrompt, "]", "]", "next prompt", noFooter, "Next prompt"},
		{shell.NextFailure, "!", "E", "next failure", noFooter,
			"Next tool call that failed; after the last one, the first"},
		{shell.GoTo, "", "%", "go to", noFooter, "Go to a message number or a percentage: 1234G, 50%"},
		{shell.Follow, "f", "f", "follow", footer, "Go to the end and follow new messages"},
		{shell.Outline, "\\", "\\", "outline", footer, "Show or hide the outline of prompts"},
		{shell.Numbers, "#", "#", "numbers", noFooter, "Show or hide message numbers and turn totals"},
		{shell.Wrap, "w", "w", "wrap", noFooter, "Wrap or cut long lines of code"},
		{shell.Parent, "p", "", "parent", footer, "Of a subagent: its parent, at the place where it was started"},
		{shell.Lineage, "l", "l", "lineage", footer, "The session tree, at the current segment"},
		{shell.Copy, "y", "y", "copy", footer, "Copy this message"},
		{shell.CopyMenu, "Y ctrl+y", "Y", "copy menu", noFooter,
			"Copy a code block, a link, the ID, the resume command, the title or the folder"},
		{shell.Inspect, "i", "i", "details", noFooter,
			"Show all details: IDs, folder, counts, usage by model, stored columns"},
		{shell.Export, "e", "e", "export", noFooter, "Export it: Markdown, HTML page or JSON lines"},
		{shell.Editor, "v", "v", "editor", noFooter, "Open a temporary Markdown copy in $EDITOR"},
		{shell.Pager, "$", "$", "pager", noFooter, "Read it in $PAGER"},
		{shell.Rename, "ctrl+r f2", "m", "rename", noFooter, "Change or remove the title"},
		{shell.Note, "a", "C", "note", noFooter, "Write a note on this message"},
		{shell.Tags, "A", "A", "tags", noFooter, "Tag this conversation; find it with tag:"},
		{shell.BookmarkMessage, "m", "B", "bookmark", noFooter, "Set or clear a bookmark on this message"},
		{shell.NextBookmark, "M", "M", "next bookmark", noFooter, "Next message with a bookmark or a note"},
		{shell.Pin, "", "p", "pin/unpin", noFooter, "Pin this conversation to the top of the list; again to unpin"},
		{shell.Archive, "", "a", "archive/unarchive", noFooter, "Archive or unarchive this conversation"},
		{shell.Delete, "d", "d", "delete", noFooter, "Delete this conversation or a single segment; asks first"},
		{shell.Undo, "u alt+z", "u", "undo", noFooter, "Undo the last change"},
		{shell.Reload, "f5", "5", "reload", noFooter, "Reload the conversation"},
		{shell.Back, "q esc h left", "q", "back", footer, "Back to the list"},
		{shell.More, "ctrl+x", "", "more", footer, "All actions of this screen, each with a letter"},
		{shell.Commands, ":", ":", "commands", noFooter, "Find an action by name"},
		{shell.Help, "? f1", "?", "help", footer, "Help"},
	})
}

func lineageKeys() []shell.Binding {
	return bindings(shell.InLineage, []row{
		{shell.Read, "enter", "t", "read", footer, "Read this session; a branch opens at its fork point"},
		{shell.Resume, "r", "r", "resume", footer,
			"Resume the conversation of this session in Hermes, at its newest segment"},
		{shell.ResumeInTUI, "alt+enter", "T", "resume in the TUI", noFooter, "Resume in Hermes's TUI (hermes --tui)"},
		{shell.ResumeAndReturn, "", "b", "resume and return", noFooter,
			"Resume, and return to this tree when Hermes ends"},
		{shell.ForkPoint, "o", "o", "fork point", footer,
			"Read the parent at the point where this session was forked or started"},
		{shell.Compare, "c", "c", "compare", footer,
			"Compare this branch with its parent: what each did after the fork"},
		{shell.Find, "/", "/", "find", footer, "Find in this tree, folded parts included"},
		{shell.NextMatch, "n", "n", "next match", noFooter, "Next match"},
		{shell.PreviousMatch, "N", "N", "previous match", noFooter, "Previous match"},
		{shell.UnfoldAll, "*", "*", "unfold all", footer, "Unfold everything"},
		{shell.FoldAll, "-", "-", "fold all", noFooter, "Fold everything below the first level"},
		{shell.Copy, "y", "y", "copy ID", footer, "Copy the ID of this session"},
		{shell.Rename, "ctrl+r f2", "m", "rename", noFooter, "Change or remove the title of the conversation"},
		{shell.Pin, "", "P", "pin/unpin", noFooter, "Pin its conversation to the top of the list, or unpin it"},
		{shell.Archive, "", "a", "archive/unarchive", noFooter, "Archive or unarchive its conversation"},
		{shell.Inspect, "i", "i", "details", footer, "Show all details of its conversation"},
		{shell.Export, "e", "e", "export", noFooter, "Export its conversation: Markdown, HTML page or JSON lines"},
		{shell.Editor, "v", "v", "editor", noFooter, "Open a temporary Markdown copy in $EDITOR"},
		{shell.Pager, "$", "$", "pager", noFooter, "Read it in $PAGER"},
		{shell.Delete, "d", "d", "delete", noFooter,
			"Delete the conversation of this session or a single segment; asks first"},
		{shell.Undo, "u alt+z", "u", "undo", noFooter, "Undo the last change"},
		{shell.Up, "k up ctrl+p", "", "", noFooter, "One row up"},
		{shell.Down, "j down ctrl+n", "", "", noFooter, "One row down"},
		{shell.Unfold, "right l", "", "", noFooter,
			"Unfold; if unfolded, go to the first child; without children, open the transcript"},
		{shell.Fold, "left h", "", "", noFooter, "Fold; if folded, go to the parent"},
		{shell.Parent, "p", "p", "parent", noFooter, "Parent session"},
		{shell.NextSibling, "J", "J", "next sibling", noFooter, "Next session of the same parent"},
		{shell.PreviousSibling, "K", "K", "previous sibling", noFooter, "Previous session of the same parent"},
		{shell.PageUp, "b pgup ctrl+b", "", "", noFooter, "One page up"},
		{shell.PageDown, "space pgdown ctrl+f", "", "", noFooter, "One page down"},
		{shell.HalfUp, "ctrl+u", "", "", noFooter, "Half a page up"},
		{shell.HalfDown, "ctrl+d", "", "", noFooter, "Half a page down"},
		{shell.First, "g home", "", "", noFooter, "Root"},
		{shell.Last, "G end", "", "", noFooter, "Last row"},
		{shell.PreviewUp, "shift+up", "[", "preview up", noFooter, "Scroll the transcript pane up"},
		{shell.PreviewDown, "shift+down", "]", "preview down", noFooter, "Scroll the transcript pane down"},
		{shell.Reload, "f5", "f", "reload", noFooter, "Reload the tree (changes also appear automatically)"},
		{shell.Back, "q esc ctrl+l", "q", "back", footer, "Back"},
		{shell.More, "ctrl+x", "", "more", footer, "All actions of this screen, each with a letter"},
		{shell.Commands, ":", ":", "commands", noFooter, "Find an action by name"},
		{shell.Help, "? f1", "?", "help", footer, "Help"},
	})
}

// runningKeys are the keys of the open sessions.
func runningKeys() []shell.Binding {
	return bindings(shell.InRunning, []row{
		{shell.Read, "enter right l", "t", "read", footer, "Read the transcript at its end; new messages appear there"},
		{shell.Resume, "r", "r", "resume", footer,
			"Resume in Hermes, at the newest segment; asks first if it may be running"},
		{shell.ResumeInTUI, "alt+enter", "T", "resume in the TUI", noFooter, "Resume in Hermes's TUI (hermes --tui)"},
		{shell.ResumeAndReturn, "", "b", "resume and return", noFooter,
			"Resume, and return to this screen when Hermes ends"},
		{shell.Lineage, "ctrl+l", "L", "lineage", footer,
			"The session tree: segments, branches and subagents, with the cost of each"},
		{shell.Inspect, "i", "i", "details", footer,
			"Show all details: IDs, folder, counts, usage by model, stored columns"},
		{shell.Copy, "y", "y", "copy ID", footer, "Copy the ID of the session"},
		{shell.Export, "e", "e", "export", noFooter, "Export it: Markdown, HTML page or JSON lines"},
		{shell.Editor, "v", "v", "editor", noFooter, "Open a temporary Markdown copy in $EDITOR"},
		{shell.Pager, "$", "$", "pager", noFooter, "Read it in $PAGER"},
		{shell.Undo, "u alt+z", "u", "undo", noFooter, "Undo the last change"},
		{shell.Up, "k up ctrl+p", "", "", noFooter, "One row up"},
		{shell.Down, "j down ctrl+n", "", "", noFooter, "One row down"},
		{shell.PageUp, "b pgup ctrl+b", "", "", noFooter, "One page up"},
		{shell.PageDown, "space pgdown ctrl+f", "", "", noFooter, "One page down"},
		{shell.First, "g home", "", "", noFooter, "First row"},
		{shell.Last, "G end", "", "", noFooter, "Last row"},
		{shell.Reload, "f5", "5", "reload", noFooter, "Reload the sessions (changes also appear automatically)"},
		{shell.Back, "q esc h left", "q", "back", footer, "Back to the list"},
		{shell.More, "ctrl+x", "", "more", footer, "All actions of this screen, each with a letter"},
		{shell.Commands, ":", ":", "commands", noFooter, "Find an action by name"},
		{shell.Help, "? f1", "?", "help", footer, "Help"},
	})
}

// spaceKeys are the keys of the screen of what could be deleted.
func spaceKeys() []shell.Binding {
	return bindings(shell.InSpace, []row{
		{shell.Delete, "d ctrl+d delete", "d", "delete", footer,
			"Delete all selected conversations, or this one; asks first"},
		{shell.Select, "space tab", "m", "select", footer, "Select or deselect this row and go down"},
		{shell.SelectAll, "* alt+a", "*", "select all", footer, "Select all, or none"},
		{shell.View, "right l", "l", "view", footer,
			"Next view: largest; clutter (empty, ghosts, duplicates); inactive; expiring"},
		{shell.PreviousView, "left h", "h", "previous view", noFooter, "Previous view"},
		{shell.Range, "t", "t", "range", footer, "Inactive for 30, 90, 180 or 365 days"},
		{shell.Read, "enter", "o", "read", footer, "Read this conversation"},
		{shell.Pin, "p", "p", "pin/unpin", noFooter, "Pin to keep: Hermes and clean-up leave pinned conversations alone"},
		{shell.Export, "e", "e", "export", noFooter, "Export it, or all selected ones: Markdown, HTML page or JSON lines"},
		{shell.Vacuum, "V", "v", "vacuum", noFooter,
			"Remove free pages from the file; shows what this needs, and asks first"},
		{shell.EmptyTheLog, "C", "c", "empty the log", noFooter,
			"Move the write-ahead log into the file and empty it; safe while Hermes runs"},
		{shell.Resume, "r", "r", "resume", noFooter, "Resume this conversation in Hermes, at its newest segment"},
		{shell.ResumeInTUI, "alt+enter", "T", "resume in the TUI", noFooter, "Resume in Hermes's TUI (hermes --tui)"},
		{shell.ResumeAndReturn, "", "b", "resume and return", noFooter,
			"Resume, and return to this screen when Hermes ends"},
		{shell.Undo, "u alt+z", "u", "undo", noFooter, "Undo the last change"},
		{shell.Up, "k up ctrl+p", "", "", noFooter, "One row up"},
		{shell.Down, "j down ctrl+n", "", "", noFooter, "One row down"},
		{shell.PageUp, "b pgup ctrl+b", "", "", noFooter, "One page up"},
		{shell.PageDown, "f pgdown ctrl+f", "", "", noFooter, "One page down"},
		{shell.First, "g home", "", "", noFooter, "First row"},
		{shell.Last, "G end", "", "", noFooter, "Last row"},
		{shell.Reload, "f5", "5", "reload", noFooter, "Read and measure again"},
		{shell.Back, "q esc", "q", "back", footer, "Back to the list"},
		{shell.More, "ctrl+x", "", "more", footer, "All actions of this screen, each with a letter"},
		{shell.Commands, ":", ":", "commands", noFooter, "Find an action by name"},
		{shell.Help, "? f1", "?", "help", footer, "Help"},
	})
}

func usageKeys() []shell.Binding {
	return bindings(shell.InUsage, []row{
		{shell.Open, "enter", "o", "open", footer, "List the conversations of this row; on a conversation, read it"},
		{shell.View, "right tab", "v", "view", footer,
			"Next view: time, models, sources, folders, tools, hours, weekdays, conversations"},
		{shell.PreviousView, "left shift+tab", "V", "previous view", noFooter, "Previous view"},
		{shell.Unit, "d w", "d", "unit", footer, "By day, week or month; a session counts on the day it started"},
		{shell.Range, "t", "t", "range", footer, "Next range: 12 months, all time, 7, 30 or 90 days"},
		{shell.ShorterRange, "T", "T", "shorter range", noFooter, "Previous range"},
		{shell.Measure, "m", "m", "measure", footer,
			"Measure tokens, cache reads, cost, sessions or messages; for tools, calls or failures"},
		{shell.List, "l", "l", "list", footer, "Show the conversations of this row in the list, as a query"},
		{shell.Earlier, "[", "[", "earlier", footer, "The previous period of the same length"},
		{shell.Later, "]", "]", "later", footer, "The next period of the same length"},
		{shell.Resume, "r", "r", "resume", noFooter, "Resume this conversation in Hermes, at its newest segment"},
		{shell.ResumeInTUI, "alt+enter", "R", "resume in the TUI", noFooter, "Resume in Hermes's TUI (hermes --tui)"},
		{shell.ResumeAndReturn, "", "b", "resume and return", noFooter,
			"Resume, and return to this screen when Hermes ends"},
		{shell.Undo, "u alt+z", "u", "undo", noFooter, "Undo the last change"},
		{shell.Up, "k up ctrl+p", "", "", noFooter, "One row up"},
		{shell.Down, "j down ctrl+n", "", "", noFooter, "One row down"},
		{shell.PageUp, "b pgup ctrl+b", "", "", noFooter, "One page up"},
		{shell.PageDown, "space pgdown ctrl+f", "", "", noFooter, "One page down"},
		{shell.First, "g home", "", "", noFooter, "First row"},
		{shell.Last, "G end", "", "", noFooter, "Last row"},
		{shell.Reload, "f5", "5", "reload", noFooter, "Read the sessions again (changes also appear automatically)"},
		{shell.Back, "q esc", "q", "back", footer, "Back: leave an open group, or return to the list"},
		{shell.More, "ctrl+x", "", "more", footer, "All actions of this screen, each with a letter"},
		{shell.Commands, ":", ":", "commands", noFooter, "Find an action by name"},
		{shell.Help, "? f1", "?", "help", footer, "Help"},
	})
}

// comparisonKeys are the keys of the screen that compares two conversations.
func comparisonKeys() []shell.Binding {
	return bindings(shell.InComparison, []row{
		{shell.Read, "enter", "t", "read", footer, "Read this conversation at this message"},
		{shell.OtherSide, "tab right l shift+tab left h", "l", "other side", footer, "The other conversation"},
		{shell.Resume, "r", "r", "resume", noFooter, "Resume this conversation in Hermes, at its newest segment"},
		{shell.ResumeInTUI, "alt+enter", "T", "resume in the TUI", noFooter, "Resume in Hermes's TUI (hermes --tui)"},
		{shell.ResumeAndReturn, "", "b", "resume and return", noFooter,
			"Resume, and return to this screen when Hermes ends"},
		{shell.Undo, "u alt+z", "u", "undo", noFooter, "Undo the last change"},
		{shell.Up, "k up ctrl+p", "", "", noFooter, "One message up"},
		{shell.Down, "j down ctrl+n", "", "", noFooter, "One message down"},
		{shell.PageUp, "b pgup ctrl+b", "", "", noFooter, "One page up"},
		{shell.PageDown, "f space pgdown ctrl+f", "", "", noFooter, "One page down"},
		{shell.First, "g home", "", "", noFooter, "Start"},
		{shell.Last, "G end", "", "", noFooter, "End"},
		{shell.Reload, "f5", "5", "reload", noFooter, "Compare again"},
		{shell.Back, "q esc", "q", "back", footer, "Back"},
		{shell.More, "ctrl+x", "", "more", footer, "All actions of this screen, each with a letter"},
		{shell.Commands, ":", ":", "commands", noFooter, "Find an action by name"},
		{shell.Help, "? f1", "?", "help", footer, "Help"},
	})
}

// dialogKeys are the keys of boxes that are read or chosen from.
func dialogKeys() []shell.Binding {
	return bindings(shell.InDialog, []row{
		{shell.Up, "up ctrl+p", "", "", noFooter, "One line up"},
		{shell.Down, "down ctrl+n", "", "", noFooter, "One line down"},
		{shell.PageUp, "pgup", "", "", noFooter, "One page up"},
		{shell.PageDown, "pgdown", "", "", noFooter, "One page down"},
		{shell.First, "home", "", "", noFooter, "Start"},
		{shell.Last, "end", "", "", noFooter, "End"},
		{shell.ChooseEntry, "enter", "", "choose", noFooter, "Choose the current entry"},
		{shell.Close, "esc ctrl+g", "", "close", noFooter, "Close the box"},
	})
}

// keysAnywhere are the keys that hold in all screens and boxes.
func keysAnywhere() []shell.Binding {
	return bindings(shell.Anywhere, []row{
		{shell.Suspend, "ctrl+z", "z", "suspend", noFooter, "Suspend to the shell; fg returns"},
		{shell.Stop, "alt+c", "!", "stop", noFooter, "Stop the running change; what it has done so far can be undone"},
		{shell.Quit, "ctrl+c", "x", "quit", noFooter, "Quit (exit code 130)"},
	})
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
