package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/help"
	"hermes-sessions/model"
)

// rootCommand builds the tree of commands, and the flags that all of them have.
func rootCommand(a *app) *cobra.Command {
	root := browseCommand(a)
	root.Use = "hermes-sessions [QUERY…]"
	root.Short = "Browse and search the conversations of Hermes Agent"
	root.Long = `hermes-sessions is a full-screen browser for the conversations of Hermes Agent.

Without a command it opens the browser and searches for the given words. Put --
before words that begin with -. To search for a word that is also the name of a
command, name the command: hermes-sessions browse list`
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
	flags.Var(&severalFlag{&a.selection.DB, &a.selection.DBs}, "db", "database `FILE`; commands with --all-profiles also take several, or folders")
	flags.Var(&severalFlag{&a.selection.Home, &a.selection.Homes}, "home", "Hermes home `DIR` (default HERMES_HOME, else ~/.hermes)")
	flags.StringVarP(&a.selection.Profile, "profile", "p", "", "Hermes profile `NAME`")
	flags.BoolVar(&a.selection.Demo, "demo", false, "open a demo history instead of yours")
	flags.BoolVar(&a.json, "json", false, "print JSON, including errors")
	flags.BoolVarP(&a.quiet, "quiet", "q", false, "print no progress or notes on standard error")
	flags.BoolVar(&a.noColor, "no-color", false, "use no colors, like NO_COLOR in the environment")
	flags.BoolVar(&a.paging.off, "no-pager", false, "print long output without a pager")
	flags.StringVar(&a.debug, "debug", "", "append a log to `FILE`, without the text of messages")

	browse := browseCommand(a)
	browse.Use = "browse [QUERY…]"
	browse.Short = "Open the browser (the default command)"
	root.AddCommand(browse, listCommand(a), searchCommand(a), showCommand(a), exportCommand(a), importCommand(a),
		renameCommand(a), deleteCommand(a), undoCommand(a), pruneCommand(a), resumeCommand(a), lineageCommand(a), filesCommand(a),
		runningCommand(a), statsCommand(a), storageCommand(a), compareCommand(a), notesCommand(a), doctorCommand(a),
		versionCommand(a), initCommand(a), configCommand(a), pinCommand(a), unpinCommand(a), archiveCommand(a), unarchiveCommand(a))
	root.SetHelpCommand(help.Command(root))
	help.AddExamples(root)
	a.pageHelp(root)
	help.SetCompletion(root, a.completionSources())
	return root
}

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
	help.AddCompletion(root)
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
