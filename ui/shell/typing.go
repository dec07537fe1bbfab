package shell

import (
	"fmt"
	"maps"
	"slices"
)

// Typing says what printable keys do in the list.
type Typing int

// What they can do.
const (
	Searches   Typing = iota // they are typed, whatever comes; "?", ":" and "/" act before the first character
	ActsFirst                // those that the key map names act before the first character
	ActsAlways               // they act until typing is begun, and again when it has ended (vi)
)

// firstOnly are the printable keys that may act in every list, and only as the
// first character of a query.
func firstOnly() []string { return []string{"?", ":", "/"} }

// Overrides are other keys for actions, by context. They take the place of the
// action's keys in the key map; its letter stays.
type Overrides map[Context]map[Action][]string

// Rebind returns the rows of a key map with other keys. The error names a
// context or an action that the rows do not have.
func Rebind(rows []Binding, own Overrides) ([]Binding, error) {
	rows = slices.Clone(rows)
	var contexts []Context
	for _, b := range rows {
		if !slices.Contains(contexts, b.Context) {
			contexts = append(contexts, b.Context)
		}
	}
	for _, c := range slices.Sorted(maps.Keys(own)) {
		if !slices.Contains(contexts, c) {
			return nil, fmt.Errorf("key map: there is no context %q, only %v", c, contexts)
		}
		for _, a := range slices.Sorted(maps.Keys(own[c])) {
			i := slices.IndexFunc(rows, func(b Binding) bool { return b.Context == c && b.Action == a })
			if i < 0 {
				return nil, fmt.Errorf("key map: %s has no action %q", c, a)
			}
			rows[i].Keys = own[c][a]
		}
	}
	return rows, nil
}
