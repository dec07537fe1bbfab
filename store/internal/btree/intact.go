package btree

import (
	"context"
	"encoding/binary"
	"io"
	"os"
	"slices"
	"unicode/utf16"
)

// Pages are the pages of a file that may be damaged.
type Pages interface {
	// Page returns a page, which is valid until the next call: the part that is left of one in
	// which the file is cut, nil for one that cannot be read.
	Page(ctx context.Context, number uint32) ([]byte, error)
	Count() int
}

// Row is a row of a table as its page has it.
type Row struct {
	ID     int64 // the rowid
	Values []any // as many as were stored, of the types that package database/sql gives
	Page   uint32
}

// Intact reads what is intact of the tables of a file: each cell of each page that pointers lead
// to, whatever is damaged beside it. The order and the keys of pages count for nothing. So it
// reads at least what SQLite reads from any end.
type Intact struct {
	pages   Pages
	usable  int              // bytes of a page that SQLite uses
	utf16   binary.ByteOrder // of texts; nil for UTF-8
	visited map[uint32]bool  // pages of trees, and free ones

	// Astray is true where an inner page has a pointer beyond its end. SQLite follows what is
	// there in memory, so what a statement reads below the page is chance.
	Astray bool
}

// NewIntact returns a reader of pages, the first of which says how large they are.
func NewIntact(ctx context.Context, pages Pages) (*Intact, error) {
	head, err := pages.Page(ctx, 1)
	if err != nil {
		return nil, err
	}
	t := &Intact{pages: pages, visited: map[uint32]bool{}}
	if len(head) < 100 {
		return nil, ErrUnsupported
	}
	switch head[59] {
	case 2:
		t.utf16 = binary.LittleEndian
	case 3:
		t.utf16 = binary.BigEndian
	}
	size := PageSize(head)
	if t.usable = size - int(head[20]); t.usable < minUsable {
		t.usable = size // no writer reserves so much
	}
	return t, nil
}

// PageSize returns the bytes of a page that the header of a file states, and those that Hermes
// writes where it states none.
func PageSize(head []byte) int {
	size := int(binary.BigEndian.Uint16(head[16:]))
	if size == 1 {
		return 1 << 16
	}
	if size < 512 || size&(size-1) != 0 {
		return 4096
	}
	return size
}

// Rows calls each with the rows below a root page; where it is nil, their pages are only marked,
// so that [Intact.Strays] leaves them out. gaps is true where a page or a row of them cannot be
// read.
func (t *Intact) Rows(ctx context.Context, root uint32, each func(Row) error) (gaps bool, err error) {
	seen := map[uint32]bool{}
	for left := []uint32{root}; len(left) > 0; {
		number := left[len(left)-1]
		left = left[:len(left)-1]
		if seen[number] {
			gaps = true
			continue
		}
		seen[number], t.visited[number] = true, true
		page, err := t.pages.Page(ctx, number)
		if err != nil {
			return gaps, err
		}
		page = page[:min(len(page), t.usable)]
		switch kind(number, page) {
		case interiorTablePage:
			children := pointers(number, page)
			if len(children) <= cells(number, page) {
				gaps, t.Astray = true, true
			}
			slices.Reverse(children)
			if n := len(children); n > 0 { // pointers has the last child first
				children = append(children[n-1:], children[:n-1]...)
			}
			left = append(left, children...)
		case leafTablePage:
			if each == nil {
				break
			}
			rows, whole, err := t.leaf(ctx, number, slices.Clone(page))
			gaps = gaps || !whole
			for _, row := range rows {
				if err == nil {
					err = each(row)
				}
			}
			if err != nil {
				return gaps, err
			}
		default:
			gaps = true
		}
	}
	return gaps, nil
}

// Free marks the free pages, so that [Intact.Strays] leaves them out. whole is false where their
// list is damaged.
func (t *Intact) Free(ctx context.Context) (whole bool, err error) {
	page, err := t.pages.Page(ctx, 1)
	if err != nil || len(page) < 40 {
		return false, err
	}
	next, count := binary.BigEndian.Uint32(page[32:]), binary.BigEndian.Uint32(page[36:])
	for ; next != 0 && !t.visited[next]; next = binary.BigEndian.Uint32(page) {
		if page, err = t.pages.Page(ctx, next); err != nil || len(page) < 8 {
			return false, err
		}
		t.visited[next] = true
		count--
		for i := range min(int(binary.BigEndian.Uint32(page[4:])), (len(page)-8)/4) {
			t.visited[binary.BigEndian.Uint32(page[8+4*i:])] = true
			count--
		}
	}
	return next == 0 && count == 0, nil
}

// Strays calls each with the rows of every page that looks like one of a table, and that is
// neither free nor below a root that was read.
func (t *Intact) Strays(ctx context.Context, each func(rows []Row) error) error {
	for number := uint32(2); int64(number) <= int64(t.pages.Count()); number++ {
		if t.visited[number] {
			continue
		}
		page, err := t.pages.Page(ctx, number)
		if err != nil {
			return err
		}
		page = page[:min(len(page), t.usable)]
		if kind(number, page) != leafTablePage {
			continue
		}
		rows, _, err := t.leaf(ctx, number, slices.Clone(page))
		if err == nil && len(rows) > 0 {
			err = each(rows)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// kind returns the kind of a page of a tree, 0 where there is none.
func kind(number uint32, page []byte) byte {
	if number == 1 {
		page = page[min(100, len(page)):]
	}
	if len(page) < 8 {
		return 0
	}
	return page[0]
}

// cells returns the number of cells that a page of a tree states.
func cells(number uint32, page []byte) int {
	if number == 1 {
		page = page[100:]
	}
	return int(binary.BigEndian.Uint16(page[3:]))
}

// leaf returns the rows of a page. whole is false where one cannot be read.
func (t *Intact) leaf(ctx context.Context, number uint32, page []byte) (rows []Row, whole bool, err error) {
	header := page
	if number == 1 {
		header = page[100:]
	}
	cells := int(binary.BigEndian.Uint16(header[3:]))
	whole = cells <= (len(header)-8)/2
	for i := range min(cells, (len(header)-8)/2) {
		at := int(binary.BigEndian.Uint16(header[8+2*i:]))
		row, ok, err := t.row(ctx, page, at)
		if err != nil {
			return rows, false, err
		}
		if row.Page = number; ok && at >= 8+2*cells {
			rows = append(rows, row)
		} else {
			whole = false
		}
	}
	return rows, whole, nil
}

// row reads the row of a cell; ok is false where it is damaged.
func (t *Intact) row(ctx context.Context, page []byte, at int) (row Row, ok bool, err error) {
	if at >= len(page) {
		return row, false, nil
	}
	size, n := varint(page[at:])
	if n == 0 || size > uint64(t.pages.Count())*uint64(t.usable) {
		return row, false, nil
	}
	at += n
	id, n := varint(page[at:])
	if n == 0 {
		return row, false, nil
	}
	at += n
	row.ID = int64(id)
	local := int(size)
	if local > t.usable-35 {
		least := (t.usable-12)*32/255 - 23
		if local = least + (int(size)-least)%(t.usable-4); local > t.usable-35 {
			local = least
		}
	}
	if at+local > len(page) {
		return row, false, nil
	}
	payload := page[at : at+local]
	if local < int(size) {
		if at+local+4 > len(page) {
			return row, false, nil
		}
		next := binary.BigEndian.Uint32(page[at+local:])
		payload = append(make([]byte, 0, size), payload...)
		for len(payload) < int(size) {
			part, err := t.pages.Page(ctx, next)
			if err != nil {
				return row, false, err
			}
			take := min(int(size)-len(payload), t.usable-4)
			if len(part) < 4+take {
				return row, false, nil
			}
			payload, next = append(payload, part[4:4+take]...), binary.BigEndian.Uint32(part)
		}
	}
	row.Values, ok = t.record(payload)
	return row, ok, nil
}

// record returns the values of a record.
func (t *Intact) record(record []byte) (values []any, ok bool) {
	size, n := varint(record)
	if n == 0 || size > uint64(len(record)) || int(size) < n {
		return nil, false
	}
	header, body := record[n:size], record[size:]
	for len(header) > 0 {
		serial, n := varint(header)
		length := valueLength(serial)
		if n == 0 || length < 0 || length > len(body) {
			return nil, false
		}
		values = append(values, t.value(Value{serial, body[:length]}))
		header, body = header[n:], body[length:]
	}
	return values, true
}

// value returns a value of a type of Go.
func (t *Intact) value(v Value) any {
	if text, ok := v.Text(); ok {
		if t.utf16 == nil {
			return string(text)
		}
		units := make([]uint16, len(text)/2)
		for i := range units {
			units[i] = t.utf16.Uint16(text[2*i:])
		}
		return string(utf16.Decode(units))
	}
	if blob, ok := v.Blob(); ok {
		return slices.Clone(blob)
	}
	if n, ok := v.Int(); ok {
		return n
	}
	if f, ok := v.Number(); ok {
		return f
	}
	return nil
}

// DatabasePages are the pages that a read transaction sees.
type DatabasePages struct {
	q     Querier
	count int
}

// NewDatabasePages returns the pages that q sees, of a file with so many of them.
func NewDatabasePages(ctx context.Context, q Querier) (DatabasePages, error) {
	p := DatabasePages{q: q}
	return p, queryRow(ctx, q, `SELECT page_count FROM temp.pragma_page_count`, nil, &p.count)
}

// Count is that of [Pages].
func (p DatabasePages) Count() int { return p.count }

// Page is that of [Pages].
func (p DatabasePages) Page(ctx context.Context, number uint32) (page []byte, err error) {
	if number == 0 || int64(number) > int64(p.count) {
		return nil, nil
	}
	if err := queryRow(ctx, p.q, `SELECT data FROM sqlite_dbpage WHERE pgno = ?`, []any{number}, &page); err != nil {
		return nil, ctx.Err() // SQLite cannot read it
	}
	return page, nil
}

// FilePages are the pages of a file that SQLite does not have open.
type FilePages struct {
	file io.ReaderAt
	size int
	page []byte
	n    int
}

// NewFilePages returns the pages of a file.
func NewFilePages(file *os.File) (*FilePages, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	head := make([]byte, 100)
	if _, err := file.ReadAt(head, 0); err != nil {
		return nil, ErrUnsupported
	}
	p := &FilePages{file: file, size: PageSize(head)}
	p.page, p.n = make([]byte, p.size), int((info.Size()+int64(p.size)-1)/int64(p.size))
	return p, nil
}

// Count is that of [Pages].
func (p *FilePages) Count() int { return p.n }

// Page is that of [Pages].
func (p *FilePages) Page(ctx context.Context, number uint32) ([]byte, error) {
	if number == 0 || int64(number) > int64(p.n) {
		return nil, ctx.Err()
	}
	n, _ := p.file.ReadAt(p.page, int64(number-1)*int64(p.size)) // what a disk cannot read is damaged
	return p.page[:n], ctx.Err()
}
