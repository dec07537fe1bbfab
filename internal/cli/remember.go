package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"hermes-sessions/internal/cli/fault"
	"hermes-sessions/internal/cli/state"
	"hermes-sessions/model/query"
	"hermes-sessions/store"
	"hermes-sessions/ui"
	"hermes-sessions/ui/shell"
)

// memory is what one run of the browser starts with and leaves behind. Nothing is
// remembered of a run on the demo and of one that picks for a script.
type memory struct {
	file  string          // "" to remember nothing
	start state.State     // as it was read
	read  *state.Readings // nil to remember nothing
}

// openReadMemory opens read.json beside a state file: up to where each conversation was read.
func (a *app) openReadMemory(stateFile string, d state.Databases) *state.Readings {
	r, err := state.OpenReadings(filepath.Join(filepath.Dir(stateFile), "read.json"), d)
	if err != nil {
		a.log.Warn("read.json", "error", err)
	}
	return r
}

// readMemory returns what the plain prompt remembers of conversations, nil for nothing.
func (b browsing) readMemory(a *app, s *store.Store) shell.Memory {
	if a.selection.Demo || b.pick.any() {
		return nil
	}
	file := a.settings.StateFile(a.Environ)
	if file == "" {
		return nil
	}
	return a.openReadMemory(file, single{s}.Databases())
}

// resolve returns the filters of a command with what this program remembers of
// conversations.
func (a *app) resolve(s listed, filters []query.Filter) (resolved []query.Filter, err error) {
	resolved = query.Resolve(filters, func(f query.Filter) *query.Known {
		if f.OnNotes() {
			b, failed := a.openNotes(s.Databases())
			if failed != nil {
				err = fmt.Errorf("read the notes: %w", failed)
				return nil
			}
			return b.Known(f)
		}
		own, _ := state.ReadSettings(a.configFile, a.Environ) // the commands that need settings report wrong ones
		if file := own.StateFile(a.Environ); file != "" {
			return a.openReadMemory(file, s.Databases()).Known(f)
		}
		return nil
	})
	return resolved, err
}

// recall reads the state file and sets the options of the browser from it. damaged says which of
// its entries could not be read, "" for none.
func (b browsing) recall(a *app, h history, opt *ui.Options) (m memory, damaged string) {
	opt.Annotations = a.annotationsOf(h.Paths())
	if !a.selection.Demo && !b.pick.any() {
		m.file = a.settings.StateFile(a.Environ)
	}
	if m.file == "" {
		return m, ""
	}
	var err error
	if m.start, err = state.ReadState(m.file); err != nil {
		a.log.Warn("state", "file", m.file, "error", err)
		damaged = "the saved state of the browser is damaged and was ignored: " + m.file
	}
	m.read = a.openReadMemory(m.file, h.Paths())
	opt.Memory = m.read
	opt.History = m.start.Queries
	return m, damaged
}

// save writes the state file when the browser has ended, if anything changed.
// When that fails, a note says so and the run succeeds all the same.
func (m memory) save(a *app, root *ui.Root) {
	if m.file == "" {
		return
	}
	if err := m.read.Save(); err != nil {
		a.log.Warn("read.json", "error", err)
		a.printNote(unsaved("which messages you have read could not be saved: ", err))
	}
	queries := root.History()
	if slices.Equal(queries, m.start.Queries) {
		return
	}
	if err := (state.State{Queries: queries}).Write(m.file); err != nil {
		a.log.Warn("state", "file", m.file, "error", err)
		a.printNote(unsaved("the state of the browser could not be saved: ", err))
	}
}

// unsaved says why a file of the browser's own was not saved, and what helps.
func unsaved(what string, err error) fault.Fault {
	f := fault.Of(err)
	return fault.Fault{Kind: "state", Message: what + f.Message, Remedy: cmp.Or(f.Remedy, "remember = false in the settings turns this off"), Command: f.Command}
}
