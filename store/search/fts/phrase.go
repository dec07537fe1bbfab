package fts

import (
	"context"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// phraseTerm is a term of a phrase, with all its places in it.
type phraseTerm struct {
	term         string
	prefix       bool                   // it may go on
	accepts      func(term []byte) bool // to one of these; nil for any
	offsets      []int64                // which words of the phrase it is
	alternatives []string               // it is any of these; then it is taken for open

	leafCount int // see [Index.weight]
}

// phraseTerms gives the terms of a phrase, each once.
func (e Expr) phraseTerms() []phraseTerm {
	var steps []phraseTerm
	number := map[string]int{}
	for i, t := range e.terms {
		if e.prefix && i == len(e.terms)-1 {
			return append(steps, phraseTerm{term: t, prefix: true, accepts: e.accepts, offsets: []int64{int64(i)}})
		}
		n, known := number[t]
		if !known {
			n, number[t] = len(steps), len(steps)
			steps = append(steps, phraseTerm{term: t})
		}
		steps[n].offsets = append(steps[n].offsets, int64(i))
	}
	return steps
}

// coveringTerms leaves out trigrams all characters of which others have before them,
// at the same places.
func (e Expr) coveringTerms(steps []phraseTerm) []phraseTerm {
	told := make([]bool, len(e.terms)+2) // characters
	return slices.DeleteFunc(steps, func(s phraseTerm) bool {
		news := s.accepts != nil
		for _, at := range s.offsets {
			for i := range int64(utf8.RuneCountInString(s.term)) {
				news = news || !told[at+i]
				told[at+i] = true
			}
		}
		return !news
	})
}

// leafCount tells how much there is to read of a term: pages. The positions of
// beginnings come from many terms and have to be sorted, so they count more.
func (x *Index) leafCount(s phraseTerm) int {
	pages := 0
	for i := range x.segments {
		pages += x.segments[i].pageCount(termKey(s.term), !s.prefix)
	}
	if s.prefix {
		pages *= 4
	}
	return pages
}

// searchPhrase finds terms that follow one another, among some rows only unless
// within is nil. The rows that have all terms come first, the lightest term's
// before the others', then the places in them.
func (x *Index) searchPhrase(ctx context.Context, e Expr, within *Set) (*Set, error) {
	steps := x.lightestFirst(e)
	if len(steps) == 0 {
		return &Set{}, nil
	}
	rows, err := x.rowsOfTerm(ctx, steps[0], within)
	if err != nil {
		return nil, err
	}
	if within != nil {
		rows.Intersect(within)
	}
	if len(e.terms) == 1 && len(e.precededBy) == 0 || rows.Empty() {
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
	if len(e.precededBy) > 0 {
		steps = append(steps, phraseTerm{alternatives: e.precededBy, prefix: true, offsets: []int64{-1}})
	}
	return x.inBatches(ctx, steps, rows, usualRows)
}

// lightestFirst gives the terms of a phrase that have to be read, by how much
// there is to read of each.
func (x *Index) lightestFirst(e Expr) []phraseTerm {
	steps := e.phraseTerms()
	if len(steps) < 2 {
		return steps
	}
	for i := range steps {
		steps[i].leafCount = x.leafCount(steps[i])
	}
	slices.SortStableFunc(steps, func(a, b phraseTerm) int { return a.leafCount - b.leafCount })
	if x.tokenizer.trigram {
		steps = e.coveringTerms(steps)
	}
	return steps
}

// cheapRows gives the rows of a term of a phrase, some of those that the phrase
// may be in or more, where that takes much less than its places: it is not much
// heavier than the lightest term, or prepared. nil is for any row.
func (x *Index) cheapRows(ctx context.Context, s, lightest phraseTerm, among *Set) (*Set, error) {
	switch {
	case !s.prefix && s.leafCount <= 2*lightest.leafCount:
		return x.rowsOfTerm(ctx, s, among) // in a tenth of the time that places take
	case s.accepts == nil:
		rows, _, err := x.rowsOfPrecomputed(ctx, termID{s.term, s.prefix})
		return rows, err
	}
	return nil, nil
}

// usualRows is how many rows have their positions in memory at once.
const usualRows = 1 << 18

// inBatches keeps the rows in which the terms of a phrase stand as they do in
// it. The first of steps gives the places where the phrase may begin, the
// others thin them out, in so many rows at once.
func (x *Index) inBatches(ctx context.Context, steps []phraseTerm, rows *Set, atOnce int) (*Set, error) {
	all := rows.Rowids()
	found := &Set{}
	for part := range slices.Chunk(all, atOnce) {
		among := rows
		if len(part) < len(all) {
			among = &Set{}
			for _, r := range part {
				among.Add(r)
			}
		}
		w, err := x.startCandidates(ctx, steps[0], among)
		if err != nil {
			return nil, err
		}
		for i, s := range steps[1:] {
			if len(w.starts) == 0 {
				break
			}
			if err := x.narrowCandidates(ctx, w, s, i+2 == len(steps)); err != nil {
				return nil, err
			}
		}
		found.Union(&w.rows)
	}
	return found, nil
}

// startCandidates gives where the phrase may begin, by the places of its first step.
func (x *Index) startCandidates(ctx context.Context, s phraseTerm, among *Set) (*phraseCandidates, error) {
	if few := seekRows(among); !s.prefix && few == nil {
		w := &phraseCandidates{starts: make([]int64, 0, 4*among.Len())} // or some more
		r := startReader{candidates: w, offsets: s.offsets, among: among, maxRowid: x.maxRowid, last: -1}
		for i := range x.segments { // oldest first: rows that came later mostly stand in newer ones
			if err := x.scanTerm(ctx, &x.segments[i], s, nil, &r); err != nil {
				return nil, err
			}
		}
		if r.corrupt {
			return nil, x.corrupt("positions can not be read")
		}
		if !r.tooMany {
			w.buildRanks()
			return w, nil
		}
	}
	places, err := x.readPositions(ctx, s, among)
	if err != nil {
		return nil, err
	}
	w := &phraseCandidates{starts: make([]int64, 0, len(places.poslistBytes))} // most positions take a byte
	if !places.each(func(row int64, all []int64) { w.add(row, all, s.offsets) }) {
		return nil, x.corrupt("positions can not be read")
	}
	w.buildRanks()
	return w, nil
}

// startReader reads the places of one term. It refuses to where segments differ
// about a row.
type startReader struct {
	candidates *phraseCandidates
	offsets    []int64 // as that of the step
	among      *Set
	maxRowid   int64
	last       int64 // row that was wanted
	tooMany    bool
	corrupt    bool // positions can not be read

	poslistRest    int    // of the last row's positions
	partialPoslist []byte // of them
	positions      []int64
}

func (r *startReader) term([]byte) bool { return true }

func (r *startReader) restOfPoslist(b []byte) {
	if r.poslistRest > 0 {
		r.partialPoslist = append(r.partialPoslist, b...)
		if r.poslistRest -= len(b); r.poslistRest <= 0 {
			r.addPoslist(r.partialPoslist)
		}
	}
}

func (r *startReader) doclist(b []byte, row int64) (last int64, missing int, ok bool) {
	r.poslistRest = 0
	return eachEntry(b, row, func(row int64, here []byte, missing int) {
		switch {
		case row < 0 || row > r.maxRowid || !r.among.Has(row) || r.tooMany:
			return
		case row <= r.last:
			r.tooMany = true
			return
		}
		r.last = row
		if missing > 0 {
			r.poslistRest, r.partialPoslist = missing, append(r.partialPoslist[:0], here...)
			return
		}
		r.addPoslist(here)
	})
}

// addPoslist takes the positions of the last row, none where it is gone.
func (r *startReader) addPoslist(b []byte) {
	var ok bool
	if r.positions, ok = decodePoslist(r.positions[:0], b); !ok {
		r.corrupt = true
		return
	}
	r.candidates.add(r.last, r.positions, r.offsets)
}

// narrowCandidates keeps the places at which a term stands where the phrase has it. Of the
// last term one place of each row is enough.
func (x *Index) narrowCandidates(ctx context.Context, w *phraseCandidates, s phraseTerm, last bool) error {
	f := poslistMatcher{candidates: w, current: s, lastTerm: last, maxRowid: x.maxRowid}
	few := seekRows(&w.rows)
	for i := len(x.segments) - 1; i >= 0; i-- { // newest first
		f.startSegment(i == 0)
		if err := x.scanTerm(ctx, &x.segments[i], s, few, &f); err != nil {
			return err
		}
	}
	if f.corrupt {
		return x.corrupt("positions can not be read")
	}
	if err := x.settle(ctx, w, s, &f.ambiguous); err != nil {
		return err
	}
	w.dropUnmatched(last)
	return nil
}

// settle marks anew the places of rows in which segments may differ about a
// term that may go on: of each term the newest segment is right.
func (x *Index) settle(ctx context.Context, w *phraseCandidates, s phraseTerm, doubtful *Set) error {
	if doubtful.Empty() {
		return nil
	}
	places, err := x.readPositions(ctx, s, doubtful)
	if err != nil {
		return err
	}
	for r := range doubtful.All() {
		from, to := w.startsOf(r)
		clear(w.matched[from:to])
	}
	ok := places.each(func(row int64, all []int64) {
		from, to := w.startsOf(row)
		w.matchPositions(from, to, all, s.offsets)
	})
	if !ok {
		return x.corrupt("positions can not be read")
	}
	return nil
}

// scanTerm hands over what a segment has of a term of a phrase.
func (x *Index) scanTerm(ctx context.Context, in *segment, s phraseTerm, few []int64, into doclistReader) error {
	if s.alternatives == nil {
		return x.scanSegment(ctx, in, termKey(s.term), !s.prefix, few, into)
	}
	for _, t := range s.alternatives {
		if err := x.scanSegment(ctx, in, termKey(t), true, few, into); err != nil {
			return err
		}
	}
	return nil
}

// phraseCandidates is the places where a phrase may begin: its first word would stand
// there.
type phraseCandidates struct {
	rows          Set
	rankPages     []*[len(bitmapPage{})]int32 // how many rows stand before each word of a page
	firstStart    []int32                     // by rank: where the places of a row begin in at, and the end
	starts        []int64                     // as that of a place, ascending
	matched       []bool                      // of at: the term at hand stands where it should
	positionBloom []uint64                    // by rank: bit n for places of a row that leave n when divided by 64

	remaining []int64 // scratch
}

// add takes in a row, behind all others, with the places of a term, the first word
// of which is the phrase's word at[0]; it must be the others of at, too.
func (w *phraseCandidates) add(row int64, places, at []int64) {
	n := len(w.starts)
	for _, p := range places {
		w.starts = append(w.starts, p-at[0]) // before the text: no word stands there
	}
	if len(at) > 1 {
		w.starts = w.starts[:n+len(remainingStarts(w.starts[n:], places, at[1:]))]
	}
	if len(w.starts) > n {
		w.rows.Add(row)
		w.firstStart = append(w.firstStart, int32(n))
	}
}

// remainingStarts keeps of some beginnings of a phrase, in their own slice, those at
// which a term that has the places all stands wherever the phrase has it. Both
// are ascending.
func remainingStarts(begins, all, offsets []int64) []int64 {
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

// buildRanks makes what finds the places of a row, and the sieve: most rows that have
// a term have it elsewhere, which that tells of many without a look at places.
func (w *phraseCandidates) buildRanks() {
	w.firstStart = append(w.firstStart, int32(len(w.starts)))
	w.matched = append(w.matched[:0], make([]bool, len(w.starts))...)
	w.rankPages = make([]*[len(bitmapPage{})]int32, len(w.rows.pages))
	n := int32(0)
	for i, p := range w.rows.pages {
		if p == nil {
			continue
		}
		ranks := new([len(bitmapPage{})]int32)
		for j, word := range p {
			ranks[j] = n
			n += int32(bits.OnesCount64(word))
		}
		w.rankPages[i] = ranks
	}
	w.positionBloom = append(w.positionBloom[:0], make([]uint64, n)...)
	for rank := range w.positionBloom {
		for _, at := range w.starts[w.firstStart[rank]:w.firstStart[rank+1]] {
			w.positionBloom[rank] |= 1 << (at & 63)
		}
	}
}

// rank tells how many rows stand before one that has places.
func (w *phraseCandidates) rank(row int64) int32 {
	n, word := row>>pageBits, row&pageMask>>6
	return w.rankPages[n][word] + int32(bits.OnesCount64(w.rows.pages[n][word]&(1<<(row&63)-1)))
}

// startsOf gives the places of a row that has some: at[from:to].
func (w *phraseCandidates) startsOf(row int64) (from, to int32) {
	rank := w.rank(row)
	return w.firstStart[rank], w.firstStart[rank+1]
}

// matchPositions marks the places at[from:to] at which a term stands wherever the phrase
// has it, by all its places in that row.
func (w *phraseCandidates) matchPositions(from, to int32, all, offsets []int64) {
	w.remaining = append(w.remaining[:0], w.starts[from:to]...)
	for _, b := range remainingStarts(w.remaining, all, offsets) {
		for w.starts[from] != b {
			from++
		}
		w.matched[from] = true
	}
}

// dropUnmatched leaves the places that were marked, or only their rows, which is enough at
// last.
func (w *phraseCandidates) dropUnmatched(last bool) {
	if !slices.Contains(w.matched, false) {
		clear(w.matched)
		return
	}
	if last {
		rank := 0
		for r := range w.rows.All() {
			if !slices.Contains(w.matched[w.firstStart[rank]:w.firstStart[rank+1]], true) {
				w.rows.Remove(r)
			}
			rank++
		}
		return
	}
	rows := w.rows
	w.rows = Set{}
	first, at := w.firstStart[:0], w.starts[:0]
	from := int32(0)
	rank := 0
	for r := range rows.All() {
		rank++
		to, n := w.firstStart[rank], len(at)
		for i := from; i < to; i++ {
			if w.matched[i] {
				at = append(at, w.starts[i])
			}
		}
		if from = to; len(at) > n {
			w.rows.Add(r)
			first = append(first, int32(n))
		}
	}
	w.firstStart, w.starts = first, at
	w.buildRanks()
}

// poslistMatcher marks the places at which a term of a phrase stands, or any that
// begins so. Segments come newest first.
type poslistMatcher struct {
	candidates    *phraseCandidates
	current       phraseTerm
	lastTerm      bool // of the phrase's steps
	maxRowid      int64
	oldestSegment bool // this segment is
	seen          Set  // rows that newer segments know
	inSegment     Set  // rows that this segment knows, unless it is the oldest
	ambiguous     Set  // rows in which segments may differ
	corrupt       bool // positions can not be read

	batch       [64]batchEntry // scratch
	batchBlooms [64]uint64     // scratch

	rank           int32 // of the last row, where its positions go on
	poslistRest    int
	partialPoslist []byte  // of them
	positions      []int64 // scratch
}

// startSegment says that what comes is of another segment, the oldest or not.
func (f *poslistMatcher) startSegment(oldest bool) {
	f.oldestSegment = oldest
	f.seen.Union(&f.inSegment)
	f.inSegment = Set{}
}

func (f *poslistMatcher) term(t []byte) bool {
	f.poslistRest = 0
	return f.current.accepts == nil || f.current.accepts(t)
}

func (f *poslistMatcher) restOfPoslist(b []byte) {
	if f.poslistRest > 0 {
		f.partialPoslist = append(f.partialPoslist, b...)
		if f.poslistRest -= len(b); f.poslistRest <= 0 {
			f.matchPoslist(f.rank, f.candidates.positionBloom[f.rank], f.partialPoslist)
		}
	}
}

// batchEntry is a row that has places, and the bytes of a term's positions in it.
type batchEntry struct {
	row      uint32
	rank     int32
	from, to int
}

// doclist is written out as that of [rowSetReader] is. What it comes to is looked up
// some at a time: that each lies elsewhere in memory is what takes longest.
func (f *poslistMatcher) doclist(b []byte, row int64) (last int64, missing int, ok bool) {
	pages := f.candidates.rows.pages
	limit := min(uint64(f.maxRowid), uint64(len(pages))<<pageBits-1) // there are pages
	f.poslistRest = 0
	some, n := &f.batch, 0
	for pos := 0; pos < len(b); {
		delta := uint64(b[pos])
		pos++
		if delta >= 0x80 {
			v, n := varintUpTo2(b[pos-1:])
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
			v, n := varintUpTo2(b[pos-1:])
			if n == 0 || v > maxPoslistSize {
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
					f.matchBatch(some[:], b)
					n = 0
				}
				some[n] = batchEntry{uint32(row), f.candidates.rank(row), from, pos}
				n++
			}
		}
	}
	f.matchBatch(some[:n], b)
	return row, missing, true
}

// matchBatch looks into the positions of rows that a walk came to.
func (f *poslistMatcher) matchBatch(some []batchEntry, b []byte) {
	sieves := &f.batchBlooms
	for i, c := range some {
		sieves[i] = f.candidates.positionBloom[c.rank]
	}
	for i, c := range some {
		switch {
		case sieves[i] == 0 || !f.isAuthoritative(int64(c.row)):
			// nothing more is wanted of it, or this is not the last word on it
		case c.to > len(b):
			f.rank, f.poslistRest, f.partialPoslist = c.rank, c.to-len(b), append(f.partialPoslist[:0], b[c.from:]...)
		default:
			f.matchPoslist(c.rank, sieves[i], b[c.from:c.to])
		}
	}
}

// isAuthoritative reports whether what a segment says of a row is the last word on it, as
// far as is known by now. Where two segments know a row of an open term, it may
// be by different terms, or by the same.
func (f *poslistMatcher) isAuthoritative(row int64) bool {
	known := f.seen.Has(row)
	if known && f.current.prefix {
		f.ambiguous.Add(row)
	}
	if !f.oldestSegment {
		f.inSegment.Add(row)
	}
	return !known || f.current.prefix
}

// matchPoslist looks into the positions of a row.
func (f *poslistMatcher) matchPoslist(rank int32, sieve uint64, b []byte) {
	w, offsets := f.candidates, f.current.offsets
	if len(offsets) > 1 || !f.matchPoslistFast(rank, sieve, b) {
		var ok bool
		if f.positions, ok = decodePoslist(f.positions[:0], b); !ok {
			f.corrupt = true
			return
		}
		w.matchPositions(w.firstStart[rank], w.firstStart[rank+1], f.positions, offsets)
	}
}

// matchPoslistFast looks into the positions of a row for a term that the phrase has
// once, without decoding them all: most rows have none that passes the sieve. It
// gives false where a position takes more than two bytes, or comes with another
// column.
func (f *poslistMatcher) matchPoslistFast(rank int32, sieve uint64, b []byte) bool {
	w := f.candidates
	at, from, to := -f.current.offsets[0], int32(-1), int32(0)
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
			from, to = w.firstStart[rank], w.firstStart[rank+1]
		}
		for from < to && w.starts[from] < at {
			from++
		}
		if from == to {
			return true
		}
		if w.starts[from] > at {
			continue
		}
		if w.matched[from] = true; f.lastTerm {
			w.positionBloom[rank] = 0
			return true
		}
	}
	return true
}
