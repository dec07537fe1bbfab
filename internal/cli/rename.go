package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/store"
)

func renameCommand(a *app) *cobra.Command {
	var remove bool
	cmd := &cobra.Command{
		Use:   "rename ID TITLE…",
		Short: "Rename a conversation, or remove its title",
		Long: "rename gives a conversation a new title. It refuses one without a visible character and one\n" +
			"with line breaks, as Hermes does; --clear removes the title.\n\n" + namesHelp,
		Args: func(_ *cobra.Command, words []string) error {
			switch {
			case remove && len(words) != 1:
				return fault.Usage("rename --clear needs a session ID and no title")
			case !remove && len(words) < 2:
				return fault.Usage("rename needs a session ID and a title")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, words []string) error {
			title := ""
			if !remove {
				var err error
				if title, err = a.typedTitle(strings.Join(words[1:], " ")); err != nil {
					return err
				}
			}
			return a.rename(cmd.Context(), words[0], title)
		},
	}
	cmd.Flags().BoolVar(&remove, "clear", false, "remove the title")
	return cmd
}

// typedTitle returns a typed title in the form in which it will be stored, and notes the invisible
// characters that it loses.
func (a *app) typedTitle(typed string) (string, error) {
	title, dropped, err := model.TypedTitle(typed)
	if refused, ok := errors.AsType[model.TitleRefused](err); ok {
		return "", &fault.Fault{
			Kind: model.KindInvalid, Code: 1, Err: err,
			Message: "rename: " + refused.Error(), Remedy: "give it another, or remove the title with --clear",
		}
	}
	if err != nil {
		return "", &fault.Fault{Kind: model.KindInvalid, Code: 1, Err: err, Message: err.Error(), Remedy: "use a shorter title"}
	}
	if dropped > 0 {
		a.printNote(fault.Fault{
			Kind:    "title-changed",
			Message: fmt.Sprintf("titles have no invisible characters: %s left out, so the title is '%s'", output.Count(dropped, "was", "were"), title),
		})
	}
	return title, nil
}

// rename gives the session that a name means a title, "" to remove it.
func (a *app) rename(ctx context.Context, name, title string) error {
	return a.changeSessions(ctx, []string{name}, func(s *store.Store, names []string) error {
		id, err := findSession(ctx, s, names[0])
		if err != nil {
			return err
		}
		// The title of a conversation is its tip's.
		conv, err := s.Conversation(ctx, id)
		if err != nil {
			return err
		}
		if title, err = s.SetTitle(ctx, conv.ID, title); err != nil {
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
}
