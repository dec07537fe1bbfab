// Package cli is the command line: it chooses home, profile and database,
// prints what scripts ask for, starts the browser and carries out what a
// person decided in it.
package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"hermes-sessions/model/query"
	"hermes-sessions/store"
	"hermes-sessions/ui/shell"
)

var (
	_ shell.Library = (*store.Store)(nil)
	_ shell.Changes = (*store.Store)(nil)
)

// Process is what the command line needs of the process it runs in.
type Process struct {
	Name    string   // as the program was called
	Args    []string // without the name of the program
	Environ []string // as of os.Environ
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Now     func() time.Time
	Keys    func(preset string, feeds bool, own shell.Overrides) (shell.Keys, error) // the key map of the browser; feeds: Enter may come as a line feed
	Version string
	// HoldInterrupts keeps an interrupt from cancelling the run until release is
	// called; nil where there is none to hold.
	HoldInterrupts func() (release func())
}

// Run carries out a command line and gives the exit code: 0 done, 1 failed or
// nothing found, 2 usage, 130 cancelled. When ctx is cancelled it puts the
// screen back, closes the database and returns. On Unix a resume replaces the
// process, so Run does not return from it.
func Run(ctx context.Context, p Process) int {
	a := &app{Process: p, out: bufio.NewWriter(p.Stdout), log: slog.New(slog.DiscardHandler)}
	root := a.root()
	root.SetArgs(p.Args)
	root.SetIn(p.Stdin)
	root.SetOut(a.out)
	root.SetErr(p.Stderr)
	err := root.ExecuteContext(ctx)
	if flushed := a.out.Flush(); err == nil {
		err = flushed
	}
	if ctx.Err() != nil && err != nil {
		err = errCancelled
	}
	code := a.report(err)
	a.log.Info("done", "code", code)
	if a.logFile != nil {
		_ = a.logFile.Close() // what a log does not take can be told nowhere
	}
	return code
}

// app is one run: the process and the flags that every command has.
type app struct {
	Process
	out     *bufio.Writer // standard output
	log     *slog.Logger  // never holds message text or titles
	logFile *os.File

	db, home, profile, debug string
	config                   string // settings file
	settings                 settings
	demo, json               bool
}

// root builds the tree of commands.
func (a *app) root() *cobra.Command {
	root := a.browseCommand()
	root.Use = "hermes-sessions [QUERY…]"
	root.Short = "Browse and search the conversations of Hermes Agent"
	root.Long = `hermes-sessions browses the conversations of Hermes Agent, full screen.

Without a command it opens the browser, with the words of the command line as
the first search. Words that begin with - go after --. A first word that is also
the name of a command needs the command in full: hermes-sessions browse list`
	root.Example = `  hermes-sessions                      browse everything
  hermes-sessions docker build         browse what was said about it
  hermes-sessions --demo               try it on an invented history
  hermes-sessions search --json kafka  for scripts`
	root.SilenceErrors, root.SilenceUsage = true, true
	root.DisableSuggestions = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		f := usage("%s", err)
		f.remedy = "see " + cmd.CommandPath() + " --help"
		if strings.HasPrefix(err.Error(), "unknown shorthand") {
			f.remedy += "; words that begin with - go after --"
		}
		return f
	})
	root.PersistentPreRunE = func(*cobra.Command, []string) error { return a.startLog() }

	flags := root.PersistentFlags()
	flags.StringVar(&a.db, "db", "", "open this database `FILE`")
	flags.StringVar(&a.home, "home", "", "Hermes home `DIR` (default HERMES_HOME, else ~/.hermes)")
	flags.StringVarP(&a.profile, "profile", "p", "", "Hermes profile `NAME`")
	flags.BoolVar(&a.demo, "demo", false, "open an invented history instead of yours")
	flags.BoolVar(&a.json, "json", false, "print JSON, errors too")
	flags.StringVar(&a.debug, "debug", "", "append what the program does to `FILE`, without what was said")

	browse := a.browseCommand()
	browse.Use = "browse [QUERY…]"
	browse.Short = "Open the browser (also without naming it)"
	root.AddCommand(browse, a.listCommand(), a.searchCommand(), a.showCommand(), a.exportCommand(), a.importCommand(),
		a.renameCommand(), a.deleteCommand(), a.pruneCommand(), a.resumeCommand(), a.lineageCommand(), a.statsCommand(), a.doctorCommand(), a.versionCommand(), a.initCommand())
	root.AddCommand(a.flagCommands()...)
	return root
}

// open opens the database that the flags, the environment and the profile
// name. The caller closes it.
func (a *app) open(ctx context.Context, opts ...store.Option) (*store.Store, place, error) {
	opts = append(opts, store.WithClock(a.Now))
	at, err := a.place()
	if err != nil {
		return nil, at, err
	}
	if a.demo {
		s, err := store.Demo(ctx, opts...)
		return s, at, err
	}
	a.log.Info("open", "path", at.db, "profile", at.profile)
	s, err := store.Open(ctx, at.db, opts...)
	if e, ok := errors.AsType[*store.Error](err); ok && e.Kind == store.KindAbsent && a.db == "" {
		return nil, at, noHistory(at, err)
	}
	if err != nil {
		return nil, at, err
	}
	for _, n := range s.Notes() {
		a.log.Warn("note", "kind", n.Kind, "message", n.Message)
	}
	return s, at, nil
}

// read opens the database for a command that prints from it, and says
// afterwards when a part of it could not be read.
func (a *app) read(ctx context.Context, do func(*store.Store, place) error) error {
	s, at, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	err = do(s, at)
	for _, n := range s.Notes() {
		if n.Kind == store.NoteDamaged {
			a.tell("note", n.Kind, n.Message, n.Remedy)
		}
	}
	return err
}

// getenv gives the value of an environment variable, "" when it is not set.
func (p Process) getenv(name string) string {
	for i := len(p.Environ) - 1; i >= 0; i-- {
		k, v, _ := strings.Cut(p.Environ[i], "=")
		if k == name || runtime.GOOS == "windows" && strings.EqualFold(k, name) {
			return v
		}
	}
	return ""
}

// startLog opens the file of --debug.
func (a *app) startLog() error {
	if a.debug == "" {
		return nil
	}
	if err := a.notDatabase(a.debug); err != nil {
		return err
	}
	f, err := os.OpenFile(a.debug, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("open the debug file: %w", err)
	}
	a.logFile, a.log = f, slog.New(slog.NewTextHandler(f, nil))
	a.log.Info("start", "version", a.Version, "go", runtime.Version(), "os", runtime.GOOS, "args", len(a.Args))
	return nil
}

// notDatabase refuses to write to the database that this run would open, or
// to its side files.
func (a *app) notDatabase(file string) error {
	at, err := a.place()
	if err != nil || a.demo {
		return nil // there is nothing that could be harmed
	}
	target, err := os.Stat(file)
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		same := filepath.Clean(file) == filepath.Clean(at.db+suffix)
		if info, e := os.Stat(at.db + suffix); e == nil && err == nil {
			same = same || os.SameFile(info, target)
		}
		if same {
			return usage("%s is the session database itself", file)
		}
	}
	return nil
}

// isTerminal reports whether a stream is a person's terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(f.Fd())
}

// person reports whether standard output is read by a person.
func (a *app) person() bool { return isTerminal(a.Stdout) }

// words gives the words of values.
func words[T fmt.Stringer](values []T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = v.String()
	}
	return out
}

// choice is a flag that takes one of a few words.
type choice[T any] struct {
	words  []string
	values []T
	word   string
	into   *T
}

// oneOf makes a flag value; the first word is the default.
func oneOf[T any](into *T, words []string, values []T) *choice[T] {
	*into = values[0]
	return &choice[T]{words, values, words[0], into}
}

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

// complete makes the words of a choice known to the shell.
func (c *choice[T]) complete(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return c.words, cobra.ShellCompDirectiveNoFileComp
}

// sortFlag adds --sort for lists of conversations.
func sortFlag(cmd *cobra.Command, into *query.Order) {
	c := oneOf(into, words(query.Orders()), query.Orders())
	addChoice(cmd, c, "sort", "order of the list")
}

func addChoice[T any](cmd *cobra.Command, c *choice[T], name, help string) {
	cmd.Flags().Var(c, name, help)
	// It fails only for a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc(name, c.complete)
}
