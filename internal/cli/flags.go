package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// choice is a flag that takes one of a few words, each with a value.
type choice[T any] struct {
	words  []string
	values []T
	word   string // the chosen one
	into   *T     // where its value goes
}

// oneOf makes a flag of words and their values; the first is the default.
func oneOf[T any](into *T, words []string, values []T) *choice[T] {
	*into = values[0]
	return &choice[T]{words, values, words[0], into}
}

// String, Type and Set implement pflag.Value.
func (c *choice[T]) String() string { return c.word }
func (c *choice[T]) Type() string   { return strings.Join(c.words, "|") }

func (c *choice[T]) Set(s string) error {
	for i, w := range c.words {
		if s == w {
			c.word, *c.into = w, c.values[i]
			return nil
		}
	}
	return fmt.Errorf("must be one of %s", strings.Join(c.words, ", "))
}

// complete offers the words to the shell.
func (c *choice[T]) complete(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return c.words, cobra.ShellCompDirectiveNoFileComp
}

// choiceFlag adds a flag that takes one of a few words.
func choiceFlag[T any](cmd *cobra.Command, c *choice[T], name, help string) {
	if words := c.Type(); len(words) > 60 { // beside the name they would push all help aside
		help += " by `NAME`: " + strings.Join(c.words, ", ")
	}
	cmd.Flags().Var(c, name, help)
	// It fails only for a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc(name, c.complete)
}

// count is a flag that takes a number from 0 to maxCount.
type count struct{ into *int }

// countFlag adds a flag that takes a number.
func countFlag(cmd *cobra.Command, into *int, name string, value int, help string) {
	*into = value
	cmd.Flags().Var(&count{into}, name, help)
}

// maxCount is more than any command needs, and far from an overflow.
const maxCount = 1_000_000_000

// String, Type and Set implement pflag.Value.
func (c *count) String() string {
	if c.into == nil {
		return ""
	}
	return strconv.Itoa(*c.into)
}

func (c *count) Type() string { return "NUMBER" }

func (c *count) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > maxCount {
		return errors.New("must be a number, 0 or more")
	}
	*c.into = n
	return nil
}

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
	choiceFlag(cmd, oneOf(into, names(query.Orders()), query.Orders()), "sort", "order of the list")
}

// scopeFlag adds --scope.
func scopeFlag(cmd *cobra.Command, into *model.Scope) {
	choiceFlag(cmd, oneOf(into, names(model.Scopes()), model.Scopes()), "scope", "part of the history")
}

// sourceFlags adds --source and --exclude-source.
func sourceFlags(cmd *cobra.Command, q *query.ListOptions) {
	cmd.Flags().StringSliceVar(&q.Sources, "source", nil, "only this `SOURCE` (repeatable)")
	cmd.Flags().StringSliceVar(&q.ExcludeSources, "exclude-source", nil, "not this `SOURCE` (repeatable)")
}

// fullFlag adds --full.
func fullFlag(cmd *cobra.Command, full *bool) {
	cmd.Flags().BoolVar(full, "full", false, "with --json: system prompts too")
}

// wideFlag adds --wide.
func wideFlag(cmd *cobra.Command, wide *bool) {
	cmd.Flags().BoolVarP(wide, "wide", "w", false, "print every column, and cut nothing")
}

// configFlag adds --config, which names another settings file.
func configFlag(cmd *cobra.Command, file *string) {
	cmd.Flags().StringVar(file, "config", "", "read the settings of this `FILE`, or none with --config=none")
}

// hermesFlags adds the flags that say how Hermes is called.
func hermesFlags(cmd *cobra.Command, o *hermes.Options) {
	f := cmd.Flags()
	f.StringVar(&o.Program, "hermes", "", "the `PROGRAM` that resumes (default HERMES_BIN, else hermes)")
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

// names returns the names of values, as flags take them.
func names[T fmt.Stringer](values []T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = v.String()
	}
	return out
}
