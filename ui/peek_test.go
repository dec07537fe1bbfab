package ui

// What journeys look at in the list beside the screen stands here, so that they
// do not depend on how it keeps it.

// query is what is typed.
func (d *desk) query() string { return d.list().prompt.text() }

// row is the number of the current row.
func (d *desk) row() int { return d.list().rows.sel }

// rowLine is the line of the window at which it begins.
func (d *desk) rowLine() int { return d.list().rows.offset() }

// items are the rows that have been read, and loaded counts them.
func (d *desk) items() []item { return d.list().found.items }
func (d *desk) loaded() int   { return len(d.items()) }

// total is how many rows there are.
func (d *desk) total() int { return d.list().found.total }

// markedRoots are the roots of the marked conversations.
func (d *desk) markedRoots() []string { return d.list().marks.roots }

// asks is what the list would ask now.
func (d *desk) asks() asked { return d.list().question() }
