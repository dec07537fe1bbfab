package btree

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"math/bits"
	"slices"
)

// Shared reports whether a page of the database belongs to two tables or indexes, twice
// to one, or to one and to the list of free pages: a change of the one would overwrite the
// other. It reads only interior pages, which have the numbers of all others, so that a
// million messages take some ten milliseconds. In a file of at most [maxOverflowBytes] it
// reads leaves too, for the overflow pages of long values. Pages of a kind that it does not
// expect are skipped.
//
// In such a file, if it is sound otherwise, unused is how many pages belong to nothing. Those
// of a file with auto-vacuum, some of which list the owners of the others, are not counted.
func Shared(ctx context.Context, q Querier) (shared bool, unused int, err error) {
	var pages, size int
	var reserved []byte
	var vacuums bool
	if err := queryRow(ctx, q, `SELECT (SELECT page_count FROM temp.pragma_page_count), (SELECT page_size FROM temp.pragma_page_size), substr(data, 21, 1), substr(data, 53, 4) <> x'00000000' FROM sqlite_dbpage WHERE pgno = 1`, nil, &pages, &size, &reserved, &vacuums); err != nil {
		return false, 0, err
	}
	roots, err := rootPages(ctx, q)
	if err != nil {
		return false, 0, err
	}
	o := owners{q: q, owned: make([]uint64, pages/64+1), pages: pages, usable: size}
	if len(reserved) == 1 {
		o.usable -= int(reserved[0])
	}
	o.withOverflow = pages*size <= maxOverflowBytes && o.usable >= minUsable
	for _, root := range roots {
		if !o.own(root) {
			return true, 0, nil
		}
	}
	for _, root := range roots {
		if shared, err := o.walk(ctx, root); shared || err != nil {
			return shared, 0, err
		}
	}
	if shared, err := o.walkFree(ctx); shared || err != nil {
		return shared, 0, err
	}
	if shared, err = o.walkOverflow(ctx); shared || err != nil || !o.withOverflow || vacuums {
		return shared, 0, err
	}
	for _, pages := range o.owned {
		unused -= bits.OnesCount64(pages)
	}
	return false, unused + pages, nil
}

// maxOverflowBytes is the largest file of which all pages are read: 64 MB take some tenths of
// a second.
const maxOverflowBytes = 64 << 20

// walkFree records the pages of the list of free pages. Each page of the list has the number
// of the next one, and those of free pages.
func (o *owners) walkFree(ctx context.Context) (shared bool, err error) {
	var page []byte
	if err := queryRow(ctx, o.q, `SELECT substr(data, 1, 100) FROM sqlite_dbpage WHERE pgno = 1`, nil, &page); err != nil || len(page) < 36 {
		return false, err
	}
	for next := binary.BigEndian.Uint32(page[32:]); next != 0 && int64(next) <= int64(o.pages); next = binary.BigEndian.Uint32(page) {
		if !o.own(next) {
			return true, nil
		}
		if err := queryRow(ctx, o.q, `SELECT data FROM sqlite_dbpage WHERE pgno = ?`, []any{next}, &page); err != nil || len(page) < 8 {
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

// rootPages returns the root pages of all tables and indexes.
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

// owners records which pages belong to a table, an index or the list of free pages.
type owners struct {
	q     Querier
	pages int      // of the file
	owned []uint64 // a bit for each page

	usable       int        // bytes of a page that SQLite uses
	withOverflow bool       // leaves are read, too
	overflow     []overflow // of the values that were found
}

// own records the owner of a page, and reports whether the page had none before. Numbers
// outside the file are accepted: SQLite reports them when it reads.
func (o *owners) own(page uint32) bool {
	if page == 0 || int64(page) > int64(o.pages) {
		return true
	}
	bit := uint64(1) << (page % 64)
	if o.owned[page/64]&bit != 0 {
		return false
	}
	o.owned[page/64] |= bit
	return true
}

// walk records the pages below a root, level by level. All leaves of a tree are on one level,
// so the first page of a level tells whether it has to be read.
func (o *owners) walk(ctx context.Context, root uint32) (shared bool, err error) {
	for level := []uint32{root}; len(level) > 0; {
		children, err := o.children(ctx, level[:1])
		if err != nil || children == nil && !o.withOverflow {
			return false, err
		}
		more, err := o.children(ctx, level[1:])
		if err != nil {
			return false, err
		}
		children = append(children, more...)
		for _, page := range children {
			if !o.own(page) {
				return true, nil
			}
		}
		level = children
	}
	return false, nil
}

// children returns the pages below interior pages, nil for leaves.
func (o *owners) children(ctx context.Context, numbers []uint32) (below []uint32, err error) {
	for chunk := range slices.Chunk(numbers, pagesPerStatement) {
		if below, err = o.read(ctx, chunk, below); err != nil {
			return nil, err
		}
	}
	return below, nil
}

// read appends the pages below one batch of interior pages to below.
func (o *owners) read(ctx context.Context, numbers, below []uint32) ([]uint32, error) {
	list, err := json.Marshal(numbers)
	if err != nil {
		return nil, err
	}
	rows, err := o.q.QueryContext(ctx, `SELECT p.pgno, p.data FROM temp.json_each(?) j CROSS JOIN sqlite_dbpage p ON p.pgno = j.value`, string(list))
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
		if o.withOverflow {
			o.findOverflow(number, page)
		}
	}
	return below, rows.Err()
}

// maxDepth is the most levels of a tree that SQLite reads.
const maxDepth = 20

// LastPage follows the pointers to the page with the last rows of a table. behind is true where
// they lead to a page that is not among those of the database.
func LastPage(ctx context.Context, q Querier, table string) (number uint32, behind bool, err error) {
	pages, err := NewDatabasePages(ctx, q)
	if err == nil {
		err = queryRow(ctx, q, `SELECT rootpage FROM main.sqlite_schema WHERE type = 'table' AND lower(name) = ?`, []any{table}, &number)
	}
	for range maxDepth {
		var page []byte
		if err == nil {
			page, err = pages.Page(ctx, number)
		}
		below := pointers(number, page)
		if err != nil || below == nil {
			break
		}
		number = below[0]
	}
	return number, int64(number) > int64(pages.Count()), err
}

// interiorTablePage is the kind of the interior pages of a table. Those of an index are of
// the kind [interiorPage].
const interiorTablePage = 5

// pointers returns the pages below an interior page, the last one first, nil for a page of another
// kind.
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
