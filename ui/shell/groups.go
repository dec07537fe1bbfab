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
