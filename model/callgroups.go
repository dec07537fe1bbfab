package model

import (
	"cmp"
	"slices"
	"strings"
)

const (
	// maxSingleCalls is the greatest number of calls in a tool run that are listed one by one.
	maxSingleCalls = 3
	// maxGroupObjects is the greatest number of objects that a group keeps.
	maxGroupObjects = 12
)

// CallGroup is one or more calls of one tool in a tool run.
type CallGroup struct {
	Name    string
	Count   int
	Objects []string // what they work on, without repetitions ([ToolCall.Object])
}

// GroupCalls describes the calls of a tool run by their names and objects, which are
// parallel lists. A few calls are listed one by one, and only repetitions of one call
// together; more calls are grouped by tool ([GroupByTool]).
func GroupCalls(names, objects []string) []CallGroup {
	return groupCalls(names, objects, len(names) <= maxSingleCalls)
}

// GroupByTool describes the calls of a tool run in the shortest form: one group for each
// tool, in the order of each tool's first call.
func GroupByTool(names, objects []string) []CallGroup { return groupCalls(names, objects, false) }

func groupCalls(names, objects []string, single bool) []CallGroup {
	var groups []CallGroup
	at := map[string]int{}
	for i, name := range names {
		name = cmp.Or(name, "unknown")
		object := ""
		if i < len(objects) {
			object = objects[i]
		}
		k, found := at[name]
		if single && found && !(len(groups[k].Objects) == 0 && object == "" || len(groups[k].Objects) == 1 && groups[k].Objects[0] == object) {
			found = false
		}
		if !found {
			k = len(groups)
			at[name] = k
			groups = append(groups, CallGroup{Name: name})
		}
		g := &groups[k]
		g.Count++
		if object != "" && len(g.Objects) < maxGroupObjects && !slices.Contains(g.Objects, object) {
			g.Objects = append(g.Objects, object)
		}
	}
	return groups
}

// ObjectText joins the objects of a group: by commas, or by semicolons where one has
// spaces or a comma itself.
func (g CallGroup) ObjectText() string {
	separator := ", "
	for _, o := range g.Objects {
		if strings.ContainsAny(o, " ,") {
			separator = "; "
		}
	}
	return strings.Join(g.Objects, separator)
}
