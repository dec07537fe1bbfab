package list

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/shell"
)

// How often the version of the database is read, while the terminal has the focus and not.
const (
	pollEvery     = time.Second
	pollEveryAway = 5 * time.Second
)

// rowsStayFor is how long rows in which a change was just shown stay as they are beside a writer.
// The first change shows at the next look at the version. To read the rows again after each of many
// changes takes a tenth of a core with a large file, and a person cannot follow a list that changes so
// often.
const rowsStayFor = 3 * time.Second

// watch notices what changes without a key: the database, when another process
// writes to it, and the time that ages and headings are told by.
type watch struct {
	version  int64         // of the database, when last read; 0 before
	err      error         // of the last read
	outdated bool          // the rows were asked for before a change was noticed
	resting  time.Duration // no change is answered for so long, less each time between two looks
	now      time.Time
	day      int // of the year, that headings were made on
	days     model.DateGroups

	away  bool // the terminal has lost the focus
	polls int  // scheduled so far
}

// poll asks for the version of the database to be read again.
type poll struct {
	watch *watch
	n     int // the latest scheduled counts
}

func newWatch(now time.Time) watch {
	return watch{now: now, day: now.YearDay(), days: model.NewDateGroups(now)}
}

// later polls again after a while.
func (w *watch) later() tea.Cmd {
	w.polls++
	next := poll{w, w.polls}
	return tea.Tick(w.every(), func(time.Time) tea.Msg { return next })
}

// every is the time between two looks at the version.
func (w *watch) every() time.Duration {
	if w.away {
		return pollEveryAway
	}
	return pollEvery
}

// minute reports whether a new minute has begun; the ages in the rows are then out of date.
func (w *watch) minute(now time.Time) bool {
	if now.Truncate(time.Minute) == w.now.Truncate(time.Minute) {
		return false
	}
	w.now = now
	w.days = model.NewDateGroups(now)
	return true
}

// note takes the version of the database, and marks the rows as outdated when another process has
// changed the database, or when a new day has begun, since the headings name days. The first version
// is that of the rows that were asked for at the start.
func (w *watch) note(msg shell.Polled, now time.Time) {
	first := w.version == 0 && w.err == nil
	failed := (msg.Err == nil) != (w.err == nil)
	newDay := now.YearDay() != w.day
	if newDay || !first && (failed || msg.Err == nil && msg.Version != w.version) {
		w.outdated = true
	}
	if w.resting -= w.every(); newDay || failed || msg.Notice != "" { // whenever a change was shown last
		w.resting = 0
	}
	w.version, w.err, w.day = msg.Version, msg.Err, now.YearDay()
}

// due reports whether the rows are to be read again.
func (w *watch) due() bool { return w.outdated && w.resting <= 0 }

// asked notes that the rows have been asked for.
func (w *watch) asked() {
	if w.outdated {
		w.outdated, w.resting = false, rowsStayFor
	}
}

// readVersion reads the version of the database.
func readVersion(ctx context.Context, lib shell.Library) tea.Cmd {
	return func() tea.Msg {
		v, err := lib.DataVersion(ctx)
		polled := shell.Polled{Version: v, Err: err, Notes: lib.Notes()}
		if w, ok := lib.(shell.FileWatcher); ok {
			polled.Notice = w.FileNotice()
		}
		return polled
	}
}
