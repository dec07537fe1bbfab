package btree

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"slices"
)

// Shared reports whether a page of the database belongs to two tables or indexes, twice
// to one, or to one and to the list of free pages: a change of the one would write over the
// other. It reads the interior pages of
// all of them, which name the rest, so that a million messages take some ten
// milliseconds. Pages of another kind than it expects are not judged.
func Shared(ctx context.Context, q Querier) (bool, error) {
	var pages int
	s := scan{q: q}
	if err := s.one(ctx, `SELECT page_count FROM pragma_page_count`, nil, &pages); err != nil {
		return false, err
	}
	roots, err := rootPages(ctx, q)
	if err != nil {
		return false, err
	}
	o := owners{q: q, seen: make([]uint64, pages/64+1), pages: pages}
	for _, root := range roots {
		if !o.own(root) {
			return true, nil
		}
	}
	for _, root := range roots {
		if shared, err := o.walk(ctx, root); shared || err != nil {
			return shared, err
		}
	}
	return o.walkFree(ctx)
}

// walkFree notes the pages of the list of free pages. Each page of the list names the next
// one, and free pages.
func (o *owners) walkFree(ctx context.Context) (shared bool, err error) {
	s := scan{q: o.q}
	var page []byte
	if err := s.one(ctx, `SELECT substr(data, 1, 100) FROM sqlite_dbpage WHERE pgno = 1`, nil, &page); err != nil || len(page) < 36 {
		return false, err
	}
	for next := binary.BigEndian.Uint32(page[32:]); next != 0 && int64(next) <= int64(o.pages); next = binary.BigEndian.Uint32(page) {
		if !o.own(next) {
			return true, nil
		}
		if err := s.one(ctx, `SELECT data FROM sqlite_dbpage WHERE pgno = ?`, []any{next}, &page); err != nil || len(page) < 8 {
			return false, err
		}
		free := page[8:]
		for i := range min(int(binary.BigEndian.Uint32(page[4:])), len(free)/4) {
			if !o.own(binary.BigEndian.Uint32(free[4*i:])) {
				return true, nil
			}
		}
	}
	return false, nil
}

// rootPages gives the first pages of all tables and indexes.
func rootPages(ctx context.Context, q Querier) ([]uint32, error) {
	rows, err := q.QueryContext(ctx, `SELECT 1 UNION ALL SELECT rootpage FROM main.sqlite_schema WHERE rootpage > 0`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var roots []uint32
	for rows.Next() {
		var root uint32
		if err := rows.Scan(&root); err != nil {
			return nil, err
		}
		roots = append(roots, root)
	}
	return roots, rows.Err()
}

// owners knows which pages belong to a table or an index.
type owners struct {
	q     Querier
	pages int
	seen  []uint64 // a bit for each page
}

// own notes that a page belongs to a table or an index; false where it did before. Numbers
// outside the file are not judged: SQLite finds them when it reads.
func (o *owners) own(page uint32) bool {
	if page == 0 || int64(page) > int64(o.pages) {
		return true
	}
	bit := uint64(1) << (page % 64)
	if o.seen[page/64]&bit != 0 {
		return false
	}
	o.seen[page/64] |= bit
	return true
}

// walk notes the pages below a root, level by level. All leaves of a tree are on one level,
// so the first page of a level tells whether it has to be read.
func (o *owners) walk(ctx context.Context, root uint32) (shared bool, err error) {
	for level := []uint32{root}; len(level) > 0; {
		children, err := o.children(ctx, level[:1])
		if err != nil || children == nil {
			return false, err
		}
		if children, err = o.children(ctx, level); err != nil {
			return false, err
		}
		for _, page := range children {
			if !o.own(page) {
				return true, nil
			}
		}
		level = children
	}
	return false, nil
}

// children gives the pages that interior pages name, nil for leaves.
func (o *owners) children(ctx context.Context, numbers []uint32) (below []uint32, err error) {
	for chunk := range slices.Chunk(numbers, pagesPerStatement) {
		if below, err = o.read(ctx, chunk, below); err != nil {
			return nil, err
		}
	}
	return below, nil
}

func (o *owners) read(ctx context.Context, numbers, below []uint32) ([]uint32, error) {
	list, err := json.Marshal(numbers)
	if err != nil {
		return nil, err
	}
	rows, err := o.q.QueryContext(ctx, `SELECT p.pgno, p.data FROM json_each(?) j CROSS JOIN sqlite_dbpage p ON p.pgno = j.value`, string(list))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var number uint32
		var page sql.RawBytes
		if err := rows.Scan(&number, &page); err != nil {
			return nil, err
		}
		below = append(below, pointers(number, page)...)
	}
	return below, rows.Err()
}

// The kind of the interior pages of a table; those of an index are interiorPage.
const interiorTablePage = 5

// pointers gives the pages that an interior page names.
func pointers(number uint32, page []byte) (below []uint32) {
	header := page
	if number == 1 { // after the header of the file
		header = page[min(100, len(page)):]
	}
	if len(header) < 12 || header[0] != interiorPage && header[0] != interiorTablePage {
		return nil
	}
	below = append(below, binary.BigEndian.Uint32(header[8:]))
	cells := int(binary.BigEndian.Uint16(header[3:]))
	for i := range min(cells, (len(header)-12)/2) {
		at := int(binary.BigEndian.Uint16(header[12+2*i:]))
		if at+4 <= len(page) {
			below = append(below, binary.BigEndian.Uint32(page[at:]))
		}
	}
	return below
}
