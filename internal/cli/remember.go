package cli

import (
	"encoding/json"
	"slices"

	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/settings"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui"
)

// memory is what one run of the browser starts with and leaves behind. Nothing is
// remembered of a run on the demo, of one that picks for a script, and of what
// flags say.
type memory struct {
	file  string         // "" to remember nothing
	list  bool           // scope, order, sources and folder too, not only queries
	start settings.State // as it was read
}

// recall reads the state file and puts it into the options of the browser.
func (b browsing) recall(a *app, opt *ui.Options) memory {
	m := memory{list: !b.listGiven}
	if !a.selection.Demo && !b.pick.any() {
		m.file = a.settings.StateFile(a.Environ)
	}
	if m.file == "" {
		return m
	}
	var err error
	if m.start, err = settings.ReadState(m.file); err != nil {
		a.log.Warn("state", "file", m.file, "error", err)
		opt.Note = "the saved state of the browser is damaged and was ignored: " + m.file
	}
	opt.History = m.start.Queries
	if m.list {
		opt.List.Scope = model.Scopes()[max(0, slices.Index(names(model.Scopes()), m.start.Scope))]
		opt.List.Order = query.Orders()[max(0, slices.Index(names(query.Orders()), m.start.Sort))]
		opt.List.Sources, opt.List.CWD = m.start.Sources, m.start.Folder
	}
	return m
}

// save writes the state file when the browser has ended, if anything changed.
// When that fails, a note says so and the run succeeds all the same.
func (m memory) save(a *app, root *ui.Root) {
	if m.file == "" {
		return
	}
	s := m.start
	s.Queries = root.History()
	if m.list {
		q := root.Listed()
		s.Scope, s.Sort, s.Sources, s.Folder = q.Scope.String(), q.Order.String(), q.Sources, q.CWD
	}
	if now, err := json.Marshal(s); err == nil {
		if then, err := json.Marshal(m.start); err == nil && string(now) == string(then) {
			return
		}
	}
	if err := s.Write(m.file); err != nil {
		a.log.Warn("state", "file", m.file, "error", err)
		a.printNote(fault.Fault{Kind: "state", Message: "the state of the browser could not be saved: " + err.Error(), Remedy: "remember = false in the settings turns this off"})
	}
}
