package cli

import (
	"context"

	"hermes-sessions/internal/cli/completion"
	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/store"
)

// offersFrom returns where the offers for a shell come from.
func offersFrom(a *app) completion.Sources {
	return completion.Sources{
		Open: func(ctx context.Context) (*store.Store, error) {
			s, _, err := a.open(ctx)
			return s, err
		},
		Profiles: func() []string { return hermes.Profiles(a.selection.Home, a.Environ) },
	}
}
