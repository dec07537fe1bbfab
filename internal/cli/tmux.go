package cli

import (
	"cmp"
	"context"

	"hermes-sessions/internal/cli/hermes"
	"hermes-sessions/internal/cli/program"
	"hermes-sessions/model"
	"hermes-sessions/store"
	"hermes-sessions/ui"
	"hermes-sessions/ui/shell"
)

func (a *app) tmux() program.Tmux { return program.Tmux{Environ: a.Environ} }

// tmuxKey names the conversation of a session for tmux. It stays the same while the
// conversation gets new segments.
func tmuxKey(ctx context.Context, s *store.Store, at hermes.Location, id string) (string, error) {
	c, err := s.Conversation(ctx, id)
	if err != nil {
		return "", err
	}
	return program.Key(hermes.RealPath(at.DB), c.RootID), nil
}

// jump goes to the pane of tmux where the conversation of a session runs. It reports false
// where there is none.
func (a *app) jump(ctx context.Context, s *store.Store, at hermes.Location, id string) (bool, error) {
	key, err := tmuxKey(ctx, s, at, id)
	if err != nil {
		return false, err
	}
	return a.tmux().Jump(ctx, key)
}

// openWindow starts Hermes in a new window of tmux.
func (a *app) openWindow(ctx context.Context, s *store.Store, at hermes.Location, id, title string, l hermes.Launch) error {
	key, err := tmuxKey(ctx, s, at, id)
	if err != nil {
		return err
	}
	a.log.Info("resume in a window", "program", l.Path)
	return a.tmux().Open(ctx, key, title, l.Folder, l.WindowWords())
}

// markPane says in tmux, if this run is in it, which conversation its pane is about to have.
func (a *app) markPane(ctx context.Context, s *store.Store, at hermes.Location, id string) {
	if !a.tmux().Inside() {
		return
	}
	key, err := tmuxKey(ctx, s, at, id)
	if err == nil {
		err = a.tmux().Mark(ctx, key)
	}
	if err != nil { // such as in a tmux that has no options of panes
		a.log.Info("mark the pane", "error", err)
	}
}

// windows returns what the browser does with the windows of tmux.
func (a *app) windows(h history, r resumption) *ui.Windows {
	return &ui.Windows{
		Jump: func(ctx context.Context, id string) (bool, error) {
			s, at, local := h.Of(id)
			if s == nil {
				return false, nil // the check for reasons not to resume says more
			}
			return a.jump(ctx, s, at, local)
		},
		Open: func(ctx context.Context, tip model.Session, tui bool) error {
			r := r
			r.hermes.TUI = r.hermes.TUI || tui
			s, at, local, err := h.Open(tip.ID)
			if err != nil {
				return err
			}
			l, err := hermes.Prepare(ctx, a.hermesCommand(at, local, r), tip.CWD, a.Environ, a.log)
			if err != nil {
				return err
			}
			return a.openWindow(ctx, s, at, local, cmp.Or(tip.Title, tip.ID), l)
		},
	}
}

// afterResume returns what the browser does after a resume, by the settings. Outside tmux
// there are no windows, and Hermes takes the place of the browser.
func (a *app) afterResume() shell.After {
	after := a.settings.After()
	if after == shell.Window && !a.tmux().Inside() {
		return shell.Leave
	}
	return after
}
