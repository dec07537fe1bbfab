package program

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/internal/cli/env"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/internal/cli/output"
)

// Runner runs programs below the browser. Each has the browser's terminal until it ends.
type Runner struct {
	Environ env.Vars
	Screen  output.Terminal
	Stderr  io.Writer
	Log     *slog.Logger
	// Hold keeps interrupts for the program, which a terminal sends to all of its
	// processes, until release is called; nil where interrupts are not handled.
	Hold func() (release func())
}

// child is a program that has the terminal. It implements tea.ExecCommand.
type child func() error

// Run runs the program until it ends.
func (c child) Run() error { return c() }

// Bubble Tea offers its own streams, which are ignored: the program gets the
// streams of the process.
func (c child) SetStdin(io.Reader)  {}
func (c child) SetStdout(io.Writer) {}
func (c child) SetStderr(io.Writer) {}

// Failed is a program that cannot be started, because of an error.
func Failed(err error) tea.ExecCommand { return child(func() error { return err }) }

// holding runs a program that gets the interrupts meanwhile.
func (r Runner) holding(run func() error) child {
	return func() error {
		if r.Hold != nil {
			defer r.Hold()()
		}
		return run()
	}
}

// run runs a command line with an input, nil for the keyboard.
func (r Runner) run(ctx context.Context, command string, stdin io.Reader, args ...string) error {
	cmd := shellCommand(ctx, command, r.Environ, args...)
	if command == defaultPager && r.Environ.Get("LESS") == "" {
		cmd.Env = append(slices.Clone(cmd.Env), "LESS=-R") // without -F, which would quit at once after a short text
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = r.Screen.In, r.Screen.Out, r.Stderr
	if stdin != nil {
		cmd.Stdin = stdin
	}
	err := cmd.Run()
	if exit, ended := errors.AsType[*exec.ExitError](err); ended {
		return fmt.Errorf("%s: %w", command, exit)
	}
	return err
}

// Hermes runs Hermes. The browser goes on when it ends. folder is that of the conversation.
func (r Runner) Hermes(ctx context.Context, command hermes.Command, folder string) tea.ExecCommand {
	return child(func() error {
		l, err := hermes.Prepare(ctx, command, folder, r.Environ, r.Log)
		if err != nil {
			return err
		}
		return r.holding(func() error {
			r.Log.Info("resume and return", "program", l.Path)
			return l.Run(ctx, hermes.Streams{In: r.Screen.In, Out: r.Screen.Out, Err: r.Stderr})
		})()
	})
}

// Pager pipes a text into the pager. write writes the text; its context is canceled when
// the pager ends.
func (r Runner) Pager(ctx context.Context, write func(context.Context, io.Writer) error) tea.ExecCommand {
	return r.holding(func() error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		text, in := io.Pipe()
		written := make(chan error, 1)
		go func() {
			err := write(ctx, in)
			written <- err
			in.CloseWithError(err)
		}()
		pager := cmp.Or(r.Environ.Get("HERMES_SESSIONS_PAGER"), r.Environ.Get("PAGER"), defaultPager)
		err := r.run(ctx, pager, text)
		// The pager may be quit before it has read the whole text.
		text.CloseWithError(io.ErrClosedPipe)
		cancel()
		if wrote := <-written; err == nil && wrote != nil && !errors.Is(wrote, io.ErrClosedPipe) && !errors.Is(wrote, context.Canceled) {
			err = wrote
		}
		return err
	})
}

// Editor opens a file in the editor, in a folder that only the user may read. write makes
// the file in the folder and returns its path. Both are removed when the editor ends.
func (r Runner) Editor(ctx context.Context, write func(ctx context.Context, folder string) (file string, err error)) tea.ExecCommand {
	return r.holding(func() error {
		return withFile(ctx, write, func(file string) error {
			return r.edit(ctx, file)
		})
	})
}

// EditFile opens a file of the user's in the editor.
func (r Runner) EditFile(ctx context.Context, file string) tea.ExecCommand {
	return r.holding(func() error { return r.edit(ctx, file) })
}

// edit runs the editor on a file.
func (r Runner) edit(ctx context.Context, file string) error {
	fallback := "vi"
	if runtime.GOOS == "windows" {
		fallback = "notepad"
	}
	return r.run(ctx, cmp.Or(r.Environ.Get("VISUAL"), r.Environ.Get("EDITOR"), fallback), nil, file)
}

// TmuxClipboard makes tmux put text into its own buffer and the terminal's
// clipboard. The escape sequence that other terminals take for this works in tmux
// only with set-clipboard on, which is not its default.
func TmuxClipboard(ctx context.Context, environ env.Vars, text string) error {
	cmd := exec.CommandContext(ctx, "tmux", "load-buffer", "-w", "-")
	cmd.Env, cmd.Stdin = environ, strings.NewReader(text)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("copy through tmux: %w", err)
	}
	return nil
}

// Clipboard puts text into the clipboard through tmux, or by the escape sequence of terminals,
// which do not answer it. A terminal without escape sequences is an error.
func Clipboard(ctx context.Context, environ env.Vars, terminal io.Writer, text string) error {
	switch {
	case environ.Get("TMUX") != "":
		return TmuxClipboard(ctx, environ, text)
	case environ.Get("TERM") == "dumb":
		return &fault.Fault{Kind: "clipboard", Code: 1, Message: "this terminal has no clipboard", Remedy: ":command and :details print what can be copied"}
	}
	_, err := io.WriteString(terminal, "\x1b]52;c;"+base64.StdEncoding.EncodeToString([]byte(text))+"\a")
	return err
}
