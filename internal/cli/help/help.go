// Package help helps with command lines: examples, the command help, and the command or
// flag that was probably meant by a mistyped one. text.go draws the help of a command, completion.go says what a shell can offer for a
// word, completers.go of which flag and argument, completionscripts.go prints the script.
package help

import (
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hermes-sessions/internal/cli/fault"
)

// Command is "help COMMAND", and "help query" for the query language. Unlike cobra's own, it fails for
// a command that does not exist.
func Command(root *cobra.Command, language func() string) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND|query]",
		Short: "Show help for a command, or for the query language",
		Long: "help shows the help for a command, like COMMAND --help. help query explains the query " +
			"language of browse, list and search, with all filters.",
		ValidArgsFunction: func(_ *cobra.Command, words []string, begun string) (offers []string, _ cobra.ShellCompDirective) {
			cmd, _, err := root.Find(words)
			if err != nil || cmd == root && len(words) > 0 {
				return nil, noFiles
			}
			for _, c := range cmd.Commands() {
				if c.IsAvailableCommand() && strings.HasPrefix(c.Name(), begun) {
					offers = append(offers, c.Name()+"\t"+c.Short)
				}
			}
			if cmd == root && strings.HasPrefix("query", begun) {
				offers = append(offers, "query\tThe query language")
			}
			return offers, noFiles
		},
		RunE: func(own *cobra.Command, words []string) error {
			if len(words) == 1 && words[0] == "query" {
				_, err := fmt.Fprintln(own.OutOrStdout(), language())
				return err
			}
			cmd, rest, err := root.Find(words)
			if err != nil || cmd == root && len(rest) > 0 || cmd == nil {
				f := fault.Usage("there is no command %q", strings.Join(words, " "))
				f.Remedy, f.Command = "see the list of commands", "hermes-sessions help"
				if near := fault.Nearest(words[0], commandNames(root)); near != "" {
					f.Remedy, f.Command = "did you mean "+near+"?", "hermes-sessions help "+near
				}
				return f
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
}

// Words is the value of a flag that takes one of a few words.
type Words interface{ Words() []string }

// FlagError is the error of a command line whose flags cannot be parsed. It suggests
// the value, the flag or the command that was probably meant.
func FlagError(cmd *cobra.Command, err error) error {
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		cause := e.Unwrap()
		if _, ok := errors.AsType[*csv.ParseError](cause); ok {
			cause = errors.New("must be words with commas between them, and quotes in pairs")
		}
		var words []string
		if v, ok := e.GetFlag().Value.(Words); ok {
			words = v.Words()
		}
		f := BadValue(e.GetFlag().Name, e.GetValue(), cause.Error(), words...)
		if f.Remedy == "" {
			f.Remedy, f.Command = seeHelp(cmd)
		}
		return f
	}
	if e, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return needsValue(cmd, e.GetFlag())
	}
	f := fault.Usage("%s", err)
	f.Remedy, f.Command = seeHelp(cmd)
	e, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return f
	}
	name, letters := e.GetSpecifiedName(), e.GetSpecifiedShortnames()
	if letters != "" {
		f.Message, name = "usage: unknown flag: -"+letters, letters
		f.Remedy += "; put -- before words that begin with -"
	}
	near, command := fault.Nearest(name, flagNames(cmd)), fault.Nearest(cmd.Flags().Arg(0), commandNames(cmd.Root()))
	switch { // a misspelled command, whose flags are not those of the browser, explains more
	case letters == "" && cmd == cmd.Root() && command != "":
		f.Remedy, f.Command = "did you mean "+command+"?", "hermes-sessions "+command
	case name == "all-profiles":
		f.Remedy, f.Command = "this takes one database: name the profile, or write PROFILE/ID", cmd.CommandPath()+" --profile NAME"
	case near != "":
		f.Remedy, f.Command = "did you mean --"+near+"?", ""
	}
	return f
}

// choosing are the flags that say which data a command is about, or where it is saved.
var choosing = []string{"db", "home", "profile", "source", "exclude-source", "session-id", "role", "cwd", "by", "started", "backup", "redact"}

// EmptyValue refuses an empty value of a flag that chooses data: a variable of a script that
// is not set must not choose the default database, or every source.
func EmptyValue(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if v := f.Value.String(); (v == "" || v == "[]") && slices.Contains(choosing, f.Name) {
			err = needsValue(cmd, f)
		}
	})
	return err
}

func needsValue(cmd *cobra.Command, flag *pflag.Flag) *fault.Fault {
	value, _ := pflag.UnquoteUsage(flag)
	f := fault.Usage("--%s needs a value: --%s %s", flag.Name, flag.Name, value)
	f.Remedy, f.Command = seeHelp(cmd)
	return f
}

// seeHelp is the remedy where nothing better is known.
func seeHelp(cmd *cobra.Command) (remedy, command string) {
	return "see the help", cmd.CommandPath() + " --help"
}

// BadValue refuses a value of a flag. It suggests the one of words that was probably meant.
func BadValue(flag, value, must string, words ...string) *fault.Fault {
	f := fault.Usage("invalid --%s %q: %s", flag, value, must)
	if near := fault.Nearest(value, words); near != "" {
		f.Remedy = "did you mean " + near + "?"
	}
	return f
}

// Mistyped returns the command that a query of one word is probably a misspelling of,
// "" for none.
func Mistyped(root *cobra.Command, words string) string {
	if near := fault.Nearest(words, commandNames(root)); near != words {
		return near
	}
	return ""
}

// AddExamples gives the commands below root their examples.
func AddExamples(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		cmd.Example = examples[cmd.Name()]
	}
}

func commandNames(root *cobra.Command) (names []string) {
	for _, c := range root.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return names
}

func flagNames(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}
