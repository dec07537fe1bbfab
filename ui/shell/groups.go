package shell

// Group is what an action is for. The menu of actions and the help page are ordered
// by groups.
type Group int

// The groups, in their order.
const (
	Acts Group = iota
	Own        // of the user
	Organizes
	Reads
	Finds
	Shows   // parts of a screen
	Surveys // the whole history
	Selects
	Moves
)

// String returns the heading of a group.
func (g Group) String() string {
	return [...]string{"Act", "Own", "Organize", "Read", "Find", "Show", "Overview", "Select", "Move"}[g]
}
