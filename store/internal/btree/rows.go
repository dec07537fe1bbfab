package btree

import (
	"context"
	"database/sql"
	"encoding/binary"
	"slices"
)

// ScanRows calls each once per row of a table WITHOUT ROWID, in the order of its primary
// key, whose columns come first. values are the first columns of a row and valid during the
// call only. The error is [ErrUnsupported], that of each, or one of the database; each may
// have been called before.
func ScanRows(ctx context.Context, q Querier, table string, values []Value, each func() error) error {
	var root uint32
	var pageSize int
	s := rowScan{q: q, values: values, each: each}
	err := queryRow(ctx, q, `SELECT rootpage, (SELECT page_size FROM temp.pragma_page_size), (SELECT page_count FROM temp.pragma_page_count)
		FROM main.sqlite_schema WHERE type = 'table' AND name = ?`, []any{table}, &root, &pageSize, &s.pagesLeft)
	if err != nil {
		return err
	}
	var head []byte
	if err := queryRow(ctx, q, `SELECT data FROM sqlite_dbpage WHERE pgno = 1`, nil, &head); err != nil {
		return err
	}
	if len(head) != pageSize || root < 2 {
		return ErrUnsupported
	}
	if s.usable = pageSize - int(head[20]); s.usable < minUsable {
		return ErrUnsupported
	}
	return s.read(ctx, []uint32{root}, nil)
}

// rowScan reads one table.
type rowScan struct {
	q         Querier
	usable    int // bytes of a page that SQLite uses
	pagesLeft int // more pages than the file has are a damaged tree
	values    []Value
	each      func() error
}

// read reads neighboring pages of one level, and after each of them but the last the row that
// stands between it and the next one.
func (s *rowScan) read(ctx context.Context, numbers []uint32, between [][]byte) error {
	if s.pagesLeft -= len(numbers); s.pagesLeft < 0 {
		return ErrUnsupported
	}
	rows, err := queryPages(ctx, s.q, numbers)
	if err != nil {
		return err
	}
	defer rows.Close()
	var interior [][]byte
	read := 0
	for ; rows.Next(); read++ {
		var page sql.RawBytes
		if err := rows.Scan(&page); err != nil {
			return err
		}
		if len(page) < s.usable {
			return ErrUnsupported
		}
		if page[0] == interiorPage { // all pages of a level are
			interior = append(interior, slices.Clone(page))
			continue
		}
		if err := s.readLeaf(page); err != nil {
			return err
		}
		if read < len(between) {
			if err := s.readRow(between[read]); err != nil {
				return err
			}
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if read != len(numbers) || len(interior) > 0 && len(interior) != read {
		return ErrUnsupported
	}
	for i, page := range interior {
		if err := s.readInterior(ctx, page); err != nil {
			return err
		}
		if i < len(between) {
			if err := s.readRow(between[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// readInterior reads the pages below a page.
func (s *rowScan) readInterior(ctx context.Context, page []byte) error {
	var children []uint32
	var between [][]byte
	err := s.eachCell(page, 12, func(cell []byte) error {
		children, between = append(children, binary.BigEndian.Uint32(cell)), append(between, cell[4:])
		return nil
	})
	if err != nil {
		return err
	}
	return s.read(ctx, append(children, binary.BigEndian.Uint32(page[8:])), between)
}

// readLeaf reads the rows of a page without pages below it.
func (s *rowScan) readLeaf(page []byte) error {
	if page[0] != leafPage {
		return ErrUnsupported
	}
	return s.eachCell(page, 8, s.readRow)
}

// eachCell calls each with the cells of a page whose header has some bytes.
func (s *rowScan) eachCell(page []byte, header int, each func(cell []byte) error) error {
	page = page[:s.usable]
	cells := int(binary.BigEndian.Uint16(page[3:]))
	if header+2*cells > len(page) {
		return ErrUnsupported
	}
	for i := range cells {
		at := int(binary.BigEndian.Uint16(page[header+2*i:]))
		if at+4 > len(page) {
			return ErrUnsupported
		}
		if err := each(page[at:]); err != nil {
			return err
		}
	}
	return nil
}

// readRow calls each with the row that a cell begins with.
func (s *rowScan) readRow(cell []byte) error {
	size, n := varint(cell)
	if mostLocal := (s.usable-12)*64/255 - 23; n == 0 || size > uint64(mostLocal) || n+int(size) > len(cell) {
		return ErrUnsupported // a longer row continues on overflow pages
	}
	record := cell[n : n+int(size)]
	if size, n = varint(record); n == 0 || size > uint64(len(record)) || int(size) < n {
		return ErrUnsupported
	}
	header, body := record[n:size], record[size:]
	for i := range s.values {
		kind, n := varint(header)
		if n == 0 {
			return ErrUnsupported
		}
		length := valueLength(kind)
		if length < 0 || length > len(body) {
			return ErrUnsupported
		}
		s.values[i] = Value{kind, body[:length]}
		header, body = header[n:], body[length:]
	}
	return s.each()
}
