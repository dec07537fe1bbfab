package ui

import "hermes-sessions/model/query"

// Listed gives what the list shows when nothing is looked for: scope, order,
// sources and folder; call it when the program has ended.
func (r *Root) Listed() query.ListOptions {
	return r.list().listed()
}

// History gives the queries that led somewhere, newest first; call it when the
// program has ended.
func (r *Root) History() []string {
	return r.list().queries(r.out.ID != "")
}

// list is the screen of conversations, which is always below the others.
func (r *Root) list() *list { return r.screens[0].(*list) }
