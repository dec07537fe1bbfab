package db

import (
	"cmp"
	"context"
	"time"
)

// How long a change keeps other processes from writing. Nearly all of the time goes
// into the full-text indexes, in proportion to the bytes of text, so the size of the
// next transaction follows from the time that the last ones took. Now and then one
// takes twice as long, because FTS5 merges a part of its index in it.
const (
	chunkTime            = 30 * time.Millisecond  // what a transaction should take
	undisturbedChunkTime = 60 * time.Millisecond  // what it should take while no other process writes
	undisturbedAfter     = 8                      // transactions without a foreign write, after which no other process is assumed to write
	exclusiveChunkTime   = 300 * time.Millisecond // for an import into a file without sessions
	ChunkPause           = 30 * time.Millisecond  // the shortest pause before the next one
	longChunkPause       = 110 * time.Millisecond // the longest: a waiting SQLite asks for the lock every 100 ms
	firstChunkBytes      = 32 << 10               // of text in the first one
	minChunkBytes        = 8 << 10
	maxChunkBytes        = 512 << 10
	RowOverhead          = 256 // bytes that a row counts for besides its text

	// A conversation or session of up to this many bytes is changed in one
	// transaction, whole or not at all.
	MaxSingleTxBytes = 128 << 10
)

// Chunker divides a long change into short transactions. The zero value is ready.
type Chunker struct {
	nextBytes    int       // size of the next transaction, in bytes of text; 0 before the first
	currentBytes int       // size of the running transaction, see SetSize
	began        time.Time // of the running transaction
	lastDuration time.Duration
	started      int // transactions

	dataVersion       any  // PRAGMA data_version: a write of another process changes it
	undisturbedChunks int  // transactions since it changed
	Exclusive         bool // set by the caller where the file has no session; ends with the first foreign write
}

// Limit returns the bytes of text that the next transaction should take.
func (c *Chunker) Limit() int {
	c.nextBytes = cmp.Or(c.nextBytes, firstChunkBytes)
	return c.nextBytes
}

// SetSize records how many bytes of text the running transaction takes.
func (c *Chunker) SetSize(bytes int) { c.currentBytes = bytes }

// RunChunk runs f in one write transaction of d, after a pause in which waiting
// processes get the lock. They ask for it ever more rarely, so a long transaction is
// followed by a long pause. doing and the error are those of [DB.Write].
func (c *Chunker) RunChunk(ctx context.Context, d *DB, doing string, f func(*Tx) error) error {
	if c.started++; c.started > 1 {
		if err := SleepContext(ctx, min(longChunkPause, max(ChunkPause, c.lastDuration/2))); err != nil {
			return err
		}
	}
	c.began = time.Time{}
	err := d.Write(ctx, doing, func(t *Tx) error {
		c.began, c.currentBytes = time.Now(), 0 //nolint:forbidigo // a duration is measured, by the real clock
		version, _, err := t.One(ctx, `PRAGMA data_version`)
		if err != nil {
			return err
		}
		if c.undisturbedChunks++; version != c.dataVersion {
			c.Exclusive = c.Exclusive && c.dataVersion == nil
			c.dataVersion, c.undisturbedChunks = version, 0
		}
		return f(t)
	})
	if c.began.IsZero() {
		return err
	}
	c.adapt(time.Since(c.began))
	return err
}

// goal is what the running transaction should take.
func (c *Chunker) goal() time.Duration {
	switch {
	case c.Exclusive:
		return exclusiveChunkTime
	case c.undisturbedChunks >= undisturbedAfter:
		return undisturbedChunkTime
	}
	return chunkTime
}

// Slow reports whether the rows that the running transaction is to delete have taken so long to
// read that it should have no more of them. Reading takes a quarter of the time: where it takes
// more than a third of what all may, the machine is busier than the last transaction has shown.
func (c *Chunker) Slow() bool { return time.Since(c.began) > c.goal()/3 }

// adapt sets the size of the next transaction from the time that the last one took.
func (c *Chunker) adapt(took time.Duration) {
	c.lastDuration = took
	have, goal := c.Limit(), c.goal()
	if took < goal && c.currentBytes < have/2 {
		return // a short last transaction does not show the speed of the machine
	}
	want := int(float64(max(c.currentBytes, minChunkBytes)) * float64(goal) / float64(max(took, time.Millisecond)))
	// One that took long by chance must not make all later ones short.
	c.nextBytes = max(minChunkBytes, min(maxChunkBytes, max(have/2, min(have*2, (have+want)/2))))
}

// RowSize returns the bytes that a row counts for: its texts and [RowOverhead].
func RowSize(values []any) int {
	n := RowOverhead
	for _, v := range values {
		switch v := v.(type) {
		case string:
			n += len(v)
		case []byte:
			n += len(v)
		}
	}
	return n
}
