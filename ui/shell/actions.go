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

	Resume Action = "resume"
	Read   Action = "read"
	Open   Action = "open" // a row that may be more than one conversation
	Back   Action = "back"
	Help   Action = "help"
	More   Action = "more" // the menu of all actions
	Copy   Action = "copy"
	Reload Action = "reload"

	// In dialogs.
	ChooseEntry Action = "choose"
	Close       Action = "close"

	Expiring Action = "expiring"

	CopyMenu Action = "copy-menu"
	Export   Action = "export"
	Pager    Action = "pager"
	Editor   Action = "editor"
	Inspect  Action = "details"

	Rename          Action = "rename"
	Note            Action = "note"
	Tags            Action = "tags"
	BookmarkMessage Action = "bookmark"
	NextBookmark    Action = "next-bookmark"
	Pin             Action = "pin"
	Archive         Action = "archive"
	Delete          Action = "delete"
	Undo            Action = "undo"

	CleanUp      Action = "clean-up"
	Running      Action = "running" // what is working, and what waits
	Storage      Action = "storage" // where the bytes are
	Vacuum       Action = "vacuum"
	EmptyTheLog  Action = "empty-the-log"
	Compare      Action = "compare" // two conversations
	View         Action = "view"    // the next of those that a screen has
	PreviousView Action = "previous-view"
	OtherSide    Action = "other-side"

	Usage        Action = "usage" // over time
	Unit         Action = "unit"  // day, week or month
	Range        Action = "range"
	ShorterRange Action = "shorter-range"
	Earlier      Action = "earlier"
	Later        Action = "later"
	Measure      Action = "measure"
	List         Action = "list" // what a row counts

	Select       Action = "select" // this row, and on to the next
	SelectUp     Action = "select-up"
	SelectToHere Action = "select-to-here"
	SelectAll    Action = "select-all"

	ResumeInTUI     Action = "resume-in-the-tui" // in Hermes's other interface
	ResumeAndReturn Action = "resume-and-return"

	Commands Action = "commands" // everything by its name
	Type     Action = "type"     // a query
	Filter   Action = "filter"   // by scope, source and folder

	CycleScope     Action = "scope"
	CycleSort      Action = "sort"
	EarlierQueries Action = "earlier-queries"
	Queries        Action = "named-queries" // each key shows one of them, the last none
	SaveQuery      Action = "save-query"
	Preview        Action = "preview"
	PreviewUp      Action = "preview-up"
	PreviewDown    Action = "preview-down"

	Lineage         Action = "lineage"
	Unfold          Action = "unfold"
	UnfoldAll       Action = "unfold-all"
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
	NextHit         Action = "next-hit"
	PreviousHit     Action = "previous-hit"
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
	case Find, GoTo, Rename, Note, Tags, SaveQuery:
		return true
	}
	return false
}

// MovesOnly reports whether an action only moves from place to place. Users know
// the keys of such actions and do not look them up.
func MovesOnly(a Action) bool {
	switch a {
	case Up, Down, PageUp, PageDown, HalfUp, HalfDown, First, Last, PreviewUp, PreviewDown,
		Unfold, UnfoldAll, Parent, NextSibling, PreviousSibling,
		NextMessage, PreviousMessage, NextPrompt, PreviousPrompt, NextHit, PreviousHit, NextResult, PreviousResult,
		View, PreviousView, OtherSide, Fold, FoldAll, Select, SelectUp, Back:
		return true
	}
	return false
}
