package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"hermes-sessions/store/demo"
)

// Demo opens an invented history that shows everything the program can show. It ends
// at the time that [WithClock] gives, and the same time gives the same history. Its
// file has the newest schema whose statements are known in full, and is in a temporary
// folder, which Close removes.
func Demo(ctx context.Context, opts ...Option) (_ *Store, err error) {
	dir, err := os.MkdirTemp("", "hermes-sessions-demo-")
	if err != nil {
		return nil, fmt.Errorf("make the demo: %w", err)
	}
	remove := func() error { return os.RemoveAll(dir) }
	defer func() {
		if err != nil {
			err = errors.Join(err, remove())
		}
	}()
	path := filepath.Join(dir, "state.db")
	if err := demo.Write(ctx, path, newStore(path, opts).db.Clock()); err != nil {
		return nil, fmt.Errorf("make the demo: %w", err)
	}
	s, err := Open(ctx, path, opts...)
	if err != nil {
		return nil, err
	}
	s.onClose = remove
	return s, nil
}
