package output

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
)

const (
	after    = time.Second            // nothing is shown before
	redraw   = 200 * time.Millisecond // on a terminal
	interval = 10 * time.Second       // elsewhere
	barWidth = 20
)

// MeterOptions are the options of a meter.
type MeterOptions struct {
	Out      io.Writer
	Terminal bool       // Out is a terminal that can erase a line
	Quiet    bool       // show nothing
	Width    func() int // columns of the terminal, 0 if unknown
	Now      func() time.Time
	Verb     string               // "Deleting"
	Count    func(n int64) string // writes a number with its noun: "3 messages"
}

// Meter shows the progress of one task. Its methods may be called by several
// goroutines.
type Meter struct {
	o       MeterOptions
	ended   chan struct{}
	end     sync.Once
	stopped sync.WaitGroup

	mu          sync.Mutex
	step        Step
	since       time.Time // the step began
	done, total int64
	drawn       bool
}

// Step is a part of a task.
type Step struct {
	Verb  string               // "Checking the values"
	Count func(n int64) string // writes a number with its noun; nil where nothing is counted
}

// StartMeter begins to measure. Stop it in any case.
func StartMeter(o MeterOptions) *Meter {
	m := &Meter{o: o, since: o.Now(), step: Step{o.Verb, o.Count}, ended: make(chan struct{})}
	if o.Quiet {
		return m
	}
	m.stopped.Go(m.run)
	return m
}

// run draws until the meter is stopped.
func (m *Meter) run() {
	wait, every := interval, interval
	if m.o.Terminal {
		wait, every = after, redraw
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		select {
		case <-m.ended:
			return
		case <-timer.C:
			m.draw()
			timer.Reset(every)
		}
	}
}

// Set says how much of how much is done; total is 0 while it is unknown.
func (m *Meter) Set(done, total int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done, m.total = done, total
}

// Begin begins a step, unless it is the one that is running.
func (m *Meter) Begin(s Step) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s.Verb != m.step.Verb {
		m.step = s
		m.since = m.o.Now()
		m.done = 0
		m.total = 0
	}
}

// Messages is Set for a number of messages.
func (m *Meter) Messages(done, total int) { m.Set(int64(done), int64(total)) }

// Done says how much is done, in words: "3 of 12 messages", "" for nothing.
func (m *Meter) Done() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.done == 0 || m.step.Count == nil {
		return ""
	}
	return m.amount()
}

// Stop ends the meter and removes its bar. Once it is stopped, it does nothing.
func (m *Meter) Stop() {
	m.end.Do(func() {
		close(m.ended)
		m.stopped.Wait()
		if m.drawn && m.o.Terminal {
			fmt.Fprint(m.o.Out, "\r"+ansi.EraseLineRight)
		}
	})
}

func (m *Meter) draw() {
	m.mu.Lock()
	text := m.line(m.o.Now().Sub(m.since))
	m.drawn = true
	m.mu.Unlock()
	if !m.o.Terminal {
		fmt.Fprintln(m.o.Out, "hermes-sessions: "+text)
		return
	}
	if width := m.o.Width(); width > 1 {
		text = ansi.Truncate(text, width-1, "")
	}
	fmt.Fprint(m.o.Out, "\r"+text+ansi.EraseLineRight)
}

// amount writes what is done of what.
func (m *Meter) amount() string {
	if m.total <= 0 {
		return m.step.Count(m.done)
	}
	done := m.step.Count(m.done)
	number, noun := cutNoun(done)
	if _, same := cutNoun(m.step.Count(m.total)); same == noun {
		done = number
	}
	return done + " of " + m.step.Count(m.total)
}

// cutNoun splits "1,204 messages" before its last word.
func cutNoun(text string) (number, noun string) {
	i := strings.LastIndexByte(text, ' ')
	return text[:max(i, 0)], text[i+1:]
}

// line describes the progress after some time.
func (m *Meter) line(elapsed time.Duration) string {
	if m.done == 0 || m.step.Count == nil {
		return m.step.Verb + "… " + elapsed.Round(time.Second).String()
	}
	parts := []string{m.amount()}
	rate := float64(m.done) / max(elapsed.Seconds(), 0.001)
	if rate >= 1 {
		parts = append(parts, m.step.Count(int64(rate))+"/s")
	}
	lead := m.step.Verb
	if m.total > 0 {
		share := min(float64(m.done)/float64(m.total), 1)
		if m.o.Terminal {
			full := int(share * barWidth)
			lead += " " + strings.Repeat("█", full) + strings.Repeat("░", barWidth-full)
		}
		lead += fmt.Sprintf(" %d%%", int(share*100))
		if left := time.Duration(float64(m.total-m.done) / rate * float64(time.Second)); rate > 0 && m.done < m.total {
			parts = append(parts, max(left.Round(time.Second), time.Second).String()+" left")
		}
	}
	return lead + " · " + strings.Join(parts, " · ")
}
