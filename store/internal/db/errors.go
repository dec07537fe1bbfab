package db

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"hermes-sessions/model"
	"hermes-sessions/store/ddl"
)

// ShownStatement is the command with which a person runs a statement on the file.
func (d *DB) ShownStatement(statement string) string {
	return "sqlite3 " + model.ShellWord(d.Path) + " " + model.ShellWord(statement)
}

// MigrateCommand is the command that repairs a file of version 1 to 11, and
// reindex the one that makes the full-text index anew.
func (d *DB) MigrateCommand() string {
	return "hermes-sessions doctor --migrate --db " + model.ShellWord(d.Path)
}

func (d *DB) ReindexCommand() string {
	if d.Schema.Version <= ddl.Version {
		return d.MigrateCommand()
	}
	return "hermes sessions optimize-storage"
}

// Error says why a database can not be used, and what to do.
type Error struct {
	Kind    string // one of the Kind constants; stable, for scripts
	Path    string
	Message string // why, without the path
	Remedy  string // the exact thing to do, one line
	Err     error  // what the system said, if it said anything

	Matches []string // ids of the sessions that it is about: of an ambiguous name newest first
}

// Error gives "what: why" in one line.
func (e *Error) Error() string { return e.Path + ": " + e.Message }

// CauseAndRemedy gives why and the remedy, without the path.
func (e *Error) CauseAndRemedy() (cause, remedy string) { return e.Message, e.Remedy }

// Unwrap gives the system's error.
func (e *Error) Unwrap() error { return e.Err }

// The kinds of an [Error].
const (
	// What can be wrong with a file as a whole.
	KindAbsent       = "absent"
	KindPostgres     = "postgres"
	KindEmpty        = "empty"
	KindDirectory    = "directory"
	KindNotAFile     = "not-a-file"
	KindSymlinkLoop  = "symlink-loop"
	KindUnreadable   = "unreadable"
	KindNotADatabase = "not-a-database"
	KindTruncated    = "truncated"
	KindDamaged      = "damaged"
	KindLocked       = "locked"
	KindForeign      = "foreign"
	KindNewer        = "newer"      // than schema 11, for Migrate
	KindIncomplete   = "incomplete" // an export has all that could be read of a damaged file

	// What can be wrong with the name of a session.
	KindNotFound  = "not-found"
	KindAmbiguous = "ambiguous"

	// What can keep a change from being made.
	KindReadOnly        = "read-only"
	KindDiskFull        = "disk-full"
	KindInUse           = "in-use"       // another process is writing the session
	KindTokenizer       = "tokenizer"    // the trap of messages_fts_cjk (store/README.md#tokenizer-trap)
	KindRefused         = "refused"      // a trigger of a newer Hermes said no
	KindTitleInUse      = "title-in-use" // Candidates holds the session that has it
	KindInvalid         = "invalid"      // the value can not be stored
	KindReplaced        = "replaced"     // the path leads to another file than at opening
	KindContinued       = "continued"    // the session was compressed and goes on in the one in Candidates
	KindExists          = "exists"       // another row has the id of one to restore
	KindChanged         = "changed"      // the sessions are not what they were when asked about
	KindIncompleteWrite = "partly"       // stopped on the way; what is gone can be restored
	KindIndex           = "index"        // the full-text index does not fit the messages
)

// What can be wrong with a database that can still be read.
const (
	NoteFTSMissing   = "fts-missing"
	NoteFTSOutOfStep = "fts-out-of-step"
	NoteFTSDamaged   = "fts-damaged"
	NoteNewerSchema  = "newer-schema"
	NoteNoVersion    = "no-version"
	NoteTwoVersions  = "two-versions"
	NotePostgres     = "postgres"
	NoteDamaged      = "damaged"
	NoteFrozen       = "frozen"
	NoteUnshared     = "no-shared-memory"
)

// SQLite's primary result codes that mean something here.
const (
	sqlitePerm     = 3
	SqliteBusy     = 5
	SqliteLocked   = 6
	sqliteReadOnly = 8
	SqliteInterr   = 9
	sqliteIO       = 10
	sqliteCorrupt  = 11
	sqliteCantOpen = 14
	sqliteProtocol = 15
	sqliteNotADB   = 26
)

// NewError makes the error of one kind.
func (d *DB) NewError(kind string, err error) *Error {
	e := &Error{Kind: kind, Path: d.Path, Err: err}
	switch kind {
	case KindAbsent:
		e.Message, e.Remedy = "there is no database", "hermes-sessions --demo shows the program; --db FILE names another database"
	case KindPostgres:
		e.Message = "Hermes keeps its sessions in PostgreSQL (database.backend in config.yaml), not in this file"
		e.Remedy = "hermes sessions list; --db FILE reads a SQLite database"
	case KindEmpty:
		e.Message, e.Remedy = "there is nothing in this database", "start Hermes once, it fills the file; or --db FILE"
	case KindDirectory:
		e.Message, e.Remedy = "this is a directory", "--db "+model.ShellWord(filepath.Join(d.Path, "state.db"))
	case KindNotAFile:
		e.Message, e.Remedy = "this is not a regular file", "--db FILE names a database file"
	case KindSymlinkLoop:
		e.Message, e.Remedy = "the symbolic link leads back to itself", "ls -l "+model.ShellWord(d.Path)
	case KindUnreadable:
		e.Message, e.Remedy = "it can not be read: "+CauseOf(err), "ls -l "+model.ShellWord(d.Path)+"; chmod u+rw "+model.ShellWord(d.Path)
	case KindNotADatabase:
		e.Message, e.Remedy = "this is not a SQLite database", "file "+model.ShellWord(d.Path)+"; --db FILE names another"
	case KindTruncated:
		e.Message, e.Remedy = "the database is cut off", d.RecoveryAdvice()
	case KindDamaged:
		e.Message, e.Remedy = "the database is damaged", d.RecoveryAdvice()
	case KindLocked:
		e.Message, e.Remedy = "another program keeps the database locked", "wait for it, or find it with: fuser -v "+model.ShellWord(d.Path)
	case KindForeign:
		e.Message, e.Remedy = "this database belongs to another application: it has no Hermes sessions", "--db FILE names Hermes's own, usually ~/.hermes/state.db"
	}
	return e
}

// RecoveryAdvice is the command that saves what a damaged file still holds.
func (d *DB) RecoveryAdvice() string {
	return fmt.Sprintf("sqlite3 %s .recover | sqlite3 %s", model.ShellWord(d.Path), model.ShellWord(d.Path+".recovered"))
}

// CauseOf gives an error's own words in one line, without what it was about.
func CauseOf(err error) string {
	if err == nil {
		return "unknown"
	}
	if p, ok := errors.AsType[*os.PathError](err); ok {
		err = p.Err
	}
	return strings.Join(strings.Fields(err.Error()), " ")
}

// NotThereError says why a path leads nowhere.
func (d *DB) NotThereError(err error) *Error {
	switch {
	case errors.Is(err, syscall.ELOOP):
		return d.NewError(KindSymlinkLoop, err)
	case errors.Is(err, os.ErrPermission):
		return d.NewError(KindUnreadable, err)
	case errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		if d.onPostgres() {
			return d.NewError(KindPostgres, err)
		}
		return d.NewError(KindAbsent, err)
	}
	return d.NewError(KindUnreadable, err)
}

// DiagnoseOpen turns what SQLite said at opening into an error that helps.
func (d *DB) DiagnoseOpen(err error) error {
	if lacksSharedMemory(err) {
		return d.sharedMemoryError(KindUnreadable, err)
	}
	switch ResultCode(err) {
	case sqliteNotADB:
		return d.NewError(KindNotADatabase, err)
	case sqliteCorrupt:
		return d.NewError(d.truncatedOrDamaged(), err)
	case SqliteBusy, SqliteLocked, sqliteProtocol:
		return d.NewError(KindLocked, err)
	case sqliteCantOpen, sqlitePerm, sqliteReadOnly, sqliteIO:
		return d.NewError(KindUnreadable, err)
	}
	return d.WrapError("open", err)
}

// truncatedOrDamaged looks at the header of a file that SQLite refuses. No
// connection is open then, so that no lock can be lost.
func (d *DB) truncatedOrDamaged() string {
	f, err := os.Open(d.Path)
	if err != nil {
		return KindDamaged
	}
	defer f.Close()
	var h [100]byte
	info, err := f.Stat()
	if err != nil || info.Size() < int64(len(h)) {
		return KindTruncated
	}
	if _, err := f.ReadAt(h[:], 0); err != nil {
		return KindDamaged
	}
	page := int64(h[16])<<8 | int64(h[17])
	if page == 1 {
		page = 65536
	}
	pages := int64(h[28])<<24 | int64(h[29])<<16 | int64(h[30])<<8 | int64(h[31])
	if pages*page > info.Size() {
		return KindTruncated
	}
	return KindDamaged
}

// WrapError says what was being done to which file. Faults of the file that show
// only while reading become an [*Error] too.
func (d *DB) WrapError(doing string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*Error](err); ok || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	switch ResultCode(err) {
	case SqliteInterr:
		return fmt.Errorf("%s %s: %w", doing, d.Path, context.Canceled)
	case SqliteBusy, SqliteLocked:
		return d.NewError(KindLocked, err)
	case sqliteCorrupt:
		return d.NewError(KindDamaged, err)
	}
	return fmt.Errorf("%s %s: %w", doing, d.Path, err)
}

// minDatabaseSize is the smallest page of SQLite, in bytes.
const minDatabaseSize = 512

// CheckHeader refuses what is not Hermes's (store/README.md#opening).
func (d *DB) CheckHeader() error {
	if len(d.Schema.Tables) == 0 {
		// SQLite takes a file of a byte or two for an empty one.
		if info, err := os.Stat(d.Path); err == nil && info.Size() > 0 && info.Size() < minDatabaseSize {
			return d.NewError(KindNotADatabase, nil)
		}
		return d.NewError(KindEmpty, nil)
	}
	for table, columns := range map[string][]string{
		"sessions": {"id", "source", "started_at", "ended_at", "end_reason", "parent_session_id"},
		"messages": {"id", "session_id", "role", "content", "timestamp"},
	} {
		for _, c := range columns {
			if !d.Schema.Has(table, c) {
				return d.NewError(KindForeign, nil)
			}
		}
	}
	return nil
}

// AddNote records what can be lived with, once.
func (d *DB) AddNote(kind string) {
	n := model.HealthNote{Kind: kind}
	switch kind {
	case NoteFTSMissing:
		n.Message = "there is no full-text index; search reads every message and is slower"
		n.Remedy = d.ReindexCommand()
	case NoteFTSOutOfStep:
		n.Message = "the full-text index is out of step with the messages; search may miss some"
		n.Remedy = d.ReindexCommand()
	case NoteFTSDamaged:
		n.Message = "the full-text index is damaged; search reads every message and is slower"
		n.Remedy = d.ReindexCommand()
	case NoteNewerSchema:
		n.Message = fmt.Sprintf("written by a newer Hermes (schema %d, known up to %d); unknown parts are left alone", d.Schema.Version, newestSchema)
		n.Remedy = "update hermes-sessions"
	case NoteNoVersion:
		n.Message = "the database does not say its schema version; it was read by what it has"
		n.Remedy = "start Hermes once, it writes the version"
	case NoteTwoVersions:
		n.Message = fmt.Sprintf("the database states %d schema versions; it was read by what it has", d.Schema.versions)
		n.Remedy = fmt.Sprintf(`sqlite3 %s "DELETE FROM schema_version WHERE version < %d"`, model.ShellWord(d.Path), d.Schema.Version)
	case NotePostgres:
		n.Message = "config.yaml says that Hermes uses PostgreSQL (database.backend); this file may be stale"
		n.Remedy = "hermes sessions list"
	case NoteDamaged:
		n.Message = "the database is cut off or damaged; what can be read is shown, some of it is missing"
		n.Remedy = d.RecoveryAdvice()
	case NoteFrozen:
		n.Message = "the folder can not be written, so changes made meanwhile do not show"
		n.Remedy = "chmod u+w " + model.ShellWord(filepath.Dir(d.Path))
	case NoteUnshared:
		n.Message = "it has a write-ahead log, and its file system can not share the memory that this needs: nothing can be changed, and changes made meanwhile do not show"
		n.Remedy = d.journalReason()
	}
	d.notesMu.Lock()
	defer d.notesMu.Unlock()
	if !slices.ContainsFunc(d.notes, func(known model.HealthNote) bool { return known.Kind == kind }) {
		d.notes = append(d.notes, n)
	}
}

// readNotes looks for what can be lived with. It reads a few pages at most; what
// it can not find out it leaves out.
func (d *DB) readNotes(ctx context.Context) {
	switch {
	case d.Schema.versions == 0:
		d.AddNote(NoteNoVersion)
	case d.Schema.versions > 1:
		d.AddNote(NoteTwoVersions)
	}
	if d.Schema.Version > newestSchema {
		d.AddNote(NoteNewerSchema)
	}
	if d.onPostgres() {
		d.AddNote(NotePostgres)
	}
	if slices.ContainsFunc(d.Notes(), func(n model.HealthNote) bool { return n.Kind == NoteDamaged }) {
		return // the index shares the damage; one note is enough
	}
	if kind := d.ftsState(ctx); kind != "" {
		d.AddNote(kind)
	}
}

// ftsState looks at the full-text index where a glance tells: whether it is
// there, opens, has its triggers, and ends at the same message as the table.
func (d *DB) ftsState(ctx context.Context) string {
	if _, ok := d.Schema.Tables["messages_fts"]; !ok {
		return NoteFTSMissing
	}
	for _, event := range []string{"insert", "delete", "update"} {
		if _, ok := d.Schema.Tables["messages_fts_"+event]; !ok {
			return NoteFTSOutOfStep
		}
	}
	var indexed, stored any
	err := d.Pool.QueryRowContext(ctx, `SELECT (SELECT max(id) FROM messages_fts_docsize), (SELECT max(id) FROM messages)`).Scan(&indexed, &stored)
	if err == nil && indexed != stored && !d.ftsIncomplete(ctx) {
		return NoteFTSOutOfStep
	}
	var found any
	err = d.Pool.QueryRowContext(ctx, `SELECT count(*) FROM (SELECT 1 FROM messages_fts WHERE messages_fts MATCH 'a' LIMIT 1)`).Scan(&found)
	if ResultCode(err) == sqliteCorrupt {
		return NoteFTSDamaged
	}
	return ""
}

// ftsIncomplete reports whether Hermes itself has put indexing off
// (store/README.md#partial-rebuild).
func (d *DB) ftsIncomplete(ctx context.Context) bool {
	if !d.Schema.Has("state_meta", "key") {
		return false
	}
	var n int
	err := d.Pool.QueryRowContext(ctx, `SELECT count(*) FROM state_meta WHERE key = 'fts_rebuild_high_water'`).Scan(&n)
	return err == nil && n > 0
}

// maxConfigBytes is how much of a config.yaml is looked at, in bytes.
const maxConfigBytes = 1 << 20

// onPostgres reports whether the config.yaml beside the database moves the
// sessions to PostgreSQL. It understands that one key and nothing else.
func (d *DB) onPostgres() bool {
	path := filepath.Join(filepath.Dir(d.Path), "config.yaml")
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxConfigBytes {
		return false
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	return strings.HasPrefix(ConfiguredBackend(string(b)), "postgres")
}

// ConfiguredBackend finds database.backend in a YAML text, "" if it is not there.
func ConfiguredBackend(yaml string) string {
	inside, depth := false, 0
	for line := range strings.Lines(yaml) {
		line, _, _ = strings.Cut(strings.TrimRight(line, "\r\n"), " #")
		key, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || strings.HasPrefix(key, "#") {
			continue
		}
		key, value = strings.Trim(key, `"' `), strings.TrimSpace(value)
		if top := line[0] != ' ' && line[0] != '\t'; top {
			inside, depth = key == "database", 0
			if inside && strings.HasPrefix(value, "{") {
				for part := range strings.SplitSeq(strings.Trim(value, "{} "), ",") {
					if k, v, _ := strings.Cut(part, ":"); strings.Trim(k, `"' `) == "backend" {
						return strings.ToLower(strings.Trim(v, `"' `))
					}
				}
			}
			continue
		}
		// Only direct children count; the first of them says how deep they stand.
		if indent := len(line) - len(strings.TrimLeft(line, " \t")); depth == 0 {
			depth = indent
		} else if indent != depth {
			continue
		}
		if inside && key == "backend" {
			return strings.ToLower(strings.Trim(value, `"'`))
		}
	}
	return ""
}

// NotFoundError says that no session has an id or a title.
func (d *DB) NotFoundError(what string) *Error {
	return &Error{
		Kind: KindNotFound, Path: d.Path,
		Message: fmt.Sprintf("Session '%s' not found.", what), Remedy: "hermes-sessions list --all",
	}
}

// A damaged page makes every statement fail that comes across it. What follows
// reads around such pages, slowly: it is used only after a statement failed.

// IsCorrupt reports whether an error comes from a damaged page.
func IsCorrupt(err error) bool { return ResultCode(err) == sqliteCorrupt }

// TitleTakenError says who has a title.
func (d *DB) TitleTakenError(title, owner string) *Error {
	taken := model.TitleTaken{Title: title, Owner: owner}
	return &Error{
		Kind: KindTitleInUse, Path: d.Path, Matches: []string{owner}, Err: taken,
		Message: taken.Error(),
		Remedy:  "choose another title, or rename that session first",
	}
}

// InvalidError makes the error of a value that can not be stored, of
// [KindInvalid].
func (d *DB) InvalidError(message, remedy string, err error) *Error {
	return &Error{Kind: KindInvalid, Path: d.Path, Message: message, Remedy: remedy, Err: err}
}

// OlderSchemaError makes the error of a file whose schema has no place for what
// is to be stored, of [KindInvalid].
func (d *DB) OlderSchemaError(what string) *Error {
	return d.InvalidError("a database of this version has no "+what, "hermes-sessions doctor --migrate", errors.ErrUnsupported)
}
