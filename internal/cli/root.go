package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/help"
	"hermes-sessions/internal/cli/print"
	"hermes-sessions/model"
)

// rootCommand builds the tree of commands, and the flags that all of them have.
func rootCommand(a *app) *cobra.Command {
	root := browseCommand(a)
	root.Use = "hermes-sessions [QUERY…]"
	root.Short = "Browse and search the conversations of Hermes Agent"
	root.Long = `Browse, search and resume the conversations of Hermes Agent, on the full screen.
Words that are no command are searched for; hermes-sessions browse list searches for
one that is. Put -- before words that begin with -.`
	root.Example = `  hermes-sessions                      browse everything
  hermes-sessions docker build         search in the browser
  hermes-sessions --demo               try it on a demo history
  hermes-sessions search --json kafka  for scripts`
	root.SilenceErrors, root.SilenceUsage = true, true
	root.DisableSuggestions = true
	root.SetFlagErrorFunc(help.FlagError)
	root.Version = a.Build.String()
	root.SetVersionTemplate("{{.Version}}\n")
	root.Flags().BoolP("version", "V", false, "print the version")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := help.EmptyValue(cmd); err != nil {
			return err
		}
		if a.noColor {
			a.Environ = append(slices.Clone(a.Environ), "NO_COLOR=1")
			a.out.SetEnviron(a.Environ)
		}
		return a.startLog()
	}

	flags := root.PersistentFlags()
	flags.Var(&severalFlag{&a.selection.DB, &a.selection.DBs}, "db", "database `FILE`; repeated, or a folder: several at once")
	flags.Var(&severalFlag{&a.selection.Home, &a.selection.Homes}, "home", "Hermes home `DIR` (default HERMES_HOME, else ~/.hermes)")
	flags.StringVarP(&a.selection.Profile, "profile", "p", "", "Hermes profile `NAME`")
	flags.BoolVar(&a.selection.Demo, "demo", false, "open a demo history instead of yours")
	flags.BoolVar(&a.json, "json", false, "print JSON, including errors")
	flags.StringVar(&a.configFile, "config", "", "read settings from `FILE`; none: from no file")
	flags.BoolVar(&a.readOnly, "read-only", false, "open databases read-only: nothing in them can change")
	flags.BoolVarP(&a.quiet, "quiet", "q", false, "print no progress or notes on standard error")
	flags.BoolVar(&a.noColor, "no-color", false, "use no colors, like NO_COLOR in the environment")
	flags.BoolVar(&a.paging.off, "no-pager", false, "print long output without a pager")
	flags.StringVar(&a.debug, "debug", "", "append a log to `FILE`, without the text of messages")

	browse := browseCommand(a)
	browse.Use = "browse [QUERY…]"
	browse.Short = "Open the browser (the default command)"
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Find", []*cobra.Command{browse, listCommand(a), searchCommand(a), resumeCommand(a), runningCommand(a)}},
		{"Understand", []*cobra.Command{showCommand(a), compareCommand(a), filesCommand(a), lineageCommand(a), notesCommand(a), statsCommand(a)}},
		{"Change", []*cobra.Command{
			renameCommand(a), pinCommand(a), unpinCommand(a), archiveCommand(a), unarchiveCommand(a), deleteCommand(a), undoCommand(a), pruneCommand(a),
		}},
		{"Data", []*cobra.Command{exportCommand(a), importCommand(a), storageCommand(a), doctorCommand(a)}},
		{setUp, []*cobra.Command{initCommand(a), configCommand(a), infoCommand(a), versionCommand(a)}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.title
			root.AddCommand(c)
		}
	}
	root.SetHelpCommand(help.Command(root, print.LanguageHelp))
	root.SetHelpCommandGroupID(setUp)
	root.SetCompletionCommandGroupID(setUp)
	help.AddExamples(root)
	a.pageHelp(root)
	help.SetCompletion(root, a.completionSources())
	return root
}

// setUp is the group of the commands that set this program up, help and completion among them.
const setUp = "Set up"

// noWords refuses arguments, for commands that take only flags.
func noWords(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	f := fault.Usage("%s takes no arguments, got %q", cmd.Name(), args[0])
	if strings.TrimSpace(args[0]) != "" {
		f.Remedy, f.Command = "to search for these words", "hermes-sessions browse "+model.ShellWord(cmd.Name()+" "+args[0])
	}
	return f
}

// Commands returns the tree of commands for the manual. They are not to be run.
func Commands() *cobra.Command {
	root := rootCommand(&app{})
	help.AddCompletion(root, nil)
	return root
}

// severalFlag is a flag that most commands take once, and the browser any number of times.
type severalFlag struct {
	first *string
	all   *[]string
}

func (f *severalFlag) String() string { return *f.first }
func (f *severalFlag) Type() string   { return "string" }

// Set adds a value, once: for completion, cobra parses the same line twice.
func (f *severalFlag) Set(v string) error {
	if slices.Contains(*f.all, v) {
		return nil
	}
	if *f.all = append(*f.all, v); len(*f.all) == 1 {
		*f.first = v
	}
	return nil
}
