package ftsindex

import (
	"sync"
	"sync/atomic"
)

// relay is a reader that hands on what a walk comes to, a batch at a time, to
// whichever of two has nothing to do: the one who walks, or another beside. To
// look at rows takes longer than to read their pages.
type relay struct {
	size    int // bytes of rows that are handed on at once
	mine    reader
	another func() reader // makes the other one, once there is work for two

	name   []byte // of the term at hand
	told   bool   // the batch has it
	filled *batch
	broken atomic.Bool // a row breaks off

	work     chan *batch
	out      sync.WaitGroup // batches that the other one has
	panicked any            // with what the other one did
}

// batchesAhead is how many batches may wait for the other one.
const batchesAhead = 2

func (r *relay) term(t []byte) bool {
	if !r.mine.term(t) {
		return false
	}
	r.name, r.told = append(r.name[:0], t...), false
	return true
}

// rows does not look at them: how many bytes of the last one stand on later pages
// is found out by whoever does.
func (r *relay) rows(b []byte, _ int64) (last int64, missing int, ok bool) {
	if r.filled != nil && len(r.filled.bytes) >= r.size {
		r.hand()
	}
	if r.filled == nil {
		r.filled = spare.Get().(*batch)
	}
	if !r.told {
		r.filled.put(aTerm, r.name)
		r.told = true
	}
	r.filled.put(itsRows, b)
	return 0, unknown, true
}

func (r *relay) more(b []byte) { r.filled.put(moreOfRow, b) }

// hand gives a batch away, or looks at it where the other one has enough to do.
func (r *relay) hand() {
	if r.work == nil {
		r.work = make(chan *batch, batchesAhead)
		go r.help(r.another())
	}
	r.out.Add(1)
	select {
	case r.work <- r.filled:
	default:
		r.out.Done()
		r.look(r.mine, r.filled)
	}
	r.filled, r.told = nil, false
}

// look tells a reader what is in a batch.
func (r *relay) look(into reader, b *batch) {
	if !b.tell(into) {
		r.broken.Store(true)
	}
	b.bytes, b.parts = b.bytes[:0], b.parts[:0]
	spare.Put(b)
}

// help is what the other one does.
func (r *relay) help(into reader) {
	for b := range r.work {
		func() {
			defer r.out.Done()
			defer func() {
				if p := recover(); p != nil {
					r.panicked = p
				}
			}()
			r.look(into, b)
		}()
	}
}

// finish sees to it that all that was handed on was looked at, and reports
// whether it could be read. A panic of the other one is the caller's.
func (r *relay) finish() (ok bool) {
	for waits := true; waits; {
		select {
		case b := <-r.work: // never where there is none
			r.out.Done()
			r.look(r.mine, b)
		default:
			waits = false
		}
	}
	if r.filled != nil {
		r.look(r.mine, r.filled)
		r.filled, r.told = nil, false
	}
	r.out.Wait()
	if r.panicked != nil {
		panic(r.panicked)
	}
	return !r.broken.Load()
}

// end lets the other one go.
func (r *relay) end() {
	if r.work != nil {
		close(r.work)
		r.out.Wait()
	}
}

// batch is what a walk came to, from where a row begins to where one ends.
type batch struct {
	bytes []byte
	parts []part
}

// part is what a reader is told at once.
type part struct {
	kind kind
	end  int // of its bytes in the batch's
}

// spare are batches to fill.
var spare = sync.Pool{New: func() any { return &batch{bytes: make([]byte, 0, usual.bytes+keepBytes)} }}

type kind int

const (
	aTerm kind = iota
	itsRows
	moreOfRow
)

func (b *batch) put(k kind, bytes []byte) {
	b.bytes = append(b.bytes, bytes...)
	b.parts = append(b.parts, part{k, len(b.bytes)})
}

// tell tells a reader what is in a batch; ok is false where a row breaks off.
func (b *batch) tell(into reader) (ok bool) {
	from, missing := 0, 0
	for _, p := range b.parts {
		bytes := b.bytes[from:p.end]
		from = p.end
		switch {
		case p.kind == moreOfRow && len(bytes) <= missing:
			missing -= len(bytes)
			into.more(bytes)
		case missing > 0 || p.kind == moreOfRow:
			return false
		case p.kind == aTerm:
			into.term(bytes)
		default:
			if _, missing, ok = into.rows(bytes, 0); !ok {
				return false
			}
		}
	}
	return missing == 0
}
