// Package btree reads all entries of an index from its pages, which the virtual table
// sqlite_dbpage returns inside a read transaction. A statement that scans the same index
// takes four times as long: it runs a dozen instructions for each entry.
//
// An index that this package cannot read is an [ErrUnsupported]: the caller then runs the
// statement. [Shared] looks for damage instead: pages that two trees have in common.
package btree

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"slices"
)

// ErrUnsupported is the error of [Scan] where no index has the columns, or its pages are of
// a kind that this package does not read, or damaged.
var ErrUnsupported = errors.New("the index cannot be read by its pages")

// ErrUnordered is the error of [Scan] where entries of a page are not in their order: a
// statement that looks for some of them may miss them.
var ErrUnordered = errors.New("the entries of the index are not in their order")

// Querier is a database connection inside a read transaction.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Value is a column of an entry, as it is stored.
type Value struct {
	Type  uint64 // the serial type of SQLite's record format: 0 for NULL
	bytes []byte
}

// Text returns a text, which is valid during the call that received the value only. ok is
// false for a value of another type.
func (v Value) Text() (text []byte, ok bool) { return v.bytes, v.Type >= 13 && v.Type%2 == 1 }

// Blob returns a blob, as [Value.Text] does a text.
func (v Value) Blob() (blob []byte, ok bool) { return v.bytes, v.Type >= 12 && v.Type%2 == 0 }

// Int returns an integer. ok is false for a value of another type.
func (v Value) Int() (n int64, ok bool) {
	switch {
	case 1 <= v.Type && v.Type <= 6:
		n = int64(int8(v.bytes[0]))
		for _, b := range v.bytes[1:] {
			n = n<<8 | int64(b)
		}
		return n, true
	case v.Type == 8 || v.Type == 9:
		return int64(v.Type - 8), true
	}
	return 0, false
}

// Number returns an integer or a floating-point number. ok is false for a value of another
// type.
func (v Value) Number() (n float64, ok bool) {
	if v.Type == 7 {
		return math.Float64frombits(binary.BigEndian.Uint64(v.bytes)), true
	}
	i, ok := v.Int()
	return float64(i), ok
}

// Scan calls each once per row of a table with an INTEGER PRIMARY KEY, in no order, with
// the values of the columns, which are valid during the call only, and the key. It reads
// the smallest index that has all of the columns and begins with one of them. The error is
// [ErrUnsupported], [ErrUnordered], that of each, or one of the database; each may have been called before.
func Scan(ctx context.Context, q Querier, table string, columns []string, each func(values []Value, key int64) error) error {
	s := scan{q: q, each: each, values: make([]Value, len(columns))}
	root, err := s.findIndex(ctx, table, columns)
	if err != nil {
		return err
	}
	level, read := []uint32{root}, 0
	for len(level) > 0 {
		if read += len(level); read > s.pageCount {
			return ErrUnsupported // a damaged page has an ancestor among its children
		}
		s.children = nil
		for chunk := range slices.Chunk(level, pagesPerStatement) {
			if err := s.readPages(ctx, chunk); err != nil {
				return err
			}
		}
		level = s.children
	}
	return nil
}

// pagesPerStatement is how many pages one statement reads.
const pagesPerStatement = 256

// scan reads one index.
type scan struct {
	q         Querier
	pageCount int      // of the file
	usable    int      // bytes of a page that SQLite uses
	position  []int    // of the wanted columns in a record
	fields    int      // how many values a record has, the key among them
	key       int      // position of the key
	children  []uint32 // of the pages of the last level
	values    []Value  // of the current record
	ascending bool     // texts of the first column are sorted by their bytes
	first     []byte   // the text in the first column of the last record of the page; nil for none
	each      func(values []Value, key int64) error
}

// findIndex returns the root page of the index to read.
func (s *scan) findIndex(ctx context.Context, table string, columns []string) (root uint32, err error) {
	var encoding string
	var pageSize, ownIndexes int
	err = queryRow(ctx, s.q, `SELECT (SELECT encoding FROM temp.pragma_encoding), (SELECT page_size FROM temp.pragma_page_size), (SELECT page_count FROM temp.pragma_page_count),
		(SELECT count(*) FROM temp.pragma_index_list(?1) WHERE origin = 'pk') + (SELECT count(*) <> 1 OR max(upper(type)) <> 'INTEGER' FROM temp.pragma_table_info(?1) WHERE pk > 0)`,
		[]any{table}, &encoding, &pageSize, &s.pageCount, &ownIndexes)
	if err != nil {
		return 0, err
	}
	if encoding != "UTF-8" || ownIndexes > 0 {
		return 0, ErrUnsupported
	}
	var head []byte
	if err := queryRow(ctx, s.q, `SELECT data FROM sqlite_dbpage WHERE pgno = 1`, nil, &head); err != nil {
		return 0, err
	}
	if len(head) != pageSize {
		return 0, ErrUnsupported
	}
	s.usable = pageSize - int(head[20]) // without the bytes reserved for extensions
	rows, err := s.q.QueryContext(ctx, `SELECT s.rootpage, json_group_array(x.name ORDER BY x.seqno), min(x.cid),
		max(x.seqno = 0 AND x.coll = 'BINARY' AND NOT x.desc) FROM temp.pragma_index_list(?1) l
		JOIN main.sqlite_schema s ON s.type = 'index' AND s.name = l.name JOIN temp.pragma_index_xinfo(l.name) x
		WHERE l.partial = 0 GROUP BY l.name ORDER BY count(*), l.name`, table)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for root == 0 && rows.Next() {
		var page uint32
		var list []byte
		var least int
		var ascending bool
		if err := rows.Scan(&page, &list, &least, &ascending); err != nil {
			return 0, err
		}
		var names []*string // nil for the key, which is the last
		if json.Unmarshal(list, &names) != nil || least != -1 || len(names) < 2 || names[len(names)-1] != nil {
			continue
		}
		s.position = nil
		s.fields = len(names)
		s.key = len(names) - 1
		for _, c := range columns {
			at := slices.IndexFunc(names, func(n *string) bool { return n != nil && *n == c })
			if at < 0 {
				break
			}
			s.position = append(s.position, at)
		}
		if len(s.position) == len(columns) && slices.Contains(s.position, 0) {
			root, s.ascending = page, ascending
		}
	}
	if err := rows.Err(); err != nil {
		return 0, err
	}
	if root < 2 || int(root) > s.pageCount {
		return 0, ErrUnsupported
	}
	return root, nil
}

// queryRow reads the first row of a query. No row is an [ErrUnsupported].
func queryRow(ctx context.Context, q Querier, query string, args []any, into ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	if !rows.Next() {
		return errors.Join(rows.Err(), ErrUnsupported)
	}
	if err := rows.Scan(into...); err != nil {
		return err
	}
	return rows.Err()
}

// readPages reads pages of one level, and adds those below them to children.
func (s *scan) readPages(ctx context.Context, numbers []uint32) error {
	rows, err := queryPages(ctx, s.q, numbers)
	if err != nil {
		return err
	}
	defer rows.Close()
	read := 0
	for ; rows.Next(); read++ {
		var page sql.RawBytes
		if err := rows.Scan(&page); err != nil {
			return err
		}
		if err := s.readPage(page); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if read != len(numbers) {
		return ErrUnsupported
	}
	return nil
}

// The kinds of pages of an index.
const (
	interiorPage = 2
	leafPage     = 10
)

// readPage reads the entries of a page, and the numbers of the pages below it.
func (s *scan) readPage(page []byte) error {
	if len(page) < s.usable || s.usable < minUsable {
		return ErrUnsupported
	}
	page = page[:s.usable]
	kind, cells := page[0], int(binary.BigEndian.Uint16(page[3:]))
	pointers := 8
	if kind == interiorPage {
		pointers = 12
		s.children = append(s.children, binary.BigEndian.Uint32(page[8:]))
	} else if kind != leafPage {
		return ErrUnsupported
	}
	if pointers+2*cells > len(page) {
		return ErrUnsupported
	}
	s.first = nil
	mostLocal := (s.usable-12)*64/255 - 23 // a longer entry continues on overflow pages
	for i := range cells {
		at := int(binary.BigEndian.Uint16(page[pointers+2*i:]))
		if at+4 > len(page) {
			return ErrUnsupported
		}
		cell := page[at:]
		if kind == interiorPage {
			s.children = append(s.children, binary.BigEndian.Uint32(cell))
			cell = cell[4:]
		}
		size, n := varint(cell)
		if n == 0 || size > uint64(mostLocal) || n+int(size) > len(cell) {
			return ErrUnsupported
		}
		if err := s.readRecord(cell[n : n+int(size)]); err != nil {
			return err
		}
	}
	return nil
}

// readRecord reads an entry and calls each with it.
func (s *scan) readRecord(record []byte) error {
	size, n := varint(record)
	if n == 0 || size > uint64(len(record)) || int(size) < n {
		return ErrUnsupported
	}
	header, body := record[n:size], record[size:]
	var key Value
	for field := range s.fields {
		kind, n := varint(header)
		if n == 0 {
			return ErrUnsupported
		}
		header = header[n:]
		length := valueLength(kind)
		if length < 0 || length > len(body) {
			return ErrUnsupported
		}
		v := Value{kind, body[:length]}
		body = body[length:]
		if text, ok := v.Text(); field == 0 && s.ascending {
			if ok && bytes.Compare(text, s.first) < 0 {
				return ErrUnordered
			}
			if s.first = nil; ok {
				s.first = text
			}
		}
		for i, at := range s.position {
			if at == field {
				s.values[i] = v
			}
		}
		if field == s.key {
			key = v
		}
	}
	id, ok := key.Int()
	if !ok {
		return ErrUnsupported
	}
	return s.each(s.values, id)
}

// valueLength returns how many bytes a value of a serial type has, below zero for a type
// that does not exist or is too long.
func valueLength(kind uint64) int {
	switch {
	case kind < 12:
		return [...]int{0, 1, 2, 3, 4, 6, 8, 8, 0, 0, -1, -1}[kind]
	case kind > math.MaxInt32:
		return -1
	}
	return int(kind-12) / 2
}

// varint decodes a SQLite varint of one to nine bytes. n is its length, 0 where b ends
// within it.
func varint(b []byte) (v uint64, n int) {
	for n = range min(len(b), 8) {
		v = v<<7 | uint64(b[n]&0x7f)
		if b[n] < 0x80 {
			return v, n + 1
		}
	}
	if len(b) < 9 {
		return 0, 0
	}
	return v<<8 | uint64(b[8]), 9
}

// queryPages returns the data of pages, in the order of their numbers in the list.
func queryPages(ctx context.Context, q Querier, numbers []uint32) (*sql.Rows, error) {
	list, err := json.Marshal(numbers)
	if err != nil {
		return nil, err
	}
	return q.QueryContext(ctx, `SELECT p.data FROM temp.json_each(?) j CROSS JOIN sqlite_dbpage p ON p.pgno = j.value`, string(list))
}
