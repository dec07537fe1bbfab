package ui

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"

	tea "charm.land/bubbletea/v2"
)

const (
	// tellAfter is how long a change runs before its progress is shown.
	tellAfter = time.Second
	// tellEvery is how often the progress is updated.
	tellEvery = 100 * time.Millisecond
)

// change makes a change; it runs in a command. The function that it returns is
// called in Update when the change has ended, also after an error.
type change func(ctx context.Context, progress func(done, total int)) (then func() tea.Cmd, err error)

// job is one change of the database.
type job struct {
	doing string // "deleting 12 conversations"
	do    change
	// begin returns the change when the job's turn has come, if it depends on the jobs
	// before it; else nil. It is called in Update.
	begin func() change

	late        bool // it has taken long enough to tell
	toastID     int  // the toast that announced it, which the progress replaces
	stop        context.CancelFunc
	done, total atomic.Int64 // messages
}

// jobQueue runs changes in the background, one after another in the order of the
// requests.
type jobQueue struct {
	sh      shell.Shell
	toast   *toast
	failed  func(error) tea.Cmd // says why a job could not be done
	refresh func() tea.Cmd      // makes the screens read their data again

	jobs  []*job         // the first is running
	after func() tea.Cmd // when all are done; nil for nothing

	mu      sync.Mutex // guards the fields below, which commands and close use
	closed  bool
	running sync.WaitGroup
	err     error // of a change that the end of the program stopped
}

type jobEnded struct {
	work *jobQueue
	then func() tea.Cmd
	err  error
}

// progress asks for the state of a job to be drawn again.
type progress struct{ of *job }

// add queues a change.
func (w *jobQueue) add(j *job) tea.Cmd {
	if w.toast.action != "" {
		w.toast.clear() // the undo that it offers would soon be that of another change
	}
	w.jobs = append(w.jobs, j)
	if len(w.jobs) > 1 {
		return nil
	}
	return w.launch()
}

func (w *jobQueue) launch() tea.Cmd {
	j := w.jobs[0]
	whole := w.sh.Env().Context
	ctx, cancel := context.WithCancel(whole)
	j.stop = cancel
	do := j.do
	if j.begin != nil {
		do = j.begin()
	}
	return tea.Batch(func() tea.Msg {
		w.mu.Lock()
		if w.closed {
			w.mu.Unlock()
			return nil
		}
		w.running.Add(1)
		w.mu.Unlock()
		defer w.running.Done()
		defer cancel()
		then, err := do(ctx, func(done, total int) {
			j.done.Store(int64(done))
			j.total.Store(int64(total))
		})
		if err != nil && whole.Err() != nil {
			w.mu.Lock()
			w.err = errors.Join(w.err, err)
			w.mu.Unlock()
		}
		return jobEnded{w, then, err}
	}, tick(j, tellAfter))
}

func tick(j *job, after time.Duration) tea.Cmd {
	return tea.Tick(after, func(time.Time) tea.Msg { return progress{j} })
}

// update takes the messages of jobs; ok is false for every other message.
func (w *jobQueue) update(msg tea.Msg) (cmd tea.Cmd, ok bool) {
	switch msg := msg.(type) {
	case progress:
		if w.busy() && w.jobs[0] == msg.of { // every message draws the screen again
			msg.of.late = true
			if msg.of.toastID > 0 && msg.of.toastID == w.toast.id {
				w.toast.text = ""
			}
			return tick(msg.of, tellEvery), true
		}
		return nil, true
	case jobEnded:
		w.jobs = w.jobs[1:]
		var cmds []tea.Cmd
		if msg.err != nil {
			cmds = append(cmds, w.failed(msg.err))
		}
		if msg.then != nil {
			cmds = append(cmds, msg.then())
		}
		cmds = append(cmds, w.refresh()) // last, so that the rows reflect it
		if len(w.jobs) > 0 {
			cmds = append(cmds, w.launch())
		} else if after := w.after; after != nil {
			w.after = nil
			cmds = append(cmds, after())
		}
		return tea.Batch(cmds...), true
	}
	return nil, false
}

func (w *jobQueue) busy() bool { return len(w.jobs) > 0 }

// line describes the running job, "" while it is too short to tell.
func (w *jobQueue) line() string {
	if !w.busy() || !w.jobs[0].late {
		return ""
	}
	j := w.jobs[0]
	text := kit.Capitalize(j.doing) + w.sh.Styles().Glyphs.Ellipsis
	if total := j.total.Load(); total > 0 {
		text += " " + kit.Count(int(j.done.Load())) + " of " + kit.Plural(int(total), "message", "messages")
	}
	if n := len(w.jobs) - 1; n > 0 {
		text += ", " + kit.Count(n) + " more queued"
	}
	return text + " · " + w.sh.Env().Keys.Find(shell.Anywhere, shell.Stop).KeyText() + " stops"
}

// stopHandler stops the change that is being made.
func (w *jobQueue) stopHandler() shell.Handler {
	why := ""
	if !w.busy() {
		why = "nothing is running"
		if w.sh.Env().Changes == nil { // files may be written
			why = shell.ReadOnly
		}
	}
	return shell.Handler{Action: shell.Stop, Why: why, Do: w.halt}
}

// halt stops the running job and drops the waiting ones.
func (w *jobQueue) halt() tea.Cmd {
	w.jobs = w.jobs[:1:1]
	if stop := w.jobs[0].stop; stop != nil {
		stop()
	}
	return nil
}

// close waits until the running job has come to a clean end.
func (w *jobQueue) close() error {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.running.Wait()
	return w.err
}
