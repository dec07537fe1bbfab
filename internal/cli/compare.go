package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/print"
	"hermes-sessions/model/compare"
	"hermes-sessions/store"
)

func compareCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compare A [B]",
		Short: "Show where two conversations diverge, and what each did then",
		Long: `compare finds where two conversations diverge, even if one has copies of the other's
messages. It sums up what each did after that: prompts, tools and failures, files
written, time, tokens, cost and the last answer. With one session, it compares a branch
with its parent.

` + namesHelp,
		Args: func(_ *cobra.Command, words []string) error {
			if len(words) == 0 || len(words) > 2 {
				return fault.Usage("compare takes one or two sessions; quote titles with spaces")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, words []string) error {
			words, err := a.withinDatabase(words...)
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			return a.read(ctx, func(s *store.Store) error {
				p, err := compared(ctx, s, words)
				switch {
				case errors.Is(err, compare.ErrSame), errors.Is(err, compare.ErrNoParent):
					return fault.Usage("%s", err)
				case err != nil:
					return err
				case a.json:
					return a.out.JSON(print.ComparisonObject(p))
				}
				return print.Comparison(a.out, p)
			})
		},
	}
	return a.paged(cmd)
}

// compared compares the conversations that words name.
func compared(ctx context.Context, s *store.Store, words []string) (p compare.Pair, err error) {
	var ids []string
	for _, w := range words {
		id, err := findSession(ctx, s, w)
		if err != nil {
			return p, err
		}
		ids = append(ids, id)
	}
	if len(ids) == 1 {
		return compare.Branch(ctx, s, ids[0])
	}
	return compare.Two(ctx, s, ids[0], ids[1])
}
