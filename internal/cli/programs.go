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

	"hermes-sessions/internal/cli/env"
	"hermes-sessions/internal/cli/program"
	"hermes-sessions/internal/cli/terminal"
	"hermes-sessions/model/document"
	"hermes-sessions/store"
	"hermes-sessions/ui/shell"
)

// external returns what the browser may ask of files and other programs: export,
// pager, editor, and under tmux its clipboard.
func (a *app) external(h history, t terminal.Terminal) shell.Outside {
	o := shell.Outside{
		Export: func(ctx context.Context, e shell.ExportOptions, progress func(done, total int)) (shell.Exported, error) {
			s, local, err := h.in(e.IDs)
			if err != nil {
				return shell.Exported{}, err
			}
			e.IDs = local
			return a.exportFrom(ctx, s, e, progress)
		},
		FileName: fileName,
		Pager: func(ctx context.Context, id string) tea.ExecCommand {
			return &programOnTerminal{app: a, screen: t, run: func(call runProgram) error {
				s, local, err := h.in([]string{id})
				if err != nil {
					return err
				}
				return a.openPager(ctx, s, local[0], call)
			}}
		},
		Editor: func(ctx context.Context, id string) tea.ExecCommand {
			return &programOnTerminal{app: a, screen: t, run: func(call runProgram) error {
				s, local, err := h.in([]string{id})
				if err != nil {
					return err
				}
				return a.openEditor(ctx, s, local[0], call)
			}}
		},
	}
	if a.Environ.Get("TMUX") != "" {
		o.Clipboard = func(ctx context.Context, text string) error { return tmuxClipboard(ctx, a.Environ, text) }
	}
	return o
}

// exportFrom writes an export that the browser asked for. progress is called
// with the numbers of messages written so far and in all.
func (a *app) exportFrom(ctx context.Context, s *store.Store, e shell.ExportOptions, progress func(done, total int)) (shell.Exported, error) {
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
	var segments []string
	for _, id := range e.IDs {
		c, err := s.Conversation(ctx, id)
		if err != nil {
			return shell.Exported{}, err
		}
		segments = append(segments, c.Segments...)
	}
	o := exportOptions{format: e.Format}
	if o.IDs = e.IDs; o.format == "jsonl" {
		o.IDs, progress = segments, nil // which counts messages
	}
	err = writeFile(file, e.Replace, func(w io.Writer) error {
		_, err := a.writeExport(ctx, s, w, o, progress)
		return err
	})
	if errors.Is(err, fs.ErrExist) {
		return shell.Exported{}, shell.ErrExists
	}
	if err != nil {
		return shell.Exported{}, err
	}
	written := shell.Exported{File: cmp.Or(linkTarget(file), file)} // where it is now
	if info, err := os.Stat(file); err == nil {
		written.Bytes = info.Size()
	}
	return written, nil
}

// programOnTerminal runs a pager or an editor that has the terminal until it ends.
// It implements tea.ExecCommand.
type programOnTerminal struct {
	app    *app
	screen terminal.Terminal
	run    func(runProgram) error
}

// runProgram runs a command line with an input, nil for the keyboard.
type runProgram func(ctx context.Context, command string, stdin io.Reader, args ...string) error

// Run lets run start the program. Interrupts belong to it meanwhile: a terminal
// sends them to all of its processes.
func (p *programOnTerminal) Run() error {
	if p.app.HoldInterrupts != nil {
		defer p.app.HoldInterrupts()()
	}
	return p.run(func(ctx context.Context, command string, stdin io.Reader, args ...string) error {
		cmd := program.Command(ctx, command, p.app.Environ, args...)
		if command == program.DefaultPager && p.app.Environ.Get("LESS") == "" {
			cmd.Env = append(slices.Clone(cmd.Env), "LESS=-R") // without -F, which would quit at once after a short text
		}
		cmd.Stdin, cmd.Stdout, cmd.Stderr = p.screen.In, p.screen.Out, p.app.Stderr
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

// Bubble Tea offers its own streams, which are ignored: the program gets the
// streams of the process.
func (p *programOnTerminal) SetStdin(io.Reader)  {}
func (p *programOnTerminal) SetStdout(io.Writer) {}
func (p *programOnTerminal) SetStderr(io.Writer) {}

// openPager pipes a conversation into the pager.
func (a *app) openPager(ctx context.Context, s *store.Store, id string, call runProgram) error {
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
	pager := cmp.Or(a.Environ.Get("HERMES_SESSIONS_PAGER"), a.Environ.Get("PAGER"), program.DefaultPager)
	err := call(ctx, pager, text)
	// The pager may be quit before it has read the whole text.
	text.CloseWithError(io.ErrClosedPipe)
	cancel()
	if wrote := <-written; err == nil && wrote != nil && !errors.Is(wrote, io.ErrClosedPipe) && !errors.Is(wrote, context.Canceled) {
		err = wrote
	}
	return err
}

// openEditor opens a copy of a conversation in the editor. Only the user may read
// the copy, and it is removed when the editor ends.
func (a *app) openEditor(ctx context.Context, s *store.Store, id string, call runProgram) (err error) {
	dir, err := os.MkdirTemp("", "hermes-sessions-")
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, os.RemoveAll(dir)) }()
	// A signal to this process alone leaves the editor running.
	defer context.AfterFunc(ctx, func() { _ = os.RemoveAll(dir) })()
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

// tmuxClipboard makes tmux put text into its own buffer and the terminal's
// clipboard. The escape sequence that other terminals take for this works in tmux
// only with set-clipboard on, which is not its default.
func tmuxClipboard(ctx context.Context, environ env.Vars, text string) error {
	cmd := exec.CommandContext(ctx, "tmux", "load-buffer", "-w", "-")
	cmd.Env, cmd.Stdin = environ, strings.NewReader(text)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("copy through tmux: %w", err)
	}
	return nil
}
