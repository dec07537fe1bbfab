package ui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	// outlive is how long a request may go on after a newer one is wanted. Not
	// zero: cancelling costs the connection and its cache, and most answers
	// come sooner than this. To stop takes the store some milliseconds more:
	// together they stay below 30.
	outlive = 20 * time.Millisecond
	// slow is when a wait is worth a word on the screen.
	slow = 150 * time.Millisecond
)

// flight runs at most one request of a kind at a time, and after it only ever
// the latest. Answers therefore come in the order of the requests: one that
// lands is always newer than the one on the screen.
type flight[Q, A any] struct {
	ctx    context.Context
	do     func(context.Context, Q) (A, error)
	want   Q
	gen    int // of the latest request
	flying int // gen of the one in the air, 0 for none
	late   bool
	cancel context.CancelFunc
}

// landed is the answer to a request. It names its flight, so that it finds the
// screen that asked among several of a kind.
type landed[Q, A any] struct {
	flight *flight[Q, A]
	gen    int
	query  Q
	answer A
	err    error
}

// overdue says that a request has been in the air for a while.
type overdue[Q, A any] struct {
	flight *flight[Q, A]
	gen    int
}

func newFlight[Q, A any](ctx context.Context, do func(context.Context, Q) (A, error)) *flight[Q, A] {
	return &flight[Q, A]{ctx: ctx, do: do}
}

// ask makes q the wanted request.
func (f *flight[Q, A]) ask(q Q) tea.Cmd {
	f.gen++
	f.want = q
	if f.flying != 0 {
		time.AfterFunc(outlive, f.cancel) // the next starts when this one has stopped
		return nil
	}
	return f.launch()
}

func (f *flight[Q, A]) launch() tea.Cmd {
	ctx, cancel := context.WithCancel(f.ctx)
	f.flying, f.cancel = f.gen, cancel
	gen, q, do := f.gen, f.want, f.do
	return tea.Batch(
		func() tea.Msg {
			defer cancel()
			a, err := do(ctx, q)
			return landed[Q, A]{flight: f, gen: gen, query: q, answer: a, err: err}
		},
		tea.Tick(slow, func(time.Time) tea.Msg { return overdue[Q, A]{flight: f, gen: gen} }),
	)
}

// land takes an answer. ok reports whether it may be shown: a cancelled one may
// not, nor a fault of a request that is not wanted any more. next is the
// request that waited for it.
func (f *flight[Q, A]) land(m landed[Q, A]) (ok bool, next tea.Cmd) {
	f.flying = 0
	wanted := m.gen == f.gen
	if !wanted {
		next = f.launch()
	}
	ok = m.err == nil || wanted && !errors.Is(m.err, context.Canceled)
	if ok || wanted {
		f.late = false
	}
	return ok, next
}

// wait takes an overdue notice.
func (f *flight[Q, A]) wait(m overdue[Q, A]) {
	if f.flying == m.gen {
		f.late = true
	}
}

// settled reports whether the latest request has been answered.
func (f *flight[Q, A]) settled() bool { return f.flying == 0 }
