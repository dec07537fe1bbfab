package live

import "context"

// Checkpoint is [store.Storage.Checkpoint]. Here and below the session does not matter: there
// is one database.
func (l *Store) Checkpoint(ctx context.Context, _ string) (emptied bool, err error) {
	return change(ctx, l, func(ctx context.Context, s *opened) (bool, error) { return s.db.Checkpoint(ctx) })
}

// Vacuum is [store.Store.Vacuum]. It waits for the running calls, and later calls wait for
// it: a vacuum needs the file for itself. A file that is put in its place meanwhile is opened
// after it.
func (l *Store) Vacuum(ctx context.Context, _ string) error {
	l.look(ctx)
	l.looking.Lock()
	defer l.looking.Unlock()
	l.mu.Lock()
	o := l.opened
	if lost := l.lost; lost != nil {
		l.mu.Unlock()
		return lost.err
	}
	l.busy = true
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		l.busy = false
		l.mu.Unlock()
		l.swapped.Broadcast()
	}()
	o.calls.Wait()
	return o.db.Vacuum(ctx)
}
