package search

import (
	"testing"

	"hermes-sessions/store/internal/snapshot"
)

// Who reads what is known of messages is not disturbed by those who learn more.
func TestWhatIsHeardStaysAsItWasLent(t *testing.T) {
	t.Parallel()
	var r snapshot.RoleSetsCache
	r.Update(func(h *snapshot.RoleSets) { h.FromTools.Add(1) })
	lent := r.Read()
	r.Update(func(h *snapshot.RoleSets) { h.FromTools.Add(2) })
	if lent.FromTools.Has(2) || !lent.FromTools.Has(1) {
		t.Errorf("what was lent has %v", lent.FromTools.Rowids())
	}
	if now := r.Read(); !now.FromTools.Has(1) || !now.FromTools.Has(2) {
		t.Errorf("what is known has %v", now.FromTools.Rowids())
	}
}
