package cli

import (
	"context"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/print"
	"hermes-sessions/model"
	"hermes-sessions/store"
)

func lineageCommand(a *app) *cobra.Command {
	var ascii, wide bool
	cmd := &cobra.Command{
		Use:   "lineage ID",
		Short: "Print the session tree of a conversation, with costs",
		Long: `lineage prints the tree of sessions related to one: the segments of a
conversation in sequence, branches and subagents below their parents. Each line has
the messages, tool calls, tokens and cost of the session, and totals that include
its descendants. ~ marks an estimated cost, ≥ a partly known one, ? an unknown one.

` + namesHelp,
		Args: sessionArgs("lineage"),
		RunE: func(cmd *cobra.Command, words []string) error {
			ctx := cmd.Context()
			return a.readSession(ctx, words, func(s *store.Store, id string) error {
				root, err := s.Lineage(ctx, id)
				if err != nil {
					return err
				}
				if a.json {
					if err := print.CheckDepth(root); err != nil {
						return err
					}
				}
				forks, err := forksOf(ctx, s, root)
				if err != nil {
					return err
				}
				if a.json {
					return a.out.JSON(print.TreeObject(root, forks))
				}
				return print.Tree(a.out, root, print.TreeOptions{Options: print.Options{Now: a.Now(), Unicode: !ascii && a.Environ.Unicode(), Wide: wide}, Forks: forks, Asked: id})
			})
		},
	}
	cmd.Flags().BoolVar(&ascii, "ascii", false, "draw with ASCII only")
	wideFlag(cmd, &wide)
	return a.paged(cmd)
}

// forksOf returns by session id where each branch of a tree left its parent.
func forksOf(ctx context.Context, s *store.Store, root *model.Node) (map[string]model.Fork, error) {
	var branches []string
	root.Walk(func(n *model.Node, _ int) bool {
		if n.Link == model.LinkBranch {
			branches = append(branches, n.ID)
		}
		return true
	})
	return s.Forks(ctx, branches)
}
