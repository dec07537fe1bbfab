package shell

// The actions of the browser. What one does in a context is up to the screen;
// keys and texts are in keymap.go.
const (
	Quit    Action = "quit"
	Suspend Action = "suspend"
	Stop    Action = "stop" // a change that takes long

	Up       Action = "up"
	Down     Action = "down"
	PageUp   Action = "page-up"
	PageDown Action = "page-down"
	HalfUp   Action = "half-page-up"
	HalfDown Action = "half-page-down"
	First    Action = "first"
	Last     Action = "last"

	Resume  Action = "resume"
	Open    Action = "open"
	Back    Action = "back"
	Help    Action = "help"
	Menu    Action = "menu"
	Accept  Action = "accept" // the entry of a dialog
	Copy    Action = "copy"
	Refresh Action = "refresh"

	Expiring Action = "expiring"

	CopyMenu Action = "copy-menu"
	Export   Action = "export"
	Pager    Action = "pager"
	Editor   Action = "editor"
	Inspect  Action = "details"

	Rename          Action = "rename"
	Note            Action = "note"
	Tag             Action = "tag"
	BookmarkMessage Action = "bookmark"
	NextBookmark    Action = "next-bookmark"
	Pin             Action = "pin"
	Archive         Action = "archive"
	Delete          Action = "delete"
	Undo            Action = "undo"

	CleanUp     Action = "clean-up"
	Running     Action = "running" // what is working, and what waits
	Storage     Action = "storage" // where the bytes are
	Vacuum      Action = "vacuum"
	Checkpoint  Action = "checkpoint"
	Compare     Action = "compare" // two conversations
	NextSet     Action = "next-set"
	PreviousSet Action = "previous-set"

	Usage        Action = "usage" // over time
	Grain        Action = "day-week-month"
	Range        Action = "range"
	ShorterRange Action = "shorter-range"
	Earlier      Action = "earlier"
	Later        Action = "later"
	Measure      Action = "measure"
	ShowInList   Action = "show-in-list"

	Select      Action = "select" // this row, and on to the next
	SelectUp    Action = "select-up"
	SelectRange Action = "select-range"
	SelectAll   Action = "select-all"

	ResumeTUI    Action = "resume-tui"    // in Hermes's other interface
	ResumeReturn Action = "resume-return" // and come back

	Palette Action = "palette" // everything by its name
	Type    Action = "type"    // a query
	Filter  Action = "filter"  // by scope, source and folder

	CycleScope  Action = "scope"
	CycleSort   Action = "sort"
	History     Action = "history"
	Queries     Action = "named-queries" // each key shows one of them, the last none
	SaveQuery   Action = "save-query"
	Preview     Action = "preview"
	PreviewUp   Action = "preview-up"
	PreviewDown Action = "preview-down"

	Lineage         Action = "lineage"
	Expand          Action = "expand"
	Collapse        Action = "collapse"
	ExpandAll       Action = "expand-all"
	CollapseAll     Action = "collapse-all"
	Parent          Action = "parent"
	NextSibling     Action = "next-sibling"
	PreviousSibling Action = "previous-sibling"
	ForkPoint       Action = "fork-point" // in the parent

	NextMessage     Action = "next-message"
	PreviousMessage Action = "previous-message"
	NextPrompt      Action = "next-prompt"
	PreviousPrompt  Action = "previous-prompt"
	Fold            Action = "fold"
	FoldAll         Action = "fold-all"
	Tools           Action = "tools"
	Reasoning       Action = "reasoning"
	Find            Action = "find"
	FindNext        Action = "find-next"
	FindPrevious    Action = "find-previous"
	NextResult      Action = "next-result"
	PreviousResult  Action = "previous-result"
	Numbers         Action = "numbers"
	Wrap            Action = "wrap"
	GoTo            Action = "go-to"
	Follow          Action = "follow"
	Outline         Action = "outline"
	NextFailure     Action = "next-failure" // of a tool call
)

// OpensInput reports whether an action opens something to type in.
func OpensInput(a Action) bool {
	switch a {
	case Find, GoTo, Rename, Note, Tag, SaveQuery:
		return true
	}
	return false
}

// MovesOnly reports whether an action only moves from place to place. Users know
// the keys of such actions and do not look them up.
func MovesOnly(a Action) bool {
	switch a {
	case Up, Down, PageUp, PageDown, HalfUp, HalfDown, First, Last, PreviewUp, PreviewDown,
		Expand, Collapse, ExpandAll, CollapseAll, Parent, NextSibling, PreviousSibling,
		NextMessage, PreviousMessage, NextPrompt, PreviousPrompt, FindNext, FindPrevious, NextResult, PreviousResult,
		NextSet, PreviousSet, Fold, FoldAll, Select, SelectUp, Back:
		return true
	}
	return false
}
