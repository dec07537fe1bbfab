package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

func (a *app) renameCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "rename ID TITLE…",
		Short: "Give a conversation a title; a blank one takes it away",
		Args: func(_ *cobra.Command, words []string) error {
			if len(words) < 2 {
				return usage("rename takes a session and its new title")
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
			id, err := s.Resolve(ctx, words[0])
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
				return a.printJSON(struct {
					ID       string `json:"id"`
					Title    any    `json:"title"`
					OldTitle any    `json:"old_title"`
				}{conv.ID, orNull(title), orNull(conv.Title)})
			case title == "":
				fmt.Fprintf(a.out, "Session '%s' has no title now.\n", clean(conv.ID))
			default:
				fmt.Fprintf(a.out, "Session '%s' renamed to: %s\n", clean(conv.ID), clean(title))
			}
			return nil
		},
	}
}
