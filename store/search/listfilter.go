package search

import (
	"slices"
)

// addStep notes by which road an answer was found, once each.
func (f *executor) addStep(road string) {
	if !slices.Contains(f.plan, road) {
		f.plan = append(f.plan, road)
	}
}
