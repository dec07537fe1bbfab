package ui

import "hermes-sessions/ui/list"

// The state of the list that journeys check besides the screen is read here, so
// that they do not depend on its fields.

// query is the typed text.
func (d *driver) query() string { return d.list().Peek().Query }

// row is the number of the current row.
func (d *driver) row() int { return d.list().Peek().Row }

// rowLine is the line of the window at which it begins.
func (d *driver) rowLine() int { return d.list().Peek().RowLine }

// items are the rows that have been read, and loaded counts them.
func (d *driver) items() []list.Item { return d.list().Peek().Items }
func (d *driver) loaded() int        { return len(d.items()) }

// total is how many rows there are.
func (d *driver) total() int { return d.list().Peek().Total }

// markedRoots are the roots of the marked conversations.
func (d *driver) markedRoots() []string { return d.list().Peek().MarkedRoots }

// asks is what the list would ask now.
func (d *driver) asks() list.RowsQuery { return d.list().Peek().Asked }
