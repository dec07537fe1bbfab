package main

import "hermes-sessions/ui"

// keymap is every action with its keys: change it here. Keys are spelled as
// Bubble Tea spells them; the letter is what follows Ctrl+X. In the list,
// typing searches, so no bare letter may act there; "?" and ":" act only as
// the first character of a query.
func keymap() []ui.Binding {
	return []ui.Binding{
		{Context: ui.InList, Action: ui.Resume, Keys: []string{"enter"}, Letter: "r", Hint: "resume", Footer: true, Help: "Resume the conversation in Hermes, at its newest segment"},
		{Context: ui.InList, Action: ui.Open, Keys: []string{"right", "ctrl+t"}, Letter: "t", Hint: "read", Footer: true, Help: "Read the transcript, at the hit when searching (→ at the end of the text)"},
		{Context: ui.InList, Action: ui.CycleScope, Keys: []string{"ctrl+o"}, Letter: "o", Hint: "scope", Footer: true, Help: "Next scope: conversations, automation, subagents, archived, everything"},
		{Context: ui.InList, Action: ui.CycleSort, Keys: []string{"ctrl+s"}, Letter: "s", Hint: "sort", Footer: true, Help: "Next order: activity, start, title, messages, cost"},
		{Context: ui.InList, Action: ui.Preview, Keys: []string{"ctrl+/", "ctrl+_", "f3"}, Letter: "/", Hint: "preview", Footer: true, Help: "Show or hide the preview"},
		{Context: ui.InList, Action: ui.Copy, Keys: []string{"ctrl+y"}, Letter: "y", Hint: "copy", Footer: true, Help: "Copy the id, the resume command or the title"},
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
		{Context: ui.InList, Action: ui.Menu, Keys: []string{"ctrl+x", ":"}, Hint: "more", Footer: true, Help: "All that can be done here (: as the first character)"},
		{Context: ui.InList, Action: ui.Help, Keys: []string{"f1", "?"}, Letter: "?", Hint: "help", Footer: true, Help: "This page (? as the first character)"},

		{Context: ui.InTranscript, Action: ui.Resume, Keys: []string{"r"}, Letter: "r", Hint: "resume", Footer: true, Help: "Resume the conversation in Hermes, at its newest segment"},
		{Context: ui.InTranscript, Action: ui.Fold, Keys: []string{"enter", "o"}, Letter: "o", Hint: "fold", Footer: true, Help: "Fold or unfold this message"},
		{Context: ui.InTranscript, Action: ui.Tools, Keys: []string{"t"}, Letter: "t", Hint: "tools", Footer: true, Help: "Show or hide tool calls and their results"},
		{Context: ui.InTranscript, Action: ui.Reasoning, Keys: []string{"R", "shift+r"}, Letter: "R", Hint: "reasoning", Footer: true, Help: "Show or hide the agent's reasoning"},
		{Context: ui.InTranscript, Action: ui.Find, Keys: []string{"/"}, Letter: "/", Hint: "find", Footer: true, Help: "Find in this conversation"},
		{Context: ui.InTranscript, Action: ui.FindNext, Keys: []string{"n"}, Letter: "n", Hint: "next hit", Help: "Next hit"},
		{Context: ui.InTranscript, Action: ui.FindPrevious, Keys: []string{"N", "shift+n"}, Letter: "N", Hint: "previous hit", Help: "Previous hit"},
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
		{Context: ui.InTranscript, Action: ui.Copy, Keys: []string{"y"}, Letter: "y", Hint: "copy", Help: "Copy this message"},
		{Context: ui.InTranscript, Action: ui.Refresh, Keys: []string{"f5"}, Letter: "f", Hint: "read again", Help: "Read the conversation again"},
		{Context: ui.InTranscript, Action: ui.Back, Keys: []string{"q", "esc", "h", "left"}, Letter: "q", Hint: "back", Footer: true, Help: "Back to the list"},
		{Context: ui.InTranscript, Action: ui.Menu, Keys: []string{"ctrl+x", ":"}, Hint: "more", Footer: true, Help: "All that can be done here"},
		{Context: ui.InTranscript, Action: ui.Help, Keys: []string{"?", "f1"}, Letter: "?", Hint: "help", Footer: true, Help: "This page"},

		{Context: ui.InDialog, Action: ui.Up, Keys: []string{"up", "ctrl+p"}, Help: "One line up"},
		{Context: ui.InDialog, Action: ui.Down, Keys: []string{"down", "ctrl+n"}, Help: "One line down"},
		{Context: ui.InDialog, Action: ui.PageUp, Keys: []string{"pgup"}, Help: "One page up"},
		{Context: ui.InDialog, Action: ui.PageDown, Keys: []string{"pgdown"}, Help: "One page down"},
		{Context: ui.InDialog, Action: ui.First, Keys: []string{"home"}, Help: "The beginning"},
		{Context: ui.InDialog, Action: ui.Last, Keys: []string{"end"}, Help: "The end"},
		{Context: ui.InDialog, Action: ui.Accept, Keys: []string{"enter"}, Hint: "choose", Help: "Do the marked one"},
		{Context: ui.InDialog, Action: ui.Back, Keys: []string{"esc", "ctrl+g"}, Hint: "close", Help: "Close the box"},

		{Context: ui.Anywhere, Action: ui.Suspend, Keys: []string{"ctrl+z"}, Letter: "z", Hint: "suspend", Help: "Leave to the shell for a while; fg comes back"},
		{Context: ui.Anywhere, Action: ui.Quit, Keys: []string{"ctrl+c"}, Letter: "x", Hint: "quit", Help: "Quit (exit code 130)"},
	}
}
