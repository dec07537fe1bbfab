package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/internal/cli/export"
	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/output"
	"hermes-sessions/internal/cli/program"
	"hermes-sessions/internal/cli/state"
	"hermes-sessions/model"
	"hermes-sessions/model/document"
	"hermes-sessions/store"
	"hermes-sessions/ui/shell"
)

// runner runs programs on the browser's terminal.
func (a *app) runner(t output.Terminal) program.Runner {
	return program.Runner{Environ: a.Environ, Screen: t, Stderr: a.Stderr, Log: a.log, Hold: a.HoldInterrupts}
}

// outside returns what the browser may ask of files and other programs: export,
// pager, editor, and under tmux its clipboard.
func (a *app) outside(h history, t output.Terminal) shell.Outside {
	programs := a.runner(t)
	o := shell.Outside{
		Export: func(ctx context.Context, e shell.ExportOptions, progress func(done, total int)) (shell.Exported, error) {
			parts, err := h.Parts(e.IDs)
			if err != nil {
				return shell.Exported{}, err
			}
			return a.exportFrom(ctx, parts, e, progress)
		},
		FileName:  export.FileName,
		EditQuery: a.settings.QueryEditor(a.Environ),
		Pager: func(ctx context.Context, id string) tea.ExecCommand {
			s, local, err := h.In([]string{id})
			if err != nil {
				return program.Failed(err)
			}
			return programs.Pager(ctx, func(ctx context.Context, w io.Writer) error {
				d := export.NewDocument(w, document.Options{Zone: a.Now().Location(), Tools: true, Reasoning: true, Redact: a.alwaysMasker()})
				return cmp.Or(export.Conversation(ctx, s, d, local[0], nil), d.End())
			})
		},
		Editor: func(ctx context.Context, id string) tea.ExecCommand {
			s, local, err := h.In([]string{id})
			if err != nil {
				return program.Failed(err)
			}
			return programs.Editor(ctx, a.markdownCopy(s, local))
		},
	}
	o.Command = func(ctx context.Context, q shell.RunCommand, out io.Writer) tea.ExecCommand {
		call, err := a.ownCommand(ctx, h, q)
		if err != nil {
			return program.Failed(err)
		}
		call.Output = out
		return programs.Command(ctx, call)
	}
	if file, err := state.SettingsFile(a.configFile, a.Environ); err == nil {
		o.Settings = func(ctx context.Context) tea.ExecCommand {
			if err := state.InitSettings(file); err != nil && !errors.Is(err, fs.ErrExist) {
				return program.Failed(err)
			}
			return programs.EditFile(ctx, file)
		}
		o.Look = func() (shell.Look, error) {
			now, err := a.readSettings()
			if wrong, ok := errors.AsType[*fault.Fault](err); ok && wrong.Err != nil {
				err = fmt.Errorf("settings: %w", wrong.Err) // the file has just been open
			}
			return now.Look(), err
		}
	}
	if a.selection.Demo { // whose notes are in no file either
		o.EditQuery, o.QueriesEnd = a.settings.MemoryQueryEditor(), true
	}
	if a.settings.Redact.Always {
		o.Redact = func(text string) (string, string) {
			m := a.browserMasker()
			masked := m.Text(text)
			if len(m.Counts) == 0 {
				return masked, ""
			}
			return masked, m.Counts.String()
		}
	}
	if a.Environ.Get("TMUX") != "" {
		o.Clipboard = func(ctx context.Context, text string) error { return program.TmuxClipboard(ctx, a.Environ, text) }
	}
	return o
}

// markdownCopy returns a function that writes a conversation to a file in a folder.
func (a *app) markdownCopy(s *store.Store, local []string) func(ctx context.Context, folder string) (string, error) {
	return func(ctx context.Context, folder string) (string, error) {
		c, err := s.Conversation(ctx, local[0])
		if err != nil {
			return "", err
		}
		file := filepath.Join(folder, export.FileName(c)+".md")
		return file, export.WriteFile(file, false, func(w io.Writer) error {
			_, err := export.Conversations(ctx, w, document.Options{Form: document.Markdown, Zone: a.Now().Location(), Redact: a.alwaysMasker()}, []export.Part{{Store: s, IDs: local}}, nil)
			return err
		})
	}
}

// ownCommand returns the call of a command of the user's own.
func (a *app) ownCommand(ctx context.Context, h history, q shell.RunCommand) (program.Call, error) {
	s, at, local, err := h.Open(q.One.ID)
	if err != nil {
		return program.Call{}, err
	}
	c, err := s.Conversation(ctx, local)
	if err != nil {
		return program.Call{}, err
	}
	call := program.Call{
		Line: q.Command.Line, Selected: state.PlaceholderVariable("selection"), Write: a.markdownCopy(s, []string{local}), Values: map[string]string{},
	}
	for name, value := range map[string]string{
		"id": local, "title": shell.ConversationName(c), "folder": c.CWD, "profile": at.ProfileName(), "database": at.DB,
	} {
		call.Values[state.PlaceholderVariable(name)] = value
	}
	if slices.Contains(q.Command.Needs, "file") {
		call.File = state.PlaceholderVariable("file")
	}
	if slices.Contains(q.Command.Needs, "selection") {
		_, call.Selection, err = h.In(q.Of.IDs)
	}
	return call, err
}

// resumeAndReturn returns the function that the browser calls for "resume and
// come back": it makes the command for a session.
func (a *app) resumeAndReturn(ctx context.Context, s history, t output.Terminal, r resumption) func(model.Session, bool) tea.ExecCommand {
	programs := a.runner(t)
	return func(tip model.Session, tui bool) tea.ExecCommand {
		r := r
		r.hermes.TUI = r.hermes.TUI || tui
		_, at, local := s.Of(tip.ID)
		return programs.Hermes(ctx, a.hermesCommand(at, local, r), tip.CWD)
	}
}

// exportFrom writes an export that the browser asked for. progress is called
// with the numbers of messages written so far and in all.
func (a *app) exportFrom(ctx context.Context, parts []export.Part, e shell.ExportOptions, progress func(done, total int)) (shell.Exported, error) {
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
	if e.Format == "jsonl" {
		progress = nil // which counts messages
		for i, p := range parts {
			var segments []string
			for _, id := range p.IDs {
				c, err := p.Store.Conversation(ctx, id)
				if err != nil {
					return shell.Exported{}, err
				}
				segments = append(segments, c.Segments...)
			}
			parts[i].IDs = segments
		}
	}
	o := exportOptions{format: e.Format}
	if e.Redact {
		o.redact.masker = a.browserMasker()
	}
	err = export.WriteFile(file, e.Replace, func(w io.Writer) error {
		_, err := a.writeExport(ctx, parts, w, o, progress)
		return err
	})
	if errors.Is(err, fs.ErrExist) {
		return shell.Exported{}, shell.ErrExists
	}
	if err != nil {
		return shell.Exported{}, err
	}
	written := shell.Exported{File: cmp.Or(export.LinkTarget(file), file)} // where it is now
	if info, err := os.Stat(file); err == nil {
		written.Bytes = info.Size()
	}
	if e.Redact {
		written.Redacted = o.redact.masker.Counts.String()
	}
	return written, nil
}

// leaveFor runs a command of the user's own after the browser. Where it fails, so does the run.
func (a *app) leaveFor(ctx context.Context, h history, t output.Terminal, q shell.RunCommand) error {
	call, err := a.ownCommand(ctx, h, q)
	if err != nil {
		return err
	}
	if err := a.runner(t).Command(ctx, call).Run(); err != nil {
		return fmt.Errorf("%s: %w", q.Command.Words(), err)
	}
	return nil
}
