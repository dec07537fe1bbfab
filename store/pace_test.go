package store

import (
	"slices"
	"testing"
	"time"
)

// Transactions become as large as the time for one allows, on fast and slow
// machines, and one that takes long by chance does not change that.
func TestPaceFollowsTheMachine(t *testing.T) {
	for _, rate := range []float64{0.3, 0.6, 1.5, 10} { // KB in a millisecond
		var p pace
		var took []time.Duration
		for n := range 60 {
			p.took(p.bytes())
			d := 2*time.Millisecond + time.Duration(float64(p.size)/1024/rate*float64(time.Millisecond))
			if n%8 == 7 {
				d += 80 * time.Millisecond // FTS5 merges
			}
			p.learn(d)
			if n >= 20 {
				took = append(took, d)
			}
		}
		slices.Sort(took)
		if median := took[len(took)/2]; median < partTime/3 || median > partTime*3/2 {
			t.Errorf("at %v KB/ms a transaction takes %v", rate, median)
		}
		if first := time.Duration(firstBytes / 1024 / rate * float64(time.Millisecond)); rate >= 0.5 && first > 2*partTime {
			t.Errorf("at %v KB/ms the first takes %v", rate, first)
		}
	}
	// The last transaction of a change says nothing about a full one.
	var p pace
	p.took(10)
	if p.learn(time.Millisecond); p.bytes() != firstBytes {
		t.Error(p.bytes())
	}
	// Whatever happens, something goes on.
	for range 50 {
		p.took(1 << 20)
		p.learn(time.Minute)
	}
	if p.bytes() != leastBytes {
		t.Error(p.bytes())
	}
}
