package snapshot

import (
	"testing"
)

// Role sets that a search reads do not change when another search adds to the cache.
func TestRoleSetsThatWereReturnedDoNotChange(t *testing.T) {
	t.Parallel()
	var r RoleSetsCache
	r.Update(func(s *RoleSets) { s.FromTools.Add(1) })
	earlier := r.Read()
	r.Update(func(h *RoleSets) { h.FromTools.Add(2) })
	if earlier.FromTools.Has(2) || !earlier.FromTools.Has(1) {
		t.Errorf("the sets that were read have %v", earlier.FromTools.Rowids())
	}
	if now := r.Read(); !now.FromTools.Has(1) || !now.FromTools.Has(2) {
		t.Errorf("the cache has %v", now.FromTools.Rowids())
	}
}
