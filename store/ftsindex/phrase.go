package ftsindex

import (
	"context"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// step is a term of a phrase, with all its places in it.
type step struct {
	term string
	open bool                   // it may go on
	fits func(term []byte) bool // to one of these; nil for any
	at   []int64                // which words of the phrase it is
	any  []string               // it is any of these; then it is taken for open

	weight int // see [Index.weight]
}

// steps gives the terms of a phrase, each once.
func (e Expr) steps() []step {
	var steps []step
	number := map[string]int{}
	for i, t := range e.terms {
		if e.open && i == len(e.terms)-1 {
			return append(steps, step{term: t, open: true, fits: e.fits, at: []int64{int64(i)}})
		}
		n, known := number[t]
		if !known {
			n, number[t] = len(steps), len(steps)
			steps = append(steps, step{term: t})
		}
		steps[n].at = append(steps[n].at, int64(i))
	}
	return steps
}

// enough leaves out trigrams all characters of which others have before them,
// at the same places.
func (e Expr) enough(steps []step) []step {
	told := make([]bool, len(e.terms)+2) // characters
	return slices.DeleteFunc(steps, func(s step) bool {
		news := s.fits != nil
		for _, at := range s.at {
			for i := range int64(utf8.RuneCountInString(s.term)) {
				news = news || !told[at+i]
				told[at+i] = true
			}
		}
		return !news
	})
}

// weight tells how much there is to read of a term: pages. The positions of
// beginnings come from many terms and have to be sorted, so they count more.
func (x *Index) weight(s step) int {
	pages := 0
	for i := range x.segments {
		pages += x.segments[i].spread(key(s.term), !s.open)
	}
	if s.open {
		pages *= 4
	}
	return pages
}

// phrase finds terms that follow one another, among some rows only unless
// within is nil. The rows that have all terms come first, the lightest term's
// before the others', then the places in them.
func (x *Index) phrase(ctx context.Context, e Expr, within *Set) (*Set, error) {
	steps := x.lightestFirst(e)
	if len(steps) == 0 {
		return &Set{}, nil
	}
	rows, err := x.termRows(ctx, steps[0], within)
	if err != nil {
		return nil, err
	}
	if within != nil {
		rows.Intersect(within)
	}
	if len(e.terms) == 1 && len(e.after) == 0 || rows.Empty() {
		return rows, nil
	}
	for _, s := range steps[1:] {
		others, err := x.cheapRows(ctx, s, steps[0], rows)
		if err != nil {
			return nil, err
		}
		if others == nil {
			continue
		}
		if rows.Intersect(others); rows.Empty() {
			return rows, nil
		}
	}
	if len(e.after) > 0 {
		steps = append(steps, step{any: e.after, open: true, at: []int64{-1}})
	}
	return x.inOrder(ctx, steps, rows, usualRows)
}

// lightestFirst gives the terms of a phrase that have to be read, by how much
// there is to read of each.
func (x *Index) lightestFirst(e Expr) []step {
	steps := e.steps()
	if len(steps) < 2 {
		return steps
	}
	for i := range steps {
		steps[i].weight = x.weight(steps[i])
	}
	slices.SortStableFunc(steps, func(a, b step) int { return a.weight - b.weight })
	if x.tokens.trigrams {
		steps = e.enough(steps)
	}
	return steps
}

// cheapRows gives the rows of a term of a phrase, some of those that the phrase
// may be in or more, where that takes much less than its places: it is not much
// heavier than the lightest term, or prepared. nil is for any row.
func (x *Index) cheapRows(ctx context.Context, s, lightest step, among *Set) (*Set, error) {
	switch {
	case !s.open && s.weight <= 2*lightest.weight:
		return x.termRows(ctx, s, among) // in a tenth of the time that places take
	case s.fits == nil:
		rows, _, err := x.preparedRows(ctx, stem{s.term, s.open})
		return rows, err
	}
	return nil, nil
}

// usualRows is how many rows have their positions in memory at once.
const usualRows = 1 << 18

// inOrder keeps the rows in which the terms of a phrase stand as they do in
// it. The first of steps gives the places where the phrase may begin, the
// others thin them out, in so many rows at once.
func (x *Index) inOrder(ctx context.Context, steps []step, rows *Set, atOnce int) (*Set, error) {
	all := rows.Rows()
	found := &Set{}
	for part := range slices.Chunk(all, atOnce) {
		among := rows
		if len(part) < len(all) {
			among = &Set{}
			for _, r := range part {
				among.Add(r)
			}
		}
		w, err := x.begins(ctx, steps[0], among)
		if err != nil {
			return nil, err
		}
		for i, s := range steps[1:] {
			if len(w.at) == 0 {
				break
			}
			if err := x.thin(ctx, w, s, i+2 == len(steps)); err != nil {
				return nil, err
			}
		}
		found.Union(&w.rows)
	}
	return found, nil
}

// begins gives where the phrase may begin, by the places of its first step.
func (x *Index) begins(ctx context.Context, s step, among *Set) (*wanted, error) {
	if few := few(among); !s.open && few == nil {
		w := &wanted{at: make([]int64, 0, 4*among.Len())} // or some more
		r := beginReader{w: w, at: s.at, among: among, limit: x.limit, last: -1}
		for i := range x.segments { // oldest first: rows that came later mostly stand in newer ones
			if err := x.walkStep(ctx, &x.segments[i], s, nil, &r); err != nil {
				return nil, err
			}
		}
		if r.bad {
			return nil, x.damaged("positions can not be read")
		}
		if !r.refused {
			w.index()
			return w, nil
		}
	}
	places, err := x.places(ctx, s, among)
	if err != nil {
		return nil, err
	}
	w := &wanted{at: make([]int64, 0, len(places.bytes))} // most positions take a byte
	if !places.each(func(row int64, all []int64) { w.add(row, all, s.at) }) {
		return nil, x.damaged("positions can not be read")
	}
	w.index()
	return w, nil
}

// beginReader reads the places of one term. It refuses to where segments differ
// about a row.
type beginReader struct {
	w       *wanted
	at      []int64 // as that of the step
	among   *Set
	limit   int64
	last    int64 // row that was wanted
	refused bool
	bad     bool // positions can not be read

	missing int    // of the last row's positions
	begun   []byte // of them
	all     []int64
}

func (r *beginReader) term([]byte) bool { return true }

func (r *beginReader) more(b []byte) {
	if r.missing > 0 {
		r.begun = append(r.begun, b...)
		if r.missing -= len(b); r.missing <= 0 {
			r.take(r.begun)
		}
	}
}

func (r *beginReader) rows(b []byte, row int64) (last int64, missing int, ok bool) {
	r.missing = 0
	return eachRow(b, row, func(row int64, here []byte, missing int) {
		switch {
		case row < 0 || row > r.limit || !r.among.Has(row) || r.refused:
			return
		case row <= r.last:
			r.refused = true
			return
		}
		r.last = row
		if missing > 0 {
			r.missing, r.begun = missing, append(r.begun[:0], here...)
			return
		}
		r.take(here)
	})
}

// take takes the positions of the last row, none where it is gone.
func (r *beginReader) take(b []byte) {
	var ok bool
	if r.all, ok = positions(r.all[:0], b); !ok {
		r.bad = true
		return
	}
	r.w.add(r.last, r.all, r.at)
}

// thin keeps the places at which a term stands where the phrase has it. Of the
// last term one place of each row is enough.
func (x *Index) thin(ctx context.Context, w *wanted, s step, last bool) error {
	f := follower{wanted: w, step: s, last: last, limit: x.limit}
	few := few(&w.rows)
	for i := len(x.segments) - 1; i >= 0; i-- { // newest first
		f.begin(i == 0)
		if err := x.walkStep(ctx, &x.segments[i], s, few, &f); err != nil {
			return err
		}
	}
	if f.bad {
		return x.damaged("positions can not be read")
	}
	if err := x.settle(ctx, w, s, &f.doubtful); err != nil {
		return err
	}
	w.keep(last)
	return nil
}

// settle marks anew the places of rows in which segments may differ about a
// term that may go on: of each term the newest segment is right.
func (x *Index) settle(ctx context.Context, w *wanted, s step, doubtful *Set) error {
	if doubtful.Empty() {
		return nil
	}
	places, err := x.places(ctx, s, doubtful)
	if err != nil {
		return err
	}
	for r := range doubtful.All() {
		from, to := w.of(r)
		clear(w.hit[from:to])
	}
	ok := places.each(func(row int64, all []int64) {
		from, to := w.of(row)
		w.meet(from, to, all, s.at)
	})
	if !ok {
		return x.damaged("positions can not be read")
	}
	return nil
}

// walkStep hands over what a segment has of a term of a phrase.
func (x *Index) walkStep(ctx context.Context, in *segment, s step, few []int64, into reader) error {
	if s.any == nil {
		return x.walkSegment(ctx, in, key(s.term), !s.open, few, into)
	}
	for _, t := range s.any {
		if err := x.walkSegment(ctx, in, key(t), true, few, into); err != nil {
			return err
		}
	}
	return nil
}

// wanted is the places where a phrase may begin: its first word would stand
// there.
type wanted struct {
	rows  Set
	ranks []*[len(page{})]int32 // how many rows stand before each word of a page
	first []int32               // by rank: where the places of a row begin in at, and the end
	at    []int64               // as that of a place, ascending
	hit   []bool                // of at: the term at hand stands where it should
	sieve []uint64              // by rank: bit n for places of a row that leave n when divided by 64

	left []int64 // scratch
}

// add takes in a row, behind all others, with the places of a term, the first word
// of which is the phrase's word at[0]; it must be the others of at, too.
func (w *wanted) add(row int64, places, at []int64) {
	n := len(w.at)
	for _, p := range places {
		w.at = append(w.at, p-at[0]) // before the text: no word stands there
	}
	if len(at) > 1 {
		w.at = w.at[:n+len(standing(w.at[n:], places, at[1:]))]
	}
	if len(w.at) > n {
		w.rows.Add(row)
		w.first = append(w.first, int32(n))
	}
}

// standing keeps of some beginnings of a phrase, in their own slice, those at
// which a term that has the places all stands wherever the phrase has it. Both
// are ascending.
func standing(begins, all, offsets []int64) []int64 {
	for _, o := range offsets {
		out, rest := begins[:0], all
		for _, b := range begins {
			for len(rest) > 0 && rest[0] < b+o {
				rest = rest[1:]
			}
			if len(rest) > 0 && rest[0] == b+o {
				out = append(out, b)
			}
		}
		if begins = out; len(begins) == 0 {
			break
		}
	}
	return begins
}

// index makes what finds the places of a row, and the sieve: most rows that have
// a term have it elsewhere, which that tells of many without a look at places.
func (w *wanted) index() {
	w.first = append(w.first, int32(len(w.at)))
	w.hit = append(w.hit[:0], make([]bool, len(w.at))...)
	w.ranks = make([]*[len(page{})]int32, len(w.rows.pages))
	n := int32(0)
	for i, p := range w.rows.pages {
		if p == nil {
			continue
		}
		ranks := new([len(page{})]int32)
		for j, word := range p {
			ranks[j] = n
			n += int32(bits.OnesCount64(word))
		}
		w.ranks[i] = ranks
	}
	w.sieve = append(w.sieve[:0], make([]uint64, n)...)
	for rank := range w.sieve {
		for _, at := range w.at[w.first[rank]:w.first[rank+1]] {
			w.sieve[rank] |= 1 << (at & 63)
		}
	}
}

// rank tells how many rows stand before one that has places.
func (w *wanted) rank(row int64) int32 {
	n, word := row>>pageBits, row&pageMask>>6
	return w.ranks[n][word] + int32(bits.OnesCount64(w.rows.pages[n][word]&(1<<(row&63)-1)))
}

// of gives the places of a row that has some: at[from:to].
func (w *wanted) of(row int64) (from, to int32) {
	rank := w.rank(row)
	return w.first[rank], w.first[rank+1]
}

// meet marks the places at[from:to] at which a term stands wherever the phrase
// has it, by all its places in that row.
func (w *wanted) meet(from, to int32, all, offsets []int64) {
	w.left = append(w.left[:0], w.at[from:to]...)
	for _, b := range standing(w.left, all, offsets) {
		for w.at[from] != b {
			from++
		}
		w.hit[from] = true
	}
}

// keep leaves the places that were marked, or only their rows, which is enough at
// last.
func (w *wanted) keep(last bool) {
	if !slices.Contains(w.hit, false) {
		clear(w.hit)
		return
	}
	if last {
		rank := 0
		for r := range w.rows.All() {
			if !slices.Contains(w.hit[w.first[rank]:w.first[rank+1]], true) {
				w.rows.Remove(r)
			}
			rank++
		}
		return
	}
	rows := w.rows
	w.rows = Set{}
	first, at := w.first[:0], w.at[:0]
	from := int32(0)
	rank := 0
	for r := range rows.All() {
		rank++
		to, n := w.first[rank], len(at)
		for i := from; i < to; i++ {
			if w.hit[i] {
				at = append(at, w.at[i])
			}
		}
		if from = to; len(at) > n {
			w.rows.Add(r)
			first = append(first, int32(n))
		}
	}
	w.first, w.at = first, at
	w.index()
}

// follower marks the places at which a term of a phrase stands, or any that
// begins so. Segments come newest first.
type follower struct {
	wanted   *wanted
	step     step
	last     bool // of the phrase's steps
	limit    int64
	oldest   bool // this segment is
	seen     Set  // rows that newer segments know
	here     Set  // rows that this segment knows, unless it is the oldest
	doubtful Set  // rows in which segments may differ
	bad      bool // positions can not be read

	some   [64]candidate // scratch
	sieves [64]uint64    // scratch

	rank    int32 // of the last row, where its positions go on
	missing int
	begun   []byte  // of them
	all     []int64 // scratch
}

// begin says that what comes is of another segment, the oldest or not.
func (f *follower) begin(oldest bool) {
	f.oldest = oldest
	f.seen.Union(&f.here)
	f.here = Set{}
}

func (f *follower) term(t []byte) bool {
	f.missing = 0
	return f.step.fits == nil || f.step.fits(t)
}

func (f *follower) more(b []byte) {
	if f.missing > 0 {
		f.begun = append(f.begun, b...)
		if f.missing -= len(b); f.missing <= 0 {
			f.look(f.rank, f.wanted.sieve[f.rank], f.begun)
		}
	}
}

// candidate is a row that has places, and the bytes of a term's positions in it.
type candidate struct {
	row      uint32
	rank     int32
	from, to int
}

// rows is written out as that of [rowReader] is. What it comes to is looked up
// some at a time: that each lies elsewhere in memory is what takes longest.
func (f *follower) rows(b []byte, row int64) (last int64, missing int, ok bool) {
	pages := f.wanted.rows.pages
	limit := min(uint64(f.limit), uint64(len(pages))<<pageBits-1) // there are pages
	f.missing = 0
	some, n := &f.some, 0
	for pos := 0; pos < len(b); {
		delta := uint64(b[pos])
		pos++
		if delta >= 0x80 {
			v, n := number(b[pos-1:])
			if n == 0 {
				return 0, 0, false
			}
			delta, pos = v, pos-1+n
		}
		row += int64(delta)
		if pos >= len(b) {
			return 0, 0, false
		}
		size := uint64(b[pos])
		pos++
		if size >= 0x80 {
			v, n := number(b[pos-1:])
			if n == 0 || v > mostPositions {
				return 0, 0, false
			}
			size, pos = v, pos-1+n
		}
		from := pos
		pos += int(size >> 1)
		missing = max(0, pos-len(b))
		if uint64(row) <= limit {
			if p := pages[row>>pageBits]; p != nil && p[row&pageMask>>6]>>(row&63)&1 != 0 {
				if n == len(some) {
					f.lookAt(some[:], b)
					n = 0
				}
				some[n] = candidate{uint32(row), f.wanted.rank(row), from, pos}
				n++
			}
		}
	}
	f.lookAt(some[:n], b)
	return row, missing, true
}

// lookAt looks into the positions of rows that a walk came to.
func (f *follower) lookAt(some []candidate, b []byte) {
	sieves := &f.sieves
	for i, c := range some {
		sieves[i] = f.wanted.sieve[c.rank]
	}
	for i, c := range some {
		switch {
		case sieves[i] == 0 || !f.news(int64(c.row)):
			// nothing more is wanted of it, or this is not the last word on it
		case c.to > len(b):
			f.rank, f.missing, f.begun = c.rank, c.to-len(b), append(f.begun[:0], b[c.from:]...)
		default:
			f.look(c.rank, sieves[i], b[c.from:c.to])
		}
	}
}

// news reports whether what a segment says of a row is the last word on it, as
// far as is known by now. Where two segments know a row of an open term, it may
// be by different terms, or by the same.
func (f *follower) news(row int64) bool {
	known := f.seen.Has(row)
	if known && f.step.open {
		f.doubtful.Add(row)
	}
	if !f.oldest {
		f.here.Add(row)
	}
	return !known || f.step.open
}

// look looks into the positions of a row.
func (f *follower) look(rank int32, sieve uint64, b []byte) {
	w, offsets := f.wanted, f.step.at
	if len(offsets) > 1 || !f.lookAhead(rank, sieve, b) {
		var ok bool
		if f.all, ok = positions(f.all[:0], b); !ok {
			f.bad = true
			return
		}
		w.meet(w.first[rank], w.first[rank+1], f.all, offsets)
	}
}

// lookAhead looks into the positions of a row for a term that the phrase has
// once, without decoding them all: most rows have none that passes the sieve. It
// gives false where a position takes more than two bytes, or comes with another
// column.
func (f *follower) lookAhead(rank int32, sieve uint64, b []byte) bool {
	w := f.wanted
	at, from, to := -f.step.at[0], int32(-1), int32(0)
	for pos := 0; pos < len(b); pos++ {
		v := int64(b[pos])
		if v >= 0x80 {
			if pos++; pos == len(b) || b[pos] >= 0x80 {
				return false
			}
			v = v&0x7f<<7 | int64(b[pos])
		}
		if v < 2 {
			return false
		}
		at += v - 2
		if sieve>>(at&63)&1 == 0 {
			continue
		}
		if from < 0 {
			from, to = w.first[rank], w.first[rank+1]
		}
		for from < to && w.at[from] < at {
			from++
		}
		if from == to {
			return true
		}
		if w.at[from] > at {
			continue
		}
		if w.hit[from] = true; f.last {
			w.sieve[rank] = 0
			return true
		}
	}
	return true
}
