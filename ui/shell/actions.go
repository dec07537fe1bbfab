package shell

import "slices"

// The actions of the browser: a row says what one is for on every screen. What it does in a
// context is up to the screen; keys and texts are in keymap.go.
var (
	Quit    = action("quit", Moves)
	Suspend = action("suspend", Moves)
	Stop    = action("stop", Acts) // a change that takes long

	Up       = action("up", Moves, movesOnly)
	Down     = action("down", Moves, movesOnly)
	PageUp   = action("page-up", Moves, movesOnly)
	PageDown = action("page-down", Moves, movesOnly)
	HalfUp   = action("half-page-up", Moves, movesOnly)
	HalfDown = action("half-page-down", Moves, movesOnly)
	First    = action("first", Moves, movesOnly)
	Last     = action("last", Moves, movesOnly)

	Resume = action("resume", Acts)
	Read   = action("read", Reads)
	Open   = action("open", Reads) // a row that may be more than one conversation
	Back   = action("back", Moves, movesOnly)
	Help   = action("help", Finds)
	More   = action("more", Finds) // the menu of all actions
	Copy   = action("copy", Acts)
	Reload = action("reload", Reads)

	// In dialogs.
	ChooseEntry = action("choose", Acts)
	Close       = action("close", Moves)

	CopyMenu = action("copy-menu", Acts)
	Export   = action("export", Acts)
	Pager    = action("pager", Reads)
	Editor   = action("editor", Reads)
	Inspect  = action("details", Reads)

	Rename          = action("rename", Acts, opensInput)
	Note            = action("note", Organizes, opensInput)
	Tags            = action("tags", Organizes, opensInput)
	BookmarkMessage = action("bookmark", Organizes)
	NextBookmark    = action("next-bookmark", Organizes)
	Pin             = action("pin", Organizes)
	Archive         = action("archive", Organizes)
	Delete          = action("delete", Acts)
	Undo            = action("undo", Acts)

	CleanUp      = action("clean-up", Surveys) // these three open a tab of the screen of space
	Storage      = action("storage", Surveys)
	Expiring     = action("expiring", Surveys)
	Running      = action("running", Surveys) // what is working, and what waits
	Settings     = action("settings", Surveys)
	Vacuum       = action("vacuum", Acts)
	EmptyTheLog  = action("empty-the-log", Acts)
	Compare      = action("compare", Reads)           // two conversations
	View         = action("view", Selects, movesOnly) // the next of those that a screen has
	PreviousView = action("previous-view", Selects, movesOnly)
	OtherSide    = action("other-side", Selects, movesOnly)

	Usage        = action("usage", Surveys) // over time
	Unit         = action("unit", Finds)    // day, week or month
	Range        = action("range", Finds)
	ShorterRange = action("shorter-range", Finds)
	Earlier      = action("earlier", Finds)
	Later        = action("later", Finds)
	Measure      = action("measure", Finds)
	List         = action("list", Finds) // what a row counts

	Select       = action("select", Selects, movesOnly) // this row, and on to the next
	SelectUp     = action("select-up", Selects, movesOnly)
	SelectToHere = action("select-to-here", Selects)
	SelectAll    = action("select-all", Selects)

	ResumeInTUI     = action("resume-in-the-tui", Acts) // in Hermes's other interface
	ResumeAndReturn = action("resume-and-return", Acts)

	Commands = action("commands", Finds) // everything by its name
	Type     = action("type", Finds)     // a query
	Filter   = action("filter", Finds)   // by scope, source and folder

	Hidden         = action("hidden", Finds) // what is automatic, archived or of subagents
	CycleSort      = action("sort", Finds)
	EarlierQueries = action("earlier-queries", Finds)
	Queries        = action("named-queries", Finds) // each key shows one of them, the last none
	SaveQuery      = action("save-query", Organizes, opensInput)
	Preview        = action("preview", Shows)
	PreviewUp      = action("preview-up", Moves, movesOnly)
	PreviewDown    = action("preview-down", Moves, movesOnly)

	Lineage         = action("lineage", Reads)
	Unfold          = action("unfold", Reads, movesOnly)
	UnfoldAll       = action("unfold-all", Reads, movesOnly)
	Parent          = action("parent", Moves, movesOnly)
	NextSibling     = action("next-sibling", Moves, movesOnly)
	PreviousSibling = action("previous-sibling", Moves, movesOnly)
	ForkPoint       = action("fork-point", Reads) // in the parent

	NextMessage          = action("next-message", Moves, movesOnly)
	PreviousMessage      = action("previous-message", Moves, movesOnly)
	NextPrompt           = action("next-prompt", Moves, movesOnly)
	PreviousPrompt       = action("previous-prompt", Moves, movesOnly)
	Fold                 = action("fold", Reads, movesOnly)
	FoldAll              = action("fold-all", Reads, movesOnly)
	Tools                = action("tools", Shows)
	Reasoning            = action("reasoning", Shows)
	Find                 = action("find", Finds, opensInput)
	NextMatch            = action("next-match", Finds, movesOnly)
	PreviousMatch        = action("previous-match", Finds, movesOnly)
	NextConversation     = action("next-conversation", Finds, movesOnly)
	PreviousConversation = action("previous-conversation", Finds, movesOnly)
	Numbers              = action("numbers", Shows)
	Wrap                 = action("wrap", Shows)
	GoTo                 = action("go-to", Finds, opensInput)
	Follow               = action("follow", Shows)
	Outline              = action("outline", Shows)
	NextFailure          = action("next-failure", Reads) // of a tool call
)

// trait is what holds of an action besides its group.
type trait int

const (
	movesOnly  trait = iota // or selects or folds what is in sight: not in the menu, last in the list by name
	opensInput              // something to type in
)

// actionRow is what is known of an action.
type actionRow struct {
	group  Group
	traits []trait
}

var actionRows = map[Action]actionRow{}

// action adds a row.
func action(name Action, group Group, traits ...trait) Action {
	actionRows[name] = actionRow{group, traits}
	return name
}

func (a Action) is(t trait) bool { return slices.Contains(actionRows[a].traits, t) }

// GroupOf returns the group of an action: [Own] of one that the settings add.
func GroupOf(a Action) Group {
	if row, ok := actionRows[a]; ok {
		return row.group
	}
	return Own
}

// OpensInput reports whether an action opens something to type in.
func OpensInput(a Action) bool { return a.is(opensInput) }

// MovesOnly reports whether an action only moves, or selects or folds what is in sight. Users know
// the keys of such actions and do not look them up.
func MovesOnly(a Action) bool { return a.is(movesOnly) }
