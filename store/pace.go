package store

import (
	"context"
	"time"
)

// How long we keep others from writing. Nearly all of the time that rows take
// goes into the full-text indexes, by bytes of text, so how much the next
// transaction takes follows what the last ones took. Now and then one takes
// twice as long, because FTS5 then merges some of its index.
const (
	partTime   = 30 * time.Millisecond  // what a transaction should take
	aloneTime  = 60 * time.Millisecond  // and where nobody else has written
	aloneAfter = 8                      // during so many before
	emptyTime  = 300 * time.Millisecond // and where there was no session yet
	breath     = 30 * time.Millisecond  // at least, before the next one
	longBreath = 110 * time.Millisecond // at most: SQLite asks for a lock every 100 ms
	firstBytes = 32 << 10               // of text, in the first one
	leastBytes = 8 << 10
	mostBytes  = 512 << 10
	rowBytes   = 256 // that a row counts for besides its text

	// What belongs together stays together up to this, so that it is changed
	// whole or not at all.
	wholeBytes = 128 << 10
)

// pace divides a long change into short transactions. The zero value is ready.
type pace struct {
	budget int
	size   int // what the running transaction takes
	last   time.Duration
	steps  int

	version any  // PRAGMA data_version: others make it change
	quiet   int  // transactions since it did
	empty   bool // nobody has kept anything here, and nobody else has written
}

// bytes is how much text the next transaction should take.
func (p *pace) bytes() int {
	if p.budget == 0 {
		p.budget = firstBytes
	}
	return p.budget
}

// took says how much the running transaction takes.
func (p *pace) took(bytes int) { p.size = bytes }

// step makes one transaction, after a pause in which those who wait get their
// turn. They ask ever more rarely, so a long transaction is followed by a long
// pause.
func (p *pace) step(ctx context.Context, s *Store, doing string, f func(*tx) error) error {
	if p.steps++; p.steps > 1 {
		if err := pause(ctx, min(longBreath, max(breath, p.last/2))); err != nil {
			return err
		}
	}
	var began time.Time
	err := s.write(ctx, doing, func(t *tx) error {
		began, p.size = time.Now(), 0
		version, _, err := t.one(ctx, `PRAGMA data_version`)
		if err != nil {
			return err
		}
		if p.quiet++; version != p.version {
			p.empty = p.empty && p.version == nil
			p.version, p.quiet = version, 0
		}
		return f(t)
	})
	if began.IsZero() {
		return err
	}
	p.learn(time.Since(began))
	return err
}

// learn sets what the next transaction takes.
func (p *pace) learn(took time.Duration) {
	p.last = took
	have, goal := p.bytes(), partTime
	switch {
	case p.empty:
		goal = emptyTime
	case p.quiet >= aloneAfter:
		goal = aloneTime
	}
	if took < goal && p.size < have/2 {
		return // there was no more to do
	}
	want := int(float64(max(p.size, leastBytes)) * float64(goal) / float64(max(took, time.Millisecond)))
	// One that took long by chance must not make all others short.
	p.budget = max(leastBytes, min(mostBytes, max(have/2, min(have*2, (have+want)/2))))
}

// sizeOf gives how many bytes a row counts for.
func sizeOf(values []any) int {
	n := rowBytes
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
