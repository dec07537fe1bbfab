package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/listing"
	"hermes-sessions/internal/cli/sessionname"
	"hermes-sessions/store"
)

func filesCommand(a *app) *cobra.Command {
	var wide bool
	cmd := &cobra.Command{
		Use:   "files ID",
		Short: "Show the files that a conversation read, wrote and edited",
		Long: `files lists the files of a conversation by the arguments of its tool calls: how often
each was read, written and edited, how many lines were added and removed, how many calls
failed, and the message that changed it last. A path below the folder of the conversation
is relative to it. What shell commands do to files is not known. The filter
file: of list and search finds the conversations of a file. Exit code 1: there are none.

` + sessionname.Help,
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
					err = listing.Files(a.out, listOptions(a, wide), all)
				}
				return cmp.Or(err, fault.NothingFound(len(all)))
			})
		},
	}
	wideFlag(cmd, &wide)
	return paged(a, cmd)
}
