package db

import (
	"context"
)

// Exists reports whether there is a session with this id.
func (t *Tx) Exists(ctx context.Context, id string) (bool, error) {
	_, found, err := t.One(ctx, `SELECT 1 FROM sessions WHERE id = ?`, id)
	return found, err
}
