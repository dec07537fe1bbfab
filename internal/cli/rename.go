package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/internal/cli/sessionname"
	"hermes-sessions/store"
)

func renameCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "rename ID TITLE…",
		Short: "Rename a conversation, or remove its title",
		Long:  "rename gives a conversation a new title; a blank one removes the title.\n\n" + sessionname.Help,
		Args: func(_ *cobra.Command, words []string) error {
			if len(words) < 2 {
				return fault.Usage("rename needs a session ID and a title")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, words []string) error {
			ctx := cmd.Context()
			return a.changeSessions(ctx, words[:1], func(s *store.Store, names []string) error {
				id, err := sessionname.Find(ctx, s, names[0])
				if err != nil {
					return err
				}
				// The title of a conversation is its tip's.
				conv, err := s.Conversation(ctx, id)
				if err != nil {
					return err
				}
				title, err := s.SetTitle(ctx, conv.ID, strings.Join(words[1:], " "))
				if err != nil {
					return err
				}
				switch {
				case a.json:
					return a.out.JSON(answer.Renamed{ID: conv.ID, Title: output.OrNull(title), OldTitle: output.OrNull(conv.Title)})
				case title == "":
					fmt.Fprintf(a.out, "Session '%s' no longer has a title.\n", output.Clean(conv.ID))
				default:
					fmt.Fprintf(a.out, "Session '%s' renamed to: %s\n", output.Clean(conv.ID), output.Clean(title))
				}
				return nil
			})
		},
	}
}
