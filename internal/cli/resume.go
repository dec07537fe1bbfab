package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
)

// resumption says how a conversation is to be resumed.
type resumption struct {
	hermes hermesOptions
	tui    bool // in Hermes's other interface
	sure   bool // whatever stands against it
}

func (a *app) resumeCommand() *cobra.Command {
	var r resumption
	var show bool
	cmd := &cobra.Command{
		Use:   "resume [ID|TITLE]",
		Short: "Go on with a conversation in Hermes",
		Long: `resume goes on with a conversation in Hermes, at its newest segment. It takes an
id, the unique beginning of one, or an exact title; without any it takes the
newest conversation of the command line (source cli).

Hermes starts in the folder that the conversation was in, if that is still
there. A conversation that seems to run elsewhere, is the work of a subagent, is
archived or belongs to another profile is not resumed without a question.`,
		ValidArgsFunction: a.completeID,
		RunE: func(cmd *cobra.Command, words []string) error {
			ctx := cmd.Context()
			if err := a.readSettings(); err != nil {
				return err
			}
			s, at, err := a.open(ctx)
			if err != nil {
				return err
			}
			defer s.Close()
			id, err := a.resumable(ctx, s, strings.Join(words, " "))
			if err != nil {
				return err
			}
			if show {
				return a.printCommand(ctx, s, at, id, r)
			}
			return a.resume(ctx, s, at, id, r)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&show, "print", false, "print the command instead of running it")
	f.BoolVar(&r.tui, "tui", false, "in Hermes's terminal interface")
	f.BoolVarP(&r.sure, "yes", "y", false, "whatever stands against it")
	f.BoolVar(&r.sure, "force", false, "the same as --yes")
	a.configFlag(cmd)
	r.hermes.flags(cmd)
	return cmd
}

// resumable gives the id that the words mean, or the newest conversation of
// the command line.
func (a *app) resumable(ctx context.Context, s *store.Store, words string) (string, error) {
	if words != "" {
		return s.Resolve(ctx, words)
	}
	page, err := s.Conversations(ctx, query.ListOptions{Sources: []string{"cli"}, Limit: 1})
	if err != nil {
		return "", err
	}
	if len(page.Conversations) == 0 {
		return "", &fault{
			kind: store.KindNotFound, code: 1,
			message: "no conversation of the command line to resume",
			remedy:  "name one by its id or title; hermes-sessions list shows them",
		}
	}
	return page.Conversations[0].ID, nil
}

// printCommand prints how a session is resumed, for a shell or a script.
func (a *app) printCommand(ctx context.Context, s *store.Store, at place, id string, r resumption) error {
	tip, err := s.Tip(ctx, id)
	if err != nil {
		return fmt.Errorf("resume %s: %w", id, err)
	}
	c := a.hermesCommand(at, tip, r)
	if a.json {
		return a.printJSON(struct {
			ID      string   `json:"id"`
			Command []string `json:"command"`
			Home    string   `json:"hermes_home,omitempty"`
		}{tip, c.words(), c.home})
	}
	_, err = fmt.Fprintln(a.out, c)
	return err
}

// resume hands the terminal to Hermes at the tip of the conversation, after a
// question where something stands against it. The database is closed first: on
// Unix nothing of this process runs afterwards.
func (a *app) resume(ctx context.Context, s *store.Store, at place, id string, r resumption) error {
	standing, err := s.ResumeCheck(ctx, id)
	if err != nil {
		return fmt.Errorf("resume %s: %w", id, err)
	}
	for cautions := standing.Cautions(at.hermesProfile(), a.Now()); len(cautions) > 0 && !r.sure; {
		to, err := a.askToResume(ctx, standing, cautions)
		if err != nil {
			return err
		}
		if to == standing.Tip.ID {
			break
		}
		if standing, err = s.ResumeCheck(ctx, to); err != nil {
			return fmt.Errorf("resume %s: %w", to, err)
		}
		cautions = standing.Cautions(at.hermesProfile(), a.Now())
	}
	c := a.hermesCommand(at, standing.Tip.ID, r)
	if a.demo && r.hermes.program == "" {
		_, err := fmt.Fprintf(a.out, "On your own history this would now run: %s\n", c)
		return err
	}
	l, err := a.prepare(ctx, c, standing.Tip.CWD)
	if err != nil {
		if _, werr := fmt.Fprintln(a.out, c); werr != nil {
			return werr
		}
		return err
	}
	if err := s.Close(); err != nil {
		return fmt.Errorf("close the database before resuming: %w", err)
	}
	if err := a.out.Flush(); err != nil {
		return err
	}
	a.log.Info("resume", "program", l.path)
	if l.folder != "" {
		if err := os.Chdir(l.folder); err != nil {
			return fmt.Errorf("resume in the folder %s: %w", l.folder, err)
		}
	}
	err = replaceProcess(ctx, l, a.Process)
	if _, ended := errors.AsType[exitCode](err); ended || err == nil {
		return err
	}
	return notStarted(l.path, err)
}

// askToResume says what stands against resuming and asks. It gives the session
// to resume: the one that was meant, or the one that a subagent worked for.
// Where nobody can answer it refuses.
func (a *app) askToResume(ctx context.Context, st model.ResumeCheck, cautions []model.ResumeCaution) (string, error) {
	var why []string
	for _, c := range cautions {
		why = append(why, c.Sentence)
	}
	reasons := strings.Join(why, "; ")
	parent := ""
	if st.IsDelegate {
		parent = st.ParentTip.ID
	}
	if a.json || !isTerminal(a.Stdin) || !isTerminal(a.Stderr) {
		f := &fault{kind: cautions[0].Kind, code: 1, message: fmt.Sprintf("resume %s: %s", st.Tip.ID, reasons), remedy: "give --yes to resume it all the same"}
		if parent != "" {
			f.remedy = "resume " + parent + ", which it works for, or give --yes"
		}
		return "", f
	}
	fmt.Fprintf(a.Stderr, "%s: %s.\n", clean(titleOr(st.Tip)), clean(reasons))
	question := "Resume it all the same? [y/N] "
	if parent != "" {
		question = "Resume it all the same, or the conversation that it works for? [y/p/N] "
	}
	answer, err := a.answer(ctx, question)
	switch {
	case err != nil:
		return "", err
	case answer == "y" || answer == "yes":
		return st.Tip.ID, nil
	case parent != "" && (answer == "p" || answer == "parent"):
		return parent, nil
	}
	fmt.Fprintln(a.Stderr, "Cancelled.")
	return "", errCancelled
}

// titleOr names a session: its title, else its id.
func titleOr(s model.Session) string {
	if s.Title != "" {
		return s.Title
	}
	return s.ID
}
