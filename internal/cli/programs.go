package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/internal/cli/terminal"
	"hermes-sessions/model/document"
	"hermes-sessions/store"
	"hermes-sessions/ui/shell"
)

// outside is what the browser on a terminal can have done with files and other
// programs.
func (a *app) outside(s *store.Store, t terminal.Terminal) shell.Outside {
	o := shell.Outside{
		Export: func(ctx context.Context, e shell.Exporting, progress func(done, total int)) (shell.Exported, error) {
			return a.exportFrom(ctx, s, e, progress)
		},
		FileName: fileName,
		Pager: func(ctx context.Context, id string) tea.ExecCommand {
			return &guest{app: a, screen: t, run: func(call guestCall) error { return a.page(ctx, s, id, call) }}
		},
		Editor: func(ctx context.Context, id string) tea.ExecCommand {
			return &guest{app: a, screen: t, run: func(call guestCall) error { return a.edit(ctx, s, id, call) }}
		},
	}
	if a.Environ.Get("TMUX") != "" {
		o.Clipboard = a.tmuxClipboard
	}
	return o
}

// exportFrom carries out an export that the browser asked for.
func (a *app) exportFrom(ctx context.Context, s *store.Store, e shell.Exporting, progress func(done, total int)) (shell.Exported, error) {
	file, err := a.Environ.Absolute(e.File)
	if err != nil {
		return shell.Exported{}, err
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return shell.Exported{}, fmt.Errorf("export: %s is a folder", file)
	}
	if err := a.notDatabase(file); err != nil {
		return shell.Exported{}, fmt.Errorf("export: %s is the session database itself", file)
	}
	total := 0
	var segments []string
	for _, id := range e.IDs {
		c, err := s.Conversation(ctx, id)
		if err != nil {
			return shell.Exported{}, err
		}
		total += c.Messages
		segments = append(segments, c.Segments...)
	}
	o := exporting{format: e.Format}
	if o.IDs = e.IDs; o.format == "jsonl" {
		o.IDs = segments
	}
	done := 0
	err = writeFile(file, e.Replace, func(w io.Writer) error {
		_, err := a.writeExport(ctx, s, w, o, func(n int) {
			done += n
			progress(min(done, total), total)
		})
		return err
	})
	if errors.Is(err, fs.ErrExist) {
		return shell.Exported{}, shell.ErrExists
	}
	if err != nil {
		return shell.Exported{}, err
	}
	written := shell.Exported{File: file}
	if info, err := os.Stat(file); err == nil {
		written.Bytes = info.Size()
	}
	return written, nil
}

// guest is a program that has the terminal until it ends.
type guest struct {
	app    *app
	screen terminal.Terminal
	run    func(guestCall) error
}

// guestCall runs a command line with an input, nil for the keyboard.
type guestCall func(ctx context.Context, command string, stdin io.Reader, args ...string) error

// Run implements tea.ExecCommand. Interrupts are the guest's: they reach all
// processes of a terminal.
func (g *guest) Run() error {
	if g.app.HoldInterrupts != nil {
		defer g.app.HoldInterrupts()()
	}
	return g.run(func(ctx context.Context, command string, stdin io.Reader, args ...string) error {
		cmd := shellCommand(context.WithoutCancel(ctx), command, args)
		cmd.Env = g.app.Environ
		if command == defaultPager && g.app.Environ.Get("LESS") == "" {
			cmd.Env = append(slices.Clone(cmd.Env), "LESS=-R") // without -F: a short text must stay
		}
		cmd.Stdin, cmd.Stdout, cmd.Stderr = g.screen.In, g.screen.Out, g.app.Stderr
		if stdin != nil {
			cmd.Stdin = stdin
		}
		err := cmd.Run()
		if exit, ended := errors.AsType[*exec.ExitError](err); ended {
			return fmt.Errorf("%s: %w", command, exit)
		}
		return err
	})
}

// The streams are those of the process, not those of the screen.
func (g *guest) SetStdin(io.Reader)  {}
func (g *guest) SetStdout(io.Writer) {}
func (g *guest) SetStderr(io.Writer) {}

// shellCommand runs what people put into PAGER and EDITOR, which may have
// arguments of its own.
func shellCommand(ctx context.Context, command string, args []string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		words := append(strings.Fields(command), args...)
		return exec.CommandContext(ctx, words[0], words[1:]...)
	}
	return exec.CommandContext(ctx, "sh", append([]string{"-c", command + ` "$@"`, "sh"}, args...)...)
}

const defaultPager = "less"

// page pipes a conversation into the pager.
func (a *app) page(ctx context.Context, s *store.Store, id string, call guestCall) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	text, in := io.Pipe()
	written := make(chan error, 1)
	go func() {
		d := a.newDocument(in, document.Options{Tools: true, Reasoning: true})
		err := firstError(writeConversation(ctx, s, d, id, nil), d.End())
		written <- err
		in.CloseWithError(err)
	}()
	pager := cmp.Or(a.Environ.Get("PAGER"), defaultPager)
	err := call(ctx, pager, text)
	// Who has read enough ends the pager before the text does.
	text.CloseWithError(io.ErrClosedPipe)
	cancel()
	if wrote := <-written; err == nil && wrote != nil && !errors.Is(wrote, io.ErrClosedPipe) && !errors.Is(wrote, context.Canceled) {
		err = wrote
	}
	return err
}

// edit opens a copy of a conversation in the editor. The copy is private and
// goes when the editor ends.
func (a *app) edit(ctx context.Context, s *store.Store, id string, call guestCall) (err error) {
	dir, err := os.MkdirTemp("", "hermes-sessions-")
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, os.RemoveAll(dir)) }()
	c, err := s.Conversation(ctx, id)
	if err != nil {
		return err
	}
	file := filepath.Join(dir, fileName(c)+".md")
	err = writeFile(file, false, func(w io.Writer) error {
		_, err := a.writeDocument(ctx, s, w, document.Markdown, []string{id}, nil)
		return err
	})
	if err != nil {
		return err
	}
	fallback := "vi"
	if runtime.GOOS == "windows" {
		fallback = "notepad"
	}
	return call(ctx, cmp.Or(a.Environ.Get("VISUAL"), a.Environ.Get("EDITOR"), fallback), nil, file)
}

// tmuxClipboard has tmux put text into its own buffer and the terminal's
// clipboard. Asked by a program the way terminals are, it does so only where
// set-clipboard is on, which it is not by itself.
func (a *app) tmuxClipboard(ctx context.Context, text string) error {
	cmd := exec.CommandContext(ctx, "tmux", "load-buffer", "-w", "-")
	cmd.Env, cmd.Stdin = a.Environ, strings.NewReader(text)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("copy through tmux: %w", err)
	}
	return nil
}
