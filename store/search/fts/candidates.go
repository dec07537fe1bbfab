package fts

import (
	"context"
	"hermes-sessions/store/internal/idset"
	"math/bits"
	"slices"
)

// wordsPerPage is how many words of 64 bits a page of a bitmap has.
const wordsPerPage = len(idset.Page{})

// phraseCandidates holds, for a set of rows, the positions at which a phrase may
// start: where its term at offset 0 would be.
type phraseCandidates struct {
	rowids     idset.Set
	ranks      []*[wordsPerPage]int32 // by page of rowids: how many rowids come before each word
	firstStart []int32                // by rank of the row: where its starts begin, and the end of all
	starts     []int64                // positions, ascending within a row
	matched    []bool                 // by start: the current term is at its position
	bloom      []uint64               // by rank: bit n is set where a start leaves n when divided by 64

	early     int64   // see [phraseTerm]
	remaining []int64 // scratch of matchPositions
}

// tokenNumberMask selects the number of the token from a position, without the column.
const tokenNumberMask = 1<<32 - 1

// add adds a row, whose rowid is above all others, by the positions of a term. offsets are
// all places of the term in the phrase: a start counts only where the term is at each.
func (c *phraseCandidates) add(rowid int64, positions, offsets []int64) {
	n := len(c.starts)
	for _, p := range positions {
		start := p - offsets[0]
		if c.early == 0 || start&tokenNumberMask < c.early {
			c.starts = append(c.starts, start) // negative starts match no other term
		}
	}
	if len(offsets) > 1 {
		c.starts = c.starts[:n+len(keepStarts(c.starts[n:], positions, offsets[1:]))]
	}
	if len(c.starts) > n {
		c.rowids.Add(rowid)
		c.firstStart = append(c.firstStart, int32(n))
	}
}

// keepStarts returns, in the same slice, the starts at which a term is at each of its
// offsets. positions are all positions of the term. Both slices are ascending.
func keepStarts(starts, positions, offsets []int64) []int64 {
	for _, o := range offsets {
		out, rest := starts[:0], positions
		for _, s := range starts {
			for len(rest) > 0 && rest[0] < s+o {
				rest = rest[1:]
			}
			if len(rest) > 0 && rest[0] == s+o {
				out = append(out, s)
			}
		}
		if starts = out; len(starts) == 0 {
			break
		}
	}
	return starts
}

// buildRanks computes ranks and Bloom filters once all rows are added. Most rows
// that have the next term have it elsewhere, which the filter shows without
// reading the starts.
func (c *phraseCandidates) buildRanks() {
	c.firstStart = append(c.firstStart, int32(len(c.starts)))
	c.matched = append(c.matched[:0], make([]bool, len(c.starts))...)
	c.ranks = make([]*[wordsPerPage]int32, len(c.rowids.Pages()))
	n := int32(0)
	for i, p := range c.rowids.Pages() {
		if p == nil {
			continue
		}
		ranks := new([wordsPerPage]int32)
		for j, word := range p {
			ranks[j] = n
			n += int32(bits.OnesCount64(word))
		}
		c.ranks[i] = ranks
	}
	c.bloom = append(c.bloom[:0], make([]uint64, n)...)
	for rank := range c.bloom {
		for _, start := range c.starts[c.firstStart[rank]:c.firstStart[rank+1]] {
			c.bloom[rank] |= 1 << (start & 63)
		}
	}
}

// rank returns how many rows come before one that has starts.
func (c *phraseCandidates) rank(rowid int64) int32 {
	n, word := rowid>>idset.PageBits, rowid&idset.PageMask>>6
	return c.ranks[n][word] + int32(bits.OnesCount64(c.rowids.Pages()[n][word]&(1<<(rowid&63)-1)))
}

// startsOf returns the range of a row in starts.
func (c *phraseCandidates) startsOf(rowid int64) (from, to int32) {
	rank := c.rank(rowid)
	return c.firstStart[rank], c.firstStart[rank+1]
}

// matchPositions marks the starts in starts[from:to] at which a term is at all
// offsets, given all its positions in that row.
func (c *phraseCandidates) matchPositions(from, to int32, positions, offsets []int64) {
	c.remaining = append(c.remaining[:0], c.starts[from:to]...)
	for _, s := range keepStarts(c.remaining, positions, offsets) {
		for c.starts[from] != s {
			from++
		}
		c.matched[from] = true
	}
}

// dropUnmatched drops the starts that are not marked and clears the marks. After
// the last term only the rowids are right.
func (c *phraseCandidates) dropUnmatched(lastTerm bool) {
	if !slices.Contains(c.matched, false) {
		clear(c.matched)
		return
	}
	if lastTerm {
		rank := 0
		for rowid := range c.rowids.All() {
			if !slices.Contains(c.matched[c.firstStart[rank]:c.firstStart[rank+1]], true) {
				c.rowids.Remove(rowid)
			}
			rank++
		}
		return
	}
	rowids := c.rowids
	c.rowids = idset.Set{}
	firstStart, starts := c.firstStart[:0], c.starts[:0]
	from := int32(0)
	rank := 0
	for rowid := range rowids.All() {
		rank++
		to, n := c.firstStart[rank], len(starts)
		for i := from; i < to; i++ {
			if c.matched[i] {
				starts = append(starts, c.starts[i])
			}
		}
		if from = to; len(starts) > n {
			c.rowids.Add(rowid)
			firstStart = append(firstStart, int32(n))
		}
	}
	c.firstStart, c.starts = firstStart, starts
	c.buildRanks()
}

// newCandidates returns where a phrase may start in the rows of within, by the positions
// of one of its terms.
func (ix *Index) newCandidates(ctx context.Context, t phraseTerm, within *idset.Set) (*phraseCandidates, error) {
	if !t.prefix && rowidsToSeek(within) == nil {
		c, err := ix.candidatesInOrder(ctx, t, within)
		if c != nil || err != nil {
			return c, err
		}
	}
	r, err := ix.readPositions(ctx, t, within)
	if err != nil {
		return nil, err
	}
	c := &phraseCandidates{early: t.early, starts: make([]int64, 0, len(r.poslistBytes))} // most positions take a byte
	if !r.each(func(rowid int64, positions []int64) { c.add(rowid, positions, t.offsets) }) {
		return nil, ix.corrupt("positions cannot be read")
	}
	c.buildRanks()
	return c, nil
}

// candidatesInOrder is newCandidates without collecting and sorting poslists, for
// segments whose rows follow each other. It returns nil where they overlap.
func (ix *Index) candidatesInOrder(ctx context.Context, t phraseTerm, within *idset.Set) (*phraseCandidates, error) {
	c := &phraseCandidates{early: t.early, starts: make([]int64, 0, 4*within.Len())} // a guess
	r := candidateReader{candidates: c, offsets: t.offsets, within: within, maxRowid: ix.maxRowid, lastRowid: -1}
	for i := range ix.segments { // oldest first: newer segments mostly have greater rowids
		if err := ix.scanTerm(ctx, &ix.segments[i], t, nil, &r); err != nil {
			return nil, err
		}
	}
	if r.corrupt {
		return nil, ix.corrupt("positions cannot be read")
	}
	if r.overlap {
		return nil, nil
	}
	c.buildRanks()
	return c, nil
}

// candidateReader is a [doclistReader] that adds the positions of one term to
// candidates as they come. It stops at the first rowid that is not above the one
// before: two segments have it, and the newer one would be right.
type candidateReader struct {
	candidates *phraseCandidates
	offsets    []int64
	within     *idset.Set
	maxRowid   int64

	lastRowid int64 // the last one of within
	overlap   bool  // a rowid came that was not above it
	corrupt   bool

	missing   int     // bytes of the last poslist that are to come
	partial   []byte  // those that came
	positions []int64 // scratch
}

func (r *candidateReader) term([]byte) bool { return true }

func (r *candidateReader) restOfPoslist(b []byte) {
	if r.missing > 0 {
		r.partial = append(r.partial, b...)
		if r.missing -= len(b); r.missing <= 0 {
			r.addPoslist(r.partial)
		}
	}
}

func (r *candidateReader) doclist(b []byte, rowid int64) (last int64, missing int, ok bool) {
	r.missing = 0
	return eachEntry(b, rowid, func(rowid int64, poslist []byte, missing int) {
		switch {
		case rowid < 0 || rowid > r.maxRowid || !r.within.Has(rowid) || r.overlap:
			return
		case rowid <= r.lastRowid:
			r.overlap = true
			return
		}
		r.lastRowid = rowid
		if missing > 0 {
			r.missing, r.partial = missing, append(r.partial[:0], poslist...)
			return
		}
		r.addPoslist(poslist)
	})
}

// addPoslist adds the last row. An empty poslist means that the term was removed from
// the row, and adds nothing.
func (r *candidateReader) addPoslist(b []byte) {
	var ok bool
	if r.positions, ok = decodePoslist(r.positions[:0], b); !ok {
		r.corrupt = true
		return
	}
	r.candidates.add(r.lastRowid, r.positions, r.offsets)
}

// narrowCandidates keeps the candidates at which a term is at its offsets.
// After the last term of the phrase only the rowids are right.
func (ix *Index) narrowCandidates(ctx context.Context, c *phraseCandidates, t phraseTerm, lastTerm bool) error {
	m := poslistMatcher{candidates: c, phraseTerm: t, lastTerm: lastTerm && !t.absent, maxRowid: ix.maxRowid}
	wanted := rowidsToSeek(&c.rowids)
	for i := len(ix.segments) - 1; i >= 0; i-- { // newest first
		m.startSegment(i == 0)
		if err := ix.scanTerm(ctx, &ix.segments[i], t, wanted, &m); err != nil {
			return err
		}
	}
	if m.corrupt {
		return ix.corrupt("positions cannot be read")
	}
	if err := ix.rematch(ctx, c, t, &m.ambiguous); err != nil {
		return err
	}
	if t.absent {
		for i := range c.matched {
			c.matched[i] = !c.matched[i]
		}
	}
	c.dropUnmatched(lastTerm)
	return nil
}

// rematch marks the starts of the ambiguous rows again, from the positions of each term
// with the prefix in the newest segment that has the term in the row.
func (ix *Index) rematch(ctx context.Context, c *phraseCandidates, t phraseTerm, ambiguous *idset.Set) error {
	if ambiguous.Empty() {
		return nil
	}
	r, err := ix.readPositions(ctx, t, ambiguous)
	if err != nil {
		return err
	}
	for rowid := range ambiguous.All() {
		from, to := c.startsOf(rowid)
		clear(c.matched[from:to])
	}
	ok := r.each(func(rowid int64, positions []int64) {
		from, to := c.startsOf(rowid)
		c.matchPositions(from, to, positions, t.offsets)
	})
	if !ok {
		return ix.corrupt("positions cannot be read")
	}
	return nil
}

// poslistMatcher is a [doclistReader] that marks the candidates at which a term
// of the phrase is found, or any with its prefix. It must receive the newest segment
// first.
type poslistMatcher struct {
	candidates *phraseCandidates
	phraseTerm phraseTerm
	lastTerm   bool // of the phrase
	maxRowid   int64

	oldestSegment bool      // the current segment is the oldest
	seen          idset.Set // rowids of newer segments
	inSegment     idset.Set // rowids of this segment, unless it is the oldest
	ambiguous     idset.Set // rowids about which segments may differ
	corrupt       bool

	batch       [64]batchEntry // scratch
	batchBlooms [64]uint64     // scratch

	rank      int32   // of the last row, if bytes of its poslist are to come
	missing   int     // how many
	partial   []byte  // those that came
	positions []int64 // scratch
}

// startSegment begins the next older segment.
func (m *poslistMatcher) startSegment(oldest bool) {
	m.oldestSegment = oldest
	m.seen.Union(&m.inSegment)
	m.inSegment = idset.Set{}
}

func (m *poslistMatcher) term(t []byte) bool {
	m.missing = 0
	return m.phraseTerm.accepts == nil || m.phraseTerm.accepts(t)
}

func (m *poslistMatcher) restOfPoslist(b []byte) {
	if m.missing > 0 {
		m.partial = append(m.partial, b...)
		if m.missing -= len(b); m.missing <= 0 {
			m.matchPoslist(m.rank, m.candidates.bloom[m.rank], m.partial)
		}
	}
}

// batchEntry is a row with candidates, and where its poslist is.
type batchEntry struct {
	rowid    uint32
	rank     int32
	from, to int // to may be beyond the bytes that were read
}

// doclist is called for every page of a frequent term: eachEntry is written out here, for
// the common case of varints of one byte. Rows are looked up in batches: the cache misses
// of the lookups are what takes longest, and in a batch they overlap.
func (m *poslistMatcher) doclist(b []byte, rowid int64) (last int64, missing int, ok bool) {
	pages := m.candidates.rowids.Pages()
	limit := min(uint64(m.maxRowid), uint64(len(pages))<<idset.PageBits-1) // there are pages
	m.missing = 0
	batch, n := &m.batch, 0
	for pos := 0; pos < len(b); {
		delta := uint64(b[pos])
		pos++
		if delta >= 0x80 {
			v, n := varint2(b[pos-1:])
			if n == 0 {
				return 0, 0, false
			}
			delta, pos = v, pos-1+n
		}
		rowid += int64(delta)
		if pos >= len(b) {
			return 0, 0, false
		}
		size := uint64(b[pos])
		pos++
		if size >= 0x80 {
			v, n := varint2(b[pos-1:])
			if n == 0 || v > maxPoslistSize {
				return 0, 0, false
			}
			size, pos = v, pos-1+n
		}
		from := pos
		pos += int(size >> 1)
		missing = max(0, pos-len(b))
		if uint64(rowid) <= limit {
			if p := pages[rowid>>idset.PageBits]; p != nil && p[rowid&idset.PageMask>>6]>>(rowid&63)&1 != 0 {
				if n == len(batch) {
					m.matchBatch(batch[:], b)
					n = 0
				}
				batch[n] = batchEntry{uint32(rowid), m.candidates.rank(rowid), from, pos}
				n++
			}
		}
	}
	m.matchBatch(batch[:n], b)
	return rowid, missing, true
}

func (m *poslistMatcher) matchBatch(batch []batchEntry, b []byte) {
	blooms := &m.batchBlooms
	for i, e := range batch {
		blooms[i] = m.candidates.bloom[e.rank]
	}
	for i, e := range batch {
		switch {
		case blooms[i] == 0 || !m.isAuthoritative(int64(e.rowid)):
			// the row has matched already, or a newer segment is right about it
		case e.to > len(b):
			m.rank = e.rank
			m.missing = e.to - len(b)
			m.partial = append(m.partial[:0], b[e.from:]...)
		default:
			m.matchPoslist(e.rank, blooms[i], b[e.from:e.to])
		}
	}
}

// isAuthoritative reports whether the current segment is right about a row, as far as
// newer segments show. Where two segments have a row for a prefix, it may be
// by different terms or by the same one: the row is ambiguous.
func (m *poslistMatcher) isAuthoritative(rowid int64) bool {
	seen := m.seen.Has(rowid)
	if seen && m.phraseTerm.prefix {
		m.ambiguous.Add(rowid)
	}
	if !m.oldestSegment {
		m.inSegment.Add(rowid)
	}
	return !seen || m.phraseTerm.prefix
}

// matchPoslist marks the starts of a row that match a poslist.
func (m *poslistMatcher) matchPoslist(rank int32, bloom uint64, b []byte) {
	c, offsets := m.candidates, m.phraseTerm.offsets
	if len(offsets) > 1 || !m.matchPoslistFast(rank, bloom, b) {
		var ok bool
		if m.positions, ok = decodePoslist(m.positions[:0], b); !ok {
			m.corrupt = true
			return
		}
		c.matchPositions(c.firstStart[rank], c.firstStart[rank+1], m.positions, offsets)
	}
}

// matchPoslistFast is matchPoslist for a term that the phrase has once, without
// decoding all positions first: in most rows none passes the Bloom filter. It
// returns false where a position takes more than two bytes, or the poslist has
// a second column.
func (m *poslistMatcher) matchPoslistFast(rank int32, bloom uint64, b []byte) bool {
	c := m.candidates
	start := -m.phraseTerm.offsets[0]
	from := int32(-1)
	to := int32(0)
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
		start += v - 2
		if bloom>>(start&63)&1 == 0 {
			continue
		}
		if from < 0 {
			from, to = c.firstStart[rank], c.firstStart[rank+1]
		}
		for from < to && c.starts[from] < start {
			from++
		}
		if from == to {
			return true
		}
		if c.starts[from] > start {
			continue
		}
		if c.matched[from] = true; m.lastTerm {
			c.bloom[rank] = 0 // one start is enough
			return true
		}
	}
	return true
}
