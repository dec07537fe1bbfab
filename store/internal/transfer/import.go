package transfer

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/db"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Bounds of an import.
// importInMemory is how many bytes of a line, or of a backup, stay in memory.
const importInMemory = 4 << 20

const (
	largestValue  = 256 << 20 // bytes of one message or column
	maxInlineLine = 512 << 10 // of which the messages stay in memory
	badLinesKept  = 1000
)

// ImportOptions change how an import goes about.
type ImportOptions struct {
	Strict     bool // stop at the first bad line
	DropTitles bool // import a session without its title where another has it
	// Progress is told from time to time how many bytes were read; nil for
	// none.
	Progress func(read int64)
}

// ImportReport says what an import did.
type ImportReport struct {
	Sessions   int // that are new
	Messages   int // that are new
	Skipped    int // sessions that were there already
	Renumbered int // messages whose number another message had; their order is kept
	Untitled   int // sessions whose title another session has
	Unlinked   int // sessions whose parent is not there
	Unknown    []string
	BadLines   int       // lines of which nothing was imported
	Bad        []BadLine // the first 1,000 of them
}

// BadLine is a line of an import that is not in the database now, and why.
type BadLine struct {
	Line int // counted from one
	Err  error
}

// addUnknown takes note of a column or table that the database has no place for.
func (r *ImportReport) addUnknown(name string) {
	if !slices.Contains(r.Unknown, name) {
		r.Unknown = append(r.Unknown, name)
	}
}

// add takes over what a transaction did.
func (r *ImportReport) add(more ImportReport) {
	r.Sessions += more.Sessions
	r.Messages += more.Messages
	r.Skipped += more.Skipped
	r.Renumbered += more.Renumbered
	r.Untitled += more.Untitled
	for _, name := range more.Unknown {
		r.addUnknown(name)
	}
	for _, b := range more.Bad {
		r.addBad(b.Line, b.Err)
	}
}

func (r *ImportReport) addBad(line int, err error) {
	if r.BadLines++; len(r.Bad) < badLinesKept {
		r.Bad = append(r.Bad, BadLine{line, err})
	}
}

// Import reads sessions from JSON lines: one session with its messages per
// line, as Export writes them (store/README.md#export), or a backup that a delete
// made, which is restored.
//
// Ids are kept. A session that is there already is skipped, whatever the line
// says of it. Messages keep their numbers unless another message has one of
// them; then all of the session get new ones, in the same order. A parent may
// come on a later line. Nothing else is repaired: a line that is not JSON,
// names no id, source or start, or has a title that another session has, is
// not imported but reported with its number, and the next goes on, unless
// o.Strict is set. Columns that the database does not have are reported.
//
// Each session is imported whole or not at all, also when ctx ends or the
// process is killed, so that a long one keeps others from writing for as long
// as it takes, about a second for a megabyte; short ones come in transactions
// of about 30 ms with pauses. What was imported before an error is in the
// report. A backup comes back as
// [trash.Bin.Restore] says, what exists and differs being skipped. Memory does not
// grow with the length of the input or of a line, only with its largest single
// message; a longer line waits in a temporary file until it is complete.
//
// The error is an [*db.Error]: read-only, locked, disk-full, tokenizer, or with
// o.Strict what was wrong with a line.
func (t *Transfer) Import(ctx context.Context, r io.Reader, o ImportOptions) (ImportReport, error) {
	im := &importer{store: t, options: o, childrenByParent: map[string][]string{}, importedIDs: map[string]bool{}, in: bufio.NewReaderSize(r, 256<<10)}
	if t.db.Writer.ReadOnly {
		return im.report, t.db.ReadOnlyError(nil)
	}
	defer im.close()
	if mark, err := im.in.Peek(3); err == nil && string(mark) == "\xef\xbb\xbf" {
		_, _ = im.in.Discard(3) // they were peeked at
	}
	if head, _ := im.in.Peek(len(BackupHeader) + 3); strings.HasPrefix(string(head), `{"`+BackupHeader+`"`) {
		return im.importBackup(ctx)
	}
	empty, err := im.store.isEmpty(ctx)
	if err != nil {
		return im.report, err
	}
	im.chunker.Exclusive = empty
	err = im.run(ctx)
	for parent, children := range im.childrenByParent {
		if !im.importedIDs[parent] {
			im.report.Unlinked += len(children)
		}
	}
	return im.report, err
}

// isEmpty reports whether there is no session yet.
func (t *Transfer) isEmpty(ctx context.Context) (bool, error) {
	_, some, err := db.FirstValue(ctx, t.db.Pool, `SELECT 1 FROM sessions LIMIT 1`)
	return !some, t.db.WrapError("import into", err)
}

// importer is one import.
type importer struct {
	store   *Transfer
	options ImportOptions
	in      *bufio.Reader
	report  ImportReport

	read       int64
	line       int
	batch      []*importLine
	batchBytes int
	chunker    db.Chunker
	freeSpools []*Spool

	childrenByParent map[string][]string // parent → children that came before it
	importedIDs      map[string]bool     // sessions imported by this call
}

// importLine is a line that is known to be well-formed.
type importLine struct {
	number        int
	text          *Spool
	session       pyjson.Object
	ids           []int64 // of its messages, nil where they can not be kept
	messages      int
	smallMessages []pyjson.Object // the messages of a short line, else nil
}

// first is the lowest number of its messages; new ones come last.
func (l *importLine) first() int64 {
	if len(l.ids) == 0 {
		return math.MaxInt64
	}
	return l.ids[0]
}

// lineError says what is wrong with one line.
type lineError struct{ error }

func (w lineError) Unwrap() error { return w.error }

func newLineError(format string, args ...any) error { return lineError{fmt.Errorf(format, args...)} }

// importBackup restores the lines of a backup.
func (im *importer) importBackup(ctx context.Context) (ImportReport, error) {
	rows := &Spool{maxInMemory: importInMemory}
	defer func() { _ = rows.Close() }() // it only held what was read
	if _, err := io.Copy(rows, im.in); err != nil {
		return im.report, fmt.Errorf("read the backup: %w", err)
	}
	r := &Restorer{Store: im.store, Rows: rows, DropTitles: im.options.DropTitles, skipExisting: true, strict: im.options.Strict}
	if im.options.Progress != nil {
		r.Progress = func(done, total int) { im.options.Progress(rows.Size * int64(done) / int64(max(total, 1))) }
	}
	err := r.Run(ctx)
	return r.totals, err
}

func (im *importer) run(ctx context.Context) error {
	for {
		text, err := im.nextLine()
		if err != nil && err != io.EOF {
			return fmt.Errorf("read what to import: %w", errors.Join(err, text.Close()))
		}
		last := err == io.EOF
		if text.Size > 0 {
			if err := im.addLine(text); err != nil {
				return cmp.Or(im.writeBatch(ctx), err)
			}
		} else {
			im.freeSpools = append(im.freeSpools, text)
		}
		if len(im.batch) > 0 && (last || im.batchBytes > im.chunker.Limit()) {
			if err := im.writeBatch(ctx); err != nil {
				return err
			}
		}
		if last {
			return nil
		}
	}
}

// nextLine reads up to the end of a line. White space alone gives nothing.
func (im *importer) nextLine() (*Spool, error) {
	var text *Spool
	if n := len(im.freeSpools); n > 0 {
		text, im.freeSpools = im.freeSpools[n-1], im.freeSpools[:n-1]
	} else {
		text = &Spool{maxInMemory: importInMemory}
	}
	im.line++
	for {
		part, err := im.in.ReadSlice('\n')
		im.read += int64(len(part))
		if text.Size > 0 || len(bytes.TrimSpace(part)) > 0 {
			if _, err := text.Write(part); err != nil {
				return text, err
			}
		}
		if err != bufio.ErrBufferFull {
			return text, err
		}
	}
}

// releaseSpool gives a line's memory to the next one; files are let go.
func (im *importer) releaseSpool(text *Spool) error {
	if text.File != nil || cap(text.Mem) > maxInlineLine {
		return text.Close()
	}
	im.freeSpools = append(im.freeSpools, text)
	return text.Rewind(0)
}

func (im *importer) close() {
	for _, l := range im.batch {
		_ = l.text.Close() // it only held what was read
	}
}

// addLine looks through a line. If it is good it waits for its transaction.
func (im *importer) addLine(text *Spool) error {
	l := &importLine{number: im.line, text: text}
	if err := l.scanHeader(); err != nil {
		return errors.Join(im.recordBadLine(l.number, err), im.releaseSpool(text))
	}
	im.batch = append(im.batch, l)
	im.batchBytes += int(text.Size) + db.RowOverhead
	return nil
}

// recordBadLine reports a bad line, or gives it as the error that ends all.
func (im *importer) recordBadLine(line int, err error) error {
	im.report.addBad(line, err)
	if im.options.Strict {
		return im.store.badLineError(line, err)
	}
	return nil
}

func (t *Transfer) badLineError(line int, err error) *db.Error {
	return &db.Error{
		Kind: db.KindInvalid, Path: t.db.Path, Err: err,
		Message: fmt.Sprintf("line %d can not be imported: %s", line, db.CauseOf(err)),
		Remedy:  "without --strict the other lines are imported",
	}
}

// scanHeader parses a line without keeping its messages.
func (l *importLine) scanHeader() error {
	sure := true
	err := scanLine(l.text.reader(), func(name string, v any) {
		l.session = setField(l.session, name, v)
	}, func(m pyjson.Object) error {
		l.messages++
		if role, ok := m.Get("role").(string); !ok || role == "" {
			return fmt.Errorf("message %d has no role", l.messages)
		}
		if m.Get("timestamp") == nil {
			return fmt.Errorf("message %d has no timestamp", l.messages)
		}
		id, ok := m.Get("id").(pyjson.Int)
		n, err := strconv.ParseInt(string(id), 10, 64)
		if !ok || err != nil || n <= 0 || len(l.ids) > 0 && n <= l.ids[len(l.ids)-1] {
			sure = false // no numbers that could be kept as they are
		}
		l.ids = append(l.ids, n)
		if l.text.Size <= maxInlineLine {
			l.smallMessages = append(l.smallMessages, m)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if !sure {
		l.ids = nil
	}
	for _, name := range []string{"id", "source"} {
		if v, ok := l.session.Get(name).(string); !ok || v == "" && name == "id" {
			return fmt.Errorf("no %s", name)
		}
	}
	if l.session.Get("started_at") == nil {
		return errors.New("no started_at")
	}
	return nil
}

// each gives the messages of a line that was looked through.
func (l *importLine) each(f func(pyjson.Object) error) error {
	if l.smallMessages == nil {
		return scanLine(l.text.reader(), func(string, any) {}, f)
	}
	for _, m := range l.smallMessages {
		if err := f(m); err != nil {
			return err
		}
	}
	return nil
}

// setField sets a field; a repeated one keeps its place, as in Python.
func setField(o pyjson.Object, name string, v any) pyjson.Object {
	for i := range o {
		if o[i].Name == name {
			o[i].Value = v
			return o
		}
	}
	return append(o, pyjson.Field{Name: name, Value: v})
}

// errRetryStrict says that a line of a transaction turned out to be wrong.
var errRetryStrict = errors.New("a line is wrong")

// writeBatch imports the lines that wait, in one transaction; each of them is whole
// or not there.
func (im *importer) writeBatch(ctx context.Context) error {
	if len(im.batch) == 0 {
		return nil
	}
	// The full-text index writes out what it has gathered whenever a number is
	// lower than the last, and exports begin with the newest.
	slices.SortStableFunc(im.batch, func(a, b *importLine) int { return cmp.Compare(a.first(), b.first()) })
	// A savepoint makes it write too, so there is none before one is needed.
	err := im.commitBatch(ctx, false)
	if errors.Is(err, errRetryStrict) {
		err = im.commitBatch(ctx, true)
	}
	if err != nil {
		return err
	}
	for _, l := range im.batch {
		if err := im.releaseSpool(l.text); err != nil {
			return err
		}
	}
	im.batch, im.batchBytes = im.batch[:0], 0
	if im.options.Progress != nil {
		im.options.Progress(im.read)
	}
	return ctx.Err()
}

// commitBatch makes the transaction of a flush. A careful one leaves out the lines
// that are wrong, and ends before the first of them if the import is strict.
func (im *importer) commitBatch(ctx context.Context, careful bool) error {
	var did ImportReport
	var waits [][2]string
	var arrived []string
	var stop error
	err := im.chunker.RunChunk(ctx, im.store.db, "import into", func(t *db.Tx) error {
		im.chunker.Account(im.batchBytes)
		did, waits, arrived, stop = ImportReport{}, nil, nil, nil
		in := &restoreTx{tx: t, tables: map[string]*targetTable{}}
		savepoint := func(statement string) error {
			if !careful {
				return nil
			}
			_, err := t.Exec(ctx, statement)
			return err
		}
		for _, l := range im.batch {
			if err := savepoint(`SAVEPOINT line`); err != nil {
				return err
			}
			before := did
			before.Unknown = slices.Clone(did.Unknown)
			wait, err := im.session(ctx, in, l, &did, append(slices.Clone(waits), im.missingParents(l)...), arrived)
			if _, bad := errors.AsType[lineError](err); bad || db.ResultCode(err) == sqliteConstraint {
				if !careful {
					return errRetryStrict
				}
				did = before
				did.addBad(l.number, err)
				if err := savepoint(`ROLLBACK TO line; RELEASE line`); err != nil {
					return err
				}
				if im.options.Strict {
					stop = im.store.badLineError(l.number, err)
					return nil
				}
				continue
			}
			if err != nil {
				return err
			}
			id := db.AsText(l.session.Get("id"))
			if wait != "" {
				waits = append(waits, [2]string{wait, id})
			}
			if did.Sessions > before.Sessions {
				arrived = append(arrived, id)
			}
			if err := savepoint(`RELEASE line`); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	im.report.add(did)
	for _, w := range waits {
		im.childrenByParent[w[0]] = append(im.childrenByParent[w[0]], w[1])
	}
	for _, id := range arrived {
		im.importedIDs[id] = true
	}
	return stop
}

// missingParents gives the children of earlier transactions that wait for a line.
func (im *importer) missingParents(l *importLine) (all [][2]string) {
	id := db.AsText(l.session.Get("id"))
	for _, child := range im.childrenByParent[id] {
		all = append(all, [2]string{id, child})
	}
	return all
}

// session imports one line. wait names the parent if that is not there yet.
// waiting are parents and children that wait for them, arrived the sessions
// that this transaction has brought.
func (im *importer) session(ctx context.Context, in *restoreTx, l *importLine, did *ImportReport, waiting [][2]string, arrived []string) (wait string, err error) {
	t, id := in.tx, db.AsText(l.session.Get("id"))
	parent := db.AsText(l.session.Get("parent_session_id"))
	_, there, err := t.One(ctx, `SELECT 1 FROM sessions WHERE id = ?`, id)
	if err != nil {
		return "", err
	}
	if there {
		did.Skipped++
		if parent == "" {
			return "", nil
		}
		// A former import may have been cut off before the parent came.
		_, single, err := t.One(ctx, `SELECT 1 FROM sessions WHERE id = ? AND parent_session_id IS NULL`, id)
		if err != nil || !single {
			return "", err
		}
		if im.importedIDs[parent] || slices.Contains(arrived, parent) {
			return "", setParentOf(ctx, t, parent, id)
		}
		return parent, nil
	}
	if parent != "" && parent != id {
		if _, there, err = t.One(ctx, `SELECT 1 FROM sessions WHERE id = ?`, parent); err != nil {
			return "", err
		}
		if !there {
			wait = parent
			l = &importLine{
				number: l.number, text: l.text, ids: l.ids, messages: l.messages, smallMessages: l.smallMessages,
				session: setField(slices.Clone(l.session), "parent_session_id", nil),
			}
		}
	}
	if err := im.insertSession(ctx, in, l, did); err != nil {
		return "", err
	}
	did.Sessions++
	for _, w := range waiting {
		if w[0] == id {
			if err := setParentOf(ctx, t, id, w[1]); err != nil {
				return "", err
			}
		}
	}
	return wait, im.insertMessages(ctx, in, l, did)
}

// setParentOf gives a session without a parent its parent.
func setParentOf(ctx context.Context, t *db.Tx, parent, child string) error {
	_, err := t.Exec(ctx, `UPDATE sessions SET parent_session_id = ? WHERE id = ? AND parent_session_id IS NULL`, parent, child)
	return err
}

// computedColumns are the names that lists and exports add to a session's columns.
var computedColumns = [...]string{"messages", "last_active", "preview", "_lineage_root_id", "root_id", "segments", "delegates", "branches"}

func (im *importer) insertSession(ctx context.Context, in *restoreTx, l *importLine, did *ImportReport) error {
	tg, err := in.target(ctx, "sessions")
	if err != nil {
		return err
	}
	columns := pyjson.Object{}
	for _, f := range l.session {
		if !tg.columns[f.Name] {
			if !slices.Contains(computedColumns[:], f.Name) {
				did.addUnknown("sessions." + f.Name)
			}
			continue
		}
		v, err := asStorable(f.Value)
		if err != nil {
			return newLineError("column %s: %w", f.Name, err)
		}
		if v != nil || !tg.required[f.Name] {
			columns = append(columns, pyjson.Field{Name: f.Name, Value: v})
		}
	}
	if columns, err = splitSystemPrompt(ctx, in.tx, columns); err != nil {
		return err
	}
	err = in.insert(ctx, "sessions", columns)
	if db.ExtendedCode(err) != sqliteConstraintUnique {
		return err
	}
	title := columns.Get("title")
	owner, taken, err2 := in.tx.One(ctx, `SELECT id FROM sessions WHERE title = ?`, title)
	if err2 != nil || !taken {
		return errors.Join(err, err2)
	}
	if !im.options.DropTitles {
		return lineError{im.store.db.TitleTakenError(db.AsText(title), db.AsText(owner))}
	}
	did.Untitled++
	return in.insert(ctx, "sessions", setField(columns, "title", nil))
}

// splitSystemPrompt moves a system prompt to where newer files keep it
// (store/README.md#system-prompts).
func splitSystemPrompt(ctx context.Context, t *db.Tx, columns pyjson.Object) (pyjson.Object, error) {
	if !t.Schema.Has("system_prompts", "hash") || !t.Schema.Has("sessions", "system_prompt_hash") {
		return columns, nil
	}
	if prompt, ok := columns.Get("system_prompt").(string); ok && prompt != "" {
		sum := sha256.Sum256([]byte(prompt))
		hash := hex.EncodeToString(sum[:])
		if _, err := t.Exec(ctx, `INSERT INTO system_prompts (hash, prompt) SELECT ?1, ?2
			WHERE NOT EXISTS (SELECT 1 FROM system_prompts WHERE hash = ?1)`, hash, prompt); err != nil {
			return nil, err
		}
		return setField(setField(columns, "system_prompt", nil), "system_prompt_hash", hash), nil
	}
	if hash := columns.Get("system_prompt_hash"); hash != nil {
		_, there, err := t.One(ctx, `SELECT 1 FROM system_prompts WHERE hash = ?`, hash)
		if err != nil {
			return nil, err
		}
		if !there {
			columns = setField(columns, "system_prompt_hash", nil)
		}
	}
	return columns, nil
}

// maxInsertRows is how many rows one statement inserts at most, and rowsBytes how
// much text before it is run. Each statement that fires triggers makes the
// full-text index write out what it has gathered, so one row at a time takes
// several times as long.
const (
	maxInsertRows  = 500
	maxInsertBytes = 1 << 20
)

// insert inserts rows that have the same columns: all, or with an error none.
func (in *restoreTx) insert(ctx context.Context, table string, rows ...pyjson.Object) error {
	names := make([]string, len(rows[0]))
	for i, f := range rows[0] {
		names[i] = db.Quote(f.Name)
	}
	args := make([]any, 0, len(rows)*len(names))
	for _, row := range rows {
		for _, f := range row {
			args = append(args, f.Value)
		}
	}
	statement := `INSERT INTO ` + db.Quote(table) + ` (` + strings.Join(names, ", ") + `) VALUES ` +
		strings.TrimSuffix(strings.Repeat(`(`+db.Placeholders(len(names))+`), `, len(rows)), ", ")
	_, err := in.tx.Exec(ctx, statement, args...)
	return err
}

// rowBatch are rows that wait to be inserted by one statement.
type rowBatch struct {
	rows []pyjson.Object
	size int
}

// hasRoom reports whether a row has the columns of the others and there is room.
func (g *rowBatch) hasRoom(row pyjson.Object) bool {
	return len(g.rows) == 0 || len(g.rows) < maxInsertRows && g.size < maxInsertBytes &&
		slices.EqualFunc(g.rows[0], row, func(a, b pyjson.Field) bool { return a.Name == b.Name })
}

func (g *rowBatch) add(row pyjson.Object) {
	g.rows = append(g.rows, row)
	for _, f := range row {
		switch v := f.Value.(type) {
		case string:
			g.size += len(v)
		case []byte:
			g.size += len(v)
		}
	}
}

// drain gives the rows and starts anew.
func (g *rowBatch) drain() []pyjson.Object {
	rows := g.rows
	*g = rowBatch{}
	return rows
}

func (im *importer) insertMessages(ctx context.Context, in *restoreTx, l *importLine, did *ImportReport) error {
	if l.messages == 0 {
		return nil
	}
	if err := im.store.db.CheckIndexWritable(in.tx); err != nil {
		return err
	}
	tg, err := in.target(ctx, "messages")
	if err != nil {
		return err
	}
	keep := l.ids != nil
	if keep {
		err := db.InChunks(l.ids, func(where string, args []any) error {
			_, taken, err := in.tx.One(ctx, `SELECT 1 FROM messages WHERE id `+where+` LIMIT 1`, args...)
			keep = keep && !taken
			return err
		})
		if err != nil {
			return err
		}
	}
	id := db.AsText(l.session.Get("id"))
	var waiting rowBatch
	err = l.each(func(m pyjson.Object) error {
		row := pyjson.Object{{Name: "session_id", Value: id}}
		for _, f := range m {
			switch {
			case f.Name == "session_id":
				if of, ok := f.Value.(string); ok && of != id {
					return newLineError("a message of the session %s", of)
				}
				continue
			case f.Name == "id" && !keep:
				continue
			case !tg.columns[f.Name]:
				did.addUnknown("messages." + f.Name)
				continue
			}
			v, err := ColumnValue(f.Name, f.Value)
			if err != nil {
				return newLineError("column %s of a message: %w", f.Name, err)
			}
			if v != nil || !tg.required[f.Name] {
				row = append(row, pyjson.Field{Name: f.Name, Value: v})
			}
		}
		if !waiting.hasRoom(row) {
			if err := in.insert(ctx, "messages", waiting.drain()...); err != nil {
				return err
			}
		}
		waiting.add(row)
		return nil
	})
	if err == nil {
		err = in.insert(ctx, "messages", waiting.drain()...)
	}
	if err != nil {
		return err
	}
	did.Messages += l.messages
	if !keep {
		did.Renumbered += l.messages
	}
	return nil
}

// ColumnValue turns the decoded value of a message's column into what Hermes
// stores there (store/README.md#message-content).
func ColumnValue(column string, v any) (any, error) {
	switch column {
	case "content":
		switch v.(type) {
		case pyjson.Object, []any:
			if stored, err := readStoredValue(v); err == nil {
				return stored, nil // bytes that JSON can not say
			}
			return "\x00json:" + string(pyjson.AppendASCII(nil, v)), nil
		}
	case "tool_calls":
		if v != nil {
			return string(pyjson.AppendASCII(nil, v)), nil
		}
	}
	return asStorable(v)
}

// asStorable turns a JSON value into one to bind; lists and objects are stored
// as JSON.
func asStorable(v any) (any, error) {
	if stored, err := readStoredValue(v); err == nil {
		return stored, nil
	}
	switch v.(type) {
	case pyjson.Object, []any:
		return string(pyjson.AppendASCII(nil, v)), nil
	}
	return readStoredValue(v)
}

// scanLine goes through the JSON object of one session: field gets every field
// but the messages, message each of those, one at a time.
func scanLine(r io.Reader, field func(string, any), message func(pyjson.Object) error) error {
	sc := &jsonScanner{in: bufio.NewReaderSize(r, 64<<10)}
	if err := sc.expect('{'); err != nil {
		return err
	}
	seen := false
	for first := true; ; first = false {
		c, err := sc.peek()
		if err != nil {
			return err
		}
		if c == '}' && first {
			break
		}
		name, err := sc.value()
		if err != nil {
			return err
		}
		key, ok := name.(string)
		if !ok {
			return errors.New("not a JSON object")
		}
		if err := sc.expect(':'); err != nil {
			return err
		}
		if c, err = sc.peek(); err != nil {
			return err
		}
		if key == "messages" && c == '[' {
			if seen {
				return errors.New("messages twice")
			}
			seen = true
			if err := sc.messages(message); err != nil {
				return err
			}
		} else {
			v, err := sc.value()
			if err != nil {
				return err
			}
			if key == "messages" && v != nil {
				return errors.New("messages is not a list")
			}
			field(key, v)
		}
		if c, err = sc.peek(); err != nil {
			return err
		}
		if c == '}' {
			break
		}
		if err := sc.expect(','); err != nil {
			return err
		}
	}
	if err := sc.expect('}'); err != nil {
		return err
	}
	if _, err := sc.peek(); err != errCutOff {
		return errors.New("more than one JSON value in a line")
	}
	return nil
}

var errCutOff = errors.New("the line is cut off")

// jsonScanner takes JSON apart without reading it all into memory.
type jsonScanner struct {
	in  *bufio.Reader
	raw []byte
}

// peek gives the next byte that is no white space.
func (sc *jsonScanner) peek() (byte, error) {
	for {
		c, err := sc.in.ReadByte()
		if err == io.EOF {
			return 0, errCutOff
		}
		if err != nil {
			return 0, err
		}
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		}
		return c, sc.in.UnreadByte()
	}
}

func (sc *jsonScanner) expect(want byte) error {
	c, err := sc.peek()
	if err != nil {
		return err
	}
	if c != want {
		return fmt.Errorf("not JSON: %q where %q should be", c, want)
	}
	_, err = sc.in.ReadByte()
	return err
}

// messages gives the elements of a list.
func (sc *jsonScanner) messages(each func(pyjson.Object) error) error {
	if err := sc.expect('['); err != nil {
		return err
	}
	for first := true; ; first = false {
		c, err := sc.peek()
		if err != nil {
			return err
		}
		if c == ']' && first {
			break
		}
		v, err := sc.value()
		if err != nil {
			return err
		}
		m, ok := v.(pyjson.Object)
		if !ok {
			return errors.New("a message that is not a JSON object")
		}
		if err := each(m); err != nil {
			return err
		}
		if c, err = sc.peek(); err != nil {
			return err
		}
		if c == ']' {
			break
		}
		if err := sc.expect(','); err != nil {
			return err
		}
	}
	return sc.expect(']')
}

// value reads one JSON value.
func (sc *jsonScanner) value() (any, error) {
	if _, err := sc.peek(); err != nil {
		return nil, err
	}
	sc.raw = sc.raw[:0]
	depth, inside, escaped := 0, false, false
	for {
		c, err := sc.in.ReadByte()
		if err == io.EOF {
			if depth > 0 || inside {
				return nil, errCutOff
			}
			break
		}
		if err != nil {
			return nil, err
		}
		if len(sc.raw) >= largestValue {
			return nil, fmt.Errorf("a value of more than %d MB", largestValue>>20)
		}
		if !inside && depth == 0 && len(sc.raw) > 0 && strings.IndexByte(",:]} \t\r\n", c) >= 0 {
			if err := sc.in.UnreadByte(); err != nil {
				return nil, err
			}
			break
		}
		sc.raw = append(sc.raw, c)
		switch {
		case escaped:
			escaped = false
		case inside:
			escaped = c == '\\'
			inside = c != '"'
		case c == '"':
			inside = true
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if depth < 0 {
			return nil, errors.New("not JSON")
		}
		if !inside && depth == 0 && strings.IndexByte(`"]}`, c) >= 0 {
			break
		}
	}
	v, err := pyjson.Parse(string(sc.raw))
	if cap(sc.raw) > 1<<20 {
		sc.raw = nil
	}
	return v, err
}
