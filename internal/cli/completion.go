package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model/query"
)

// completeID offers the ids of the 200 newest conversations, with their titles, to
// the shell. On any error it offers nothing.
func (a *app) completeID(cmd *cobra.Command, words []string, begun string) ([]string, cobra.ShellCompDirective) {
	const none = cobra.ShellCompDirectiveNoFileComp
	if len(words) > 0 {
		return nil, none
	}
	s, _, err := a.open(cmd.Context())
	if err != nil {
		return nil, none
	}
	defer s.Close() //nolint:errcheck // nothing was written
	page, err := s.Conversations(cmd.Context(), query.ListOptions{Limit: 200})
	if err != nil {
		return nil, none
	}
	var offers []string
	for _, c := range page.Conversations {
		if strings.HasPrefix(c.ID, begun) && output.Clean(c.ID) == c.ID {
			offers = append(offers, c.ID+"\t"+titleOf(c))
		}
	}
	return offers, none | cobra.ShellCompDirectiveKeepOrder
}
