package ui

import (
	"hermes-sessions/model/query"
	"hermes-sessions/ui/list"
)

// Listed gives what the list shows when nothing is looked for: scope, order,
// sources and folder; call it when the program has ended.
func (r *Root) Listed() query.ListOptions {
	return r.list().Listing()
}

// History gives the queries that led somewhere, newest first; call it when the
// program has ended.
func (r *Root) History() []string {
	return r.list().Queries(r.out.ID != "")
}

// list is the screen of conversations, which is always below the others.
func (r *Root) list() *list.Screen { return r.screens[0].(*list.Screen) }
