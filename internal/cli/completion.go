package cli

import (
	"context"
	"strings"

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
		Within: func(begun string) (profile, rest string) {
			profile, rest, ok := strings.Cut(begun, "/")
			if names, err := a.withinDatabase(profile + "/x"); !ok || err != nil || names[0] != "x" {
				return "", begun
			}
			return profile + "/", rest
		},
		Queries: func() []query.Named {
			named, _ := state.NamedQueries("@", a.configFile, a.Environ) // none on an error
			return named
		},
		Profiles: func() []string { return hermes.Profiles(a.selection.Home, a.Environ) },
	}
}
