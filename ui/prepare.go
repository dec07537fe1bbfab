package ui

import (
	"runtime/debug"

	tea "charm.land/bubbletea/v2"
)

// preparing is what the list knows of the library's reading ahead.
type preparing struct {
	begun   bool
	version int64 // of the database, when it began the last time
	under   bool  // way
}

// readAhead says that the library has read ahead.
type readAhead struct{ list *list }

// prepare lets the library read ahead what searches need: when the first
// sure answer is on the screen, and again when others have written. What goes
// wrong is left to the search that meets it.
func (l *list) prepare() tea.Cmd {
	if l.ahead.under || l.found.glance || l.ahead.begun && l.ahead.version == l.version {
		return nil
	}
	first := !l.ahead.begun
	l.ahead = preparing{begun: true, version: l.version, under: true}
	ctx, lib := l.root.ctx, l.root.opt.Library
	return func() tea.Msg {
		_ = lib.Prepare(ctx)
		if first { // what it took to read a large history is not needed again
			debug.FreeOSMemory()
		}
		return readAhead{l}
	}
}
