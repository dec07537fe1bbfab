package hermes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"hermes-sessions/internal/cli/env"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/model"
)

// Launch is a call of Hermes that is ready to start.
type Launch struct {
	Path    string // of the program
	Folder  string // to start in, "" to stay in this one
	argv    []string
	environ env.Vars
}

// WindowWords returns the program and its arguments for a window of another terminal. It does
// not have the environment of this process, so they set the variables that the call needs.
func (l Launch) WindowWords() []string {
	words := []string{"env"}
	for _, name := range []string{"PATH", "HERMES_HOME"} {
		if value, set := l.environ.Lookup(name); set {
			words = append(words, name+"="+value)
		}
	}
	return append(append(words, l.Path), l.argv[1:]...)
}

// Streams are the standard streams that a started Hermes gets.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Prepare finds the program of a call and the folder to start it in. was is the
// folder of the conversation; it counts if it still exists and the call names
// none. With --in, Prepare runs "hermes --help" to learn whether this version has
// the flag; that costs a start of Hermes. The error is a fault that says why the
// call cannot start.
func Prepare(ctx context.Context, c Command, was string, environ env.Vars, log *slog.Logger) (Launch, error) {
	path, err := exec.LookPath(c.program)
	if err == nil {
		path, err = filepath.Abs(path) // the program starts in another folder
	}
	if err != nil {
		return Launch{}, notStarted(c.program, err)
	}
	l := Launch{Path: path}
	if l.Folder, err = c.startFolder(was); err != nil {
		return Launch{}, err
	}
	if c.folder != "" {
		c.folder, c.hasIn = l.Folder, hasIn(ctx, path, environ, log)
	}
	l.argv = c.Words()
	l.environ = launchEnviron(environ, c.home, l.Folder)
	return l, nil
}

// InFolder returns the command as the user can copy it into a shell, with a change to
// the folder that [Prepare] would start it in, and that folder, "" for none. was is the folder
// of the conversation.
func (c Command) InFolder(was string) (line, folder string, err error) {
	folder, err = c.startFolder(was)
	switch {
	case err != nil:
		return "", "", err
	case folder == "" || output.Clean(folder) != folder:
		return c.String(), folder, nil
	case runtime.GOOS == "windows":
		return "cd /d " + model.ShellWord(folder) + " && " + c.String(), folder, nil
	}
	return "cd " + model.ShellWord(folder) + " && " + c.String(), folder, nil
}

// startFolder returns the folder to start in: the one that the call names, else that of the
// conversation, was, if it still exists, to which newer versions of Hermes go by themselves;
// "" to stay in this one.
func (c Command) startFolder(was string) (string, error) {
	switch {
	case c.folder == "" && filepath.IsAbs(was) && isFolder(was):
		return was, nil
	case c.folder == "":
		return "", nil
	}
	folder, err := filepath.Abs(c.folder)
	if err != nil {
		return "", fmt.Errorf("find the folder %s: %w", c.folder, err)
	}
	if !isFolder(folder) {
		return "", &fault.Fault{
			Kind: "no-folder", Code: 1, Message: "resume: there is no folder " + folder,
			Remedy: "name an existing one with --in, or leave --in out to use the folder of the conversation",
		}
	}
	return folder, nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// launchEnviron returns the environment of a Hermes that starts in folder: as it
// is, with PWD, and with HERMES_HOME where home is named. A relative HERMES_HOME
// counts from the folder of the process, so it is made absolute before Hermes
// starts in another.
func launchEnviron(environ env.Vars, home, folder string) env.Vars {
	if named := strings.TrimSpace(environ.Get("HERMES_HOME")); home == "" && folder != "" && named != "" && !filepath.IsAbs(named) {
		if abs, err := filepath.Abs(named); err == nil {
			home = abs
		}
	}
	out := slices.Clone(environ)
	set := func(name, value string) {
		if value != "" {
			// Of two variables with one name some programs take the first, so the
			// old one is removed.
			out = slices.DeleteFunc(out, func(v string) bool { return strings.HasPrefix(v, name+"=") })
			out = append(out, name+"="+value)
		}
	}
	set("HERMES_HOME", home)
	set("PWD", folder)
	return out
}

// hasIn reports whether the help text of a Hermes names the flag --in.
func hasIn(ctx context.Context, path string, environ env.Vars, log *slog.Logger) bool {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--help")
	cmd.Env = environ
	cmd.WaitDelay = time.Second
	help, err := cmd.Output()
	log.Info("asked hermes for --in", "error", err)
	return slices.Contains(strings.Fields(string(help)), "--in")
}

// Replace hands the terminal to Hermes and does not get it back. On Unix the process becomes
// Hermes, so Replace returns only on failure; on Windows it runs Hermes as a child
// and returns its exit code as a [fault.ExitCode].
func (l Launch) Replace(ctx context.Context, s Streams) error {
	if l.Folder != "" {
		if err := os.Chdir(l.Folder); err != nil {
			return fmt.Errorf("resume in the folder %s: %w", l.Folder, err)
		}
	}
	err := l.replace(ctx, s)
	if _, ended := errors.AsType[fault.ExitCode](err); ended || err == nil {
		return err
	}
	return notStarted(l.Path, err)
}

// Run runs Hermes as a child process until it ends. A canceled context does not
// kill it: an interrupt of the terminal reaches the child too. The error of a
// child that failed is "exit status 2" or the name of the signal.
func (l Launch) Run(ctx context.Context, s Streams) error {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), l.Path)
	cmd.Args = l.argv
	cmd.Env = l.environ
	cmd.Dir = l.Folder
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.In, s.Out, s.Err
	err := cmd.Run()
	if exit, ended := errors.AsType[*exec.ExitError](err); ended {
		return errors.New(exit.String())
	}
	if err != nil {
		return notStarted(l.Path, err)
	}
	return nil
}

// notStarted returns the fault for a program that could not be run, with the
// reason and the remedy in words.
func notStarted(program string, err error) error {
	f := &fault.Fault{
		Kind: "hermes-missing", Code: 1, Err: err,
		Message: fmt.Sprintf("resume: %s could not be started: %s", program, err),
		Remedy:  "name the program with --hermes or HERMES_BIN",
	}
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		f.Message = fmt.Sprintf("resume: %s was not found", program)
		f.Remedy = "the command is printed above; name the program with --hermes or HERMES_BIN"
	case errors.Is(err, fs.ErrPermission):
		f.Kind, f.Message = "hermes-not-executable", fmt.Sprintf("resume: %s is not executable", program)
		f.Remedy, f.Command = "make it executable, or name another with --hermes or HERMES_BIN", "chmod +x "+model.ShellWord(program)
	case errors.Is(err, syscall.ENOEXEC):
		f.Kind, f.Message = "hermes-not-executable", fmt.Sprintf("resume: %s is not a program", program)
	}
	return f
}
