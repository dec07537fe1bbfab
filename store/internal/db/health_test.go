package db

import (
	"slices"
	"testing"
)

// What is missing comes before what makes a search slower, whichever was found first.
func TestTheGravestNoteComesFirst(t *testing.T) {
	t.Parallel()
	var d DB
	for _, kind := range []string{NoteFTSOutOfStep, NoteNewerSchema, NoteUnnamed, NoteDamaged} {
		d.AddNote(kind)
	}
	var kinds []string
	for _, n := range d.Notes() {
		kinds = append(kinds, n.Kind)
	}
	if want := []string{NoteDamaged, NoteUnnamed, NoteFTSOutOfStep, NoteNewerSchema}; !slices.Equal(kinds, want) {
		t.Errorf("%q, want %q", kinds, want)
	}
}
