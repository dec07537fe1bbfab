package list

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/ui/shell"
)

// preparation lets the library read ahead what searches need: when the first
// complete answer is on the screen, and again for a search after other processes
// have written, but not all the time beside a busy writer.
type preparation struct {
	begun   bool
	version int64 // of the database, when it began the last time
	running bool
	again   bool // it runs because other processes have written

	at   time.Time     // when it began
	took time.Duration // the last time
}

// prepared says that the library has read ahead.
type prepared struct{ by *preparation }

// start reads ahead where that is due at this version of the database; nil
// where it is not. complete says that a complete answer is on the screen,
// searching that it is one to a search. An
// error is left to the search that meets it.
func (p *preparation) start(ctx context.Context, lib shell.Library, version int64, complete, searching bool, now time.Time) tea.Cmd {
	if p.begun && p.version == 0 {
		p.version = version // it was not known yet: no other process has written
	}
	if p.running || !complete || p.begun && p.version == version {
		return nil
	}
	first := !p.begun
	if !first && (!searching || now.Sub(p.at) < shell.RefreshPause*p.took) {
		return nil // the next poll comes back to it
	}
	*p = preparation{at: now, took: p.took, begun: true, version: version, running: true, again: !first}
	return func() tea.Msg {
		_ = lib.Prepare(ctx) // a search reports the error, and is right without
		return prepared{p}
	}
}

// end ends it. stale reports that a search may have been answered meanwhile
// from before the other processes' writes, and is to be asked again.
func (p *preparation) end(now time.Time) (stale bool) {
	stale = p.again
	p.running, p.again = false, false
	p.took = now.Sub(p.at)
	return stale
}
