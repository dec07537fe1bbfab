package db

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"hermes-sessions/model"
)

// NewError makes the error of one kind.
func (d *DB) NewError(kind string, err error) *model.Error {
	e := &model.Error{Kind: kind, Path: d.Path, Err: err}
	switch kind {
	case model.KindAbsent:
		e.Message, e.Remedy = "there is no database", openAnother("start Hermes once, or open another database")
	case model.KindPostgres:
		e.Message = fmt.Sprintf("Hermes keeps its sessions in PostgreSQL (%s in config.yaml), not in this file", d.postgresSetting())
		e.Remedy = model.AdviseToRun("list them with Hermes, or open a SQLite database", "hermes sessions list")
	case model.KindEmpty:
		e.Message, e.Remedy = "this database is empty", openAnother("start Hermes once to fill it, or open another database")
	case model.KindDirectory:
		e.Message, e.Remedy = "this is a folder", model.Remedy{Kind: model.RemedyOpen, Text: "open the database in it", Object: filepath.Join(d.Path, "state.db")}
	case model.KindNotAFile:
		e.Message, e.Remedy = "this is not a regular file", openAnother("open a database file")
	case model.KindSymlinkLoop:
		e.Message, e.Remedy = "the symbolic link points to itself", model.AdviseToRun("check where the link leads", "ls -l "+model.ShellWord(d.Path))
	case model.KindUnreadable:
		e.Message, e.Remedy = "it cannot be read: "+CauseOf(err), adviseReadable(d.Path)
	case model.KindNotADatabase:
		e.Message, e.Remedy = "this is not a SQLite database", model.AdviseToRun("check what the file is, or open another one; if it was one, doctor --salvage looks for its rows", "file "+model.ShellWord(d.Path))
	case model.KindTruncated:
		e.Message, e.Remedy = "the database is truncated", d.AdviseRecovery()
	case model.KindDamaged:
		e.Message, e.Remedy = "the database is damaged", d.AdviseRecovery()
	case model.KindLocked:
		e.Message, e.Remedy = "another program keeps the database locked", model.AdviseToRun("wait for it, or find out which program it is", "fuser -v "+model.ShellWord(d.Path))
	case model.KindIO:
		e.Message = "the disk or its file system reported an error: " + CauseOf(err)
		e.Remedy = model.AdviseToRun("copy the file and its -wal to another disk; the system log may name the cause", "dmesg")
	case model.KindClosed:
		e.Message, e.Remedy = "the database was closed", model.Advise("open it again")
	case model.KindForeign:
		e.Message, e.Remedy = "this database belongs to another application: it has no Hermes sessions", openAnother("open Hermes's own, usually ~/.hermes/state.db")
	}
	return e
}

// NotThereError says why a path leads nowhere.
func (d *DB) NotThereError(err error) *model.Error {
	switch {
	case errors.Is(err, syscall.ELOOP):
		return d.NewError(model.KindSymlinkLoop, err)
	case errors.Is(err, os.ErrPermission):
		return d.NewError(model.KindUnreadable, err)
	case errors.Is(err, syscall.ENAMETOOLONG):
		return &model.Error{Kind: model.KindAbsent, Path: d.Path, Err: err, Message: "the name of the file is too long", Remedy: openAnother("check the name of the database")}
	case errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		if d.postgresSetting() != "" {
			return d.NewError(model.KindPostgres, err)
		}
		return d.NewError(model.KindAbsent, err)
	}
	return d.NewError(model.KindUnreadable, err)
}

// notAFileBeside reports what is in the place of a file that SQLite keeps beside the database.
func notAFileBeside(path, what string, err error) *model.Error {
	return &model.Error{
		Kind: model.KindNotAFile, Path: path, Err: err,
		Message: "SQLite needs a file with this name, but this is " + what,
		Remedy:  model.AdviseToRun("move it away", "mv "+model.ShellWord(path)+" "+model.ShellWord(path+".moved")),
	}
}

// isDanglingLink reports whether a path is a symbolic link to a file that does not exist.
func isDanglingLink(path string) bool {
	_, there := os.Lstat(path)
	_, err := os.Stat(path)
	return there == nil && errors.Is(err, os.ErrNotExist)
}

// DiagnoseOpen turns what SQLite said at opening into an error that helps.
func (d *DB) DiagnoseOpen(err error) error {
	for _, end := range []string{"-wal", "-journal", "-shm"} {
		info, e := os.Stat(d.Path + end)
		if e == nil && info.IsDir() {
			return notAFileBeside(d.Path+end, "a folder", err)
		} else if isDanglingLink(d.Path + end) {
			return notAFileBeside(d.Path+end, "a symbolic link to a missing file", err)
		}
	}
	if lacksSharedMemory(err) {
		return d.sharedMemoryError(model.KindUnreadable, err)
	}
	if IsDiskFull(err) {
		return diskFullError(d.Path, "even reading a write-ahead log needs some space beside it", err)
	}
	switch ResultCode(err) {
	case sqliteNotADB:
		return d.NewError(model.KindNotADatabase, err)
	case sqliteCorrupt:
		e := d.NewError(truncatedOrDamaged(d.Path), err)
		if d.WalSize() > 0 {
			e.Remedy = model.AdviseToRun("its log may belong to another database: open a copy without the log", fmt.Sprintf("cp %[1]s %[1]s.alone", model.ShellWord(d.Path)))
		}
		return e
	case SQLiteBusy, SQLiteLocked, sqliteProtocol:
		return d.NewError(model.KindLocked, err)
	case sqliteCantOpen, sqlitePerm, sqliteReadOnly, sqliteIO:
		e := d.NewError(model.KindUnreadable, err)
		readable := true
		withoutSQLite(d.Path, func() { readable = isReadable(d.Path) })
		switch {
		case !readable:
			return e
		case d.WalSize() > 0:
			e.Message = "the write-ahead log beside the database cannot be read: " + CauseOf(err)
		case hasHotJournal(d.Path):
			e.Message = "a change was interrupted, and the journal beside the database cannot undo it: " + CauseOf(err)
		default:
			return e
		}
		e.Remedy = model.AdviseToRun("check the permissions of the folder and of the files beside the database, and give yourself permission to write to them, or open a copy of them",
			fmt.Sprintf("ls -ld %s %s*", model.ShellWord(filepath.Dir(d.Path)), model.ShellWord(d.Path)))
		return e
	}
	if ResultCode(err) == SQLiteError && strings.Contains(err.Error(), "unsupported file format") {
		return &model.Error{
			Kind: model.KindDamaged, Path: d.Path, Err: err,
			Message: "the database has a file format that SQLite does not know: its header is damaged, or it is much newer",
			Remedy:  model.Advise("restore a backup, or update this program"),
		}
	}
	return d.WrapError("open", err)
}

// isReadable reports whether this process may read a file.
func isReadable(path string) bool {
	f, err := os.Open(path)
	if err == nil {
		_ = f.Close() // it was not written
	}
	return err == nil
}

// truncatedOrDamaged looks at the header of a file that SQLite refuses.
func truncatedOrDamaged(path string) (kind string) {
	kind = model.KindDamaged
	withoutSQLite(path, func() { kind = kindOfHeader(path) })
	return kind
}

// kindOfHeader returns [model.KindTruncated] where a file is shorter than its header says, else
// [model.KindDamaged].
func kindOfHeader(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return model.KindDamaged
	}
	defer f.Close() //nolint:errcheck // it was only read
	var h [100]byte
	info, err := f.Stat()
	if err != nil || info.Size() < int64(len(h)) {
		return model.KindTruncated
	}
	if _, err := f.ReadAt(h[:], 0); err != nil {
		return model.KindDamaged
	}
	page := int64(h[16])<<8 | int64(h[17])
	if page == 1 {
		page = 65536
	}
	pages := int64(h[28])<<24 | int64(h[29])<<16 | int64(h[30])<<8 | int64(h[31])
	if pages*page > info.Size() {
		return model.KindTruncated
	}
	return model.KindDamaged
}

// WrapError adds the operation and the path of the file to an error. Faults of the file
// that show only while reading become an [*model.Error] too. doing begins the text of the error
// ("read"); nil stays nil.
func (d *DB) WrapError(doing string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*model.Error](err); ok || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if d.closed.Load() {
		return d.NewError(model.KindClosed, err)
	}
	switch ResultCode(err) {
	case SQLiteInterrupt:
		return fmt.Errorf("%s %s: %w", doing, d.Path, context.Canceled)
	case SQLiteBusy, SQLiteLocked, sqliteProtocol:
		return d.NewError(model.KindLocked, err)
	case sqliteCorrupt, sqliteNotADB:
		return d.NewError(model.KindDamaged, err)
	case sqliteCantOpen, sqlitePerm, sqliteReadOnly:
		return d.NewError(model.KindUnreadable, err)
	case sqliteIO, sqliteFull:
		if IsDiskFull(err) {
			return diskFullError(d.Path, "even reading a write-ahead log needs some space beside it", err)
		}
		return d.NewError(model.KindIO, err)
	}
	if LacksExtension(err) {
		return &model.Error{
			Kind: model.KindFailed, Path: d.Path, Err: err, Message: "a table or an index needs a SQLite extension that is missing (" + CauseOf(err) + ")",
			Remedy: d.AdviseRecovery(),
		}
	}
	if ResultCode(err) != 0 {
		return &model.Error{
			Kind: model.KindFailed, Path: d.Path, Err: err, Message: "SQLite cannot " + doing + " it: " + CauseOf(err),
			Remedy: model.Remedy{Kind: model.RemedyCheck, Text: "see what is wrong with the database", Object: d.Path},
		}
	}
	return fmt.Errorf("%s %s: %w", doing, d.Path, err)
}

// WriteError is [DB.WrapError] with the errors that only a change can have.
func (d *DB) WriteError(doing string, err error) error {
	if _, ok := errors.AsType[*model.Error](err); ok {
		return err
	}
	if d.closed.Load() {
		return d.WrapError(doing, err)
	}
	e := &model.Error{Path: d.Path, Err: err}
	c := ResultCode(err)
	switch {
	case c == sqliteReadOnly || c == sqlitePerm || c == sqliteCantOpen:
		return d.ReadOnlyError(err)
	case lacksSharedMemory(err):
		return d.sharedMemoryError(model.KindReadOnly, err)
	case ExtendedCode(err) == sqliteCorruptIndex:
		return d.indexError(err)
	case IsDiskFull(err):
		return diskFullError(d.Path, unchanged, err)
	case c == sqliteNotADB:
		return d.NewError(model.KindDamaged, err)
	case ExtendedCode(err) == sqliteConstraintTrigger:
		e.Kind, e.Message = model.KindRefused, triggerMessage(err)
		e.Remedy = askHermes
		return e
	case LacksExtension(err):
		e.Kind, e.Message = model.KindTokenizer, "the database needs a SQLite extension that only Hermes has ("+CauseOf(err)+"); "+unchanged
		e.Remedy = askHermes
		return e
	}
	return d.WrapError(doing, err)
}

// LacksExtension reports whether a trigger, an index or a constraint needs a tokenizer, a
// function or a module that is not here.
func LacksExtension(err error) bool {
	return ResultCode(err) == SQLiteError && (strings.Contains(err.Error(), "no such") || strings.Contains(err.Error(), "unknown function") || strings.Contains(err.Error(), "no query solution"))
}

// unchanged ends the message of a change that was not made. [CauseOf] leaves it out.
const unchanged = "nothing was changed"

// diskFullError says that the disk of a file has no room, and what follows.
func diskFullError(path, consequence string, err error) *model.Error {
	return &model.Error{
		Kind: model.KindDiskFull, Path: path, Err: err,
		Message: "the disk is full or over its quota; " + consequence,
		Remedy:  AdviseSpace("free some space, then try again", path),
	}
}

// ReadOnlyError says why a database cannot be written; err is nil where it was
// opened for reading only.
func (d *DB) ReadOnlyError(err error) *model.Error {
	e := &model.Error{Kind: model.KindReadOnly, Path: d.Path, Err: err}
	if err == nil {
		e.Message, e.Remedy = d.whyReadOnly, d.toWrite
		return e
	}
	folder := filepath.Dir(d.Path)
	e.Message = "the database cannot be written: " + CauseOf(err)
	paths := model.ShellWord(folder) + " " + model.ShellWord(d.Path)
	file, beside := mayWrite(d.Path), mayWrite(folder)
	if (file == nil || errors.Is(file, os.ErrNotExist)) && beside != nil {
		e.Message = "the folder of the database cannot be written: " + CauseOf(beside)
		paths = model.ShellWord(folder)
	} else if file != nil && beside == nil {
		paths = model.ShellWord(d.Path)
	}
	e.Remedy = model.AdviseToRun("check the permissions, and give yourself permission to write", fmt.Sprintf("ls -ld %s; chmod u+w %[1]s", paths))
	return e
}

// triggerMessage returns the words of a trigger's RAISE as they were written.
func triggerMessage(err error) string {
	return strings.TrimPrefix(CauseOf(err), "constraint failed: ")
}

// NotFoundError says that there is no session of this id or title.
func (d *DB) NotFoundError(what string) *model.Error {
	if names := TranscriptNames(d.Transcripts, what); len(names) > 0 {
		return &model.Error{
			Kind: model.KindNotFound, Path: d.Path, Message: fmt.Sprintf("Session '%s' is not in the database, only in sessions/%s.", what, names[0]),
			Remedy: model.Remedy{Kind: model.RemedyImport, Text: "bring it into the database first", Object: what},
		}
	}
	return &model.Error{
		Kind: model.KindNotFound, Path: d.Path,
		Message: fmt.Sprintf("Session '%s' not found.", what), Remedy: model.Remedy{Kind: model.RemedyList, Text: "look it up in the list"},
	}
}

// TitleTakenError names the session that has a title.
func (d *DB) TitleTakenError(title, owner string) *model.Error {
	taken := model.TitleTaken{Title: title, Owner: owner}
	return &model.Error{
		Kind: model.KindTitleInUse, Path: d.Path, Matches: []string{owner}, Err: taken,
		Message: taken.Error(),
		Remedy:  model.Advise("choose another title, or rename that session first"),
	}
}

// InvalidError makes the error of a value that cannot be stored, of
// [model.KindInvalid], with words that help.
func (d *DB) InvalidError(message, advice string, err error) *model.Error {
	return &model.Error{Kind: model.KindInvalid, Path: d.Path, Message: message, Remedy: model.Advise(advice), Err: err}
}

// OlderSchemaError makes the error of a file whose schema has no place for what
// is to be stored, of [model.KindInvalid].
func (d *DB) OlderSchemaError(what string) *model.Error {
	e := d.InvalidError("a database of this version has no "+what, "", errors.ErrUnsupported)
	e.Remedy = d.AdviseMigrate("upgrade the database")
	return e
}

// IsInUse reports whether an error says that another process is writing.
func IsInUse(err error) bool {
	e, ok := errors.AsType[*model.Error](err)
	return ok && e.Kind == model.KindInUse
}

// CauseOf returns an error's own words in one line, without what it was about and
// without its consequence for the change that met it.
func CauseOf(err error) string {
	if err == nil {
		return "unknown"
	}
	if e, ok := errors.AsType[*model.Error](err); ok {
		return strings.TrimSuffix(e.Message, "; "+unchanged)
	}
	if p, ok := errors.AsType[*os.PathError](err); ok {
		err = p.Err
	}
	cause := strings.Join(strings.Fields(err.Error()), " ")
	code := ExtendedCode(err)
	if code == 0 {
		return cause
	}
	cause = strings.TrimPrefix(strings.TrimSuffix(cause, " ("+strconv.Itoa(code)+")"), "SQL logic error: ")
	if plain, ok := plainCauses[code&0xff]; ok {
		return plain
	}
	return cause
}

// plainCauses say in plain words what SQLite says in its own.
var plainCauses = map[int]string{
	sqlitePerm:     "the operating system does not permit it",
	SQLiteBusy:     "another program keeps it locked",
	SQLiteLocked:   "another program keeps it locked",
	sqliteReadOnly: "it is read-only",
	sqliteCorrupt:  "a page of it is damaged",
	sqliteCantOpen: "it, or a file beside it, cannot be opened",
	sqliteTooBig:   "a value in it states an impossible length",
	sqliteNotADB:   "it is not a SQLite database",
}
