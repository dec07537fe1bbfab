package search

import "testing"

// The memory of Prepare follows the last id up to five million messages, and no further: a file
// of which most was pruned has few messages with great ids.
func TestPreparedBytes(t *testing.T) {
	t.Parallel()
	for last, want := range map[int64]int{1: 20 << 20, 1_000_000: 20 << 20, 5_000_000: 62_500_000, 50_000_000: 64 << 20, 1<<53 - 1: 64 << 20} {
		if got := maxPreparedBytes(last); got != want {
			t.Errorf("last id %d: %d bytes, want %d", last, got, want)
		}
	}
}
