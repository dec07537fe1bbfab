package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/store"
)

func pinCommand(a *app) *cobra.Command {
	return markCommand(a, "pin", "Keep conversations at the top of the list, or unpin them", "pinned", (*store.Store).SetPinned, true)
}

func unpinCommand(a *app) *cobra.Command {
	return markCommand(a, "unpin", "Unpin conversations", "unpinned", (*store.Store).SetPinned, false)
}

// setMark is a method of the store that sets or removes a mark on whole
// conversations, which are named by the ids of their tips.
type setMark func(s *store.Store, ctx context.Context, ids []string, on bool) (model.Edit, error)

// markCommand builds a command that sets or removes a mark on conversations. It
// asks no question, since the opposite command undoes the change.
func markCommand(a *app, verb, short, done string, set setMark, on bool) *cobra.Command {
	return &cobra.Command{
		Use:   verb + " ID…",
		Short: short,
		Long:  short + ".\n\n" + namesHelp,
		Args:  sessionArgs(verb),
		RunE: func(cmd *cobra.Command, words []string) error {
			ctx := cmd.Context()
			return a.changeSessions(ctx, words, func(s *store.Store, names []string) error {
				return a.mark(ctx, s, names, done, set, on)
			})
		},
	}
}

// mark sets or removes a mark on the conversations that the words name, and
// prints what has changed.
func (a *app) mark(ctx context.Context, s *store.Store, words []string, done string, set setMark, on bool) error {
	var tips []string
	for _, word := range words {
		id, err := findSession(ctx, s, word)
		if err != nil {
			return err
		}
		conv, err := s.Conversation(ctx, id)
		if err != nil {
			return err
		}
		if !slices.Contains(tips, conv.ID) {
			tips = append(tips, conv.ID)
		}
	}
	edit, err := set(s, ctx, tips, on)
	if err != nil {
		return err
	}
	changed := edit.Sessions()
	if a.json {
		return a.out.JSON(map[string]any{done: output.List(tips), "changed": output.List(changed)})
	}
	for _, tip := range tips {
		conv, err := s.Conversation(ctx, tip)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(conv.Segments, func(id string) bool { return slices.Contains(changed, id) }) {
			fmt.Fprintf(a.out, "Session '%s' is %s.\n", output.Clean(tip), done)
		} else {
			fmt.Fprintf(a.out, "Session '%s' was already %s.\n", output.Clean(tip), done)
		}
	}
	return nil
}
