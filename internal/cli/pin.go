package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/store"
)

func pinCommand(a *app) *cobra.Command {
	return markCommand(a, "pin", "Keep conversations at the top of the list", "pinned", setPinned(true))
}

func unpinCommand(a *app) *cobra.Command {
	return markCommand(a, "unpin", "Take the pins of conversations away", "unpinned", setPinned(false))
}

func setPinned(on bool) setMark {
	return func(ctx context.Context, s *store.Store, ids []string) (model.Edit, error) {
		return s.SetPinned(ctx, ids, on)
	}
}

// setMark sets or removes a mark on whole conversations, which are named by the
// ids of their tips.
type setMark func(ctx context.Context, s *store.Store, ids []string) (model.Edit, error)

// markCommand builds a command that sets or removes a mark on conversations. It
// asks no question, since the opposite command takes the change back.
func markCommand(a *app, verb, short, done string, set setMark) *cobra.Command {
	return &cobra.Command{
		Use:   verb + " ID…",
		Short: short,
		Args: func(_ *cobra.Command, words []string) error {
			if len(words) == 0 {
				return fault.Usage("%s takes the id of a session, its unique beginning, or its title", verb)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, words []string) (err error) {
			ctx := cmd.Context()
			s, err := a.openForChange(ctx)
			if err != nil {
				return err
			}
			defer func() { err = firstError(err, s.Close()) }()
			return a.mark(ctx, s, words, done, set)
		},
	}
}

// mark sets or removes a mark on the conversations that the words name, and
// prints what has changed.
func (a *app) mark(ctx context.Context, s *store.Store, words []string, done string, set setMark) error {
	var tips []string
	for _, word := range words {
		id, err := s.Resolve(ctx, word)
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
	edit, err := set(ctx, s, tips)
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
			fmt.Fprintf(a.out, "Session '%s' was %s already.\n", output.Clean(tip), done)
		}
	}
	return nil
}
