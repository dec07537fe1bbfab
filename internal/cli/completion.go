package cli

import (
	"context"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/completion"
	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
)

// completer is what cobra asks for offers. On any error they offer nothing.
type completer = func(cmd *cobra.Command, words []string, begun string) ([]string, cobra.ShellCompDirective)

const (
	noFiles = cobra.ShellCompDirectiveNoFileComp
	inOrder = noFiles | cobra.ShellCompDirectiveKeepOrder
)

// completeSessions offers sessions for the first most words.
func completeSessions(a *app, most int) completer {
	return func(cmd *cobra.Command, words []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(words) >= most {
			return nil, noFiles
		}
		return offersOf(cmd.Context(), a, func(s *store.Store) []string {
			return completion.Sessions(cmd.Context(), s, begun)
		}), inOrder
	}
}

// completeValues offers the values of a field of the query language.
func completeValues(a *app, field query.Field) completer {
	return func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		return offersOf(cmd.Context(), a, func(s *store.Store) []string {
			return completion.Values(cmd.Context(), s, field, begun)
		}), inOrder
	}
}

// completeQuery offers filters. Beside commands it offers none before something is
// typed.
func completeQuery(a *app) completer {
	return func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		if begun == "" && cmd.HasSubCommands() {
			return nil, noFiles
		}
		var opened *store.Store
		offers, goesOn := completion.Query(cmd.Context(), begun, func() *store.Store {
			opened, _, _ = a.open(cmd.Context()) // nil on an error
			return opened
		})
		if opened != nil {
			_ = opened.Close() // nothing was written
		}
		if goesOn {
			return offers, inOrder | cobra.ShellCompDirectiveNoSpace
		}
		return offers, inOrder
	}
}

// completeProfiles offers the profiles of the home.
func completeProfiles(a *app) completer {
	return func(_ *cobra.Command, _ []string, begun string) (offers []string, _ cobra.ShellCompDirective) {
		for _, name := range hermes.Profiles(a.selection.Home, a.Environ) {
			if strings.HasPrefix(name, begun) {
				offers = append(offers, name)
			}
		}
		return offers, noFiles
	}
}

// completeFolders lets the shell offer folders.
func completeFolders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// completeNothing keeps the shell from offering files.
func completeNothing(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, noFiles
}

// offersOf opens the database for offers.
func offersOf(ctx context.Context, a *app, offers func(*store.Store) []string) []string {
	s, _, err := a.open(ctx)
	if err != nil {
		return nil
	}
	defer s.Close() //nolint:errcheck // nothing was written
	return offers(s)
}

// setCompletion sets what is offered for the words and the flags of a command and of
// all below it. What has no row takes files, or has its words already.
func setCompletion(a *app, cmd *cobra.Command) {
	queries, one, many := completeQuery(a), completeSessions(a, 1), completeSessions(a, math.MaxInt)
	for _, c := range append(cmd.Commands(), cmd) {
		words, ok := map[string]completer{
			cmd.Name(): queries, "browse": queries, "list": queries, "search": queries,
			"show": one, "lineage": one, "resume": one, "rename": one,
			"delete": many, "pin": many, "unpin": many, "archive": many, "unarchive": many,
			"doctor": completeNothing, "prune": completeNothing, "stats": completeNothing, "version": completeNothing,
		}[c.Name()]
		if ok {
			c.ValidArgsFunction = words
		}
		for name, values := range map[string]completer{
			"source": completeValues(a, query.FieldSource), "exclude-source": completeValues(a, query.FieldSource),
			"role": completeValues(a, query.FieldRole), "session-id": many,
			"profile": completeProfiles(a), "home": completeFolders, "cwd": completeFolders, "in": completeFolders,
			"limit": completeNothing, "offset": completeNothing, "older-than": completeNothing, "height": completeNothing,
			"hermes-arg": completeNothing,
		} {
			if c.Flags().Lookup(name) != nil || c.PersistentFlags().Lookup(name) != nil {
				_ = c.RegisterFlagCompletionFunc(name, values) // it fails only for a flag that does not exist
			}
		}
	}
}
