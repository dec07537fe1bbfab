package ui

import (
	tea "charm.land/bubbletea/v2"

	"hermes-sessions/ui/shell"
)

// settingsEdited says that the editor with the settings has ended.
type settingsEdited struct {
	ended programEnded
	look  shell.Look
	wrong error // why the settings cannot be used, nil where they can
}

// settingsHandler opens the settings in the editor.
func (r *Root) settingsHandler() shell.Handler {
	out := r.env.Outside
	if out.Settings == nil {
		return shell.NewHandler(shell.Settings, "there is no settings file here", nil)
	}
	return shell.NewHandler(shell.Settings, "", func() tea.Cmd {
		return handOver(out.Settings(r.env.Context), func(err error) tea.Msg {
			e := settingsEdited{ended: programEnded{what: "editor", err: err}}
			e.look, e.wrong = out.Look()
			return e
		})
	})
}

// apply shows the screens as the settings now say. Keys and commands are what the browser has
// started with.
func (e settingsEdited) apply(r *Root) tea.Cmd {
	then := e.ended.report(r)
	if e.ended.err != nil {
		return then
	}
	if e.wrong != nil {
		r.Fail(e.wrong)
		return then
	}
	r.colors.chosen = e.look.Theme
	r.colors.setup.Own = e.look.Themes
	r.list.ShowColumns(e.look.Columns)
	return tea.Batch(then, r.applyTheme(e.look.Theme), r.Say("Settings read; keys and commands hold when you start again"))
}
