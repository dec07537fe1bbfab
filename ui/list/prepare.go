package list

import (
	"hermes-sessions/ui/shell"
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Preparing is what the list knows of the library's reading ahead.
type Preparing struct {
	Begun   bool
	version int64 // of the database, when it began the last time
	under   bool  // way
	Again   bool  // others have written meanwhile

	at   time.Time     // when it began
	took time.Duration // the last time
}

// readAhead says that the library has read ahead.
type readAhead struct{ list *Screen }

// prepared ends that. A search beside another process's writes may tell of
// sessions what was true before, until the library has read ahead: then it is
// asked again.
func (l *Screen) prepared() tea.Cmd {
	again := l.Preparation.Again
	l.Preparation.under, l.Preparation.Again = false, false
	l.Preparation.took = l.Env.Clock().Sub(l.Preparation.at)
	if again && l.Shown.Searching() {
		return l.reask()
	}
	return nil
}

// Prepare lets the library read ahead what searches need: when the first
// sure answer is on the screen, and again when others have written, but not all
// the time beside a busy writer. What goes wrong is left to the search that
// meets it.
func (l *Screen) Prepare() tea.Cmd {
	if l.Preparation.Begun && l.Preparation.version == 0 {
		l.Preparation.version = l.Version // it was not known yet: nobody has written
	}
	if l.Preparation.under || l.Found.uncounted || l.Preparation.Begun && l.Preparation.version == l.Version {
		return nil
	}
	first, now := !l.Preparation.Begun, l.Env.Clock()
	if !first && now.Sub(l.Preparation.at) < shell.RefreshPause*l.Preparation.took {
		return nil // the next look at the version comes back to it
	}
	l.Preparation = Preparing{at: now, took: l.Preparation.took, Begun: true, version: l.Version, under: true, Again: !first}
	ctx, lib := l.Env.Context, l.Env.Library
	return func() tea.Msg {
		_ = lib.Prepare(ctx) // a search says what is wrong, and is right without
		if first {           // what it took to read a large history is not needed again
			debug.FreeOSMemory()
		}
		return readAhead{l}
	}
}
