package kit

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
)

// recorder runs requests on a fake clock and records what happens.
type recorder struct {
	*Latest[string, string]
	takes         func(q string) time.Duration
	msgs          chan tea.Msg
	began, killed []string
	shown         []string
	failed        []error
	now, peak     int
	slow          []string // requests during which the wait was worth a word
}

func newRecorder(ctx context.Context, takes func(string) time.Duration) *recorder {
	w := &recorder{takes: takes, msgs: make(chan tea.Msg, 64)}
	w.Latest = NewLatest(ctx, func(ctx context.Context, q string) (string, error) {
		w.now++
		w.peak = max(w.peak, w.now)
		defer func() { w.now-- }()
		w.began = append(w.began, q)
		select {
		case <-ctx.Done():
			w.killed = append(w.killed, q)
			return "", ctx.Err()
		case <-time.After(w.takes(q)):
			if strings.HasPrefix(q, "!") {
				return "", errors.New(q)
			}
			return q, nil
		}
	})
	return w
}

func (r *recorder) run(c tea.Cmd) {
	if c == nil {
		return
	}
	go func() {
		switch m := c().(type) {
		case tea.BatchMsg:
			for _, c := range m {
				r.run(c)
			}
		default:
			r.msgs <- m
		}
	}()
}

// pump handles answers for a while.
func (r *recorder) pump(d time.Duration) {
	end := time.After(d)
	for {
		select {
		case m := <-r.msgs:
			switch m := m.(type) {
			case Answer[string, string]:
				ok, next := r.Take(m)
				switch {
				case ok && m.Err == nil:
					r.shown = append(r.shown, m.Value)
				case ok:
					r.failed = append(r.failed, m.Err)
				}
				r.run(next)
			case Overdue:
				r.run(m.Mark())
				if r.Late {
					r.slow = append(r.slow, r.Wanted)
				}
			}
		case <-end:
			return
		}
	}
}

func (r *recorder) types(text string, every time.Duration) {
	for i := range text {
		r.run(r.Ask(text[:i+1]))
		r.pump(every)
	}
	r.pump(time.Second)
}

func fixed(d time.Duration) func(string) time.Duration {
	return func(string) time.Duration { return d }
}

func TestAFastStoreShowsEveryKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newRecorder(t.Context(), fixed(5*time.Millisecond))
		w.types("gateway", 80*time.Millisecond)
		if len(w.shown) != 7 || w.peak != 1 || len(w.killed) != 0 || len(w.slow) != 0 {
			t.Fatalf("shown %q, stopped %q, late %q, at most %d at once", w.shown, w.killed, w.slow, w.peak)
		}
	})
}

func TestASlowStoreShowsTheLastOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newRecorder(t.Context(), fixed(300*time.Millisecond))
		w.types("gateway", 80*time.Millisecond)
		if w.peak != 1 || !slices.Equal(w.shown, []string{"gateway"}) {
			t.Fatalf("shown %q, at most %d at once", w.shown, w.peak)
		}
		if !w.Settled() || w.Late || !slices.Contains(w.slow, "gateway") {
			t.Fatalf("settled %v, late %v, slow %q", w.Settled(), w.Late, w.slow)
		}
	})
}

// What ends soon after a newer key is worth having: stopping it costs more.
func TestARequestOutlivesTheNextBriefly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newRecorder(t.Context(), fixed(25*time.Millisecond))
		w.types("gate", 10*time.Millisecond)
		if len(w.killed) != 0 || w.shown[len(w.shown)-1] != "gate" || w.peak != 1 {
			t.Fatalf("stopped %q, shown %q, at most %d at once", w.killed, w.shown, w.peak)
		}
		if !slices.IsSortedFunc(w.shown, func(a, b string) int { return len(a) - len(b) }) {
			t.Fatalf("an old answer after a new one: %q", w.shown)
		}
	})
}

func TestFaultsAreToldOnlyOfWhatIsWanted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newRecorder(t.Context(), fixed(20*time.Millisecond))
		w.run(w.Ask("!a"))
		w.pump(time.Millisecond)
		w.run(w.Ask("!ab"))
		w.pump(time.Second)
		if len(w.failed) != 1 || w.failed[0].Error() != "!ab" {
			t.Fatalf("told %v", w.failed)
		}
	})
}
