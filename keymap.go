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
		listKeys(), transcriptKeys(), lineageKeys(), spaceKeys(), usageKeys(),
		comparisonKeys(), dialogKeys(), keysAnywhere(),
	)
}

// row is an action of a screen: its keys with blanks between, after "|" those that work but are
// named nowhere; the letter after Ctrl+X, as [shell.Binding] has it; one or two words for the
// footer and the menu; and a sentence for the help.
type row struct {
	action             shell.Action
	keys, letter, hint string
	place              shell.Place
	help               string
}

// Where an action is named without being looked for.
const (
	footer   = shell.InFooter
	onPage   = shell.OnPage
	noFooter = shell.Searched
)

// bindings are the rows of one screen: the first of several with the same action.
func bindings(on shell.Context, rows ...[]row) []shell.Binding {
	var all []shell.Binding
	for _, r := range slices.Concat(rows...) {
		if slices.ContainsFunc(all, func(b shell.Binding) bool { return b.Action == r.action }) {
			continue
		}
		keys, aliases, _ := strings.Cut(r.keys, "|")
		all = append(all, shell.Binding{
			Context: on, Action: r.action, Keys: strings.Fields(keys), Aliases: strings.Fields(aliases), Letter: r.letter,
			Hint: r.hint, Place: r.place, Help: r.help,
		})
	}
	return all
}

// resuming are the ways to resume the conversation of a row.
func resuming() []row {
	return []row{
		{shell.Resume, "r", "", "resume", footer, "Resume in Hermes, at the newest segment"},
		{shell.ResumeInTUI, "alt+enter", "-TR", "resume in the TUI", noFooter, "Resume in Hermes's TUI (hermes --tui)"},
		{shell.ResumeAndReturn, "", "-b", "resume and return", noFooter, "Resume, and return here when Hermes ends"},
	}
}

// elsewhere are the actions that show a conversation in another place.
func elsewhere() []row {
	return []row{
		{shell.Inspect, "i", "", "details", onPage, "Details: where, when, tokens, cost, files, IDs"},
		{shell.Export, "e", "", "export", onPage, "Export as Markdown, HTML page or JSON lines"},
		{shell.Pager, "$", "", "pager", noFooter, "Read it in $PAGER"},
		{shell.Editor, "v", "", "editor", noFooter, "Open a temporary Markdown copy in $EDITOR"},
	}
}

// changing are the actions that change a conversation.
func changing() []row {
	return []row{
		{shell.Rename, "ctrl+r | f2", "m", "rename", onPage, "Change or remove the title"},
		{shell.Pin, "", "pP", "pin/unpin", noFooter, "Pin to the top of the list; again to unpin"},
		{shell.Archive, "", "a", "archive/unarchive", noFooter, "Archive; again to unarchive"},
		{shell.Delete, "d", "", "delete", onPage, "Delete the conversation or one segment; asks first"},
	}
}

// everywhere are the actions that every screen has with the same keys. Where letters are typed,
// those with letters have others.
func everywhere() []row {
	return []row{
		{shell.Undo, "u alt+z", "", "undo", onPage, "Undo the last change, and earlier ones step by step"},
		{shell.Up, "k up | ctrl+p", "", "", noFooter, "One row or line up"},
		{shell.Down, "j down | ctrl+n", "", "", noFooter, "One row or line down"},
		{shell.PageUp, "pgup | b ctrl+b", "", "", noFooter, "One page up"},
		{shell.PageDown, "pgdown | space f ctrl+f", "", "", noFooter, "One page down"},
		{shell.First, "g home", "", "", noFooter, "Start"},
		{shell.Last, "G end", "", "", noFooter, "End"},
		{shell.Reload, "f5", "-5f", "reload", noFooter, "Reload (changes also appear automatically)"},
		{shell.Back, "q esc | h left", "", "back", footer, "Back"},
		{shell.More, "ctrl+x", "", "more", footer, "What can be done here, each with a letter"},
		{shell.Settings, "", "-,", "settings", noFooter, "Edit the settings; colors and columns apply on return"},
		{shell.Commands, ":", "-", "commands", onPage, "Find any action by its name"},
		{shell.Help, "? f1", "-", "help", footer, "Help: all keys, by typing"},
	}
}

// scrolling are the moves in a long text or tree.
func scrolling() []row {
	return []row{
		{shell.HalfUp, "ctrl+u", "", "", noFooter, "Half a page up"},
		{shell.HalfDown, "ctrl+d", "", "", noFooter, "Half a page down"},
	}
}

// previewing are the moves in the text beside rows.
func previewing() []row {
	return []row{
		{shell.PreviewUp, "shift+up", "-[", "preview up", noFooter, "Scroll the preview up"},
		{shell.PreviewDown, "shift+down", "-]", "preview down", noFooter, "Scroll the preview down"},
	}
}

// listKeys are the keys of the list of conversations. Typing searches, so no bare
// letter may act there; "?", ":" and "/" act only as the first character of a
// query.
func listKeys() []shell.Binding {
	return bindings(shell.InList, []row{
		{shell.Resume, "enter", "r", "resume", footer, "Resume in Hermes, at the newest segment"},
		{shell.ResumeInTUI, "alt+enter", "-R", "resume in the TUI", noFooter, "Resume in Hermes's TUI (hermes --tui)"},
		{shell.ResumeAndReturn, "", "-b", "resume and return", noFooter, "Resume, and return here when Hermes ends"},
		{shell.Read, "right | ctrl+t", "t", "read", footer, "Read the transcript, at the best match when searching"},
		{shell.Delete, "ctrl+d | delete", "d", "delete", footer, "Delete it, all selected ones or one segment; asks first"},
		{shell.Rename, "ctrl+r | f2", "n", "rename", footer, "Change or remove the title"},
		{shell.Lineage, "ctrl+l", "l", "lineage", footer, "Lineage: the tree of segments, branches and subagents"},
		{shell.Copy, "ctrl+y", "y", "copy", onPage, "Copy the ID, the resume command, the title or the folder"},
		{shell.Export, "", "e", "export", onPage, "Export it or all selected ones: Markdown, HTML, JSON lines"},
		{shell.Undo, "alt+z", "u", "undo", onPage, "Undo the last change, and earlier ones step by step"},
		{shell.Pin, "", "p", "pin/unpin", noFooter, "Pin to the top of the list; again to unpin"},
		{shell.Archive, "", "a", "archive/unarchive", noFooter, "Archive; again to unarchive"},
		{shell.Tags, "", "T", "tags", noFooter, "Tag the conversation; find it with tag:"},
		{shell.Note, "", "N", "note", noFooter, "Write a note on the conversation, kept outside the database"},
		{shell.SaveQuery, "", "Q", "save query", noFooter, "Save the query as a tab; rename or remove one"},
		{shell.Inspect, "", "i", "details", onPage, "Details: where, when, tokens, cost, files, IDs"},
		{shell.Compare, "", "C", "compare", noFooter, "Compare two selected conversations: where they diverge"},
		{shell.Pager, "", "-$", "pager", noFooter, "Read it in $PAGER"},
		{shell.Editor, "", "-v", "editor", noFooter, "Open a temporary Markdown copy in $EDITOR"},
		{shell.Type, "/", "-", "type", onPage, "Search messages, titles and IDs; typing starts it too"},
		{shell.Filter, "f4", "f", "filter", footer, "Filter by scope, source, model, folder and time"},
		{shell.Hidden, "ctrl+o", "o", "hidden", onPage, "Show or hide what is automatic, archived or of subagents"},
		{shell.CycleSort, "ctrl+s", "s", "sort", onPage, "Next order: activity, start, title, messages, cost"},
		{shell.EarlierQueries, "", "h", "earlier queries", noFooter, "Choose an earlier query"},
		{shell.Queries, "alt+1 alt+2 alt+3 alt+4 alt+5 alt+6 alt+7 alt+8 alt+9 alt+0", "", "named queries", noFooter,
			"Open the tab of this number: a named query; alt+0 leaves it"},
		{shell.Usage, "", "U", "usage", noFooter, "Tokens and cost over time, by model, source, folder and tool"},
		{shell.Storage, "", "S", "storage", noFooter, "The largest conversations; vacuum the file"},
		{shell.CleanUp, "", "c", "clean up", noFooter, "Review and delete clutter and inactive conversations, as prune does"},
		{shell.Expiring, "", "X", "expiring", noFooter, "What Hermes will delete soon; pin or export to keep it"},
		{shell.Settings, "", ",", "settings", noFooter, "Edit the settings; colors and columns apply on return"},
		{shell.Running, "", "w", "running", noFooter, "Go to what is running or waiting for you"},
		{shell.Preview, "ctrl+/ | ctrl+_ f3", "-/", "preview", noFooter, "Show or hide the preview"},
		{shell.Select, "tab", "", "select", onPage, "Select rows; actions then apply to all selected ones"},
		{shell.SelectUp, "shift+tab", "", "", noFooter, "Select or deselect this row and go up"},
		{shell.SelectToHere, "alt+v", "-M", "select to here", noFooter, "Select from the last selected row to this one"},
		{shell.SelectAll, "alt+a", "-m", "select all", noFooter, "Select all rows"},
		{shell.Up, "up | ctrl+p ctrl+k", "", "", noFooter, "One row up (wraps around)"},
		{shell.Down, "down | ctrl+n ctrl+j", "", "", noFooter, "One row down (wraps around)"},
		{shell.PageUp, "pgup", "", "", noFooter, "One page up"},
		{shell.PageDown, "pgdown", "", "", noFooter, "One page down"},
		{shell.First, "ctrl+home home", "", "", noFooter, "First row (home: only on an empty query)"},
		{shell.Last, "ctrl+end end", "", "", noFooter, "Last row (end: only on an empty query)"},
		{shell.Reload, "f5", "-g", "reload", noFooter, "Reload (changes also appear automatically)"},
		{shell.Back, "esc | ctrl+g", "", "", onPage, "Clear the selection, then the query, then quit"},
	}, previewing(), everywhere())
}

func transcriptKeys() []shell.Binding {
	return bindings(shell.InTranscript, resuming(), []row{
		{shell.NextMatch, "n", "", "next match", footer, "Next match; after the last one, the first of the next conversation"},
		{shell.PreviousMatch, "N", "", "previous match", onPage, "Previous match; before the first one, the last of the conversation before"},
		{shell.Parent, "p", "", "parent", footer, "Of a subagent: its parent, at the place where it was started"},
		{shell.Fold, "enter | o", "", "fold", footer, "Fold or unfold this message"},
		{shell.Tools, "t", "", "tools", footer, "Show or hide tool calls and their results"},
		{shell.Find, "/", "", "find", footer, "Find in this conversation"},
		{shell.Copy, "y", "", "copy", footer, "Copy this message"},
		{shell.Lineage, "l | ctrl+l", "", "lineage", footer, "Lineage: the tree of segments, branches and subagents"},
		{shell.Reasoning, "R", "", "reasoning", onPage, "Show or hide the agent's reasoning"},
		{shell.Outline, "\\", "", "outline", onPage, "Show or hide the outline of prompts"},
		{shell.Follow, "f", "", "follow", onPage, "Go to the end and follow new messages"},
		{shell.Numbers, "#", "", "numbers", noFooter, "Show or hide message numbers and turn totals"},
		{shell.Wrap, "w", "", "wrap", noFooter, "Wrap or cut long lines of code"},
		{shell.NextFailure, "!", "E", "next failure", onPage, "Next tool call that failed; after the last one, the first"},
		{shell.GoTo, "", "%", "go to", noFooter, "Go to a message number or a percentage: 1234G, 50%"},
		{shell.NextConversation, ">", "", "next conversation", noFooter, "Next conversation of the list"},
		{shell.PreviousConversation, "<", "", "previous conversation", noFooter, "Previous conversation of the list"},
		{shell.PreviousPrompt, "[", "", "previous prompt", onPage, "Previous prompt"},
		{shell.NextPrompt, "]", "", "next prompt", onPage, "Next prompt"},
		{shell.PreviousMessage, "K", "-k", "previous message", noFooter, "Previous message"},
		{shell.NextMessage, "J", "-j", "next message", noFooter, "Next message"},
		{shell.FoldAll, "O", "", "fold all", noFooter, "Fold or unfold everything"},
		{shell.CopyMenu, "Y | ctrl+y", "", "copy menu", noFooter,
			"Copy a code block, a link, the ID, the resume command, the title or the folder"},
		{shell.BookmarkMessage, "m", "B", "bookmark", noFooter, "Set or clear a bookmark on this message"},
		{shell.NextBookmark, "M", "", "next bookmark", noFooter, "Next message with a bookmark or a note"},
		{shell.Note, "c | a", "C", "note", noFooter, "Write a note on this message"},
		{shell.Tags, "A", "", "tags", noFooter, "Tag the conversation; find it with tag:"},
	}, changing(), elsewhere(), scrolling(), everywhere())
}

func lineageKeys() []shell.Binding {
	return bindings(shell.InLineage, []row{
		{shell.Read, "enter", "t", "read", footer, "Read this session; a branch opens at its fork point"},
		{shell.ForkPoint, "o", "", "fork point", footer, "Read the parent at the point where this session was forked or started"},
		{shell.Compare, "c", "", "compare", footer, "Compare this branch with its parent: what each did after the fork"},
		{shell.Find, "/", "", "find", footer, "Find in this tree, folded parts included"},
		{shell.NextMatch, "n", "", "next match", noFooter, "Next match"},
		{shell.PreviousMatch, "N", "", "previous match", noFooter, "Previous match"},
		{shell.Unfold, "right | l", "", "", noFooter,
			"Unfold; if unfolded, go to the first child; without children, open the transcript"},
		{shell.Fold, "left | h", "", "", noFooter, "Fold; if folded, go to the parent"},
		{shell.UnfoldAll, "*", "", "unfold all", onPage, "Unfold everything"},
		{shell.FoldAll, "-", "", "fold all", onPage, "Fold everything below the first level"},
		{shell.Parent, "p", "", "parent", onPage, "Parent session"},
		{shell.NextSibling, "J", "", "next sibling", noFooter, "Next session of the same parent"},
		{shell.PreviousSibling, "K", "", "previous sibling", noFooter, "Previous session of the same parent"},
		{shell.Copy, "y", "", "copy ID", onPage, "Copy the ID of this session"},
		{shell.Back, "q esc | ctrl+l", "", "back", footer, "Back"},
	}, resuming(), changing(), elsewhere(), scrolling(), previewing(), everywhere())
}

// spaceKeys are the keys of the screen of what could be deleted.
func spaceKeys() []shell.Binding {
	return bindings(shell.InSpace, []row{
		{shell.Delete, "d ctrl+d | delete", "", "delete", footer, "Delete all selected conversations, or this one; asks first"},
		{shell.Select, "space | tab", "-m", "select", footer, "Select or deselect this row and go down"},
		{shell.SelectAll, "* | alt+a", "", "select all", onPage, "Select all, or none"},
		{shell.View, "right | l", "", "view", footer,
			"Next view: largest; clutter (empty, ghosts, duplicates); inactive; expiring"},
		{shell.PreviousView, "left | h", "", "previous view", noFooter, "Previous view"},
		{shell.Range, "t", "", "range", footer, "Inactive for 30, 90, 180 or 365 days"},
		{shell.Read, "enter", "o", "read", footer, "Read this conversation"},
		{shell.Pin, "p", "", "pin/unpin", onPage, "Pin to keep: Hermes and clean-up leave pinned conversations alone"},
		{shell.Export, "e", "", "export", onPage, "Export it or all selected ones: Markdown, HTML, JSON lines"},
		{shell.Vacuum, "V", "v", "vacuum", onPage,
			"Remove free pages from the file; shows what this needs, and asks first"},
		{shell.EmptyTheLog, "C", "c", "empty the log", noFooter,
			"Move the write-ahead log into the file and empty it; safe while Hermes runs"},
	}, resuming(), everywhere())
}

func usageKeys() []shell.Binding {
	return bindings(shell.InUsage, []row{
		{shell.Open, "enter", "o", "open", footer, "List the conversations of this row; on a conversation, read it"},
		{shell.View, "right | tab", "-v", "view", footer,
			"Next view: time, models, sources, folders, tools, hours, weekdays, conversations"},
		{shell.PreviousView, "left | shift+tab", "-V", "previous view", noFooter, "Previous view"},
		{shell.Unit, "d | w", "", "unit", onPage, "By day, week or month; a session counts on the day it started"},
		{shell.Range, "t", "", "range", footer, "Next range: 12 months, all time, 7, 30 or 90 days"},
		{shell.ShorterRange, "T", "", "shorter range", noFooter, "Previous range"},
		{shell.Measure, "m", "", "measure", footer,
			"Measure tokens, cache reads, cost, sessions or messages; for tools, calls or failures"},
		{shell.List, "l", "", "list", footer, "Show the conversations of this row in the list, as a query"},
		{shell.Earlier, "[", "", "earlier", onPage, "The previous period of the same length"},
		{shell.Later, "]", "", "later", onPage, "The next period of the same length"},
	}, resuming(), everywhere())
}

// comparisonKeys are the keys of the screen that compares two conversations.
func comparisonKeys() []shell.Binding {
	return bindings(shell.InComparison, []row{
		{shell.Read, "enter", "t", "read", footer, "Read this conversation at this message"},
		{shell.OtherSide, "tab right | l shift+tab left h", "", "other side", footer, "The other conversation"},
	}, resuming(), everywhere())
}

// dialogKeys are the keys of boxes that are read or chosen from.
func dialogKeys() []shell.Binding {
	return bindings(shell.InDialog, []row{
		{shell.Up, "up | ctrl+p", "", "", noFooter, "One line up"},
		{shell.Down, "down | ctrl+n", "", "", noFooter, "One line down"},
		{shell.PageUp, "pgup", "", "", noFooter, "One page up"},
		{shell.PageDown, "pgdown", "", "", noFooter, "One page down"},
		{shell.First, "home", "", "", noFooter, "Start"},
		{shell.Last, "end", "", "", noFooter, "End"},
		{shell.ChooseEntry, "enter", "", "choose", noFooter, "Choose the current entry"},
		{shell.Close, "esc | ctrl+g", "", "close", noFooter, "Close the box"},
	})
}

// keysAnywhere are the keys that hold in all screens and boxes.
func keysAnywhere() []shell.Binding {
	return bindings(shell.Anywhere, []row{
		{shell.Suspend, "ctrl+z", "-z", "suspend", noFooter, "Suspend to the shell; fg returns"},
		{shell.Stop, "alt+c", "-!", "stop", noFooter, "Stop the running change; what it has done so far can be undone"},
		{shell.Quit, "ctrl+c", "-x", "quit", onPage, "Quit"},
	})
}

// keys returns the key map of a preset with the user's own keys, checked. With
// feeds, Enter may come as a line feed; commands are the rows of the user's own commands. The
// error names the row that is wrong.
func keys(preset string, feeds bool, own shell.Overrides, commands []shell.Binding) (shell.Keys, error) {
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
	return shell.NewKeys(append(rows, commands...), typing)
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
			shell.Hidden:       {"o", "ctrl+o"},
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
	isLineFeed := func(k string) bool { return k == "ctrl+j" }
	for i := range rows {
		rows[i].Keys, rows[i].Aliases = slices.DeleteFunc(rows[i].Keys, isLineFeed), slices.DeleteFunc(rows[i].Aliases, isLineFeed)
		if slices.Contains(rows[i].Keys, "enter") {
			rows[i].Aliases = append(rows[i].Aliases, "ctrl+j")
		}
	}
	return rows
}
