package db

import (
	"slices"
	"testing"
	"time"
)

// Transactions grow to the size that the time for one allows, on fast and on slow
// machines, and one that takes long by chance does not change that.
func TestChunksFollowTheMachine(t *testing.T) {
	for _, rate := range []float64{0.3, 0.6, 1.5, 10} { // KB in a millisecond
		var p Chunker
		var took []time.Duration
		for n := range 60 {
			p.SetSize(p.Limit())
			d := 2*time.Millisecond + time.Duration(float64(p.currentBytes)/1024/rate*float64(time.Millisecond))
			if n%8 == 7 {
				d += 80 * time.Millisecond // FTS5 merges
			}
			p.adapt(d)
			if n >= 20 {
				took = append(took, d)
			}
		}
		slices.Sort(took)
		if median := took[len(took)/2]; median < chunkTime/3 || median > chunkTime*3/2 {
			t.Errorf("at %v KB/ms a transaction takes %v", rate, median)
		}
		if first := time.Duration(firstChunkBytes / 1024 / rate * float64(time.Millisecond)); rate >= 0.5 && first > 2*chunkTime {
			t.Errorf("at %v KB/ms the first takes %v", rate, first)
		}
	}
	// The last transaction of a change says nothing about a full one.
	var p Chunker
	p.SetSize(10)
	if p.adapt(time.Millisecond); p.Limit() != firstChunkBytes {
		t.Error(p.Limit())
	}
	// However long transactions take, the next one is not empty.
	for range 50 {
		p.SetSize(1 << 20)
		p.adapt(time.Minute)
	}
	if p.Limit() != minChunkBytes {
		t.Error(p.Limit())
	}
}

// What a transaction may take bounds how long its rows are read, by the time that has passed.
func TestReadingTooLongEndsAChunk(t *testing.T) {
	begun := func(ago time.Duration, c Chunker) *Chunker {
		c.began = time.Now().Add(-ago)
		return &c
	}
	busy := Chunker{}
	alone := Chunker{undisturbedChunks: undisturbedAfter}
	if !begun(chunkTime/2, busy).Slow() || !begun(undisturbedChunkTime/2, alone).Slow() {
		t.Error("it reads on")
	}
	if begun(0, Chunker{Exclusive: true}).Slow() {
		t.Error("it ends at once")
	}
}
