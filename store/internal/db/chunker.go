package db

import (
	"context"
	"time"
)

// How long we keep others from writing. Nearly all of the time that rows take
// goes into the full-text indexes, by bytes of text, so how much the next
// transaction takes follows what the last ones took. Now and then one takes
// twice as long, because FTS5 then merges some of its index.
const (
	chunkTime            = 30 * time.Millisecond  // what a transaction should take
	undisturbedChunkTime = 60 * time.Millisecond  // and where nobody else has written
	undisturbedAfter     = 8                      // during so many before
	exclusiveChunkTime   = 300 * time.Millisecond // and where there was no session yet
	ChunkPause           = 30 * time.Millisecond  // at least, before the next one
	longChunkPause       = 110 * time.Millisecond // at most: SQLite asks for a lock every 100 ms
	firstChunkBytes      = 32 << 10               // of text, in the first one
	minChunkBytes        = 8 << 10
	maxChunkBytes        = 512 << 10
	RowOverhead          = 256 // that a row counts for besides its text

	// What belongs together stays together up to this, so that it is changed
	// whole or not at all.
	MaxSingleTxBytes = 128 << 10
)

// Chunker divides a long change into short transactions. The zero value is ready.
type Chunker struct {
	bytesPerChunk int
	chunkBytes    int // what the running transaction takes
	lastDuration  time.Duration
	chunks        int

	dataVersion       any  // PRAGMA data_version: others make it change
	undisturbedChunks int  // transactions since it did
	Exclusive         bool // nobody has kept anything here, and nobody else has written
}

// Limit is how much text the next transaction should take.
func (p *Chunker) Limit() int {
	if p.bytesPerChunk == 0 {
		p.bytesPerChunk = firstChunkBytes
	}
	return p.bytesPerChunk
}

// SetSize says how much the running transaction takes.
func (p *Chunker) SetSize(bytes int) { p.chunkBytes = bytes }

// RunChunk makes one transaction, after a pause in which those who wait get their
// turn. They ask ever more rarely, so a long transaction is followed by a long
// pause.
func (p *Chunker) RunChunk(ctx context.Context, s *DB, doing string, f func(*Tx) error) error {
	if p.chunks++; p.chunks > 1 {
		if err := SleepContext(ctx, min(longChunkPause, max(ChunkPause, p.lastDuration/2))); err != nil {
			return err
		}
	}
	var began time.Time
	err := s.Write(ctx, doing, func(t *Tx) error {
		began, p.chunkBytes = time.Now(), 0
		version, _, err := t.One(ctx, `PRAGMA data_version`)
		if err != nil {
			return err
		}
		if p.undisturbedChunks++; version != p.dataVersion {
			p.Exclusive = p.Exclusive && p.dataVersion == nil
			p.dataVersion, p.undisturbedChunks = version, 0
		}
		return f(t)
	})
	if began.IsZero() {
		return err
	}
	p.adapt(time.Since(began))
	return err
}

// adapt sets what the next transaction takes.
func (p *Chunker) adapt(took time.Duration) {
	p.lastDuration = took
	have, goal := p.Limit(), chunkTime
	switch {
	case p.Exclusive:
		goal = exclusiveChunkTime
	case p.undisturbedChunks >= undisturbedAfter:
		goal = undisturbedChunkTime
	}
	if took < goal && p.chunkBytes < have/2 {
		return // there was no more to do
	}
	want := int(float64(max(p.chunkBytes, minChunkBytes)) * float64(goal) / float64(max(took, time.Millisecond)))
	// One that took long by chance must not make all others short.
	p.bytesPerChunk = max(minChunkBytes, min(maxChunkBytes, max(have/2, min(have*2, (have+want)/2))))
}

// RowSize gives how many bytes a row counts for.
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
