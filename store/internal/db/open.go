package db

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/btree"
)

// maxReaders is the number of idle connections that stay open: the list, the
// transcript and a search may overlap, and one more watches for changes. The number of
// connections in use has no bound: a call that reads inside a transaction may need a
// second connection, and two such calls must not wait for each other.
const maxReaders = 4

// Open opens the file for reading and notes what is wrong with it. The error is an
// [*model.Error] where the file is at fault.
func (d *DB) Open(ctx context.Context) error {
	if err := d.CheckFile(); err != nil {
		return err
	}
	if err := d.openPool(ctx); err != nil {
		return err
	}
	if err := cmp.Or(d.CheckHeader(requiredColumns), d.checkSize(ctx)); err != nil {
		return errors.Join(err, d.Close())
	}
	openingChecks{d}.readNotes(ctx)
	d.checkRights()
	return nil
}

// CheckFile checks from the directory entry that the file can be a database. It is not
// opened: while SQLite has it open, closing any other descriptor of it in this process
// would drop SQLite's locks (POSIX advisory locks belong to the process).
func (d *DB) CheckFile() error {
	info, err := os.Stat(d.Path)
	switch {
	case err != nil:
		return d.NotThereError(err)
	case info.IsDir():
		return d.NewError(model.KindDirectory, err)
	case !info.Mode().IsRegular():
		return d.NewError(model.KindNotAFile, err)
	case info.Size() == 0 && d.WalSize() == 0:
		return d.NewError(model.KindEmpty, nil)
	}
	for _, end := range []string{"-wal", "-journal"} { // opening a pipe waits for a writer
		if info, err := os.Stat(d.Path + end); err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeDevice|os.ModeSocket) != 0 {
			return notAFileBeside(d.Path+end, "a pipe or device", nil)
		}
	}
	d.file = info
	return nil
}

// What a file must have, by table: to be read, and to be migrated, which adds the rest.
var (
	requiredColumns = map[string][]string{
		"sessions": {"id", "source", "started_at", "ended_at", "end_reason", "parent_session_id"},
		"messages": {"id", "session_id", "role", "content", "timestamp"},
	}
	MigratableColumns = map[string][]string{
		"sessions": {"id", "source", "started_at"},
		"messages": {"id", "session_id", "role", "timestamp"},
	}
)

// CheckHeader returns an error where the file is empty or, without one of these columns, not
// a database of Hermes (store/README.md#opening), or one whose list of tables is damaged.
func (d *DB) CheckHeader(required map[string][]string) error {
	if len(d.Schema.Tables) == 0 {
		// SQLite takes a file of a byte or two for an empty one.
		if info, err := os.Stat(d.Path); err == nil && info.Size() > 0 && info.Size() < minDatabaseSize {
			return d.NewError(model.KindNotADatabase, nil)
		}
		return d.NewError(model.KindEmpty, nil)
	}
	for _, name := range misreadSessions {
		if _, ok := d.Schema.Tables[name]; ok {
			return d.misreadError()
		}
	}
	for table, columns := range required {
		for _, c := range columns {
			if d.Schema.Has(table, c) {
				continue
			}
			e := d.NewError(model.KindForeign, nil)
			if d.Schema.Tables["schema_version"] != "" && d.Schema.Tables["messages_fts"] != "" {
				e = d.NewError(model.KindDamaged, nil)
				e.Message = "the list of tables in the database is damaged: there is no table " + table + " with a column " + c
				e.Remedy = d.AdviseRecovery()
			}
			return e
		}
	}
	return nil
}

// misreadSessions is the name of the table sessions, read as UTF-16 of either byte order.
var misreadSessions = [...]string{"敳獳潩獮", "獥獳楯湳"}

// misreadError says that the header of a file states UTF-16, and its texts are UTF-8.
func (d *DB) misreadError() *model.Error {
	return d.headerError("it says UTF-16, but the texts are UTF-8", 59, 1)
}

// headerError says what is wrong in the header of a file, and which bytes at a place mend it.
func (d *DB) headerError(wrong string, at int, right ...byte) *model.Error {
	var escapes strings.Builder // for printf
	for _, b := range right {
		fmt.Fprintf(&escapes, `\%03o`, b)
	}
	mended := d.Path + ".mended"
	command := fmt.Sprintf(`cp %[1]s %[2]s && printf '%[3]s' | dd of=%[2]s bs=1 seek=%[4]d conv=notrunc`, model.ShellWord(d.Path), model.ShellWord(mended), escapes.String(), at)
	if d.WalSize() > 0 {
		command = "cp " + model.ShellWord(d.Path+"-wal") + " " + model.ShellWord(mended+"-wal") + " && " + command
	}
	return &model.Error{
		Kind: model.KindDamaged, Path: d.Path,
		Message: "the header of the database is damaged: " + wrong,
		Remedy:  model.AdviseToRun("end the programs that use the file, repair a copy of it, which loses nothing, and open the copy", command),
	}
}

// ErrPagesBehindHeader is inside the error of a file whose header states fewer pages than its tables
// have.
var ErrPagesBehindHeader = errors.New("pages are behind those that the header states")

// checkSize returns an error where the header states fewer pages than the file has, and the last
// message is on one of those behind them: it is the header of an earlier time. SQLite takes the size
// of the file where the header states none.
func (d *DB) checkSize(ctx context.Context) error {
	var pages, size int64
	err := d.Pool.QueryRowContext(ctx, `SELECT page_count, page_size FROM temp.pragma_page_count, temp.pragma_page_size`).Scan(&pages, &size)
	if err != nil || d.file.Size() <= pages*size {
		return nil //nolint:nilerr // the next read has the error too
	}
	last, behind := uint32(0), false
	err = d.ReadTx(ctx, func(q Querier) error {
		last, behind, err = btree.LastPage(ctx, q, "messages")
		return err
	})
	if err != nil || !behind || int64(last) > d.file.Size()/size {
		return nil //nolint:nilerr // the next read has the error too
	}
	wrong := d.headerError(fmt.Sprintf("it says %d pages, but the tables have more, and the file %d", pages, d.file.Size()/size), 28, 0, 0, 0, 0)
	wrong.Err = ErrPagesBehindHeader
	return wrong
}

// minDatabaseSize is the smallest page of SQLite, in bytes.
const minDatabaseSize = 512

// WalSize returns the bytes of the -wal file, 0 where there is none.
func (d *DB) WalSize() int64 {
	info, err := os.Stat(d.Path + "-wal")
	if err != nil {
		return 0
	}
	return info.Size()
}

// hasHotJournal reports whether a journal lies beside a file that SQLite rolls back before
// it reads: until then the file holds a part of a change.
func hasHotJournal(path string) bool {
	f, err := os.Open(path + "-journal")
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	defer f.Close() //nolint:errcheck // it was only read
	var first [1]byte
	_, _ = f.Read(first[:]) // an empty journal is none
	return first[0] != 0
}

// checkBeside returns an error where SQLite would lose something by opening the file with the
// log or the journal beside it; alone is whether there is no journal.
func (d *DB) checkBeside(alone bool) error {
	if !alone {
		if err := d.checkJournal(); err != nil {
			return err
		}
	}
	if info, err := os.Stat(d.Path); err == nil && info.Size() == 0 && d.WalSize() > logHeader {
		return &model.Error{
			Kind: model.KindDamaged, Path: d.Path,
			Message: "the database was emptied and its write-ahead log is left; SQLite would remove the log, so nothing was opened",
			Remedy: model.AdviseToRun("keep the log before another program opens the file, then restore a backup of the file",
				fmt.Sprintf("cp %[1]s-wal %[1]s.kept-wal", model.ShellWord(d.Path))),
		}
	}
	if foreign := false; withoutSQLite(d.Path, func() { foreign = foreignLog(d.Path) }) && foreign {
		return &model.Error{
			Kind: model.KindDamaged, Path: d.Path,
			Message: "the write-ahead log beside the database belongs to another one, with another page size; SQLite would write it over this one, so nothing was opened",
			Remedy:  model.AdviseToRun("end the programs that use the file, then keep the log under another name", fmt.Sprintf("mv %[1]s-wal %[1]s.other-wal", model.ShellWord(d.Path))),
		}
	}
	if d.lostInLog > 0 && !alone {
		return &model.Error{
			Kind: model.KindDamaged, Path: d.Path,
			Message: LostInLogText(d.lostInLog) + ", and a journal has to be rolled back before anything else can",
			Remedy:  AdviseLogCopy(d.Path),
		}
	}
	return nil
}

// misfitLog reports whether the file cannot be read with the log beside it, because the log is
// of another database. What can write would move it into the file when it is closed.
func (d *DB) misfitLog(ctx context.Context) bool {
	if d.WalSize() == 0 {
		return false
	}
	err := d.openWith(ctx, "mode=ro")
	if err == nil {
		_ = d.closeReaders() // it was only read
		d.Pool = nil
	}
	return IsCorrupt(err)
}

// openPool opens the file read-write (with query_only), else read-only, else as
// immutable, whichever the file system allows first.
func (d *DB) openPool(ctx context.Context) error {
	_, err := os.Stat(d.Path + "-shm")
	_, noJournal := os.Stat(d.Path + "-journal") // one beside a log must be rolled back first
	abandoned := errors.Is(err, os.ErrNotExist) && noJournal != nil && d.WalSize() > 0
	d.lostInLog, _ = LostInLog(d.Path) // a log that cannot be read fails below
	if err := d.checkBeside(noJournal != nil); err != nil {
		return err
	}
	if abandoned {
		if err := findRoomForShm(d.Path); IsDiskFull(err) {
			return d.DiagnoseOpen(err)
		}
	}
	ways := []string{"mode=rw", "mode=ro"}
	if d.readOnly || abandoned || d.lostInLog > 0 { // the last one to close a file that it can write empties the log
		ways = ways[1:]
	}
	switch {
	case d.WalSize() == 0 && !hasHotJournal(d.Path):
		ways = append(ways, "immutable=1")
	case len(ways) > 1 && d.misfitLog(ctx):
		ways = ways[1:]
	}
	d.sidecars = sidecarsOf(d.Path)
	var first error
	for _, way := range ways {
		err := d.openWith(ctx, way)
		if err == nil {
			d.sidecars.allowWriting()
			switch {
			case way == "immutable=1" && IsDiskFull(first):
				d.AddNote(model.NoteDiskFull)
			case way == "immutable=1" && lacksSharedMemory(first):
				d.AddNote(model.NoteUnshared)
			case way == "immutable=1":
				d.AddNote(model.NoteFrozen)
			}
			if d.lostInLog > 0 {
				d.AddNote(model.NoteLogDamaged)
			}
			d.readOnly, d.immutable = way != "mode=rw", way == "immutable=1"
			return nil
		}
		if first == nil {
			first = err
		}
		if IsDiskFull(err) {
			removeTornShm(d.Path)
		}
		c := ResultCode(err)
		if otherWayHelps(d.Path, err, c) {
			continue
		} else if c == sqliteCorrupt {
			// The pages that are left can be read when SQLite does not check
			// the size that the header states.
			if d.openWith(ctx, way+salvagePragmas) == nil {
				d.AddNote(model.NoteDamaged)
				d.readOnly = way != "mode=rw"
				return nil
			}
		}
		return d.DiagnoseOpen(first)
	}
	return d.DiagnoseOpen(first)
}

// otherWayHelps reports whether a database that could not be opened may be opened with fewer rights.
func otherWayHelps(path string, err error, code int) bool {
	switch code {
	case sqliteCantOpen:
		return !isDanglingLink(path + "-wal") // the log may be elsewhere: without it, what it holds is hidden
	case sqliteReadOnly, sqlitePerm:
		return true
	}
	return IsDiskFull(err) || lacksSharedMemory(err)
}

// sidecars are the log and its -shm, as far as they are not there or can be written.
type sidecars []string

func sidecarsOf(path string) (s sidecars) {
	for _, end := range []string{"-wal", "-shm"} {
		if info, err := os.Lstat(path + end); errors.Is(err, os.ErrNotExist) || err == nil && info.Mode().Perm()&0o200 != 0 {
			s = append(s, path+end)
		}
	}
	return s
}

// allowWriting allows the owner to write them. SQLite gives new ones the rights of the
// database, and leaves those of one that cannot be written: they would keep Hermes from it
// when it can be written again.
func (s sidecars) allowWriting() {
	for _, file := range s {
		if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o200 == 0 {
			_ = os.Chmod(file, info.Mode().Perm()|0o200) // those of another user stay as they are
		}
	}
}

// salvagePragmas makes SQLite open a file that is cut off or whose list of tables
// breaks off. In spite of its name nothing is written: query_only stays on.
const salvagePragmas = "&_pragma=writable_schema(1)"

// smallCache bounds the page cache of each connection, in kilobytes. The system
// caches the file's pages too, so a larger one makes nothing quicker; with 500 KB the
// process takes 5 MB more, since a page of 4 KB takes 8 KB of memory. The connections of
// this SQLite share what all their caches may hold, and a statement that names temp gives
// a connection a second one: of 100 pages, if nothing else is said. SQLite reads the list of
// tables for these pragmas, so a salvage connection does without them.
const smallCache = `PRAGMA cache_size = -100; PRAGMA temp.cache_size = 10`

// LockPatience is how long a reader waits for a lock: as long as a change, not counting
// the pauses between its tries. Only without a write-ahead log do readers wait for
// writers in the ordinary course of events.
const LockPatience = MaxWriteTries * busyTimeout

// lockPatience returns LockPatience, or what a test has set.
func (d *DB) lockPatience() time.Duration {
	if d.Patience > 0 {
		return d.Patience
	}
	return LockPatience
}

// openWith opens the pool with a mode and reads the schema, which is the first read of
// the file. On an error no connection stays open.
func (d *DB) openWith(ctx context.Context, way string) (err error) {
	if !strings.HasPrefix(way, "immutable") { // SQLite takes no locks then
		d.closedFile = openedBySQLite(d.Path)
		defer func() {
			if err != nil {
				d.closedFile()
			}
		}()
	}
	name, err := FileURI(d.Path)
	if err == nil {
		err = registerFunctions()
	}
	if err != nil {
		return err
	}
	// A check of a damaged or hostile file would evaluate its constraints, for any time.
	source := name + "?" + way + "&_pragma=query_only(1)&_pragma=ignore_check_constraints(1)&_pragma=busy_timeout(" + strconv.FormatInt(d.lockPatience().Milliseconds(), 10) + ")"
	registered, err := sql.Open("sqlite", source) // opens no connection
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector{db: d, driver: registered.Driver(), name: source, salvages: strings.HasSuffix(way, salvagePragmas)})
	if err := registered.Close(); err != nil {
		return errors.Join(err, db.Close())
	}
	db.SetMaxIdleConns(d.idleConnections())
	d.Schema, err = ReadSchema(ctx, db)
	if err != nil && strings.HasSuffix(way, salvagePragmas) && d.CheckHeader(requiredColumns) == nil {
		err = nil
	}
	if err != nil {
		return errors.Join(err, db.Close())
	}
	d.Pool = db
	return nil
}

// FileURI returns the URI of a path for SQLite, every special character escaped.
func FileURI(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find the folder of %s: %w", path, err)
	}
	if runtime.GOOS == "windows" {
		path = "/" + strings.TrimPrefix(filepath.ToSlash(path), "/")
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath(), nil
}
