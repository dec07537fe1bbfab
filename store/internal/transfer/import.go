package transfer

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/model/pyjson"
	"hermes-sessions/store/internal/db"
)

// Limits of an import.
const (
	importInMemory = 4 << 20   // bytes of a line, or of a backup, that wait in memory
	maxInlineLine  = 512 << 10 // bytes of a line whose parsed messages stay in memory
	largestValue   = 256 << 20 // bytes of one message or column
	maxBadReported = 1000      // bad lines that a report names
	maxKeptID      = 1 << 53   // the highest number that a message keeps: later ones follow it, up to 1 << 63
)

// Import reads sessions from JSON lines, or restores a backup; see
// store.Store.Import for the contract.
func (t *Transfer) Import(ctx context.Context, r io.Reader, o model.ImportOptions) (model.ImportReport, error) {
	im := &importer{transfer: t, options: o, childrenByParent: map[string][]string{}, importedIDs: map[string]bool{}, in: bufio.NewReaderSize(r, 256<<10)}
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
	empty, err := im.transfer.isEmpty(ctx)
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
	transfer *Transfer
	options  model.ImportOptions
	in       *bufio.Reader
	report   model.ImportReport

	read       int64         // bytes
	line       int           // number of the line read last, from one
	batch      []*importLine // lines that wait for a transaction
	batchBytes int
	chunker    db.Chunker
	freeSpools []*Spool // empty ones, with their memory, for the next lines

	childrenByParent map[string][]string // parent → children that were imported before it
	importedIDs      map[string]bool     // sessions imported by this call
}

// importLine is a line that is known to be well-formed.
type importLine struct {
	number        int
	text          *Spool
	session       pyjson.Object
	ids           []int64 // numbers of its messages, nil where they cannot be kept
	messages      int
	smallMessages []pyjson.Object // the messages of a short line, nil for a long one
}

// firstID returns the lowest number of its messages; a line whose messages get new
// numbers sorts last.
func (l *importLine) firstID() int64 {
	if len(l.ids) == 0 {
		return math.MaxInt64
	}
	return l.ids[0]
}

// lineError says what is wrong with one line. The lines around it can still be
// imported.
type lineError struct{ error }

// Unwrap returns the cause.
func (e lineError) Unwrap() error { return e.error }

func newLineError(format string, args ...any) error { return lineError{fmt.Errorf(format, args...)} }

// importBackup restores the lines of a backup.
func (im *importer) importBackup(ctx context.Context) (model.ImportReport, error) {
	rows := &Spool{maxInMemory: importInMemory}
	defer func() { _ = rows.Close() }() // it held only a copy of the input
	if _, err := io.Copy(rows, im.in); err != nil {
		return im.report, fmt.Errorf("read the backup: %w", err)
	}
	r := &restorer{transfer: im.transfer, rows: rows, dropTitles: im.options.DropTitles, skipExisting: true, strict: im.options.Strict}
	if im.options.Progress != nil {
		r.progress = func(done, total int) { im.options.Progress(rows.Size * int64(done) / int64(max(total, 1))) }
	}
	err := r.run(ctx)
	return r.totals, err
}

// run reads all lines and imports them in batches.
func (im *importer) run(ctx context.Context) error {
	for {
		text, err := im.nextLine()
		if err != nil && err != io.EOF { //nolint:errorlint // bufio returns it bare
			return fmt.Errorf("read what to import: %w", errors.Join(err, text.Close()))
		}
		last := err == io.EOF //nolint:errorlint // bufio returns it bare
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
		if err != bufio.ErrBufferFull { //nolint:errorlint // bufio returns it bare
			return text, err
		}
	}
}

// releaseSpool keeps the memory of a line for the next one. It closes a spool that
// has a file or much memory.
func (im *importer) releaseSpool(text *Spool) error {
	if text.File != nil || cap(text.Mem) > maxInlineLine {
		return text.Close()
	}
	im.freeSpools = append(im.freeSpools, text)
	return text.Rewind(0)
}

// close closes the lines that were not imported.
func (im *importer) close() {
	for _, l := range im.batch {
		_ = l.text.Close() // it held only a copy of the input
	}
}

// addLine checks a line and adds it to the batch, or reports it.
func (im *importer) addLine(text *Spool) error {
	l := &importLine{number: im.line, text: text}
	if err := l.scanHeader(); err != nil {
		return errors.Join(im.recordBadLine(l.number, err), im.releaseSpool(text))
	}
	im.batch = append(im.batch, l)
	im.batchBytes += int(text.Size) + db.RowOverhead
	return nil
}

// recordBadLine reports a bad line. In a strict import it gives the error that
// ends it.
func (im *importer) recordBadLine(line int, err error) error {
	im.report.AddBad(line, err)
	if im.options.Strict {
		return im.transfer.badLineError(line, err)
	}
	return nil
}

// badLineError makes the error of a line that ends a strict import.
func (t *Transfer) badLineError(line int, err error) *model.Error {
	return &model.Error{
		Kind: model.KindInvalid, Path: t.db.Path, Err: err,
		Message: fmt.Sprintf("line %d cannot be imported: %s", line, db.CauseOf(err)),
		Remedy:  model.Advise("correct the line, or skip bad lines"),
	}
}

// scanHeader parses a line without keeping its messages.
func (l *importLine) scanHeader() error {
	ordered := true // its message numbers can be kept as they are
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
		if !ok || err != nil || n <= 0 || n > maxKeptID || len(l.ids) > 0 && n <= l.ids[len(l.ids)-1] {
			ordered = false
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
	if !ordered {
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

// each calls f with each message of a line that scanHeader has checked.
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

// errRetryWithSavepoints rolls back a batch in which a line turned out to be
// wrong.
var errRetryWithSavepoints = errors.New("a line is wrong")

// writeBatch imports the lines that wait in one transaction, each completely or
// not at all.
func (im *importer) writeBatch(ctx context.Context) error {
	if len(im.batch) == 0 {
		return nil
	}
	// FTS5 writes out what it has gathered whenever a row number is lower than
	// the last, and exports begin with the newest session.
	sort.SliceStable(im.batch, func(i, j int) bool { return im.batch[i].firstID() < im.batch[j].firstID() })
	// A savepoint makes it write too: the first try goes without.
	err := im.commitBatch(ctx, false)
	if errors.Is(err, errRetryWithSavepoints) {
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

// commitBatch makes the transaction of a batch. With savepoints it leaves out the
// lines that are wrong, and ends before the first of them if the import is
// strict; without, a wrong line fails it with errRetryWithSavepoints.
func (im *importer) commitBatch(ctx context.Context, savepoints bool) error {
	var did model.ImportReport
	var waiting [][2]string // parent that does not exist yet, child
	var imported []string   // ids
	var stop error
	err := im.chunker.RunChunk(ctx, im.transfer.db, "import into", func(t *db.Tx) error {
		im.chunker.SetSize(im.batchBytes)
		did = model.ImportReport{}
		waiting = nil
		imported = nil
		stop = nil
		tx := &insertTx{Tx: t, tables: map[string]*targetTable{}}
		savepoint := func(statement string) error {
			if !savepoints {
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
			wait, err := im.importSession(ctx, tx, l, &did, append(slices.Clone(waiting), im.waitingChildren(l)...), imported)
			if _, bad := errors.AsType[lineError](err); bad || db.ResultCode(err) == db.SQLiteConstraint {
				if !savepoints {
					return errRetryWithSavepoints
				}
				did = before
				did.AddBad(l.number, err)
				if err := savepoint(`ROLLBACK TO line; RELEASE line`); err != nil {
					return err
				}
				if im.options.Strict {
					stop = im.transfer.badLineError(l.number, err)
					return nil
				}
				continue
			}
			if err != nil {
				return err
			}
			id := db.AsText(l.session.Get("id"))
			if wait != "" {
				waiting = append(waiting, [2]string{wait, id})
			}
			if did.Sessions > before.Sessions {
				imported = append(imported, id)
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
	im.report.Add(did)
	for _, w := range waiting {
		im.childrenByParent[w[0]] = append(im.childrenByParent[w[0]], w[1])
	}
	for _, id := range imported {
		im.importedIDs[id] = true
	}
	return stop
}
