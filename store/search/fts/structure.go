// Package ftsindex answers full-text questions by reading the index of an
// SQLite FTS5 table from its shadow tables. FTS5 itself merges all that it has
// on a prefix before it gives the first row, and asks for the text of each
// row; to read the same pages without either takes a twentieth of the time.
//
// It only reads, and only inside a transaction of the caller's, so that an
// answer is of one moment. It knows version 4 of the format with detail=full
// and the tokenizers unicode61 and trigram. Of anything else, and of damage,
// it says so with an [*UnsupportedError] error instead of an answer.
package fts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"math/bits"
	"slices"
	"strings"
)

// Queryer is a database inside a read transaction.
type Queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Index is the index of one FTS5 table. It remembers where the terms of its
// segments stand from one moment to the next; it may be used by one goroutine
// at a time.
type Index struct {
	table         string
	tokenizer     tokenizer
	diacriticsSet bool

	structure    []byte
	writeCounter int64        // how many pages were ever written
	segments     []segment    // oldest first
	db           Queryer      // of the transaction that is under way
	maxRowid     int64        // greatest row that counts
	precomputed  *precomputed // nil for nothing
	cache        cache        // of segments
}

// segment is a part of the index that was written in one go. Where segments
// differ about a term in a row, the newest is right.
type segment struct {
	id, firstPage, lastPage int64 // leaf pages
	level                   int
	lastTermHash            [sha256.Size]byte // what stands on the first and the last page
	termIndex               termIndex
}

// equals reports whether two segments are one. A new one may get the number and
// the size of one that was merged away, but not its rows.
func (s segment) equals(t segment) bool {
	return s.id == t.id && s.firstPage == t.firstPage && s.lastPage == t.lastPage && s.lastTermHash == t.lastTermHash
}

// New takes the name of an FTS5 table and the statement that made it.
func New(table, ddl string) (*Index, error) {
	x := &Index{table: table}
	if bits.UintSize < 64 {
		return nil, x.unsupported("this machine counts with %d bits", bits.UintSize)
	}
	if strings.ContainsAny(table, `"'[]`) {
		return nil, x.unsupported("its name needs quotes")
	}
	return x, x.parseDDL(ddl)
}

// Trigrams reports whether the index holds all stretches of three characters,
// not words.
func (x *Index) Trigrams() bool { return x.tokenizer.trigram }

// Numbers of rows in the %_data table.
const (
	averagesRowid  = 1
	structureRowid = 10
	pageNumberBits = 37 // a leaf is segment<<37 | page
	maxPageNumber  = 1<<31 - 1
)

// Refresh makes the index answer from a transaction: what it gives until the
// next call is of that moment. Rows beyond limit, which is at most [MaxRowid],
// are left out of all answers; they are of no message. changed says that the
// index is not what it was at the last call.
func (x *Index) Refresh(ctx context.Context, db Queryer, limit int64) (changed bool, err error) {
	x.db, x.maxRowid = db, limit
	if limit > MaxRowid {
		return false, x.unsupported("rows go up to %d", limit)
	}
	b, err := x.readBlock(ctx, structureRowid)
	if err != nil {
		return false, err
	}
	if x.structure != nil && bytes.Equal(b, x.structure) {
		return false, nil
	}
	var version any
	err = x.eachRow(ctx, `SELECT v FROM `+x.table+`_config WHERE k = 'version'`, nil, func(rows *sql.Rows) error { return rows.Scan(&version) })
	if err != nil {
		return true, err
	}
	if version != int64(4) {
		return true, x.unsupported("its format is version %v", version)
	}
	segments, writes, err := x.readStructure(b)
	if err != nil {
		return true, err
	}
	for i := range segments {
		s := &segments[i]
		if err := x.readLastTerms(ctx, s); err != nil {
			return true, err
		}
		if n := slices.IndexFunc(x.segments, s.equals); n >= 0 {
			s.termIndex = x.segments[n].termIndex
		} else if err := x.readTermIndex(ctx, s); err != nil {
			return true, err
		}
	}
	x.structure, x.writeCounter, x.segments, x.cache = b, writes, segments, cache{}
	return true, nil
}

// Rebind makes the index answer from another transaction, of the moment that it
// is at.
func (x *Index) Rebind(db Queryer) { x.db = db }

// readStructure reads which segments there are, and how many pages were ever
// written.
func (x *Index) readStructure(b []byte) (out []segment, writes int64, err error) {
	if len(b) < 7 {
		return nil, 0, x.corrupt("the structure has %d bytes", len(b))
	}
	b = b[4:] // a number that changes with the configuration
	origins := len(b) > 4 && b[0] == 0xff && b[1] == 0 && b[2] == 0 && b[3] == 1
	if origins {
		b = b[4:]
	}
	bad := false
	next := func(most uint64) int64 {
		v, n := varint(b)
		if n == 0 || v > most {
			bad, b = true, nil
			return 0
		}
		b = b[n:]
		return int64(v)
	}
	const most = 2000 // FTS5's own limit of segments
	levels, all := next(most), next(most)
	writes = next(1<<63 - 1)
	for level := range levels {
		next(most) // how many are being merged
		for range next(most) {
			s := segment{id: next(1<<16 - 1), firstPage: next(maxPageNumber), lastPage: next(maxPageNumber), level: int(level)}
			if origins {
				next(1<<63 - 1)
				next(1<<63 - 1)
				if next(maxPageNumber) > 0 {
					return nil, 0, x.unsupported("it has tombstones")
				}
				next(1<<63 - 1)
				next(1<<63 - 1)
			}
			if bad {
				break
			}
			if s.id == 0 || s.firstPage > s.lastPage {
				return nil, 0, x.corrupt("segment %d has the pages %d to %d", s.id, s.firstPage, s.lastPage)
			}
			if s.firstPage > 0 { // else its pages are yet to be written
				out = append(out, s)
			}
		}
		if bad {
			break
		}
	}
	if bad || int64(len(out)) > all {
		return nil, 0, x.corrupt("the structure breaks off")
	}
	// Levels go from new to old, the segments of a level from old to new.
	slices.SortStableFunc(out, func(a, b segment) int { return b.level - a.level })
	return out, writes, nil
}

// termIndex tells on which page of a segment a term stands: the pages that have
// the beginning of a term, and a text between what stands before and on each.
type termIndex struct {
	keys    []byte
	keyEnds []uint32 // of the texts
	pages   []int32
}

func (g *termIndex) key(i int) []byte {
	from := uint32(0)
	if i > 0 {
		from = g.keyEnds[i-1]
	}
	return g.keys[from:g.keyEnds[i]]
}

// pageFor gives the page on which a term stands if it is there.
func (g *termIndex) pageFor(term []byte) (int64, bool) {
	lo, hi := 0, len(g.pages)
	for lo < hi {
		if mid := (lo + hi) / 2; bytes.Compare(g.key(mid), term) <= 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return 0, false
	}
	return int64(g.pages[lo-1]), true
}

// nextPage gives the next page behind one that has the beginning of a term.
func (g *termIndex) nextPage(page int64) (int64, bool) {
	i, exact := slices.BinarySearch(g.pages, int32(min(page, maxPageNumber)))
	if exact {
		i++
	}
	if i == len(g.pages) {
		return 0, false
	}
	return int64(g.pages[i]), true
}

// lastPageBefore gives the last page on which a term can stand that begins on a page; last
// is that of the segment.
func (g *termIndex) lastPageBefore(page, last int64) int64 {
	if next, ok := g.nextPage(page); ok {
		return next
	}
	return last
}

// pageCount counts the pages on which a term can stand, or those that begin so.
func (s *segment) pageCount(want []byte, exact bool) int {
	from, ok := s.termIndex.pageFor(want)
	if !ok {
		from = s.firstPage
	}
	to := from
	if !exact { // no term has a byte 0xff
		if to, ok = s.termIndex.pageFor(append(slices.Clone(want), 0xff)); !ok {
			to = s.firstPage
		}
	}
	return int(s.termIndex.lastPageBefore(to, s.lastPage) - from + 1)
}

// readLastTerms reads the first and the last page of a segment.
func (x *Index) readLastTerms(ctx context.Context, s *segment) error {
	h := sha256.New()
	for _, page := range []int64{s.firstPage, s.lastPage} {
		b, err := x.readBlock(ctx, s.id<<pageNumberBits|page)
		if err != nil {
			return err
		}
		h.Write(b)
	}
	h.Sum(s.lastTermHash[:0])
	return nil
}

// readTermIndex reads the %_idx rows of a segment.
func (x *Index) readTermIndex(ctx context.Context, s *segment) error {
	if s.firstPage == s.lastPage {
		return nil
	}
	var g termIndex
	var raw sql.RawBytes
	var page int64
	err := x.eachRow(ctx, `SELECT term, pgno >> 1 FROM `+x.table+`_idx WHERE segid = ? ORDER BY term`, []any{s.id}, func(rows *sql.Rows) error {
		if err := rows.Scan(&raw, &page); err != nil {
			return err
		}
		if page < 1 || page > s.lastPage || len(g.pages) > 0 && page <= int64(g.pages[len(g.pages)-1]) {
			return x.corrupt("segment %d leads to page %d", s.id, page)
		}
		if page < s.firstPage { // merged away
			return nil
		}
		g.keys = append(g.keys, raw...)
		g.keyEnds = append(g.keyEnds, uint32(len(g.keys)))
		g.pages = append(g.pages, int32(page))
		return nil
	})
	s.termIndex = g
	return err
}

// RowCount gives how many rows the index holds.
func (x *Index) RowCount(ctx context.Context) (int64, error) {
	b, err := x.readBlock(ctx, averagesRowid)
	if err != nil {
		return 0, err
	}
	n, size := varint(b)
	if size == 0 {
		return 0, nil // nothing was ever written
	}
	return int64(n), nil
}

// readBlock reads one row of %_data.
func (x *Index) readBlock(ctx context.Context, id int64) (b []byte, err error) {
	found := false
	err = x.eachRow(ctx, `SELECT block FROM `+x.table+`_data WHERE id = ?`, []any{id}, func(rows *sql.Rows) error {
		found = true
		return rows.Scan(&b)
	})
	if err == nil && !found {
		err = x.corrupt("row %d is missing", id)
	}
	return b, err
}

// eachRow runs a query and hands over its rows until one of them is refused with
// errStop, which is no error.
func (x *Index) eachRow(ctx context.Context, query string, args []any, row func(*sql.Rows) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	// A statement that is interrupted costs its connection, so ctx is looked
	// at between rows instead.
	rows, err := x.db.QueryContext(context.WithoutCancel(ctx), query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for n := 1; rows.Next(); n++ {
		if err := row(rows); err == errDone {
			return nil
		} else if err != nil {
			return err
		}
		if n&63 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return rows.Err()
}

// varint reads one of SQLite's numbers; size is 0 where there is none.
func varint(b []byte) (v uint64, size int) {
	for i, c := range b {
		if i == 8 {
			return v<<8 | uint64(c), 9
		}
		v = v<<7 | uint64(c&0x7f)
		if c < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}
