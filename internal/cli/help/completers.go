package help

import (
	"context"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"hermes-sessions/model/query"
	"hermes-sessions/model/usage"
	"hermes-sessions/store"
)

// CompletionSources is where the offers come from.
type CompletionSources struct {
	// Open opens the database that the flags of the line name.
	Open func(context.Context) (*store.Store, error)
	// Within takes the profile off a word such as work/ID, and lets Open open its database. profile is
	// "work/", and "" where the word names none.
	Within func(begun string) (profile, rest string)
	// Queries returns the named queries of the settings.
	Queries func() []query.Named
	// Profiles returns the profiles of the home that the flags name.
	Profiles func() []string
}

// completer is what cobra asks for offers. On any error it offers nothing.
type completer = func(cmd *cobra.Command, words []string, begun string) ([]string, cobra.ShellCompDirective)

const (
	noFiles = cobra.ShellCompDirectiveNoFileComp
	inOrder = noFiles | cobra.ShellCompDirectiveKeepOrder
)

// completeSessions offers sessions for the first most words.
func completeSessions(from CompletionSources, most int) completer {
	return func(cmd *cobra.Command, words []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(words) >= most {
			return nil, noFiles
		}
		profile, rest := from.Within(begun)
		offers := offersOf(cmd.Context(), from, func(s *store.Store) []string {
			return offerSessions(cmd.Context(), s, rest, profile)
		})
		if len(offers) > 0 || begun == "" || profile != "" {
			return offers, inOrder
		}
		for _, p := range from.Profiles() {
			if strings.HasPrefix(p, begun) {
				offers = append(offers, p+"/\tsessions of this profile")
			}
		}
		return offers, inOrder | cobra.ShellCompDirectiveNoSpace
	}
}

// completeValues offers the values of a field of the query language.
func completeValues(from CompletionSources, field query.Field) completer {
	return func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		return offersOf(cmd.Context(), from, func(s *store.Store) []string {
			return offerValues(cmd.Context(), s, field, begun)
		}), inOrder
	}
}

// completeQuery offers filters. Beside commands it offers none before something is
// typed.
func completeQuery(from CompletionSources) completer {
	return func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		if begun == "" && cmd.HasSubCommands() {
			return nil, noFiles
		}
		if strings.HasPrefix(begun, "@") {
			return offerNamed(from.Queries(), begun), inOrder
		}
		var opened *store.Store
		offers, goesOn := offerFilters(cmd.Context(), begun, func() *store.Store {
			opened, _ = from.Open(cmd.Context()) // nil on an error
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
func completeProfiles(from CompletionSources) completer {
	return func(_ *cobra.Command, _ []string, begun string) (offers []string, _ cobra.ShellCompDirective) {
		for _, name := range from.Profiles() {
			if strings.HasPrefix(name, begun) {
				offers = append(offers, name)
			}
		}
		return offers, noFiles
	}
}

// completeDimensions offers the groups of stats, each behind the ones that are there.
func completeDimensions(_ *cobra.Command, _ []string, begun string) (offers []string, _ cobra.ShellCompDirective) {
	before := begun[:strings.LastIndex(begun, ",")+1]
	for _, name := range usage.DimensionNames() {
		if strings.HasPrefix(before+name, begun) {
			offers = append(offers, before+name)
		}
	}
	return offers, inOrder
}

func completeFolders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// completeNothing keeps the shell from offering files.
func completeNothing(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, noFiles
}

// offersOf opens the database for offers.
func offersOf(ctx context.Context, from CompletionSources, offers func(*store.Store) []string) []string {
	s, err := from.Open(ctx)
	if err != nil {
		return nil
	}
	defer s.Close() //nolint:errcheck // nothing was written
	return offers(s)
}

// SetCompletion sets what is offered for the words and the flags of a command and of
// all below it. What has no row takes files, or has its words already.
func SetCompletion(cmd *cobra.Command, from CompletionSources) {
	queries := completeQuery(from)
	one := completeSessions(from, 1)
	many := completeSessions(from, math.MaxInt)
	for _, c := range append(cmd.Commands(), cmd) {
		words, ok := map[string]completer{
			cmd.Name(): queries, "browse": queries, "list": queries, "search": queries,
			"show": one, "compare": many, "lineage": one, "files": one, "resume": one, "rename": one,
			"delete": many, "pin": many, "unpin": many, "archive": many, "unarchive": many,
			"doctor": completeNothing, "prune": completeNothing, "stats": completeNothing, "storage": completeNothing, "running": completeNothing, "version": completeNothing, "info": completeNothing,
		}[c.Name()]
		if ok {
			c.ValidArgsFunction = words
		}
		for name, values := range map[string]completer{
			"source": completeValues(from, query.FieldSource), "exclude-source": completeValues(from, query.FieldSource),
			"role": completeValues(from, query.FieldRole), "session-id": many,
			"profile": completeProfiles(from), "home": completeFolders, "cwd": completeFolders, "in": completeFolders,
			"limit": completeNothing, "offset": completeNothing, "older-than": completeNothing, "height": completeNothing,
			"hermes-arg": completeNothing, "by": completeDimensions, "started": completeNothing,
		} {
			if c.Flags().Lookup(name) != nil || c.PersistentFlags().Lookup(name) != nil {
				_ = c.RegisterFlagCompletionFunc(name, values) // it fails only for a flag that does not exist
			}
		}
	}
}
