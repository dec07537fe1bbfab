package fts

import (
	"hermes-sessions/store/internal/idset"
	"slices"
	"testing"
)

func TestKeepLast(t *testing.T) {
	t.Parallel()
	for most, want := range map[int][]int64{0: nil, 2: {5_001, 90_000}, 9: {3, 70, 5_000, 5_001, 90_000}} {
		ids := &idset.Set{}
		for _, id := range []int64{3, 70, 5_000, 5_001, 90_000} {
			ids.Add(id)
		}
		if ids.KeepLast(most); !slices.Equal(ids.Rowids(), want) {
			t.Errorf("%d: %d are left", most, ids.Rowids())
		}
	}
}
