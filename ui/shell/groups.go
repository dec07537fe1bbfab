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
	case Filter, CycleScope, CycleSort, EarlierQueries, Queries, SaveQuery, Expiring, Type, Find, NextHit, PreviousHit, NextResult, PreviousResult, Commands, Help, More, GoTo:
		return Finds
	case Unit, Range, ShorterRange, Earlier, Later, Measure, List:
		return Finds
	case Usage, Read, Open, Lineage, Storage, Compare, Running, Preview, Inspect, Pager, Editor, Fold, FoldAll, Tools, Reasoning, Numbers, Wrap, Follow, Outline, NextFailure, ForkPoint,
		Unfold, UnfoldAll, Reload:
		return Reads
	case Select, SelectUp, SelectToHere, SelectAll, View, PreviousView, OtherSide:
		return Selects
	case Up, Down, PageUp, PageDown, HalfUp, HalfDown, First, Last, PreviewUp, PreviewDown, Parent, NextSibling, PreviousSibling,
		NextBookmark, NextMessage, PreviousMessage, NextPrompt, PreviousPrompt, Back, Close, Suspend, Quit:
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
