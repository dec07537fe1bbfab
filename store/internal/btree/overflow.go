package btree

import (
	"context"
	"encoding/binary"
)

// overflow is the part of a long value that is not on the page of its row: a chain of pages,
// each with the number of the next one.
type overflow struct {
	first uint32
	pages int
}

// minUsable is the least number of bytes of a page that the file format allows.
const minUsable = 480

// leafTablePage is the kind of the leaves of a table. Those of an index are of the kind
// [leafPage].
const leafTablePage = 13

// findOverflow records where the values of a page continue.
func (o *owners) findOverflow(number uint32, page []byte) {
	page = page[:min(len(page), o.usable)]
	header := page
	if number == 1 { // after the header of the file
		header = page[min(100, len(page)):]
	}
	if len(header) < 12 {
		return
	}
	cells, before := 8, 0 // where the pointers to cells are; bytes of a cell before its length
	mostLocal := (o.usable-12)*64/255 - 23
	switch header[0] {
	case leafTablePage:
		mostLocal = o.usable - 35
	case interiorPage:
		cells, before = 12, 4
	case leafPage:
	default:
		return
	}
	leastLocal := (o.usable-12)*32/255 - 23
	for i := range min(int(binary.BigEndian.Uint16(header[3:])), (len(header)-cells)/2) {
		at := int(binary.BigEndian.Uint16(header[cells+2*i:])) + before
		if at >= len(page) {
			continue
		}
		size, n := varint(page[at:])
		if n == 0 || size <= uint64(mostLocal) || size > uint64(o.pages)*uint64(o.usable) {
			continue // whole, or longer than the file
		}
		at += n
		if header[0] == leafTablePage {
			_, n = varint(page[at:]) // the key
			at += n
		}
		local := leastLocal + (int(size)-leastLocal)%(o.usable-4)
		if local > mostLocal {
			local = leastLocal
		}
		if at += local; at+4 <= len(page) {
			rest := int(size) - local
			o.overflow = append(o.overflow, overflow{binary.BigEndian.Uint32(page[at:]), (rest + o.usable - 5) / (o.usable - 4)})
		}
	}
}

// walkOverflow records the pages of all chains. A chain that ends too early is an error of
// SQLite when it frees the value, and nothing is freed then.
func (o *owners) walkOverflow(ctx context.Context) (shared bool, err error) {
	if len(o.overflow) == 0 {
		return false, nil
	}
	links, err := o.links(ctx)
	if err != nil {
		return false, err
	}
	for _, c := range o.overflow {
		for next := c.first; c.pages > 0 && 0 < next && int64(next) <= int64(o.pages); next = links[next] {
			if !o.own(next) {
				return true, nil
			}
			c.pages--
		}
	}
	return false, nil
}

// links returns the number with which each page begins: in a chain, the next page.
func (o *owners) links(ctx context.Context) ([]uint32, error) {
	rows, err := o.q.QueryContext(ctx, `SELECT pgno, substr(data, 1, 4) FROM sqlite_dbpage`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	links := make([]uint32, o.pages+1)
	for rows.Next() {
		var number int
		var next []byte
		if err := rows.Scan(&number, &next); err != nil {
			return nil, err
		}
		if number <= o.pages && len(next) == 4 {
			links[number] = binary.BigEndian.Uint32(next)
		}
	}
	return links, rows.Err()
}
