package cli

import (
	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/listing"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/store"
)

func statsCommand(a *app) *cobra.Command {
	var wide bool
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Count sessions, messages, tokens and costs",
		Long: `stats counts the sessions and messages of each source, the tokens and the cost of
each model, and the size of the database. ~ marks an estimated cost, ≥ a partly
known one, ? an unknown one. Archived sessions count, messages that were rewound do not;
how many there are is said beside the number.`,
		Args: noWords,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.read(cmd.Context(), func(s *store.Store) error {
				st, err := s.Stats(cmd.Context())
				if err != nil {
					return err
				}
				if a.json {
					return a.out.JSON(statsObject(st))
				}
				return listing.Stats(a.out, listOptions(a, wide), st)
			})
		},
	}
	wideFlag(cmd, &wide)
	return paged(a, cmd)
}

// statsObject returns the statistics for JSON.
func statsObject(st store.Stats) answer.Stats {
	o := answer.Stats{
		Sessions: st.Sessions, Messages: st.Messages, Sources: []answer.SourceStats{}, Models: []answer.ModelStats{},
		Archived: st.Archived, Inactive: st.Inactive, Total: answer.UsageOf(st.Total), Bytes: st.Bytes, WALBytes: st.WALBytes,
	}
	for _, s := range st.Sources {
		o.Sources = append(o.Sources, answer.SourceStats(s))
	}
	for _, m := range st.Models {
		o.Models = append(o.Models, answer.ModelStats{Model: output.OrNull(m.Model), Sessions: m.Sessions, Usage: answer.UsageOf(m.Usage)})
	}
	return o
}
