package cli

import (
	"context"

	"hermes-sessions/internal/cli/completion"
	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/internal/cli/settings"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
)

// offersFrom returns where the offers for a shell come from.
func offersFrom(a *app) completion.Sources {
	return completion.Sources{
		Open: func(ctx context.Context) (*store.Store, error) {
			s, _, err := a.open(ctx)
			return s, err
		},
		Queries: func() []query.Named {
			named, _ := settings.NamedQueries("@", a.Environ) // none on an error
			return named
		},
		Profiles: func() []string { return hermes.Profiles(a.selection.Home, a.Environ) },
	}
}
