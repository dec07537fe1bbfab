package db

import (
	"hermes-sessions/model"
	"slices"
	"testing"
)

// What is missing comes before what makes a search slower, whichever was found first.
func TestTheGravestNoteComesFirst(t *testing.T) {
	t.Parallel()
	var d DB
	for _, kind := range []string{model.NoteFTSOutOfStep, model.NoteNewerSchema, model.NoteUnnamed, model.NoteDamaged} {
		d.AddNote(kind)
	}
	var kinds []string
	for _, n := range d.Notes() {
		kinds = append(kinds, n.Kind)
	}
	if want := []string{model.NoteDamaged, model.NoteUnnamed, model.NoteFTSOutOfStep, model.NoteNewerSchema}; !slices.Equal(kinds, want) {
		t.Errorf("%q, want %q", kinds, want)
	}
}
