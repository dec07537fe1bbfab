package shell

// Group is what an action is for. The menu of all actions and the help page are ordered
// by groups.
type Group int

// The groups, in the order of the help page.
const (
	Finds Group = iota
	Reads
	Acts
	Selects
	Moves
)

// String returns the heading of a group.
func (g Group) String() string {
	return [...]string{"Find", "Read", "Act", "Select", "Move"}[g]
}

// GroupOf returns the group of an action.
func GroupOf(a Action) Group {
	switch a {
	case Filter, CycleScope, CycleSort, History, Queries, SaveQuery, Expiring, Type, Find, FindNext, FindPrevious, NextResult, PreviousResult, Palette, Help, Menu, GoTo:
		return Finds
	case Grain, Range, ShorterRange, Earlier, Later, Measure, ShowInList:
		return Finds
	case Usage, Open, Lineage, Storage, Compare, Running, Preview, Inspect, Pager, Editor, Fold, FoldAll, Tools, Reasoning, Numbers, Wrap, Follow, Outline, NextFailure, ForkPoint,
		Expand, Collapse, ExpandAll, CollapseAll, Refresh:
		return Reads
	case Select, SelectUp, SelectRange, SelectAll, NextSet, PreviousSet:
		return Selects
	case Up, Down, PageUp, PageDown, HalfUp, HalfDown, First, Last, PreviewUp, PreviewDown, Parent, NextSibling, PreviousSibling,
		NextBookmark, NextMessage, PreviousMessage, NextPrompt, PreviousPrompt, Back, Suspend, Quit:
		return Moves
	}
	return Acts
}

// Familiar reports whether an action has keys that every user knows: the help page names
// them only when they are looked for.
func Familiar(a Action) bool {
	switch a {
	case Up, Down, PageUp, PageDown, HalfUp, HalfDown, First, Last:
		return true
	}
	return false
}
