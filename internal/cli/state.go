package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui"
)

// state is what the browser remembers between runs, in a file of its own.
type state struct {
	Scope   string   `json:"scope,omitempty"` // as on the command line
	Sort    string   `json:"sort,omitempty"`
	Sources []string `json:"sources,omitempty"`
	Folder  string   `json:"folder,omitempty"`
	Queries []string `json:"queries,omitempty"` // newest first
}

// mostState is how long the file may be; ours is much shorter.
const mostState = 1 << 20

// stateFile names the file, "" where the environment does not tell the folder
// or the settings do not want one.
func (a *app) stateFile() string {
	if a.settings.Remember != nil && !*a.settings.Remember {
		return ""
	}
	folder := a.userFolder("XDG_STATE_HOME", filepath.Join(".local", "state"), "LOCALAPPDATA", filepath.Join("Library", "Application Support"))
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, "state.json")
}

// readState reads what was remembered. A missing file is nothing; one that can
// not be read or understood is nothing either, and an error to tell.
func readState(file string) (s state, err error) {
	info, err := os.Stat(file) // before opening: a pipe would wait for ever
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return state{}, nil
	case err != nil:
		return state{}, err
	case !info.Mode().IsRegular() || info.Size() > mostState:
		return state{}, fmt.Errorf("%s is not ours", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return state{}, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostState))
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		return state{}, err
	}
	return s, nil
}

// write puts the state into a file of the user's alone, whole or not at all.
func (s state) write(file string) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	folder := filepath.Dir(file)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(folder, "state-*.tmp") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if synced := f.Sync(); err == nil {
		err = synced
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // what went wrong before matters more
	}
	return err
}

// memory is the state of one run of the browser. A run on the demo, one that
// picks for a script, and what flags say are not remembered.
type memory struct {
	file string // "" to remember nothing
	view bool   // scope, order, sources and folder too, not only queries
	was  state
}

// recall reads the memory and puts what was remembered into the options of the
// browser.
func (a *app) recall(b browsing, opt *ui.Options) memory {
	m := memory{view: !b.told}
	if !a.demo && !b.pick.any() {
		m.file = a.stateFile()
	}
	if m.file == "" {
		return m
	}
	var err error
	if m.was, err = readState(m.file); err != nil {
		a.log.Warn("state", "file", m.file, "error", err)
		opt.Note = "what was remembered is damaged and was left aside: " + m.file
	}
	opt.History = m.was.Queries
	if m.view {
		opt.List.Scope = model.Scopes()[max(0, slices.Index(words(model.Scopes()), m.was.Scope))]
		opt.List.Order = query.Orders()[max(0, slices.Index(words(query.Orders()), m.was.Sort))]
		opt.List.Sources, opt.List.CWD = m.was.Sources, m.was.Folder
	}
	return m
}

// keep writes the memory when the browser has ended. What can not be kept is
// told and harms nothing.
func (a *app) keep(m memory, root *ui.Root) {
	if m.file == "" {
		return
	}
	s := m.was
	s.Queries = root.History()
	if m.view {
		q := root.Listed()
		s.Scope, s.Sort, s.Sources, s.Folder = q.Scope.String(), q.Order.String(), q.Sources, q.CWD
	}
	if same, err := json.Marshal(s); err == nil {
		if was, err := json.Marshal(m.was); err == nil && string(same) == string(was) {
			return
		}
	}
	if err := s.write(m.file); err != nil {
		a.log.Warn("state", "file", m.file, "error", err)
		a.tell("note", "state", "what was set can not be remembered: "+err.Error(), "remember = false in the settings does without")
	}
}
