package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"hermes-sessions/model"
)

// hermesOptions is what a person may say about how Hermes is called.
type hermesOptions struct {
	program string   // "" for HERMES_BIN, else the settings, else hermes
	args    []string // before all others
	in      string   // folder to run it in, "" for that of the conversation
}

// flags adds the options to a command.
func (o *hermesOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.program, "hermes", "", "the `PROGRAM` that resumes (default HERMES_BIN, else hermes)")
	f.StringArrayVar(&o.args, "hermes-arg", nil, "give Hermes this `ARGUMENT` as well (repeatable): --hermes-arg=--yolo")
	f.StringVar(&o.in, "in", "", "resume in the folder `DIR` instead of that of the conversation")
}

// hermesCommand is a call of Hermes that resumes a session.
type hermesCommand struct {
	program string
	extra   []string
	profile string // "" to leave it to Hermes
	home    string // HERMES_HOME, "" to leave it as it is
	in      string // folder, "" to leave it to the conversation
	hasIn   bool   // this Hermes has --in
	tui     bool
	tip     string
}

// hermesCommand gives the call that resumes a session.
func (a *app) hermesCommand(at place, tip string, r resumption) hermesCommand {
	c := hermesCommand{extra: slices.Concat(a.settings.HermesArgs, r.hermes.args), profile: at.profile, home: at.home, in: r.hermes.in, tui: r.tui, tip: tip}
	for _, c.program = range []string{r.hermes.program, a.getenv("HERMES_BIN"), a.settings.Hermes, "hermes"} {
		if c.program != "" {
			break
		}
	}
	return c
}

// words gives the program and its arguments.
func (c hermesCommand) words() []string {
	out := []string{c.program}
	if c.profile != "" {
		out = append(out, "-p", c.profile)
	}
	out = append(out, c.extra...)
	if c.tui && !slices.Contains(c.extra, "--tui") {
		out = append(out, "--tui")
	}
	if c.in != "" && c.hasIn {
		out = append(out, "--in", c.in)
	}
	return append(out, "--resume", c.tip)
}

// String gives the command for a person to copy into a shell. Control bytes
// go: they would act on the terminal first.
func (c hermesCommand) String() string {
	words := c.words()
	for i, w := range words {
		words[i] = model.ShellWord(clean(w))
	}
	if c.home != "" && runtime.GOOS != "windows" {
		words = append([]string{"HERMES_HOME=" + model.ShellWord(clean(c.home))}, words...)
	}
	return strings.Join(words, " ")
}

// launch is a call of Hermes that can begin.
type launch struct {
	path          string
	argv, environ []string
	folder        string // to begin in, "" to stay
}

// prepare finds the program of a call and the folder to begin in. was is the
// folder that the conversation was in. The error says why the call can not
// begin.
func (a *app) prepare(ctx context.Context, c hermesCommand, was string) (launch, error) {
	path, err := exec.LookPath(c.program)
	if err == nil {
		path, err = filepath.Abs(path) // the folder may change
	}
	if err != nil {
		return launch{}, notStarted(c.program, err)
	}
	r := launch{path: path}
	switch {
	case c.in != "":
		if r.folder, err = filepath.Abs(c.in); err != nil {
			return launch{}, fmt.Errorf("find the folder %s: %w", c.in, err)
		}
		if !isFolder(r.folder) {
			return launch{}, &fault{kind: "no-folder", code: 1, message: "resume: there is no folder " + r.folder, remedy: "--in names one that is there; without it Hermes goes where the conversation was"}
		}
		c.in, c.hasIn = r.folder, a.hermesHasIn(ctx, path)
	case filepath.IsAbs(was) && isFolder(was):
		r.folder = was // newer versions go there by themselves
	}
	r.argv = c.words()
	r.environ = a.hermesEnviron(c.home, r.folder)
	return r, nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// hermesEnviron is our environment with Hermes's home, for a process in a
// folder.
func (a *app) hermesEnviron(home, folder string) []string {
	if named := strings.TrimSpace(a.getenv("HERMES_HOME")); home == "" && folder != "" && named != "" && !filepath.IsAbs(named) {
		// Hermes takes it from where it runs.
		if abs, err := filepath.Abs(named); err == nil {
			home = abs
		}
	}
	environ := slices.Clone(a.Environ)
	set := func(name, value string) {
		if value != "" {
			// Only one may stay: of two, some programs take the first.
			environ = slices.DeleteFunc(environ, func(v string) bool { return strings.HasPrefix(v, name+"=") })
			environ = append(environ, name+"="+value)
		}
	}
	set("HERMES_HOME", home)
	set("PWD", folder)
	return environ
}

// hermesHasIn asks a Hermes whether it takes a folder to stay in. It is asked
// only when somebody names one: starting it takes long.
func (a *app) hermesHasIn(ctx context.Context, path string) bool {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--help")
	cmd.Env = a.Environ
	cmd.WaitDelay = time.Second
	help, err := cmd.Output()
	a.log.Info("asked hermes for --in", "error", err)
	return slices.Contains(strings.Fields(string(help)), "--in")
}

// notStarted says why a program could not be run.
func notStarted(program string, err error) error {
	f := &fault{
		kind: "hermes-missing", code: 1, err: err,
		message: fmt.Sprintf("resume: %s could not be started: %s", program, err),
		remedy:  "name the program with --hermes or HERMES_BIN",
	}
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		f.message = fmt.Sprintf("resume: %s was not found", program)
		f.remedy = "the command is printed above; name the program with --hermes or HERMES_BIN"
	case errors.Is(err, fs.ErrPermission):
		f.kind, f.message = "hermes-not-executable", fmt.Sprintf("resume: %s may not be executed", program)
		f.remedy = "chmod +x " + model.ShellWord(program) + ", or name another with --hermes or HERMES_BIN"
	case errors.Is(err, syscall.ENOEXEC):
		f.kind, f.message = "hermes-not-executable", fmt.Sprintf("resume: %s is not a program", program)
	}
	return f
}
