package state

import (
	"encoding/json"
	"path/filepath"

	"hermes-sessions/internal/cli/env"
)

// State is what the browser remembers between runs, in a file of its own. What the list shows
// is not remembered: yesterday's scope or folder would open a list that lacks what one looks for.
type State struct {
	Queries []string `json:"queries,omitempty"` // newest first
}

// StateFile returns the path of the state file, "" where the environment does not
// name the folder or the settings turn it off.
func (s Settings) StateFile(environ env.Vars) string {
	if s.Remember != nil && !*s.Remember {
		return ""
	}
	folder := environ.StateFolder()
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, "state.json")
}

// ReadState reads the state file. The state of a missing file is the zero value;
// so is that of a file that cannot be read or parsed, with an error.
func ReadState(file string) (s State, err error) {
	text, err := readFile(file)
	if err == nil && text != nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		return State{}, err
	}
	return s, nil
}

// Write replaces the state file, whole or not at all. What a newer version has written into
// it stays; scope, order, sources and folder, which earlier versions remembered, go. Only the
// user may read it.
func (s State) Write(file string) error {
	fields := map[string]json.RawMessage{}
	old, err := readFile(file)
	if err == nil && json.Unmarshal(old, &fields) == nil {
		for _, own := range []string{"scope", "sort", "sources", "folder", "queries"} {
			delete(fields, own)
		}
	}
	text, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(text, &fields)
	}
	if err == nil {
		text, err = json.MarshalIndent(fields, "", "  ")
	}
	if err != nil {
		return err
	}
	return ReplaceFile(file, append(text, '\n'), false)
}
