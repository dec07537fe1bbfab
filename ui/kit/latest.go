package kit

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	// cancelAfter is how long a request may continue after a newer one was made. It is
	// not zero, because canceling costs the connection and its cache, and most answers
	// come sooner than this. The store takes some milliseconds more to stop; together
	// they stay below 30 ms.
	cancelAfter = 20 * time.Millisecond
	// LateAfter is how long a request may take before the screen says that it waits.
	LateAfter = 150 * time.Millisecond
	// SlowAfter is how long a request may take before a bar moves beside that.
	SlowAfter = time.Second
	// MoveEvery is the time between two steps of that bar.
	MoveEvery = 100 * time.Millisecond
)

// Latest runs at most one request of a kind at a time, and after it only the latest one.
// Answers therefore come in the order of the requests: an answer is always newer than
// the one on the screen.
type Latest[Q, A any] struct {
	ctx        context.Context
	do         func(context.Context, Q) (A, error)
	Wanted     Q
	Generation int // of the latest request
	wait
	cancel context.CancelFunc
}

// wait is the state of a running request.
type wait struct {
	running int // its generation, 0 for none
	Late    bool
	Moves   int // how often the bar has moved, 0 for no bar
}

// Answer is the answer to a request. From names the Latest that asked, so that a screen
// can tell its own answers from those of another screen of the same kind.
type Answer[Q, A any] struct {
	From       *Latest[Q, A]
	Generation int
	Query      Q
	Value      A
	Err        error
}

// Overdue says that a request has been running for LateAfter, and then that its bar may
// move. The root model calls Mark.
type Overdue struct {
	// Mark tells the Latest that asked, if the request is still running. next brings the next
	// Overdue; without it, there is no bar.
	Mark func() (next tea.Cmd)
}

func (w *wait) overdue(generation int, after time.Duration) tea.Cmd {
	return tea.Tick(after, func(time.Time) tea.Msg {
		return Overdue{Mark: func() tea.Cmd {
			switch {
			case w.running != generation:
				return nil
			case !w.Late:
				w.Late = true
				return w.overdue(generation, SlowAfter-LateAfter)
			}
			w.Moves++
			return w.overdue(generation, MoveEvery)
		}}
	})
}

// NewLatest makes a Latest that answers requests with do, in goroutines of commands.
func NewLatest[Q, A any](ctx context.Context, do func(context.Context, Q) (A, error)) *Latest[Q, A] {
	return &Latest[Q, A]{ctx: ctx, do: do}
}

// Ask makes q the latest request. It starts at once, or when the running one has stopped.
func (l *Latest[Q, A]) Ask(q Q) tea.Cmd {
	l.Generation++
	l.Wanted = q
	if l.running != 0 {
		time.AfterFunc(cancelAfter, l.cancel) // the next starts when this one has stopped
		return nil
	}
	return l.launch()
}

// Cancel stops the running request at once, if there is one: nothing is lost with it.
func (l *Latest[Q, A]) Cancel() {
	if l.running != 0 {
		l.cancel()
	}
}

func (l *Latest[Q, A]) launch() tea.Cmd {
	ctx, cancel := context.WithCancel(l.ctx)
	l.running, l.cancel = l.Generation, cancel
	generation := l.Generation
	q := l.Wanted
	do := l.do
	return tea.Batch(
		func() tea.Msg {
			defer cancel()
			a, err := do(ctx, q)
			return Answer[Q, A]{From: l, Generation: generation, Query: q, Value: a, Err: err}
		},
		l.overdue(generation, LateAfter),
	)
}

// Take takes an answer. ok reports whether it may be shown: an answer to a canceled
// request may not, nor an error of an outdated one. next starts the request that waited,
// nil for none.
func (l *Latest[Q, A]) Take(m Answer[Q, A]) (ok bool, next tea.Cmd) {
	l.running = 0
	wanted := m.Generation == l.Generation
	if !wanted {
		next = l.launch()
	}
	ok = m.Err == nil || wanted && !errors.Is(m.Err, context.Canceled)
	if ok || wanted {
		l.Late, l.Moves = false, 0
	}
	return ok, next
}

// Settled reports whether the latest request has been answered.
func (l *Latest[Q, A]) Settled() bool { return l.running == 0 }
