package ui

import (
	"errors"
	"sync"

	tea "charm.land/bubbletea/v2"
)

// fileWrites are the writes of notes and named queries to files of this program. They are
// commands, which Bubble Tea does not wait for when the program ends.
type fileWrites struct{ all []*fileWrite }

// fileWrite is one of them.
type fileWrite struct {
	run      func() (tea.Msg, error) // writes once, and returns the same from then on
	reported bool
}

// fileWritten has what a write says to the screens.
type fileWritten struct {
	write  *fileWrite
	result tea.Msg
}

func (f *fileWrites) begin(write func() (tea.Msg, error)) tea.Cmd {
	w := &fileWrite{run: sync.OnceValues(write)}
	f.all = append(f.all, w)
	return func() tea.Msg {
		result, _ := w.run() // result has the error
		return fileWritten{w, result}
	}
}

// close waits for the writes that run, makes those that have not begun, and returns the errors
// of both.
func (f *fileWrites) close() error {
	var failed []error
	for _, w := range f.all {
		if _, err := w.run(); !w.reported {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}
