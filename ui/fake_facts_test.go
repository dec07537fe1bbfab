package ui

import (
	"context"

	"hermes-sessions/model"
)

func (f *fake) Details(ctx context.Context, id string) (model.Details, error) {
	if err := f.begin(ctx, "facts", id); err != nil {
		return model.Details{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.facts[id], nil
}
