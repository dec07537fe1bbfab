package cli

import (
	"context"

	"hermes-sessions/internal/cli/help"
	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/internal/cli/state"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
)

// completionSources returns where the offers for a shell come from.
func (a *app) completionSources() help.CompletionSources {
	return help.CompletionSources{
		Open: func(ctx context.Context) (*store.Store, error) {
			s, _, err := a.open(ctx)
			return s, err
		},
		Queries: func() []query.Named {
			named, _ := state.NamedQueries("@", a.Environ) // none on an error
			return named
		},
		Profiles: func() []string { return hermes.Profiles(a.selection.Home, a.Environ) },
	}
}
