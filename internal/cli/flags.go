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

// queryHelp is the sentence of the help texts about queries.
const queryHelp = `A query has words, "a phrase", -without, one OR other, prefix*, @named queries and filters
such as after:2w: hermes-sessions help query`

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
	chooseFlag(cmd, oneOf(into, "ORDER", output.Names(query.Orders()), query.Orders()), "sort", "order of the list")
}

func scopeFlag(cmd *cobra.Command, into *model.Scope) {
	chooseFlag(cmd, oneOf(into, "SCOPE", output.Names(model.Scopes()), model.Scopes()), "scope", "part of the history")
}

func sourceFlags(cmd *cobra.Command, q *query.ListOptions) {
	cmd.Flags().StringSliceVar(&q.Sources, "source", nil, "only this `SOURCE` (repeatable)")
	cmd.Flags().StringSliceVar(&q.ExcludeSources, "exclude-source", nil, "exclude this `SOURCE` (repeatable)")
}

// placeFlags adds the flags for which part of the history a list has by its folder, and --all.
func placeFlags(cmd *cobra.Command, q *query.ListOptions) {
	f := cmd.Flags()
	f.BoolVarP(&q.EverySession, "all", "a", false, "every session: segments, subagents, automation")
	f.StringVar(&q.CWD, "cwd", "", "only conversations in the folder `DIR`")
}

func fullFlag(cmd *cobra.Command, full *bool) {
	cmd.Flags().BoolVar(full, "full", false, "with --json: include system prompts")
}

// onlyFlag adds --only for what is left of a conversation.
func onlyFlag(cmd *cobra.Command, prompts *bool) {
	words, values := []string{"all", "prompts"}, []bool{false, true}
	chooseFlag(cmd, oneOf(prompts, "WHAT", words, values), "only", "what of a conversation")
}

// tsvHelp is the sentence of the help texts about --tsv.
const tsvHelp = `--tsv prints a line for each, with tabs between whole texts (\\ \t \n \r in a text are escaped):
ID, title, last activity, source, model, messages, cost, folder`

// rowFlags adds the flags for how rows are printed.
func rowFlags(cmd *cobra.Command, p *rows) {
	wideFlag(cmd, &p.wide)
	cmd.Flags().BoolVar(&p.tsv, "tsv", false, "print fields with tabs between them, and nothing cut")
}

// rows says how rows are printed.
type rows struct {
	wide         bool // --wide
	tsv          bool // --tsv
	defaultLimit bool // no --limit was given, so that the user may not know of one
}

// check refuses what excludes each other.
func (p rows) check(json bool) error {
	if p.tsv && (json || p.wide) {
		return fault.Usage("--tsv takes no --json or --wide")
	}
	return nil
}

func wideFlag(cmd *cobra.Command, wide *bool) {
	cmd.Flags().BoolVarP(wide, "wide", "w", false, "print every column in full")
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
