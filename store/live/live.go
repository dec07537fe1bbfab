// Package live keeps a session database open while its file is replaced, overwritten,
// removed or emptied by other programs.
//
// [Ask] runs any call that reads, on the database that is open at the time. Calls that change the
// database are methods of [Store]: an undo is refused if the file was replaced since the change.
// A program that shows the database calls [Store.DataVersion] about once a second, and that
// call looks at the file:
//
//	replaced, overwritten, -wal removed   it is opened again; the version grows
//	removed                               reads go on in what is open, nothing is changed
//	emptied, unreadable, not a database   reads fail, nothing is changed
//	back again                            it is opened again, if it is another
//
// [Store.FileNotice] says once what happened, [Store.Notes] what holds.
package live

import (
	"context"
	"errors"
	"path/filepath"
	"sync"

	"hermes-sessions/model"
	"hermes-sessions/store"
)

// Store is a session database whose file may be replaced while it is open. Its methods
// may be called from several goroutines at once.
type Store struct {
	open func(context.Context) (*store.Store, error)

	looking sync.Mutex // one call at a time looks at the file

	mu      sync.Mutex // guards the fields below
	swapped *sync.Cond // reopening has ended
	opened  *opened    // what calls go to
	busy    bool       // the file is being opened again: calls wait
	lost    *loss      // why the file at the path is not what is open, nil where it is
	last    int64      // what DataVersion gave
	base    int64      // what is added to the version of the open database
	notice  string     // for FileNotice
	refused string     // why the file cannot be written, as it was last seen
	seen    bool       // refused was set

	one sync.Mutex // orders the calls while the file is gone: no new connection can be opened
}

// opened is one opening of the file.
type opened struct {
	db     *store.Store
	number int
	ctx    context.Context //nolint:containedctx // ends the calls before the database is closed
	end    context.CancelFunc
	calls  sync.WaitGroup
	closed bool // it could not be opened again
	keep   bool // closing it would write the old log into the new file
}

// loss is why the file at the path cannot be read or changed.
type loss struct {
	change model.FileChange
	err    *model.Error
}

// lostError says to a screen that its rows can stay: there are no others until the file
// is back.
type lostError struct{ of *model.Error }

// Error and Unwrap are those of an error.
func (e lostError) Error() string { return e.of.Error() }
func (e lostError) Unwrap() error { return e.of }

// FileLost is what screens recognize the error by: package ui does not import this one.
func (e lostError) FileLost() {}

// Advice is that of [model.Error].
func (e lostError) Advice() (cause string, remedy model.Remedy) {
	return e.of.Advice()
}

// New returns a store around one that is open. open opens the same path again.
func New(ctx context.Context, s *store.Store, open func(context.Context) (*store.Store, error)) *Store {
	l := &Store{open: open, opened: newOpened(ctx, s, 1)}
	l.swapped = sync.NewCond(&l.mu)
	return l
}

// newOpened makes an opening. Its context lives until the database is closed, whatever
// becomes of ctx.
func newOpened(ctx context.Context, s *store.Store, number int) *opened {
	ctx, end := context.WithCancel(context.WithoutCancel(ctx))
	return &opened{db: s, number: number, ctx: ctx, end: end}
}

// Current returns the database that is open now.
func (l *Store) Current() *store.Store {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.opened.db
}

// Close closes the database.
func (l *Store) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opened.keep {
		return nil // the end of the process closes it, without moving its log
	}
	l.opened.end()
	return l.opened.db.Close()
}

// DataVersion looks at the file, and returns a number that grows when the database has
// changed or another is open.
func (l *Store) DataVersion(ctx context.Context) (int64, error) {
	l.look(ctx)
	for {
		o, lost := l.state()
		if lost != nil {
			return l.lastVersion(), nil // what is on the screen stays
		}
		v, err := o.db.DataVersion(ctx)
		editable := o.db.Editable()
		l.mu.Lock()
		if o != l.opened {
			l.mu.Unlock()
			continue
		}
		if err == nil {
			l.last = l.base + v
			l.noteRights(editable)
		}
		v = l.last
		l.mu.Unlock()
		return v, err
	}
}

// lastVersion is what DataVersion gave.
func (l *Store) lastVersion() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// FileNotice says in one line what has happened to the file since it was last asked, ""
// for nothing.
func (l *Store) FileNotice() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := l.notice
	l.notice = ""
	return text
}

// Notes says what is wrong with the database although it can be read.
func (l *Store) Notes() []model.HealthNote {
	o, lost := l.state()
	if lost == nil {
		return o.db.Notes()
	}
	return append([]model.HealthNote{{Kind: lost.err.Kind, Message: lost.err.Message, Remedy: lost.err.Remedy}}, o.db.Notes()...)
}

// noteRights tells when the file, or its folder, has become read-only or writable.
func (l *Store) noteRights(now model.Editable) {
	refused := ""
	if e, ok := errors.AsType[*model.Error](now.ReadOnly); ok {
		refused = e.Message
	}
	switch {
	case !l.seen || refused == l.refused:
	case refused != "":
		l.notice = l.name() + " can no longer be changed: " + refused
	case l.notice == "": // else it is back, or another file: that says more
		l.notice = l.name() + " can be changed again"
	}
	l.refused, l.seen = refused, true
}

// name is that of the file, for notices.
func (l *Store) name() string { return filepath.Base(l.opened.db.Path()) }

// look finds out what has happened to the file, and acts on it.
func (l *Store) look(ctx context.Context) {
	l.looking.Lock()
	defer l.looking.Unlock()
	o, lost := l.state()
	if o.closed {
		l.reopen(ctx, o, lost, lost.change)
		return
	}
	change, err := o.db.FileChange(ctx)
	if err != nil {
		return // canceled, or what the next call reports
	}
	switch {
	case change == model.FileUnchanged && lost == nil:
	case change == model.FileUnchanged:
		l.mu.Lock()
		l.lost, l.notice = nil, l.name()+" is back"
		l.base++ // reads may have failed meanwhile: screens read again
		l.mu.Unlock()
	case change == model.FileGone:
		l.lose(change, lost, "was removed", "nothing can be changed until it is back",
			"rows already read are still shown, but nothing can be changed", model.Advise("put it back: it is reopened automatically"))
	case change == model.FileUnreadable:
		l.lose(change, lost, "can no longer be read", "nothing can be changed until it can",
			"rows already read are still shown, but nothing can be changed", model.AdviseToRun("give yourself permission to read it", "ls -l "+model.ShellWord(o.db.Path())+"; chmod u+rw "+model.ShellWord(o.db.Path())))
	case change == model.FileEmptied:
		l.lose(change, lost, "was emptied", "nothing can be read or changed until it is back",
			"nothing can be read or changed", model.Advise("put a backup in its place: it is opened automatically"))
	case o.keep:
	default:
		l.reopen(ctx, o, lost, change)
	}
}

func (l *Store) state() (*opened, *loss) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.opened, l.lost
}

// lose records why the file is not usable. notice is said once, message as long as it
// holds.
func (l *Store) lose(change model.FileChange, before *loss, what, notice, message string, remedy model.Remedy) {
	if before != nil && before.change == change {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lost = &loss{change, &model.Error{Kind: model.KindReplaced, Path: l.opened.db.Path(), Message: "the database " + what + ": " + message, Remedy: remedy}}
	l.notice = l.name() + " " + what + ": " + notice
}

// reopen opens what is at the path now.
func (l *Store) reopen(ctx context.Context, o *opened, lost *loss, change model.FileChange) {
	if err := o.db.LeaveLog(ctx, change); err != nil && !o.closed {
		o.keep = change != model.FileReplaced
		l.loseWith(change, lost, err)
		return
	}
	if change == model.FileReplaced {
		s, err := l.openAgain(ctx)
		if err != nil {
			l.loseWith(change, lost, err)
			return
		}
		l.mu.Lock()
		l.swap(ctx, s, change)
		l.mu.Unlock()
		go func() { // its calls may take long, and do no harm
			o.calls.Wait()
			o.end()
			_ = o.db.Close() // nothing was written
		}()
		return
	}
	// Of one file only one state of the log may be open, so the old one goes first.
	l.mu.Lock()
	l.busy = true
	l.mu.Unlock()
	o.end()
	o.calls.Wait()
	_ = o.db.Close() // nothing was written
	o.closed = true
	s, err := l.openAgain(ctx)
	l.mu.Lock()
	l.busy = false
	if err == nil {
		l.swap(ctx, s, change)
	}
	l.mu.Unlock()
	l.swapped.Broadcast()
	if err != nil {
		l.loseWith(change, lost, err)
	}
}

// openAgain opens what is at the path, and remembers its content for the next look.
func (l *Store) openAgain(ctx context.Context) (*store.Store, error) {
	s, err := l.open(ctx)
	if err == nil {
		_, _ = s.FileChange(ctx) // the next call reports what is wrong
	}
	return s, err
}

// swap makes another database the one that calls go to.
func (l *Store) swap(ctx context.Context, s *store.Store, change model.FileChange) {
	l.opened = newOpened(ctx, s, l.opened.number+1)
	l.base = l.last + 1
	l.lost = nil
	l.seen = false
	switch change {
	case model.FileOverwritten:
		l.notice = l.name() + " was overwritten; showing its new content"
	case model.FileLogGone:
		l.notice = l.name() + "-wal was removed; the database was reopened"
	default:
		l.notice = l.name() + " was replaced; showing the new file"
	}
}

// loseWith is lose for a file that cannot be opened.
func (l *Store) loseWith(change model.FileChange, before *loss, err error) {
	e, ok := errors.AsType[*model.Error](err)
	if !ok || errors.Is(err, context.Canceled) {
		return // the next look tries again
	}
	if before != nil && before.change == change && before.err.Message == e.Message {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lost = &loss{change, e}
	l.notice = l.name() + " was replaced and cannot be used: " + e.Message
}

// use returns the database for one call, with the context that the call gets. done is
// called after it.
func (l *Store) use(ctx context.Context) (o *opened, with context.Context, done func(), err error) {
	l.mu.Lock()
	for l.busy {
		l.swapped.Wait()
	}
	o, lost := l.opened, l.lost
	usable := lost == nil || !o.closed && (lost.change == model.FileGone || lost.change == model.FileUnreadable)
	if usable {
		o.calls.Add(1)
	}
	l.mu.Unlock()
	if !usable {
		return nil, nil, nil, lostError{lost.err}
	}
	if lost != nil {
		// A canceled call costs its connection, and there will be no other.
		l.one.Lock()
		return o, context.WithoutCancel(ctx), func() { l.one.Unlock(); o.calls.Done() }, nil
	}
	with, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(o.ctx, cancel)
	return o, with, func() { stop(); cancel(); o.calls.Done() }, nil
}

// Ask makes a call that reads, and keeps the database open until it ends. Where it fails
// because the file was replaced meanwhile, it is made once more.
func Ask[T any](ctx context.Context, l *Store, f func(context.Context, *store.Store) (T, error)) (T, error) {
	for again := false; ; again = true {
		o, with, done, err := l.use(ctx)
		if err != nil {
			var none T
			return none, err
		}
		v, err := f(with, o.db)
		done()
		if err == nil || again || ctx.Err() != nil {
			return v, err
		}
		l.look(ctx)
		if now, lost := l.state(); now == o && lost == nil {
			return v, err
		}
	}
}

// change makes a call that changes the database.
func change[T any](ctx context.Context, l *Store, f func(context.Context, *opened) (T, error)) (T, error) {
	var none T
	l.look(ctx)
	if _, lost := l.state(); lost != nil {
		return none, lost.err
	}
	o, with, done, err := l.use(ctx)
	if err != nil {
		return none, err
	}
	defer done()
	return f(with, o)
}
