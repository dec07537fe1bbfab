package cli

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hermes-sessions/internal/cli/answer"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/internal/cli/program"
	"hermes-sessions/internal/cli/state"
	"hermes-sessions/model"
	"hermes-sessions/store"
)

// resumption says how a conversation is to be resumed.
type resumption struct {
	hermes   hermes.Options
	yes      bool // despite the cautions of the resume check
	window   bool // in a new window of tmux, or in the pane where it runs
	anywhere bool // without a name: the newest of all workspaces
}

func resumeCommand(a *app) *cobra.Command {
	var r resumption
	var show bool
	cmd := &cobra.Command{
		Use:   "resume [ID|TITLE]",
		Short: "Resume a conversation in Hermes",
		Long: `resume resumes a conversation in Hermes, at its newest segment. Without a name, or
with the name latest, it resumes what was active last in this workspace: the git work
tree that this folder is in, else this folder and those below it; where nothing is,
what was active last anywhere. Only conversations from the command line count (sources
cli and oneshot; with --tui, first those from Hermes's terminal interface).

Hermes starts in the folder of the conversation, if it still exists. resume asks
first if the conversation may still be running, is archived, goes on without messages
or in another session, or belongs to a subagent or another profile.

In tmux, --in-tmux starts Hermes in a new window, or goes to its pane if it already
runs there for this conversation.

` + namesHelp,
		Args: func(_ *cobra.Command, words []string) error {
			if len(words) > 0 && strings.TrimSpace(strings.Join(words, " ")) == "" {
				return fault.Usage("the name of the session is empty")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, words []string) (err error) {
			ctx := cmd.Context()
			if r.window && !a.tmux().Inside() {
				return program.NotInside()
			}
			if a.settings, err = state.ReadSettings(a.configFile, a.Environ); err != nil {
				return err
			}
			names, err := a.withinDatabase(strings.Join(words, " "))
			if err != nil {
				return err
			}
			s, at, err := a.open(ctx)
			if err != nil {
				return err
			}
			defer s.Close() //nolint:errcheck // nothing was written
			id, err := a.sessionToResume(ctx, s, names[0], r)
			if err != nil {
				return err
			}
			if show || a.json { // what Hermes prints is not JSON
				return a.printResumeCommand(ctx, s, at, id, r)
			}
			return a.resume(ctx, s, at, id, r)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&show, "print", false, "print the command and its folder instead of running it, as --json does")
	f.BoolVar(&r.anywhere, "anywhere", false, "without a name: resume the newest conversation of any workspace")
	f.BoolVar(&r.window, "in-tmux", false, "in tmux: resume in a new window, or go to the pane where it runs")
	f.BoolVar(&r.hermes.TUI, "tui", false, "use Hermes's terminal interface")
	f.BoolVarP(&r.yes, "yes", "y", false, "do not ask, whatever the warnings")
	f.BoolVarP(&r.yes, "force", "f", false, "same as --yes")
	hermesFlags(cmd, &r.hermes)
	return cmd
}

// latest is the name of the newest conversation, in any case, before any title, as in Hermes.
const latest = "latest"

// sessionToResume returns the id that a name means, or without one that of the newest
// conversation, as Hermes continues it.
func (a *app) sessionToResume(ctx context.Context, s *store.Store, name string, r resumption) (string, error) {
	if name != "" && !strings.EqualFold(name, latest) {
		return findSession(ctx, s, name)
	}
	workspace := ""
	if !r.anywhere {
		workspace = hermes.Workspace(".")
	}
	sources := [][]string{{"cli", "oneshot"}}
	if r.hermes.TUI {
		sources = [][]string{{"tui"}, {"cli", "oneshot"}}
	}
	for _, of := range sources {
		found, err := s.Newest(ctx, workspace, of...)
		if err != nil {
			return "", err
		}
		if found.ID == "" {
			continue
		}
		if workspace != "" && !found.InWorkspace(workspace) {
			a.printNote(fault.Fault{
				Kind:    "other-workspace",
				Message: "no conversation belongs to " + workspace + "; the newest of all is taken", Remedy: "name another by its ID or title",
			})
		}
		return found.ID, nil
	}
	return "", &fault.Fault{
		Kind: model.KindNotFound, Code: 1,
		Message: "no conversation from the command line (source cli) to resume",
		Remedy:  "name a conversation by its ID or title",
		Command: "hermes-sessions list",
	}
}

// hermesCommand returns the call of Hermes that resumes a session, by the flags,
// the environment and the settings.
func (a *app) hermesCommand(at hermes.Location, session string, r resumption) hermes.Command {
	o := r.hermes
	o.Preferred = a.settings.Hermes
	o.Args = slices.Concat(a.settings.HermesArgs, o.Args)
	return hermes.NewCommand(at, session, o, a.Environ)
}

// printResumeCommand prints how a session is resumed, for a shell or a script.
func (a *app) printResumeCommand(ctx context.Context, s *store.Store, at hermes.Location, id string, r resumption) error {
	check, err := checkResume(ctx, s, id)
	if err != nil {
		return err
	}
	c := a.hermesCommand(at, check.Tip.ID, r)
	line, folder, err := c.InFolder(check.Tip.CWD)
	if err != nil {
		return err
	}
	a.noteGoneFolder(check.Tip.CWD, folder)
	for _, caution := range check.Cautions(at.ProfileName(), a.Now()) {
		// The other cautions are about the moment in which the command is run.
		if caution.Kind == model.CautionEmpty || caution.Kind == model.CautionGoesOn {
			a.printNote(fault.Fault{Kind: caution.Kind, Message: caution.Sentence})
		}
	}
	if a.json {
		return a.out.JSON(answer.Resume{ID: check.Tip.ID, Command: c.Words(), Home: c.Home(), Folder: output.OrNull(folder)})
	}
	_, err = fmt.Fprintln(a.out, line)
	return err
}

// noteGoneFolder notes that the folder of the conversation, was, no longer exists, so that
// Hermes starts in the current one. The folders of the demo never existed, and --in names
// another on purpose.
func (a *app) noteGoneFolder(was, folder string) {
	if filepath.IsAbs(was) && folder == "" && !a.selection.Demo {
		a.printNote(fault.Fault{Kind: "folder-gone", Message: "the folder of the conversation no longer exists: " + was + "; Hermes starts in the current folder", Remedy: "name another with --in DIR"})
	}
}

// resume hands the terminal to Hermes at the tip of a conversation. It asks first
// where the resume check has a caution, and closes the database: on Unix nothing
// of this process runs afterwards.
func (a *app) resume(ctx context.Context, s *store.Store, at hermes.Location, id string, r resumption) error {
	check, err := checkResume(ctx, s, id)
	if err != nil {
		return err
	}
	if r.window {
		if there, err := a.jump(ctx, s, at, check.Tip.ID); there || err != nil {
			return err
		}
	}
	for cautions := check.Cautions(at.ProfileName(), a.Now()); len(cautions) > 0 && !r.yes; {
		chosen, err := a.askToResume(ctx, check, cautions)
		if err != nil {
			return err
		}
		if chosen == check.Tip.ID {
			break
		}
		if check, err = checkResume(ctx, s, chosen); err != nil {
			return err
		}
		cautions = check.Cautions(at.ProfileName(), a.Now())
	}
	c := a.hermesCommand(at, check.Tip.ID, r)
	if a.selection.Demo && r.hermes.Program == "" {
		_, err := fmt.Fprintf(a.out, "Would run: %s\n", c)
		return err
	}
	l, err := hermes.Prepare(ctx, c, check.Tip.CWD, a.Environ, a.log)
	if err != nil {
		if _, printErr := fmt.Fprintln(a.out, c); printErr != nil {
			return printErr
		}
		return err
	}
	a.noteGoneFolder(check.Tip.CWD, l.Folder)
	if reason := otherDatabase(at); reason != "" {
		a.printNote(fault.Fault{Kind: "other-database", Message: reason, Remedy: "to resume it as it is here, copy the file to a folder of its own as state.db, and name that with --home DIR"})
	}
	if r.window {
		return a.openWindow(ctx, s, at, check.Tip.ID, cmp.Or(check.Tip.Title, check.Tip.ID), l)
	}
	a.markPane(ctx, s, at, check.Tip.ID)
	if err := s.Close(); err != nil {
		return fmt.Errorf("close the database before resuming: %w", err)
	}
	if err := a.out.Flush(); err != nil {
		return err
	}
	a.log.Info("resume", "program", l.Path)
	return l.Replace(ctx, hermes.Streams{In: a.Stdin, Out: a.Stdout, Err: a.Stderr})
}

// otherDatabase says why Hermes may not have a conversation of the database at a place, ""
// where it opens that database.
func otherDatabase(at hermes.Location) string {
	name := filepath.Base(at.DB)
	if at.DB == "" || name == "state.db" {
		return ""
	}
	return "Hermes opens the state.db of its home, not " + name + ", and may not have this conversation"
}

// askToResume prints the cautions and asks whether to resume all the same. It
// returns the id of the session to resume: the one that was meant, or the one
// that a subagent worked for. Without a terminal it refuses.
func (a *app) askToResume(ctx context.Context, check model.ResumeCheck, cautions []model.ResumeCaution) (string, error) {
	var sentences []string
	for _, c := range cautions {
		sentences = append(sentences, c.Sentence)
	}
	reasons := strings.Join(sentences, "; ")
	parent := ""
	if check.IsDelegate {
		parent = check.ParentTip.ID
	}
	if a.json || !output.IsTerminal(a.Stdin) || !output.IsTerminal(a.Stderr) {
		f := &fault.Fault{Kind: cautions[0].Kind, Code: 1, Message: fmt.Sprintf("resume %s: %s", check.Tip.ID, reasons), Remedy: "use --yes to resume it anyway"}
		switch {
		case parent != "":
			f.Remedy = "resume its parent " + parent + ", or use --yes"
		case check.Before.ID != "":
			way := wayBefore(check)
			f.Remedy, f.Command = way.Message+"; or use --yes", way.Command
		}
		return "", f
	}
	fmt.Fprintf(a.Stderr, "%s: %s.\n", output.Clean(cmp.Or(check.Tip.Title, check.Tip.ID)), output.Clean(reasons))
	if check.Before.ID != "" {
		a.printNote(wayBefore(check))
	}
	question := "Resume it anyway? [y/N] "
	if parent != "" {
		question = "Resume it anyway, or its parent conversation? [y/p/N] "
	}
	answer, err := a.ask(ctx, question)
	switch {
	case err != nil:
		return "", err
	case answer == "y" || answer == "yes":
		return check.Tip.ID, nil
	case parent != "" && (answer == "p" || answer == "parent"):
		return parent, nil
	}
	return "", canceled(a.Stderr)
}

// wayBefore says how Hermes resumes the segment before one without messages: by no other way,
// since from each segment it goes to the newest.
func wayBefore(check model.ResumeCheck) fault.Fault {
	size := output.Count(check.Before.VisibleMessages, "message", "messages")
	return fault.Fault{
		Kind:    model.CautionEmpty,
		Message: "delete the empty segment, and Hermes resumes the one before it, " + check.Before.ID + ", which has " + size,
		Command: "hermes-sessions delete --segment " + model.ShellWord(check.Tip.ID),
	}
}

// checkResume reads what there is to say before a session is resumed. It refuses an id
// with control characters: on the way through a terminal, a shell and the command line of
// Hermes they get lost, and what is left may be the id of another session.
func checkResume(ctx context.Context, s *store.Store, id string) (model.ResumeCheck, error) {
	check, err := s.ResumeCheck(ctx, id)
	if err != nil {
		return check, fmt.Errorf("resume %s: %w", id, err)
	}
	if hasControls(check.Tip.ID) {
		return check, &fault.Fault{
			Kind: model.KindInvalid, Code: 1, Message: fmt.Sprintf("the ID %q has control characters, so no command can name it", check.Tip.ID),
			Remedy: "resume it in Hermes itself",
		}
	}
	return check, nil
}

// hasControls reports whether a terminal would not show an id as it is.
func hasControls(id string) bool { return output.Clean(id) != id }
