package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/print"
	"hermes-sessions/store"
)

func filesCommand(a *app) *cobra.Command {
	var wide bool
	cmd := &cobra.Command{
		Use:   "files ID",
		Short: "Show the files that a conversation read, wrote and edited",
		Long: `files lists the files in the tool calls of a conversation: how often each was read,
written and edited, how many lines were added and removed, how many calls failed, and
which message changed it last. Paths in the conversation's folder are relative to
it. Changes by shell commands are not known. To find the conversations that used a
file, use the filter file: with list or search. Exit code 1: no files.

` + namesHelp,
		Args: sessionArgs("files"),
		RunE: func(cmd *cobra.Command, words []string) error {
			ctx := cmd.Context()
			return a.readSession(ctx, words, func(s *store.Store, id string) error {
				c, err := s.Conversation(ctx, id)
				if err != nil {
					return err
				}
				all, err := s.Files(ctx, id)
				switch {
				case err != nil:
					return err
				case a.json:
					err = a.out.JSON(answer.FilesOf(c, all))
				case len(all) == 0:
					a.say("No file is named in its tool calls.")
				default:
					err = print.Files(a.out, a.listOptions(wide), all)
				}
				return cmp.Or(err, fault.NothingFound(len(all)))
			})
		},
	}
	wideFlag(cmd, &wide)
	return a.paged(cmd)
}
