package transfer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/db"
)

// What a delete removes is kept as JSON lines, in the memory of an Undo as
// well as in a backup file:
//
//	{"hermes_sessions_backup": 1, "schema": 25}
//	{"table": "sessions", "rowid": 7, "row": {"id": "20260101_…", "source": "cli", …}}
//	{"table": "messages", "row": {"id": 12, "content": "…", …}}
//	{"table": "system_prompts", "rowid": 3, "row": {…}}
//	{"link": "id of a session that stays", "parent": "id of its parent"}
//	{"link": "id of a session that goes", "parent": "id of none", "dangling": true}
//	{"file": "20260101_….json", "mode": 384, "modified": 1767225600.0, "data": "…"}
//
// A row has every column as it was stored: integers without a point, reals
// with one, and what JSON can not say as {"$bytes_base64": …} (a BLOB),
// {"$text_base64": …} (text that is not UTF-8) or {"$real": …} (infinities).
// The lines of one file follow each other, at most filePart bytes in each.
const (
	BackupHeader    = "hermes_sessions_backup"
	BackupVersion   = 1
	BackupFileChunk = 64 << 10
)

// rowEncoder writes the rows of one table as lines.
type rowEncoder struct {
	table          string
	Columns        []string
	rowid          bool
	columnPrefixes [][]byte // `"name": ` of each column
	line           []byte
}

func NewRowEncoder(ctx context.Context, t *db.Tx, table string) (*rowEncoder, error) {
	k := &rowEncoder{table: table}
	var err error
	k.Columns, k.rowid, err = db.ColumnsOf(ctx, t, table, t.Schema.Tables[table])
	for _, c := range k.Columns {
		k.columnPrefixes = append(k.columnPrefixes, append(pyjson.Append(nil, c), ": "...))
	}
	return k, err
}

// selection lists what each takes. A "+" hides the declared type, by which
// the driver would change the value.
func (k *rowEncoder) selection() string {
	var b strings.Builder
	if k.rowid {
		b.WriteString("rowid")
	}
	for _, c := range k.Columns {
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString("+" + db.Quote(c))
	}
	return b.String()
}

// BackUpRows writes the rows that match a condition and says how many it wrote. take,
// if not nil, sees every row's values before, which are only good until it
// returns, and ends it with false.
func (k *rowEncoder) BackUpRows(ctx context.Context, q db.Querier, into io.Writer, where string, args []any, take func([]any) bool) (int, error) {
	rows, err := q.QueryContext(ctx, `SELECT `+k.selection()+` FROM `+db.Quote(k.table)+` WHERE `+where, args...)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	extra := 0
	if k.rowid {
		extra = 1
	}
	values := make([]any, len(k.Columns)+extra)
	scan := make([]any, len(values))
	for i := range values {
		scan[i] = &values[i]
	}
	n := 0
	for rows.Next() {
		if err := rows.Scan(scan...); err != nil {
			return n, err
		}
		if take != nil && !take(values[extra:]) {
			return n, rows.Close()
		}
		b := append(k.line[:0], `{"table": `...)
		b = pyjson.Append(b, k.table)
		if k.rowid {
			b = append(b, `, "rowid": `...)
			b = AppendStoredValue(b, values[0])
		}
		b = append(b, `, "row": {`...)
		for i, head := range k.columnPrefixes {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = append(b, head...)
			b = AppendStoredValue(b, values[i+extra])
		}
		b = append(b, "}}\n"...)
		if k.line = b; cap(k.line) > 1<<20 {
			k.line = nil // one long row must not stay in memory
		}
		if _, err := into.Write(b); err != nil {
			return n, fmt.Errorf("keep what is removed: %w", err)
		}
		n++
	}
	return n, rows.Err()
}

// AppendStoredValue writes a value so that readStored gives exactly it.
func AppendStoredValue(b []byte, v any) []byte {
	wrap := func(kind, v string) []byte {
		b = append(append(append(b, `{"`...), kind...), `": "`...)
		return append(append(b, v...), `"}`...)
	}
	switch v := v.(type) {
	case []byte:
		return wrap("$bytes_base64", base64.StdEncoding.EncodeToString(v))
	case string:
		if !utf8.ValidString(v) {
			return wrap("$text_base64", base64.StdEncoding.EncodeToString([]byte(v)))
		}
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return wrap("$real", strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	return pyjson.Append(b, v)
}

// readStoredValue turns a JSON value into one to bind.
func readStoredValue(v any) (any, error) {
	switch v := v.(type) {
	case nil, string, float64:
		return v, nil
	case bool:
		return int64(db.AsBit(v)), nil
	case pyjson.Int:
		n, err := strconv.ParseInt(string(v), 10, 64)
		if err != nil {
			return strconv.ParseFloat(string(v), 64)
		}
		return n, nil
	case pyjson.Object:
		if len(v) != 1 {
			break
		}
		s, ok := v[0].Value.(string)
		if !ok {
			break
		}
		switch v[0].Name {
		case "$bytes_base64":
			return base64.StdEncoding.DecodeString(s)
		case "$text_base64":
			b, err := base64.StdEncoding.DecodeString(s)
			return string(b), err
		case "$real":
			return strconv.ParseFloat(s, 64)
		}
	}
	return nil, errors.New("a value that no column can hold")
}

// backedUpRow is one line of a backup.
type backedUpRow struct {
	table string
	rowid any
	row   pyjson.Object // values as they are bound

	parentID, parentKey any  // link is nil where the line is none
	dangling            bool // there was no such parent before either

	file     string
	mode     uint32
	modified time.Time
	data     []byte
}

// value gives the value of a column.
func (k *backedUpRow) value(column string) any { return k.row.Get(column) }

// memorySize gives how many bytes the row counts for.
func (k *backedUpRow) memorySize() int {
	n := db.RowOverhead
	for _, f := range k.row {
		switch v := f.Value.(type) {
		case string:
			n += len(v)
		case []byte:
			n += len(v)
		}
	}
	return n
}

// parseBackedUpRow reads one line; ok is false for the heading.
func parseBackedUpRow(line string) (k backedUpRow, ok bool, err error) {
	v, err := pyjson.Parse(line)
	if err != nil {
		return k, false, err
	}
	o, is := v.(pyjson.Object)
	if !is || len(o) == 0 {
		return k, false, errors.New("not a line of a backup")
	}
	switch o[0].Name {
	case BackupHeader:
		if o[0].Value != pyjson.Int(strconv.Itoa(BackupVersion)) {
			return k, false, errors.New("a backup made by a newer hermes-sessions")
		}
		return k, false, nil
	case "table":
		row, is := o.Get("row").(pyjson.Object)
		if k.table, _ = o[0].Value.(string); !is || k.table == "" {
			return k, false, errors.New("not a line of a backup")
		}
		if k.rowid, err = readStoredValue(o.Get("rowid")); err != nil {
			return k, false, err
		}
		for i := range row {
			if row[i].Value, err = readStoredValue(row[i].Value); err != nil {
				return k, false, fmt.Errorf("column %s: %w", row[i].Name, err)
			}
		}
		k.row = row
		return k, true, nil
	case "link":
		if k.parentID, err = readStoredValue(o[0].Value); err != nil {
			return k, false, err
		}
		k.dangling = o.Get("dangling") == true
		k.parentKey, err = readStoredValue(o.Get("parent"))
		return k, k.parentID != nil, err
	case "file":
		if k.file, _ = o[0].Value.(string); k.file == "" {
			return k, false, errors.New("a file without a name")
		}
		data, _ := o.Get("data").(string)
		if k.data, err = base64.StdEncoding.DecodeString(data); err != nil {
			return k, false, err
		}
		mode, err := readStoredValue(o.Get("mode"))
		k.mode = uint32(db.AsInt(mode))
		k.modified = db.AsTime(o.Get("modified"))
		return k, true, err
	}
	return k, false, errors.New("not a line of a backup")
}

// eachLine gives the lines of r with their numbers, counted from one. A line
// without any end is one too.
func eachLine(r io.Reader, each func(n int, line []byte) error) error {
	b := bufio.NewReaderSize(r, 256<<10)
	var long []byte
	for n := 1; ; n++ {
		line, err := b.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			long = append(long[:0], line...)
			for err == bufio.ErrBufferFull {
				line, err = b.ReadSlice('\n')
				long = append(long, line...)
			}
			line = long
		}
		if err != nil && err != io.EOF {
			return err
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if err := each(n, line); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if cap(long) > 1<<20 {
			long = nil
		}
	}
}
