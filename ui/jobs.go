package ui

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"

	tea "charm.land/bubbletea/v2"
)

const (
	// tellAfter is how long a change runs before the bottom line tells of it, barAfter before it
	// shows how far it is.
	tellAfter, barAfter = kit.LateAfter, kit.SlowAfter
	// tellEvery is how often the progress is updated, stillEvery with reduced motion.
	tellEvery, stillEvery = kit.MoveEvery, 2 * time.Second
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

	told        int // how many times the bottom line was updated for it
	toastID     int // the toast that announced it, which the progress replaces
	stop        context.CancelFunc
	done, total atomic.Int64 // messages
}

// jobQueue runs changes in the background, one after another in the order of the
// requests.
type jobQueue struct {
	sh      shell.Shell
	toast   *toast
	still   bool                // reduced motion: no bar, and fewer updates
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
func (q *jobQueue) add(j *job) tea.Cmd {
	if q.toast.action != "" {
		q.toast.clear() // the undo that it offers would soon be that of another change
	}
	q.jobs = append(q.jobs, j)
	if len(q.jobs) > 1 {
		return nil
	}
	return q.launch()
}

func (q *jobQueue) launch() tea.Cmd {
	j := q.jobs[0]
	whole := q.sh.Env().Context
	ctx, cancel := context.WithCancel(whole)
	j.stop = cancel
	do := j.do
	if j.begin != nil {
		do = j.begin()
	}
	return tea.Batch(func() tea.Msg {
		q.mu.Lock()
		if q.closed {
			q.mu.Unlock()
			return nil
		}
		q.running.Add(1)
		q.mu.Unlock()
		defer q.running.Done()
		defer cancel()
		then, err := do(ctx, func(done, total int) {
			j.done.Store(int64(done))
			j.total.Store(int64(total))
		})
		if err != nil && whole.Err() != nil {
			q.mu.Lock()
			q.err = errors.Join(q.err, err)
			q.mu.Unlock()
		}
		return jobEnded{q, then, err}
	}, tick(j, tellAfter))
}

func tick(j *job, after time.Duration) tea.Cmd {
	return tea.Tick(after, func(time.Time) tea.Msg { return progress{j} })
}

// update takes the messages of jobs; ok is false for every other message.
func (q *jobQueue) update(msg tea.Msg) (cmd tea.Cmd, ok bool) {
	switch msg := msg.(type) {
	case progress:
		if q.busy() && q.jobs[0] == msg.of { // every message draws the screen again
			msg.of.told++
			if msg.of.told == 1 {
				return tick(msg.of, barAfter-tellAfter), true
			}
			if msg.of.toastID > 0 && msg.of.toastID == q.toast.id {
				q.toast.text = ""
			}
			if q.still {
				return tick(msg.of, stillEvery), true
			}
			return tick(msg.of, tellEvery), true
		}
		return nil, true
	case jobEnded:
		q.jobs = q.jobs[1:]
		var cmds []tea.Cmd
		if msg.err != nil {
			cmds = append(cmds, q.failed(msg.err))
		}
		if msg.then != nil {
			cmds = append(cmds, msg.then())
		}
		cmds = append(cmds, q.refresh()) // last, so that the rows reflect it
		if len(q.jobs) > 0 {
			cmds = append(cmds, q.launch())
		} else if after := q.after; after != nil {
			q.after = nil
			cmds = append(cmds, after())
		}
		return tea.Batch(cmds...), true
	}
	return nil, false
}

func (q *jobQueue) busy() bool { return len(q.jobs) > 0 }

// told reports whether the running job has taken long enough to tell of it.
func (q *jobQueue) told() bool { return q.busy() && q.jobs[0].told > 0 }

// line draws the progress of the running job, and how to stop it, in w columns. The hint
// goes last, and begins in column stopAt.
func (q *jobQueue) line(w int) (line string, stopAt int) {
	st, j := q.sh.Styles(), q.jobs[0]
	key, dots := st.Spell(q.sh.Env().Keys.Find(shell.Anywhere, shell.Stop).KeyText()), st.Glyphs.Ellipsis
	var bar, share, count, queued string
	done, total := j.done.Load(), j.total.Load()
	switch {
	case j.told < 2:
	case total > 0:
		part := min(float64(done)/float64(total), 1)
		bar = " " + kit.ProgressBar(st, 0, part)
		share = " " + strconv.Itoa(int(100*part)) + "%"
		count = " " + kit.Count(int(done)) + " of " + kit.Plural(int(total), "message", "messages")
	default:
		bar = " " + kit.MovingBar(st, j.told)
	}
	if q.still {
		bar = ""
	}
	if n := len(q.jobs) - 1; n > 0 {
		queued = ", " + kit.Count(n) + " more queued"
	}
	room := w - 1 - st.Cells.StringWidth(" · "+key+" stops")
	doing := kit.Capitalize(j.doing)
	verb, _, _ := strings.Cut(doing, " ")
	line = kit.Fit(st.Cells, room, doing+dots+bar+count+queued, doing+dots+bar+count,
		shortenQuoted(st, doing+dots+bar+count, room), shortenQuoted(st, doing+dots+count, room),
		shortenQuoted(st, doing+dots+share, room), verb+dots+share, "")
	if line != "" {
		line = st.Text.Render(line) + st.Muted.Render(" · ")
	}
	line = " " + line
	return line + st.Key.Render(key) + st.Muted.Render(" stops"), st.Cells.StringWidth(line)
}

// stopHandler stops the change that is being made.
func (q *jobQueue) stopHandler() shell.Handler {
	why := ""
	if !q.busy() {
		why = "nothing is running"
		if q.sh.Env().Changes == nil { // files may be written
			why = shell.ReadOnly
		}
	}
	return shell.Handler{Action: shell.Stop, Why: why, Do: q.halt}
}

// halt stops the running job and drops the waiting ones. They may have ended since it was offered.
func (q *jobQueue) halt() tea.Cmd {
	if !q.busy() {
		return nil
	}
	q.jobs = q.jobs[:1:1]
	if stop := q.jobs[0].stop; stop != nil {
		stop()
	}
	return nil
}

// close waits until the running job has come to a clean end.
func (q *jobQueue) close() error {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.running.Wait()
	return q.err
}
