package cli

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/print"
	"hermes-sessions/store"
)

func statsCommand(a *app) *cobra.Command {
	var wide bool
	var by, started string
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Count sessions, messages, tokens and costs",
		Long: `stats counts the sessions and messages of each source, the tokens and the cost of
each model, and the size of the database. ~ marks an estimated cost, ≥ a partly known
one, ? an unknown one. Archived sessions are counted and rewound messages are
not; the number of each is shown beside the total.

--by counts in groups instead: any of day, week, month, year, weekday, hour, model,
source, folder, profile, tool and conversation, separated by commas. A session counts as a
whole, on the day it started, in the local time zone. Cache reads, estimated costs and
sessions of unknown cost have their own columns.`,
		Args: noWords,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if by != "" {
				return a.readListed(cmd.Context(), func(s listed) error { return a.statsBy(cmd.Context(), s, by, started, wide) })
			}
			if started != "" {
				return fault.Usage("--started needs --by")
			}
			var all []store.Stats
			return a.readEach(cmd.Context(), func(_ string, s *store.Store) error {
				st, err := s.Stats(cmd.Context())
				all = append(all, st)
				return err
			}, func() error {
				sum := print.SumStats(all)
				if a.json {
					return a.out.JSON(print.StatsObject(sum))
				}
				return print.Stats(a.out, a.listOptions(wide), sum)
			})
		},
	}
	cmd.Flags().StringVar(&by, "by", "", "sum up by `GROUPS`, such as day,model")
	cmd.Flags().StringVar(&started, "started", "", "with --by, only sessions that started in this `TIME`: 7d, 2026-05, 2026-05-04..2026-05-10")
	a.severalFlags(cmd, "count the sessions")
	wideFlag(cmd, &wide)
	return a.paged(cmd)
}

// statsBy prints what sessions have consumed in groups.
func (a *app) statsBy(ctx context.Context, s listed, by, started string, wide bool) error {
	t, err := print.ReadUsage(ctx, s, by, started, a.Now())
	switch {
	case err != nil:
		return err
	case a.json:
		err = a.out.JSON(t.Object())
	case len(t.Rows) == 0:
		a.say("No sessions found.")
	default:
		err = print.Usage(a.out, a.listOptions(wide), t)
	}
	return cmp.Or(err, fault.NothingFound(len(t.Rows)))
}
