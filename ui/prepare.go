package ui

import (
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"
)

// preparing is what the list knows of the library's reading ahead.
type preparing struct {
	begun   bool
	version int64 // of the database, when it began the last time
	under   bool  // way
	again   bool  // others have written meanwhile

	at   time.Time     // when it began
	took time.Duration // the last time
}

// readAhead says that the library has read ahead.
type readAhead struct{ list *list }

// prepared ends that. A search beside another process's writes may tell of
// sessions what was true before, until the library has read ahead: then it is
// asked again.
func (l *list) prepared() tea.Cmd {
	again := l.ahead.again
	l.ahead.under, l.ahead.again = false, false
	l.ahead.took = l.env.Clock().Sub(l.ahead.at)
	if again && l.shown.searching() {
		return l.again()
	}
	return nil
}

// prepare lets the library read ahead what searches need: when the first
// sure answer is on the screen, and again when others have written, but not all
// the time beside a busy writer. What goes wrong is left to the search that
// meets it.
func (l *list) prepare() tea.Cmd {
	if l.ahead.begun && l.ahead.version == 0 {
		l.ahead.version = l.version // it was not known yet: nobody has written
	}
	if l.ahead.under || l.found.glance || l.ahead.begun && l.ahead.version == l.version {
		return nil
	}
	first, now := !l.ahead.begun, l.env.Clock()
	if !first && now.Sub(l.ahead.at) < restAfter*l.ahead.took {
		return nil // the next look at the version comes back to it
	}
	l.ahead = preparing{at: now, took: l.ahead.took, begun: true, version: l.version, under: true, again: !first}
	ctx, lib := l.env.Context, l.env.Library
	return func() tea.Msg {
		_ = lib.Prepare(ctx) // a search says what is wrong, and is right without
		if first {           // what it took to read a large history is not needed again
			debug.FreeOSMemory()
		}
		return readAhead{l}
	}
}
