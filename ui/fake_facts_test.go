package ui

import (
	"context"

	"hermes-sessions/model"
)

func (f *fake) Facts(ctx context.Context, id string) (model.Facts, error) {
	if err := f.begin(ctx, "facts", id); err != nil {
		return model.Facts{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.facts[id], nil
}
