package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"hermes-sessions/model"
	"hermes-sessions/store"
)

// flagCommands are the commands that put a mark on whole conversations or take
// it away: harmless, so nobody is asked.
func (a *app) flagCommands() []*cobra.Command {
	pin := func(on bool) func(context.Context, *store.Store, []string) (model.Edit, error) {
		return func(ctx context.Context, s *store.Store, ids []string) (model.Edit, error) {
			return s.SetPinned(ctx, ids, on)
		}
	}
	archive := func(on bool) func(context.Context, *store.Store, []string) (model.Edit, error) {
		return func(ctx context.Context, s *store.Store, ids []string) (model.Edit, error) {
			return s.SetArchived(ctx, ids, on)
		}
	}
	return []*cobra.Command{
		a.flagCommand("pin", "Keep conversations at the top of the list", "pinned", pin(true)),
		a.flagCommand("unpin", "Take the pins of conversations away", "unpinned", pin(false)),
		a.flagCommand("archive", "Put conversations out of the way", "archived", archive(true)),
		a.flagCommand("unarchive", "Bring conversations back from the archive", "unarchived", archive(false)),
	}
}

func (a *app) flagCommand(verb, short, done string, set func(context.Context, *store.Store, []string) (model.Edit, error)) *cobra.Command {
	return &cobra.Command{
		Use:   verb + " ID…",
		Short: short,
		Args: func(_ *cobra.Command, words []string) error {
			if len(words) == 0 {
				return usage("%s takes the id of a session, its unique beginning, or its title", verb)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, words []string) (err error) {
			ctx := cmd.Context()
			s, err := a.change(ctx)
			if err != nil {
				return err
			}
			defer func() { err = firstOf(err, s.Close()) }()
			var tips []string
			changed := map[string]bool{}
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
			for _, id := range edit.Sessions() {
				changed[id] = true
			}
			if a.json {
				return a.printJSON(map[string]any{done: list(tips), "changed": list(edit.Sessions())})
			}
			for _, tip := range tips {
				conv, err := s.Conversation(ctx, tip)
				if err != nil {
					return err
				}
				if slices.ContainsFunc(conv.Segments, func(id string) bool { return changed[id] }) {
					fmt.Fprintf(a.out, "Session '%s' is %s.\n", clean(tip), done)
				} else {
					fmt.Fprintf(a.out, "Session '%s' was %s already.\n", clean(tip), done)
				}
			}
			return nil
		},
	}
}
