package main

import (
	"fmt"
	"slices"

	"hermes-sessions/ui"
)

// keymap is every action with its keys: change it here. Keys are spelled as
// Bubble Tea spells them; the letter is what follows Ctrl+X. In the list,
// typing searches, so no bare letter may act there; "?", ":" and "/" act
// only as the first character of a query.
func keymap() []ui.Binding {
	return []ui.Binding{
		{Context: ui.InList, Action: ui.Resume, Keys: []string{"enter"}, Letter: "r", Hint: "resume", Footer: true, Help: "Resume the conversation in Hermes, at its newest segment"},
		{Context: ui.InList, Action: ui.ResumeTUI, Keys: []string{"alt+enter"}, Letter: "R", Hint: "resume in the TUI", Help: "Resume in Hermes's other interface (--tui)"},
		{Context: ui.InList, Action: ui.ResumeReturn, Letter: "b", Hint: "resume and come back", Help: "Resume, and come back to this list when Hermes has ended"},
		{Context: ui.InList, Action: ui.Open, Keys: []string{"right", "ctrl+t"}, Letter: "t", Hint: "read", Footer: true, Help: "Read the transcript, at the hit when searching (→ at the end of the text)"},
		{Context: ui.InList, Action: ui.Delete, Keys: []string{"ctrl+d", "delete"}, Letter: "d", Hint: "delete", Footer: true, Help: "Delete the conversation, or all marked ones, or one segment alone; asks first (Delete: at the end of the text)"},
		{Context: ui.InList, Action: ui.Rename, Keys: []string{"ctrl+r", "f2"}, Letter: "n", Hint: "rename", Footer: true, Help: "Give the conversation another title, or none"},
		{Context: ui.InList, Action: ui.Pin, Letter: "p", Hint: "pin or unpin", Help: "Keep the conversation, or all marked ones, at the top of the list; again takes the pin away"},
		{Context: ui.InList, Action: ui.Archive, Letter: "a", Hint: "archive or bring back", Help: "Put the conversation, or all marked ones, into the archive; in the archive, bring them back"},
		{Context: ui.InList, Action: ui.Lineage, Keys: []string{"ctrl+l"}, Letter: "l", Hint: "lineage", Footer: true, Help: "The family tree: segments, branches and subagents, and what each cost"},
		{Context: ui.InList, Action: ui.CycleScope, Keys: []string{"ctrl+o"}, Letter: "o", Hint: "scope", Footer: true, Help: "Next scope: conversations, automation, subagents, archived, everything"},
		{Context: ui.InList, Action: ui.CycleSort, Keys: []string{"ctrl+s"}, Letter: "s", Hint: "sort", Footer: true, Help: "Next order: activity, start, title, messages, cost; of hits: best first, newest first"},
		{Context: ui.InList, Action: ui.History, Letter: "h", Hint: "earlier queries", Help: "Earlier queries"},
		{Context: ui.InList, Action: ui.Preview, Keys: []string{"ctrl+/", "ctrl+_", "f3"}, Letter: "/", Hint: "preview", Footer: true, Help: "Show or hide the preview"},
		{Context: ui.InList, Action: ui.Copy, Keys: []string{"ctrl+y"}, Letter: "y", Hint: "copy", Footer: true, Help: "Copy the id, the resume command, the title or the folder"},
		{Context: ui.InList, Action: ui.Inspect, Letter: "i", Hint: "inspect", Help: "All that is known of it: ids, folder, counts, usage by model, and the rows as stored"},
		{Context: ui.InList, Action: ui.Export, Letter: "e", Hint: "export", Help: "Write it, or all marked, to a file: Markdown, one page of HTML, or JSON lines"},
		{Context: ui.InList, Action: ui.Pager, Letter: "$", Hint: "pager", Help: "Read it in $PAGER"},
		{Context: ui.InList, Action: ui.Editor, Letter: "v", Hint: "editor", Help: "Open a copy of it as Markdown in $EDITOR; the copy goes when the editor ends"},
		{Context: ui.InList, Action: ui.CleanUp, Letter: "c", Hint: "clean up", Help: "Look through what nobody misses and what is old, and delete it in one go"},
		{Context: ui.InList, Action: ui.Undo, Keys: []string{"alt+z"}, Letter: "u", Hint: "undo", Help: "Take the last change back, step by step, as long as the program runs"},
		{Context: ui.InList, Action: ui.Mark, Keys: []string{"tab"}, Hint: "mark", Help: "Mark this row and go down, or take its mark away; actions are then about all marked"},
		{Context: ui.InList, Action: ui.MarkUp, Keys: []string{"shift+tab"}, Help: "Mark this row and go up"},
		{Context: ui.InList, Action: ui.MarkRange, Keys: []string{"alt+v"}, Letter: "M", Hint: "mark to here", Help: "Mark all rows from the last marked one to this one"},
		{Context: ui.InList, Action: ui.MarkAll, Keys: []string{"alt+a"}, Letter: "m", Hint: "mark all", Help: "Mark all that the query and the scope show, also those further down"},
		{Context: ui.InList, Action: ui.Up, Keys: []string{"up", "ctrl+p", "ctrl+k"}, Help: "One row up; from the first to the last"},
		{Context: ui.InList, Action: ui.Down, Keys: []string{"down", "ctrl+n", "ctrl+j"}, Help: "One row down; from the last to the first"},
		{Context: ui.InList, Action: ui.PageUp, Keys: []string{"pgup"}, Help: "One page up"},
		{Context: ui.InList, Action: ui.PageDown, Keys: []string{"pgdown"}, Help: "One page down"},
		{Context: ui.InList, Action: ui.First, Keys: []string{"ctrl+home", "home"}, Help: "The first row (Home: while nothing is typed)"},
		{Context: ui.InList, Action: ui.Last, Keys: []string{"ctrl+end", "end"}, Help: "The last row (End: while nothing is typed)"},
		{Context: ui.InList, Action: ui.PreviewUp, Keys: []string{"shift+up"}, Letter: "[", Hint: "preview up", Help: "Scroll the preview up"},
		{Context: ui.InList, Action: ui.PreviewDown, Keys: []string{"shift+down"}, Letter: "]", Hint: "preview down", Help: "Scroll the preview down"},
		{Context: ui.InList, Action: ui.Refresh, Keys: []string{"f5"}, Letter: "g", Hint: "refresh", Help: "Read the database again (changes appear by themselves)"},
		{Context: ui.InList, Action: ui.Back, Keys: []string{"esc", "ctrl+g"}, Help: "Clear the marks, then the query, then quit"},
		{Context: ui.InList, Action: ui.Menu, Keys: []string{"ctrl+x"}, Hint: "more", Footer: true, Help: "All that can be done here, each by a letter"},
		{Context: ui.InList, Action: ui.Filter, Keys: []string{"f4"}, Letter: "f", Hint: "show only", Help: "Show only a scope, sources or a folder, each with the number of its conversations"},
		{Context: ui.InList, Action: ui.Palette, Keys: []string{":"}, Letter: ":", Hint: "commands", Help: "Look up what to do by its name (: as the first character)"},
		{Context: ui.InList, Action: ui.Type, Keys: []string{"/"}, Help: "Begin a query; a habit, as typing does it without (/ as the first character)"},
		{Context: ui.InList, Action: ui.Help, Keys: []string{"f1", "?"}, Letter: "?", Hint: "help", Footer: true, Help: "This page (? as the first character)"},

		{Context: ui.InTranscript, Action: ui.Resume, Keys: []string{"r"}, Letter: "r", Hint: "resume", Footer: true, Help: "Resume the conversation in Hermes, at its newest segment"},
		{Context: ui.InTranscript, Action: ui.ResumeTUI, Keys: []string{"alt+enter"}, Letter: "T", Hint: "resume in the TUI", Help: "Resume in Hermes's other interface (--tui)"},
		{Context: ui.InTranscript, Action: ui.ResumeReturn, Letter: "b", Hint: "resume and come back", Help: "Resume, and come back to this page when Hermes has ended"},
		{Context: ui.InTranscript, Action: ui.Fold, Keys: []string{"enter", "o"}, Letter: "o", Hint: "fold", Footer: true, Help: "Fold or unfold this message"},
		{Context: ui.InTranscript, Action: ui.Tools, Keys: []string{"t"}, Letter: "t", Hint: "tools", Footer: true, Help: "Show or hide tool calls and their results"},
		{Context: ui.InTranscript, Action: ui.Reasoning, Keys: []string{"R", "shift+r"}, Letter: "R", Hint: "reasoning", Footer: true, Help: "Show or hide the agent's reasoning"},
		{Context: ui.InTranscript, Action: ui.Find, Keys: []string{"/"}, Letter: "/", Hint: "find", Footer: true, Help: "Find in this conversation (Alt+R: a regular expression)"},
		{Context: ui.InTranscript, Action: ui.FindNext, Keys: []string{"n"}, Letter: "n", Hint: "next hit", Help: "Next hit; after the last, that of the next result"},
		{Context: ui.InTranscript, Action: ui.FindPrevious, Keys: []string{"N", "shift+n"}, Letter: "N", Hint: "previous hit", Help: "Previous hit; before the first, that of the result before"},
		{Context: ui.InTranscript, Action: ui.NextResult, Keys: []string{">"}, Letter: ">", Hint: "next result", Help: "The next conversation of the list"},
		{Context: ui.InTranscript, Action: ui.PreviousResult, Keys: []string{"<"}, Letter: "<", Hint: "previous result", Help: "The conversation before it"},
		{Context: ui.InTranscript, Action: ui.FoldAll, Keys: []string{"O", "shift+o"}, Letter: "O", Hint: "fold all", Help: "Fold or unfold everything"},
		{Context: ui.InTranscript, Action: ui.Up, Keys: []string{"k", "up"}, Help: "One line up"},
		{Context: ui.InTranscript, Action: ui.Down, Keys: []string{"j", "down"}, Help: "One line down"},
		{Context: ui.InTranscript, Action: ui.PageUp, Keys: []string{"b", "pgup"}, Help: "One page up"},
		{Context: ui.InTranscript, Action: ui.PageDown, Keys: []string{"space", "pgdown"}, Help: "One page down"},
		{Context: ui.InTranscript, Action: ui.HalfUp, Keys: []string{"ctrl+u"}, Help: "Half a page up"},
		{Context: ui.InTranscript, Action: ui.HalfDown, Keys: []string{"ctrl+d"}, Help: "Half a page down"},
		{Context: ui.InTranscript, Action: ui.First, Keys: []string{"g", "home"}, Letter: "g", Hint: "start", Help: "The beginning"},
		{Context: ui.InTranscript, Action: ui.Last, Keys: []string{"G", "shift+g", "end"}, Letter: "G", Hint: "end", Help: "The end"},
		{Context: ui.InTranscript, Action: ui.PreviousMessage, Keys: []string{"K", "shift+k"}, Letter: "k", Hint: "previous message", Help: "Previous message"},
		{Context: ui.InTranscript, Action: ui.NextMessage, Keys: []string{"J", "shift+j"}, Letter: "j", Hint: "next message", Help: "Next message"},
		{Context: ui.InTranscript, Action: ui.PreviousPrompt, Keys: []string{"["}, Letter: "[", Hint: "previous prompt", Help: "Previous message of the user"},
		{Context: ui.InTranscript, Action: ui.NextPrompt, Keys: []string{"]"}, Letter: "]", Hint: "next prompt", Help: "Next message of the user"},
		{Context: ui.InTranscript, Action: ui.GoTo, Letter: "%", Hint: "go to", Help: "Go to a message by its number, or to a part of the whole: 1234G, 50%"},
		{Context: ui.InTranscript, Action: ui.Follow, Keys: []string{"f"}, Letter: "f", Hint: "follow", Help: "Go to the end and follow what comes"},
		{Context: ui.InTranscript, Action: ui.Outline, Keys: []string{"\\"}, Letter: "\\", Hint: "prompts", Help: "Show or hide the prompts beside the text"},
		{Context: ui.InTranscript, Action: ui.Numbers, Keys: []string{"#"}, Letter: "#", Hint: "numbers", Help: "Show or hide the numbers of messages and the sums of turns"},
		{Context: ui.InTranscript, Action: ui.Wrap, Keys: []string{"w"}, Letter: "w", Hint: "wrap", Help: "Break long lines of code, or cut them at the edge"},
		{Context: ui.InTranscript, Action: ui.Lineage, Keys: []string{"l"}, Letter: "l", Hint: "lineage", Help: "The family tree, at the segment that is being read"},
		{Context: ui.InTranscript, Action: ui.Copy, Keys: []string{"y"}, Letter: "y", Hint: "copy", Help: "Copy this message"},
		{Context: ui.InTranscript, Action: ui.CopyMenu, Keys: []string{"Y", "shift+y", "ctrl+y"}, Letter: "Y", Hint: "copy…", Help: "Copy a code block, a link, the id, the resume command, the title or the folder"},
		{Context: ui.InTranscript, Action: ui.Inspect, Keys: []string{"i"}, Letter: "i", Hint: "inspect", Help: "All that is known of it: ids, folder, counts, usage by model, and the rows as stored"},
		{Context: ui.InTranscript, Action: ui.Export, Keys: []string{"e"}, Letter: "e", Hint: "export", Help: "Write it to a file: Markdown, one page of HTML, or JSON lines"},
		{Context: ui.InTranscript, Action: ui.Editor, Keys: []string{"v"}, Letter: "v", Hint: "editor", Help: "Open a copy of it as Markdown in $EDITOR; the copy goes when the editor ends"},
		{Context: ui.InTranscript, Action: ui.Pager, Keys: []string{"$"}, Letter: "$", Hint: "pager", Help: "Read it in $PAGER"},
		{Context: ui.InTranscript, Action: ui.Rename, Keys: []string{"ctrl+r", "f2"}, Letter: "m", Hint: "rename", Help: "Give this conversation another title, or none"},
		{Context: ui.InTranscript, Action: ui.Pin, Letter: "p", Hint: "pin or unpin", Help: "Keep this conversation at the top of the list; again takes the pin away"},
		{Context: ui.InTranscript, Action: ui.Archive, Letter: "a", Hint: "archive or bring back", Help: "Put this conversation into the archive, or bring it back"},
		{Context: ui.InTranscript, Action: ui.Delete, Keys: []string{"d"}, Letter: "d", Hint: "delete", Help: "Delete this conversation, or one segment alone; asks first"},
		{Context: ui.InTranscript, Action: ui.Undo, Keys: []string{"u", "alt+z"}, Letter: "u", Hint: "undo", Help: "Take the last change back"},
		{Context: ui.InTranscript, Action: ui.Refresh, Keys: []string{"f5"}, Letter: "5", Hint: "read again", Help: "Read the conversation again"},
		{Context: ui.InTranscript, Action: ui.Back, Keys: []string{"q", "esc", "h", "left"}, Letter: "q", Hint: "back", Footer: true, Help: "Back to the list"},
		{Context: ui.InTranscript, Action: ui.Menu, Keys: []string{"ctrl+x"}, Hint: "more", Footer: true, Help: "All that can be done here, each by a letter"},
		{Context: ui.InTranscript, Action: ui.Palette, Keys: []string{":"}, Letter: ":", Hint: "commands", Help: "Look up what to do by its name"},
		{Context: ui.InTranscript, Action: ui.Help, Keys: []string{"?", "f1"}, Letter: "?", Hint: "help", Footer: true, Help: "This page"},

		{Context: ui.InLineage, Action: ui.Open, Keys: []string{"enter"}, Letter: "t", Hint: "read", Footer: true, Help: "Read this session: a branch where it left what it was forked from"},
		{Context: ui.InLineage, Action: ui.Resume, Keys: []string{"r"}, Letter: "r", Hint: "resume", Footer: true, Help: "Resume the conversation of this session in Hermes, at its newest segment"},
		{Context: ui.InLineage, Action: ui.ResumeTUI, Keys: []string{"alt+enter"}, Letter: "T", Hint: "resume in the TUI", Help: "Resume in Hermes's other interface (--tui)"},
		{Context: ui.InLineage, Action: ui.ResumeReturn, Letter: "b", Hint: "resume and come back", Help: "Resume, and come back to this tree when Hermes has ended"},
		{Context: ui.InLineage, Action: ui.Origin, Keys: []string{"o"}, Letter: "o", Hint: "origin", Footer: true, Help: "Read what is above, at the place where this session left it"},
		{Context: ui.InLineage, Action: ui.Find, Keys: []string{"/"}, Letter: "/", Hint: "find", Footer: true, Help: "Find in this tree, in what is folded too"},
		{Context: ui.InLineage, Action: ui.FindNext, Keys: []string{"n"}, Letter: "n", Hint: "next hit", Help: "Next hit"},
		{Context: ui.InLineage, Action: ui.FindPrevious, Keys: []string{"N", "shift+n"}, Letter: "N", Hint: "previous hit", Help: "Previous hit"},
		{Context: ui.InLineage, Action: ui.ExpandAll, Keys: []string{"*"}, Letter: "*", Hint: "unfold all", Footer: true, Help: "Unfold everything"},
		{Context: ui.InLineage, Action: ui.CollapseAll, Keys: []string{"-"}, Letter: "-", Hint: "fold all", Help: "Fold everything below the first level"},
		{Context: ui.InLineage, Action: ui.Copy, Keys: []string{"y"}, Letter: "y", Hint: "copy id", Help: "Copy the id of this session"},
		{Context: ui.InLineage, Action: ui.Rename, Keys: []string{"ctrl+r", "f2"}, Letter: "m", Hint: "rename", Help: "Give the conversation of this session another title, or none"},
		{Context: ui.InLineage, Action: ui.Pin, Letter: "P", Hint: "pin or unpin", Help: "Keep its conversation at the top of the list, or take the pin away"},
		{Context: ui.InLineage, Action: ui.Archive, Letter: "a", Hint: "archive or bring back", Help: "Put its conversation into the archive, or bring it back"},
		{Context: ui.InLineage, Action: ui.Inspect, Keys: []string{"i"}, Letter: "i", Hint: "inspect", Help: "All that is known of its conversation"},
		{Context: ui.InLineage, Action: ui.Export, Keys: []string{"e"}, Letter: "e", Hint: "export", Help: "Write its conversation to a file: Markdown, HTML or JSON lines"},
		{Context: ui.InLineage, Action: ui.Editor, Keys: []string{"v"}, Letter: "v", Hint: "editor", Help: "Open a copy of it as Markdown in $EDITOR; the copy goes when the editor ends"},
		{Context: ui.InLineage, Action: ui.Pager, Keys: []string{"$"}, Letter: "$", Hint: "pager", Help: "Read it in $PAGER"},
		{Context: ui.InLineage, Action: ui.Delete, Keys: []string{"d"}, Letter: "d", Hint: "delete", Help: "Delete the conversation of this session, or this segment alone; asks first"},
		{Context: ui.InLineage, Action: ui.Undo, Keys: []string{"u", "alt+z"}, Letter: "u", Hint: "undo", Help: "Take the last change back"},
		{Context: ui.InLineage, Action: ui.Up, Keys: []string{"k", "up", "ctrl+p"}, Help: "One row up"},
		{Context: ui.InLineage, Action: ui.Down, Keys: []string{"j", "down", "ctrl+n"}, Help: "One row down"},
		{Context: ui.InLineage, Action: ui.Expand, Keys: []string{"right", "l"}, Help: "Unfold; then to the first below, and from there into its transcript"},
		{Context: ui.InLineage, Action: ui.Collapse, Keys: []string{"left", "h"}, Help: "Fold; where nothing is to be folded, to the one above"},
		{Context: ui.InLineage, Action: ui.Parent, Keys: []string{"p"}, Letter: "p", Hint: "to the one above", Help: "To the session above"},
		{Context: ui.InLineage, Action: ui.NextSibling, Keys: []string{"J", "shift+j"}, Letter: "J", Hint: "next beside", Help: "To the next session below the same one"},
		{Context: ui.InLineage, Action: ui.PreviousSibling, Keys: []string{"K", "shift+k"}, Letter: "K", Hint: "previous beside", Help: "To the previous session below the same one"},
		{Context: ui.InLineage, Action: ui.PageUp, Keys: []string{"b", "pgup"}, Help: "One page up"},
		{Context: ui.InLineage, Action: ui.PageDown, Keys: []string{"space", "pgdown"}, Help: "One page down"},
		{Context: ui.InLineage, Action: ui.HalfUp, Keys: []string{"ctrl+u"}, Help: "Half a page up"},
		{Context: ui.InLineage, Action: ui.HalfDown, Keys: []string{"ctrl+d"}, Help: "Half a page down"},
		{Context: ui.InLineage, Action: ui.First, Keys: []string{"g", "home"}, Help: "The root"},
		{Context: ui.InLineage, Action: ui.Last, Keys: []string{"G", "shift+g", "end"}, Help: "The last row"},
		{Context: ui.InLineage, Action: ui.PreviewUp, Keys: []string{"shift+up"}, Letter: "[", Hint: "transcript up", Help: "Scroll the transcript beside the tree up"},
		{Context: ui.InLineage, Action: ui.PreviewDown, Keys: []string{"shift+down"}, Letter: "]", Hint: "transcript down", Help: "Scroll the transcript beside the tree down"},
		{Context: ui.InLineage, Action: ui.Refresh, Keys: []string{"f5"}, Letter: "f", Hint: "read again", Help: "Read the tree again (changes appear by themselves)"},
		{Context: ui.InLineage, Action: ui.Back, Keys: []string{"q", "esc", "ctrl+l"}, Letter: "q", Hint: "back", Footer: true, Help: "Back to where you came from"},
		{Context: ui.InLineage, Action: ui.Menu, Keys: []string{"ctrl+x"}, Hint: "more", Footer: true, Help: "All that can be done here, each by a letter"},
		{Context: ui.InLineage, Action: ui.Palette, Keys: []string{":"}, Letter: ":", Hint: "commands", Help: "Look up what to do by its name"},
		{Context: ui.InLineage, Action: ui.Help, Keys: []string{"?", "f1"}, Letter: "?", Hint: "help", Footer: true, Help: "This page"},

		{Context: ui.InCleanup, Action: ui.Delete, Keys: []string{"d", "ctrl+d", "delete"}, Letter: "d", Hint: "delete marked", Footer: true, Help: "Delete all that is marked; asks first"},
		{Context: ui.InCleanup, Action: ui.Mark, Keys: []string{"space", "tab"}, Letter: "m", Hint: "mark", Footer: true, Help: "Take this one's mark away, or give it back, and go down"},
		{Context: ui.InCleanup, Action: ui.MarkAll, Keys: []string{"*", "alt+a"}, Letter: "*", Hint: "all or none", Footer: true, Help: "Mark all, or none"},
		{Context: ui.InCleanup, Action: ui.NextSet, Keys: []string{"right", "l"}, Letter: "l", Hint: "next kind", Footer: true, Help: "Look at the next kind: what nobody misses; silent for 30, 90, 180, 365 days"},
		{Context: ui.InCleanup, Action: ui.PreviousSet, Keys: []string{"left", "h"}, Letter: "h", Hint: "previous kind", Help: "Look at the previous kind"},
		{Context: ui.InCleanup, Action: ui.Open, Keys: []string{"enter"}, Letter: "t", Hint: "read", Footer: true, Help: "Read this conversation"},
		{Context: ui.InCleanup, Action: ui.Resume, Keys: []string{"r"}, Letter: "r", Hint: "resume", Help: "Resume this conversation in Hermes, at its newest segment"},
		{Context: ui.InCleanup, Action: ui.ResumeTUI, Keys: []string{"alt+enter"}, Letter: "T", Hint: "resume in the TUI", Help: "Resume in Hermes's other interface (--tui)"},
		{Context: ui.InCleanup, Action: ui.ResumeReturn, Letter: "b", Hint: "resume and come back", Help: "Resume, and come back to this page when Hermes has ended"},
		{Context: ui.InCleanup, Action: ui.Undo, Keys: []string{"u", "alt+z"}, Letter: "u", Hint: "undo", Help: "Take the last change back"},
		{Context: ui.InCleanup, Action: ui.Up, Keys: []string{"k", "up", "ctrl+p"}, Help: "One row up"},
		{Context: ui.InCleanup, Action: ui.Down, Keys: []string{"j", "down", "ctrl+n"}, Help: "One row down"},
		{Context: ui.InCleanup, Action: ui.PageUp, Keys: []string{"b", "pgup"}, Help: "One page up"},
		{Context: ui.InCleanup, Action: ui.PageDown, Keys: []string{"f", "pgdown"}, Help: "One page down"},
		{Context: ui.InCleanup, Action: ui.First, Keys: []string{"g", "home"}, Help: "The first row"},
		{Context: ui.InCleanup, Action: ui.Last, Keys: []string{"G", "shift+g", "end"}, Help: "The last row"},
		{Context: ui.InCleanup, Action: ui.Refresh, Keys: []string{"f5"}, Letter: "5", Hint: "look again", Help: "Look again"},
		{Context: ui.InCleanup, Action: ui.Back, Keys: []string{"q", "esc"}, Letter: "q", Hint: "back", Footer: true, Help: "Back to the list"},
		{Context: ui.InCleanup, Action: ui.Menu, Keys: []string{"ctrl+x"}, Hint: "more", Footer: true, Help: "All that can be done here, each by a letter"},
		{Context: ui.InCleanup, Action: ui.Palette, Keys: []string{":"}, Letter: ":", Hint: "commands", Help: "Look up what to do by its name"},
		{Context: ui.InCleanup, Action: ui.Help, Keys: []string{"?", "f1"}, Letter: "?", Hint: "help", Footer: true, Help: "This page"},

		{Context: ui.InDialog, Action: ui.Up, Keys: []string{"up", "ctrl+p"}, Help: "One line up"},
		{Context: ui.InDialog, Action: ui.Down, Keys: []string{"down", "ctrl+n"}, Help: "One line down"},
		{Context: ui.InDialog, Action: ui.PageUp, Keys: []string{"pgup"}, Help: "One page up"},
		{Context: ui.InDialog, Action: ui.PageDown, Keys: []string{"pgdown"}, Help: "One page down"},
		{Context: ui.InDialog, Action: ui.First, Keys: []string{"home"}, Help: "The beginning"},
		{Context: ui.InDialog, Action: ui.Last, Keys: []string{"end"}, Help: "The end"},
		{Context: ui.InDialog, Action: ui.Accept, Keys: []string{"enter"}, Hint: "choose", Help: "Do the marked one"},
		{Context: ui.InDialog, Action: ui.Back, Keys: []string{"esc", "ctrl+g"}, Hint: "close", Help: "Close the box"},

		{Context: ui.Anywhere, Action: ui.Suspend, Keys: []string{"ctrl+z"}, Letter: "z", Hint: "suspend", Help: "Leave to the shell for a while; fg comes back"},
		{Context: ui.Anywhere, Action: ui.Stop, Keys: []string{"alt+c"}, Letter: "!", Hint: "stop", Help: "Stop the change that is being made; what is done by then can be taken back"},
		{Context: ui.Anywhere, Action: ui.Quit, Keys: []string{"ctrl+c"}, Letter: "x", Hint: "quit", Help: "Quit (exit code 130)"},
	}
}

// keys gives the key map of a preset with the user's own keys, checked. With
// feeds, Enter may come as a line feed. The error names the row that is wrong.
func keys(preset string, feeds bool, own ui.Overrides) (ui.Keys, error) {
	typing, overrides := ui.Searches, ui.Overrides{}
	switch preset {
	case "", "default":
	case "vim":
		typing, overrides = ui.ActsAlways, vim()
	case "upstream":
		typing, overrides = ui.ActsFirst, upstream()
	default:
		return ui.Keys{}, fmt.Errorf("there is no preset %q, only default, vim and upstream", preset)
	}
	rows, err := ui.Rebind(keymap(), overrides)
	if err != nil {
		return ui.Keys{}, err
	}
	if feeds {
		rows = lineFeeds(rows)
	}
	if rows, err = ui.Rebind(rows, own); err != nil {
		return ui.Keys{}, err
	}
	return ui.NewKeys(rows, typing)
}

// vim starts the list with letters that act; / or i begins a query, Esc ends
// typing it. The transcript has these keys in every preset.
func vim() ui.Overrides {
	return ui.Overrides{
		ui.InList: {
			ui.Up:         {"k", "up", "ctrl+p", "ctrl+k"},
			ui.Down:       {"j", "down", "ctrl+n", "ctrl+j"},
			ui.PageUp:     {"ctrl+b", "pgup"},
			ui.PageDown:   {"ctrl+f", "pgdown"},
			ui.First:      {"g", "ctrl+home", "home"},
			ui.Last:       {"G", "shift+g", "ctrl+end", "end"},
			ui.Resume:     {"enter", "r"},
			ui.Open:       {"l", "right", "ctrl+t"},
			ui.Type:       {"i", "/"},
			ui.Copy:       {"y y", "ctrl+y"},
			ui.Delete:     {"d d", "ctrl+d", "delete"},
			ui.Undo:       {"u", "alt+z"},
			ui.Mark:       {"space", "m", "tab"},
			ui.MarkRange:  {"v", "alt+v"},
			ui.CycleScope: {"o", "ctrl+o"},
			ui.CycleSort:  {"s", "ctrl+s"},
			ui.Preview:    {"p", "ctrl+/", "ctrl+_", "f3"},
			ui.Back:       {"q", "esc", "ctrl+g"},
		},
	}
}

// upstream lets q quit and d delete on an empty query, as Hermes's own picker
// does (store/README.md#command-line).
func upstream() ui.Overrides {
	return ui.Overrides{
		ui.InList: {
			ui.Back:   {"esc", "ctrl+g", "q"},
			ui.Delete: {"ctrl+d", "delete", "d"},
		},
	}
}

// lineFeeds is for terminals whose Enter sends a line feed, which arrives as
// Ctrl+J: that key then does what Enter does, and nothing else.
func lineFeeds(rows []ui.Binding) []ui.Binding {
	for i := range rows {
		rows[i].Keys = slices.DeleteFunc(rows[i].Keys, func(k string) bool { return k == "ctrl+j" })
		if slices.Contains(rows[i].Keys, "enter") {
			rows[i].Keys = append(rows[i].Keys, "ctrl+j")
		}
	}
	return rows
}
