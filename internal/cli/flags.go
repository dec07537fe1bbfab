package cli

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// sessionArgs checks the arguments of a command on sessions: one at least.
func sessionArgs(verb string) cobra.PositionalArgs {
	return func(_ *cobra.Command, words []string) error {
		if len(words) == 0 {
			return fault.Usage("%s needs the ID of a session, a unique prefix of it, or a title", verb)
		}
		return nil
	}
}

// sortFlag adds --sort for lists of conversations.
func sortFlag(cmd *cobra.Command, into *query.Order) {
	chooseFlag(cmd, oneOf(into, output.Names(query.Orders()), query.Orders()), "sort", "order of the list")
}

func scopeFlag(cmd *cobra.Command, into *model.Scope) {
	chooseFlag(cmd, oneOf(into, output.Names(model.Scopes()), model.Scopes()), "scope", "part of the history")
}

func sourceFlags(cmd *cobra.Command, q *query.ListOptions) {
	cmd.Flags().StringSliceVar(&q.Sources, "source", nil, "only this `SOURCE` (repeatable)")
	cmd.Flags().StringSliceVar(&q.ExcludeSources, "exclude-source", nil, "exclude this `SOURCE` (repeatable)")
}

func fullFlag(cmd *cobra.Command, full *bool) {
	cmd.Flags().BoolVar(full, "full", false, "with --json: include system prompts")
}

func wideFlag(cmd *cobra.Command, wide *bool) {
	cmd.Flags().BoolVarP(wide, "wide", "w", false, "print every column in full")
}

// configFlag adds --config, which names another settings file.
func configFlag(cmd *cobra.Command, file *string) {
	cmd.Flags().StringVar(file, "config", "", "read settings from `FILE`, or none with --config=none")
}

// hermesFlags adds the flags that say how Hermes is called.
func hermesFlags(cmd *cobra.Command, o *hermes.Options) {
	f := cmd.Flags()
	f.StringVar(&o.Program, "hermes", "", "the Hermes `PROGRAM` to run (default HERMES_BIN, else hermes)")
	f.StringArrayVar(&o.Args, "hermes-arg", nil, "pass this `ARGUMENT` to Hermes (repeatable): --hermes-arg=--yolo")
	f.StringVar(&o.Folder, "in", "", "resume in the folder `DIR` instead of the conversation's")
}

// absoluteFolder makes the value of a folder flag absolute; "" stays.
func absoluteFolder(dir *string) error {
	if *dir == "" {
		return nil
	}
	folder, err := filepath.Abs(*dir)
	if err != nil {
		return fmt.Errorf("find the folder %s: %w", *dir, err)
	}
	*dir = folder
	return nil
}
