package uitest

import (
	"context"

	"hermes-sessions/model"
)

func (f *Fake) Details(ctx context.Context, id string) (model.Details, error) {
	if err := f.begin(ctx, "facts", id); err != nil {
		return model.Details{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.Facts[id], nil
}
