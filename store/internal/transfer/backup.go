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

// A backup holds what a delete removes as JSON lines, in the memory of an Undo as
// well as in a file:
//
//	{"hermes_sessions_backup": 1, "schema": 31}
//	{"table": "sessions", "rowid": 7, "row": {"id": "20260101_…", "source": "cli", …}}
//	{"table": "messages", "row": {"id": 12, "content": "…", …}}
//	{"table": "system_prompts", "rowid": 3, "row": {…}}
//	{"link": "id of a session that stays", "parent": "id of its deleted parent"}
//	{"link": "id of a deleted session", "parent": "id that did not exist", "dangling": true}
//	{"cell": "messages", "id": 11, "session": "id", "column": "display_order", "value": 9}
//	{"file": "20260101_….json", "mode": 384, "modified": 1767225600.0, "data": "…"}
//
// A row has every column as it was stored: integers without a point, reals
// with one, and what JSON cannot express as {"$bytes_base64": …} (a BLOB),
// {"$text_base64": …} (text that is not UTF-8) or {"$real": …} (infinities).
// A cell is what a trigger has changed in a row that stays, as it was before.
// The lines of one file follow each other, at most BackupFileChunk bytes in each.
const (
	BackupHeader    = "hermes_sessions_backup"
	BackupVersion   = 1
	BackupFileChunk = 64 << 10
)

// RowEncoder writes rows of one table as lines of a backup.
type RowEncoder struct {
	table          string
	Columns        []string
	rowid          bool     // the table has rowids
	columnPrefixes [][]byte // `"name": ` of each column
	line           []byte   // memory for the next line
}

// NewRowEncoder returns the encoder of a table, with the columns that it has now.
func NewRowEncoder(ctx context.Context, t *db.Tx, table string) (*RowEncoder, error) {
	e := &RowEncoder{table: table}
	var err error
	e.Columns, e.rowid, err = db.ColumnsOf(ctx, t, table, t.Schema.Tables[table])
	for _, c := range e.Columns {
		e.columnPrefixes = append(e.columnPrefixes, append(pyjson.Append(nil, c), ": "...))
	}
	return e, err
}

// selection returns the columns of a SELECT. A "+" hides the declared type, by which
// the driver would change the value.
func (e *RowEncoder) selection() string {
	var b strings.Builder
	if e.rowid {
		b.WriteString("rowid")
	}
	for _, c := range e.Columns {
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString("+" + db.Quote(c))
	}
	return b.String()
}

// BackUpRows writes the rows that match a condition and returns how many it wrote.
// take, if not nil, is called with the values of each row before it is written; they
// are valid until it returns. BackUpRows stops before the first row for which it is
// false.
func (e *RowEncoder) BackUpRows(ctx context.Context, q db.Querier, into io.Writer, where string, args []any, take func([]any) bool) (int, error) {
	rows, err := q.QueryContext(ctx, `SELECT `+e.selection()+` FROM `+db.Quote(e.table)+` WHERE `+where, args...)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	extra := 0
	if e.rowid {
		extra = 1
	}
	values := make([]any, len(e.Columns)+extra)
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
		b := append(e.line[:0], `{"table": `...)
		b = pyjson.Append(b, e.table)
		if e.rowid {
			b = append(b, `, "rowid": `...)
			b = AppendStoredValue(b, values[0])
		}
		b = append(b, `, "row": {`...)
		for i, head := range e.columnPrefixes {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = append(b, head...)
			b = AppendStoredValue(b, values[i+extra])
		}
		b = append(b, "}}\n"...)
		if e.line = b; cap(e.line) > 1<<20 {
			e.line = nil // not to keep the memory of one long row
		}
		if _, err := into.Write(b); err != nil {
			return n, fmt.Errorf("back up what is deleted: %w", err)
		}
		n++
	}
	return n, rows.Err()
}

// AppendStoredValue appends a value as JSON that readStoredValue turns back into
// exactly this value.
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

// AppendCell appends the line of a cell.
func AppendCell(b []byte, e db.SideEffect) []byte {
	b = append(b, `{"cell": `...)
	b = pyjson.Append(b, e.Table)
	b = AppendStoredValue(append(b, `, "id": `...), e.ID)
	b = AppendStoredValue(append(b, `, "session": `...), e.Session)
	b = AppendStoredValue(append(b, `, "column": `...), e.Column)
	b = AppendStoredValue(append(b, `, "value": `...), e.Before)
	return append(b, "}\n"...)
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
		if err == nil {
			return n, nil
		}
		f, err := strconv.ParseFloat(string(v), 64)
		if err != nil {
			return nil, errors.New("a number that no column can hold")
		}
		return f, nil
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

type backupLine struct {
	table string        // "" where the line is no row
	rowid any           // nil where the table has none
	row   pyjson.Object // values as they are bound

	linkChild, linkParent any  // linkChild is nil where the line is no link
	dangling              bool // the parent did not exist before the delete either

	cell *db.SideEffect // nil where the line is no cell

	file     string
	mode     uint32
	modified time.Time
	data     []byte
}

func (l *backupLine) value(column string) any { return l.row.Get(column) }

// memorySize returns how many bytes the line counts for in a chunk.
func (l *backupLine) memorySize() int {
	n := db.RowOverhead
	for _, f := range l.row {
		switch v := f.Value.(type) {
		case string:
			n += len(v)
		case []byte:
			n += len(v)
		}
	}
	return n
}

// parseBackupLine parses one line; ok is false for the header.
func parseBackupLine(line string) (l backupLine, ok bool, err error) {
	v, err := pyjson.Parse(line)
	if err != nil {
		return l, false, err
	}
	o, is := v.(pyjson.Object)
	if !is || len(o) == 0 {
		return l, false, errors.New("not a line of a backup")
	}
	switch o[0].Name {
	case BackupHeader:
		if o[0].Value != pyjson.Int(strconv.Itoa(BackupVersion)) {
			return l, false, errors.New("a backup made by a newer hermes-sessions")
		}
		return l, false, nil
	case "table":
		row, is := o.Get("row").(pyjson.Object)
		if l.table, _ = o[0].Value.(string); !is || l.table == "" {
			return l, false, errors.New("not a line of a backup")
		}
		if l.rowid, err = readStoredValue(o.Get("rowid")); err != nil {
			return l, false, err
		}
		for i := range row {
			if row[i].Value, err = readStoredValue(row[i].Value); err != nil {
				return l, false, fmt.Errorf("column %s: %w", row[i].Name, err)
			}
		}
		l.row = row
		if _, blob := l.value("id").([]byte); l.table == "sessions" && (blob || l.value("id") == nil) {
			return l, false, errors.New("a session without an ID that is text") // no list would show it
		}
		return l, true, nil
	case "link":
		if l.linkChild, err = readStoredValue(o[0].Value); err != nil {
			return l, false, err
		}
		l.dangling = o.Get("dangling") == true
		l.linkParent, err = readStoredValue(o.Get("parent"))
		return l, l.linkChild != nil, err
	case "cell":
		l.cell = &db.SideEffect{}
		for _, f := range []struct {
			name string
			into *string
		}{{"cell", &l.cell.Table}, {"session", &l.cell.Session}, {"column", &l.cell.Column}} {
			v, err := readStoredValue(o.Get(f.name))
			if err != nil {
				return l, false, err
			}
			*f.into = db.AsText(v)
		}
		if l.cell.ID, err = readStoredValue(o.Get("id")); err != nil {
			return l, false, err
		}
		l.cell.Before, err = readStoredValue(o.Get("value"))
		return l, true, err
	case "file":
		if l.file, _ = o[0].Value.(string); l.file == "" {
			return l, false, errors.New("a file without a name")
		}
		data, _ := o.Get("data").(string)
		if l.data, err = base64.StdEncoding.DecodeString(data); err != nil {
			return l, false, err
		}
		mode, err := readStoredValue(o.Get("mode"))
		l.mode = uint32(db.AsInt(mode))
		l.modified = db.AsTime(o.Get("modified"))
		return l, true, err
	}
	return l, false, errors.New("not a line of a backup")
}

// eachLine calls each with the lines of r and their numbers, counted from one. Blank
// lines are counted and left out. The last line may lack its newline.
func eachLine(r io.Reader, each func(n int, line []byte) error) error {
	b := bufio.NewReaderSize(r, 256<<10)
	var long []byte
	for n := 1; ; n++ {
		line, err := b.ReadSlice('\n')
		if err == bufio.ErrBufferFull { //nolint:errorlint // bufio returns it bare
			long = append(long[:0], line...)
			for err == bufio.ErrBufferFull { //nolint:errorlint // bufio returns it bare
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
