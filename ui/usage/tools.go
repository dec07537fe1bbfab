package usage

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model/usage"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// toolChunk is how many sessions are counted at a time: the rows grow while the rest is
// read, and another key stops it.
const toolChunk = 400

// toolCounter counts the calls of tools, some sessions at a time, and keeps what it has
// counted.
type toolCounter struct {
	read    *kit.Latest[request, answer]
	known   map[string][]usage.ToolCount // by session; also of those without calls
	size    map[string]int               // messages of sessions, when they were counted
	wanted  []string
	running bool
	err     error
}

func newToolCounter(env *shell.Env) toolCounter {
	lib := env.Library
	return toolCounter{known: map[string][]usage.ToolCount{}, read: kit.NewLatest(env.Context, func(ctx context.Context, q request) (a answer, err error) {
		a.counts, err = lib.ToolCounts(ctx, q.ids)
		return a, err
	})}
}

// forgetChanged forgets the counts of sessions that have other messages than before.
func (t *toolCounter) forgetChanged(now usage.Report) {
	before := t.size
	t.size = make(map[string]int, len(now.Records))
	for i := range now.Records {
		id, n := now.Records[i].Session, now.Records[i].Messages
		if t.size[id] = n; before[id] != n {
			delete(t.known, id)
		}
	}
}

// want counts the sessions of a report, the last of it first.
func (t *toolCounter) want(of usage.Report) tea.Cmd {
	t.wanted, t.err = t.wanted[:0:0], nil
	for i := len(of.Records) - 1; i >= 0; i-- {
		if n := len(t.wanted); n == 0 || t.wanted[n-1] != of.Records[i].Session {
			t.wanted = append(t.wanted, of.Records[i].Session)
		}
	}
	return t.next()
}

// next asks for the next sessions.
func (t *toolCounter) next() tea.Cmd {
	var some []string
	for _, id := range t.wanted {
		if _, ok := t.known[id]; !ok && len(some) < toolChunk {
			some = append(some, id)
		}
	}
	if t.running = len(some) > 0; !t.running {
		return nil
	}
	return t.read.Ask(request{ids: some})
}

// stop ends the counting. What was counted stays.
func (t *toolCounter) stop() {
	if t.running {
		t.running = false
		t.read.Cancel()
	}
}

// counts returns all calls that have been counted.
func (t *toolCounter) counts() (all []usage.ToolCount) {
	for _, id := range t.wanted {
		all = append(all, t.known[id]...)
	}
	return all
}

// left counts the sessions that are to be counted, and those that have been.
func (t *toolCounter) left() (done, of int) {
	for _, id := range t.wanted {
		if _, ok := t.known[id]; ok {
			done++
		}
	}
	return done, len(t.wanted)
}

// counted takes the calls of some sessions, and asks for more.
func (s *Screen) counted(msg kit.Answer[request, answer]) tea.Cmd {
	t := &s.tools
	ok, next := t.read.Take(msg)
	if !ok {
		return next
	}
	if msg.Err != nil {
		t.err, t.running = msg.Err, false
		return next
	}
	for _, id := range msg.Query.ids {
		t.known[id] = nil
	}
	for _, c := range msg.Value.counts {
		t.known[c.Session] = append(t.known[c.Session], c)
	}
	if !t.running || next != nil {
		return next
	}
	return s.showMore()
}
