package kit

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	// cancelAfter is how long a request may go on after a newer one is wanted. Not
	// zero: cancelling costs the connection and its cache, and most answers
	// come sooner than this. To stop takes the store some milliseconds more:
	// together they stay below 30.
	cancelAfter = 20 * time.Millisecond
	// LateAfter is when a wait is worth a word on the screen.
	LateAfter = 150 * time.Millisecond
)

// Latest runs at most one request of a kind at a time, and after it only ever
// the latest. Answers therefore come in the order of the requests: one that
// lands is always newer than the one on the screen.
type Latest[Q, A any] struct {
	ctx        context.Context
	Do         func(context.Context, Q) (A, error)
	Wanted     Q
	Generation int // of the latest request
	Running    int // generation of the one in the air, 0 for none
	Late       bool
	cancel     context.CancelFunc
}

// Answer is the answer to a request. It names its flight, so that it finds the
// screen that asked among several of a kind.
type Answer[Q, A any] struct {
	From       *Latest[Q, A]
	Generation int
	Query      Q
	Value      A
	Err        error
}

// Overdue says that a request has been in the air for a while.
type Overdue[Q, A any] struct {
	From       *Latest[Q, A]
	generation int
}

func NewLatest[Q, A any](ctx context.Context, do func(context.Context, Q) (A, error)) *Latest[Q, A] {
	return &Latest[Q, A]{ctx: ctx, Do: do}
}

// Ask makes q the wanted request.
func (f *Latest[Q, A]) Ask(q Q) tea.Cmd {
	f.Generation++
	f.Wanted = q
	if f.Running != 0 {
		time.AfterFunc(cancelAfter, f.cancel) // the next starts when this one has stopped
		return nil
	}
	return f.launch()
}

func (f *Latest[Q, A]) launch() tea.Cmd {
	ctx, cancel := context.WithCancel(f.ctx)
	f.Running, f.cancel = f.Generation, cancel
	generation, q, do := f.Generation, f.Wanted, f.Do
	return tea.Batch(
		func() tea.Msg {
			defer cancel()
			a, err := do(ctx, q)
			return Answer[Q, A]{From: f, Generation: generation, Query: q, Value: a, Err: err}
		},
		tea.Tick(LateAfter, func(time.Time) tea.Msg { return Overdue[Q, A]{From: f, generation: generation} }),
	)
}

// Take takes an answer. ok reports whether it may be shown: a cancelled one may
// not, nor a fault of a request that is not wanted any more. next is the
// request that waited for it.
func (f *Latest[Q, A]) Take(m Answer[Q, A]) (ok bool, next tea.Cmd) {
	f.Running = 0
	wanted := m.Generation == f.Generation
	if !wanted {
		next = f.launch()
	}
	ok = m.Err == nil || wanted && !errors.Is(m.Err, context.Canceled)
	if ok || wanted {
		f.Late = false
	}
	return ok, next
}

// MarkLate takes an overdue notice.
func (f *Latest[Q, A]) MarkLate(m Overdue[Q, A]) {
	if f.Running == m.generation {
		f.Late = true
	}
}

// Settled reports whether the latest request has been answered.
func (f *Latest[Q, A]) Settled() bool { return f.Running == 0 }
