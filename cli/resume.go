package cli

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hermes-sessions/model"
	"hermes-sessions/store"
	"hermes-sessions/ui"
)

func (a *app) resumeCommand() *cobra.Command {
	var hermes string
	var show bool
	cmd := &cobra.Command{
		Use:   "resume [ID|TITLE]",
		Short: "Go on with a conversation in Hermes",
		Long: `resume goes on with a conversation in Hermes, at its newest segment. It takes an
id, the unique beginning of one, or an exact title; without any it takes the
newest conversation of the command line (source cli).`,
		ValidArgsFunction: a.completeID,
		RunE: func(cmd *cobra.Command, words []string) error {
			ctx := cmd.Context()
			s, at, err := a.open(ctx)
			if err != nil {
				return err
			}
			defer s.Close()
			id, err := a.resumable(ctx, s, strings.Join(words, " "))
			if err != nil {
				return err
			}
			if !show {
				return a.resume(ctx, s, at, id, hermes)
			}
			tip, err := s.Tip(ctx, id)
			if err != nil {
				return fmt.Errorf("resume %s: %w", id, err)
			}
			c := a.hermesCommand(at, tip, hermes)
			if a.json {
				return a.printJSON(struct {
					ID      string   `json:"id"`
					Command []string `json:"command"`
					Home    string   `json:"hermes_home,omitempty"`
				}{tip, append([]string{c.program}, c.args...), at.home})
			}
			_, err = fmt.Fprintln(a.out, c)
			return err
		},
	}
	cmd.Flags().BoolVar(&show, "print", false, "print the command instead of running it")
	cmd.Flags().StringVar(&hermes, "hermes", "", "the `PROGRAM` that resumes (default HERMES_BIN, else hermes)")
	return cmd
}

// resumable gives the id that the words mean, or the newest conversation of
// the command line.
func (a *app) resumable(ctx context.Context, s *store.Store, words string) (string, error) {
	if words != "" {
		return s.Resolve(ctx, words)
	}
	page, err := s.Conversations(ctx, model.ListQuery{Sources: []string{"cli"}, Limit: 1})
	if err != nil {
		return "", err
	}
	if len(page.Conversations) == 0 {
		return "", &fault{
			kind: "not-found", code: 1,
			message: "no conversation of the command line to resume",
			remedy:  "name one by its id or title; hermes-sessions list shows them",
		}
	}
	return page.Conversations[0].ID, nil
}

// hermesCommand is a call of Hermes.
type hermesCommand struct {
	program string
	args    []string
	home    string // HERMES_HOME, "" to leave it as it is
}

// hermesCommand gives the call that resumes a session; program is the flag's.
func (a *app) hermesCommand(at place, tip, program string) hermesCommand {
	if program == "" {
		program = a.getenv("HERMES_BIN")
	}
	if program == "" {
		program = "hermes"
	}
	c := hermesCommand{program: program, home: at.home}
	if at.profile != "" {
		c.args = append(c.args, "-p", at.profile)
	}
	c.args = append(c.args, "--resume", tip)
	return c
}

// String gives the command for a person to copy into a shell.
func (c hermesCommand) String() string {
	words := append([]string{c.program}, c.args...)
	for i, w := range words {
		words[i] = quoted(w)
	}
	if c.home != "" && runtime.GOOS != "windows" {
		words = append([]string{"HERMES_HOME=" + quoted(c.home)}, words...)
	}
	return strings.Join(words, " ")
}

// quoted writes a word so that a shell takes it as it is. Control bytes go:
// they would act on the terminal first.
func quoted(word string) string {
	word = ui.CleanLine(word)
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:@%+,=", r)
	}
	switch {
	case word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0:
		return word
	case runtime.GOOS == "windows":
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// resume hands the terminal to Hermes at the tip of the conversation. The
// database is closed first: on Unix nothing of this process runs afterwards.
func (a *app) resume(ctx context.Context, s *store.Store, at place, id, program string) error {
	tip, err := s.Tip(ctx, id)
	if err != nil {
		return fmt.Errorf("resume %s: %w", id, err)
	}
	c := a.hermesCommand(at, tip, program)
	if a.demo && program == "" {
		_, err := fmt.Fprintf(a.out, "On your own history this would now run: %s\n", c)
		return err
	}
	path, err := exec.LookPath(c.program)
	if err != nil {
		if _, werr := fmt.Fprintln(a.out, c); werr != nil {
			return werr
		}
		return &fault{
			kind: "hermes-missing", code: 1, err: err,
			message: fmt.Sprintf("resume: %s was not found", c.program),
			remedy:  "the command is printed above; name the program with --hermes or HERMES_BIN",
		}
	}
	if err := s.Close(); err != nil {
		return fmt.Errorf("close the database before resuming: %w", err)
	}
	if err := a.out.Flush(); err != nil {
		return err
	}
	environ := a.Environ
	if c.home != "" {
		// Only one may stay: of two, some programs take the first.
		environ = slices.DeleteFunc(slices.Clone(environ), func(v string) bool { return strings.HasPrefix(v, "HERMES_HOME=") })
		environ = append(environ, "HERMES_HOME="+c.home)
	}
	a.log.Info("resume", "program", path)
	err = replaceProcess(ctx, path, append([]string{c.program}, c.args...), environ, a.Process)
	if _, ended := errors.AsType[exitCode](err); ended || err == nil {
		return err
	}
	return fmt.Errorf("run %s: %w", path, err)
}
