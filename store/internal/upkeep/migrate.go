package upkeep

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/store/ddl"
	"hermes-sessions/store/internal/db"
)

// Migrate migrates a file that is not open, and closes it; see store.Migrate for the
// contract.
func (u *Upkeep) Migrate(ctx context.Context) (model.Migrated, error) {
	done, err := u.migrateFile(ctx)
	if err != nil {
		err = u.db.WriteError("migrate", err)
	}
	return done, errors.Join(err, u.db.Writer.Close())
}

// migrateFile migrates the file and leaves the writer open.
func (u *Upkeep) migrateFile(ctx context.Context) (model.Migrated, error) {
	done := model.Migrated{Path: u.db.Path, To: ddl.Version}
	if u.db.Writer.ReadOnly {
		return done, u.db.ReadOnlyError(nil)
	}
	if err := u.createFile(); err != nil {
		return done, err
	}
	if err := u.db.CheckLog(); err != nil {
		return done, err
	}
	synchronous := "EXTRA" // as of every write
	if info, err := os.Stat(u.db.Path); err == nil && info.Size() == 0 {
		synchronous = "" // its journal is not chosen yet
	}
	if err := u.db.Writer.Open(u.db.Path, "rw", synchronous); err != nil {
		return done, err
	}
	u.report(model.Progress{Step: "checking the file"})
	complaints, err := u.checkBeforeMigration(ctx)
	if err != nil {
		return done, err
	}
	committing := false
	err = u.db.Writer.Run(ctx, u.db.Clock, true, func(t *db.Tx) error {
		committing = false
		// An earlier attempt of this transaction may have made the copy already.
		if err := removeUnneededBackup(&done); err != nil {
			return err
		}
		done = model.Migrated{Path: u.db.Path, To: ddl.Version}
		m, err := u.planMigration(ctx, t, complaints)
		if err != nil {
			return err
		}
		done.From, done.Repairs = m.fromVersion, m.repairs
		done.To = cmp.Or(m.toVersion, done.To)
		if err := u.removeIncompleteBackup(); err != nil {
			return err
		}
		if len(m.statements) == 0 {
			return nil
		}
		if !m.newFile && !u.NoBackup {
			if done.Backup, err = u.backUpFileForMigration(ctx, m.fromVersion); err != nil {
				return err
			}
		}
		for i, step := range m.statements {
			u.report(model.Progress{Step: "changing the file", Done: int64(i), Total: int64(len(m.statements)), Unit: "statements"})
			if _, err := t.Exec(ctx, step); err != nil {
				return err
			}
		}
		committing = true
		return nil
	})
	if err != nil && (!committing || db.IsDiskFull(err)) { // else the file may have changed
		err = errors.Join(err, removeUnneededBackup(&done))
	}
	return done, err
}

// removeUnneededBackup removes the copy of an attempt that changed nothing.
func removeUnneededBackup(done *model.Migrated) error {
	if done.Backup == "" {
		return nil
	}
	if err := os.Remove(done.Backup); err != nil {
		return fmt.Errorf("remove the copy of an attempt that failed: %w", err)
	}
	done.Backup = ""
	return nil
}

// createFile makes the file and its folder where there is none.
func (u *Upkeep) createFile() error {
	err := u.db.CheckFile()
	e, ok := errors.AsType[*model.Error](err)
	switch {
	case ok && e.Kind == model.KindAbsent:
		if err := os.MkdirAll(filepath.Dir(u.db.Path), 0o700); err != nil {
			return err
		}
		// Conversations are private: only the owner may read them.
		f, err := os.OpenFile(u.db.Path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, os.ErrExist) {
			return nil // another process was faster
		}
		if errors.Is(err, os.ErrPermission) {
			return u.db.ReadOnlyError(err)
		}
		if err != nil {
			return u.db.NotThereError(err)
		}
		return f.Close()
	case ok && e.Kind == model.KindEmpty:
		return nil
	}
	return err
}

// checkBeforeMigration does what cannot be done inside a transaction: it chooses the
// journal mode of a new file, and refuses a damaged one. It returns what SQLite says
// about the full-text tables, which the migration can rebuild.
func (u *Upkeep) checkBeforeMigration(ctx context.Context) (complaints []string, err error) {
	q := u.db.Writer.Pool
	sc, err := db.ReadSchema(ctx, q)
	if err != nil {
		_ = u.db.Writer.Close() // the error of the read is what counts, and what it means is read from the file
		return nil, u.db.DiagnoseOpen(err)
	}
	if len(sc.Tables) == 0 {
		return nil, u.db.ChooseJournal(ctx)
	}
	if _, _, err := u.checkVersions(ctx, q, sc); err != nil {
		return nil, err
	}
	return u.quickCheck(ctx, q)
}

// quickCheck refuses a damaged file. It returns what SQLite says about the full-text
// tables.
func (u *Upkeep) quickCheck(ctx context.Context, q *sql.DB) (complaints []string, err error) {
	lines, err := db.QueryTexts(ctx, q, `PRAGMA quick_check`)
	if err != nil {
		return nil, err
	}
	for _, line := range lines {
		switch {
		case strings.Contains(line, "messages_fts"):
			complaints = append(complaints, line)
		case line == "ok" || isOddValueComplaint(line):
		default:
			return nil, u.db.NewError(model.KindDamaged, errors.New(line))
		}
	}
	return complaints, nil
}

// incompleteBackup is appended to the name of the database for a copy that is being
// written. It is always the same, so that what a killed process leaves is found.
const incompleteBackup = ".bak-incomplete"

// backUpFileForMigration copies the file, with the contents of the -wal, to a new file
// beside it. It runs inside the transaction that is about to change the file, so that
// the copy has every write of other processes, and no other process migrates the file.
// The copy gets its name when it is complete and on disk.
func (u *Upkeep) backUpFileForMigration(ctx context.Context, from int) (path string, err error) {
	incomplete := u.db.Path + incompleteBackup
	if err := u.copyInto(ctx, incomplete); err != nil {
		return "", fmt.Errorf("write the copy %s: %w", incomplete, errors.Join(err, u.removeIncompleteBackup()))
	}
	name := fmt.Sprintf("%s.bak-v%d-%s", u.db.Path, from, u.db.Clock().Format("20060102-150405"))
	for n := 1; ; n++ {
		if path = name; n > 1 {
			path = fmt.Sprintf("%s-%d", name, n)
		}
		if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
			break
		} else if err != nil {
			return "", fmt.Errorf("name the copy: %w", errors.Join(err, u.removeIncompleteBackup()))
		}
	}
	if err := os.Rename(incomplete, path); err != nil {
		return "", fmt.Errorf("name the copy: %w", errors.Join(err, u.removeIncompleteBackup()))
	}
	db.SyncFolder(filepath.Dir(path))
	return path, nil
}

// reportCopy reports how long a copy of the file has become, until stop is called.
func (u *Upkeep) reportCopy(path string) (stop func()) {
	info, err := os.Stat(u.db.Path)
	if u.Progress == nil || err != nil {
		return func() {}
	}
	ended, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			if now, err := os.Stat(path); err == nil {
				// The copy has no free pages, so that it may end up shorter.
				u.report(model.Progress{Step: "copying the file", Done: min(now.Size(), info.Size()), Total: info.Size(), Unit: "bytes"})
			}
			select {
			case <-ended:
				return
			case <-tick.C:
			}
		}
	}()
	return func() { close(ended); <-stopped }
}

// removeIncompleteBackup removes what an interrupted migration has left of a copy, and
// of the journal that SQLite keeps while it writes one.
func (u *Upkeep) removeIncompleteBackup() error {
	for _, end := range []string{"", "-journal"} {
		err := os.Remove(u.db.Path + incompleteBackup + end)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove the copy of an interrupted migration: %w", err)
		}
	}
	return nil
}

// copyInto copies the file, with the contents of the -wal, to a new file and syncs it.
func (u *Upkeep) copyInto(ctx context.Context, path string) (err error) {
	// Created here, to be private from the start; VACUUM accepts an empty file.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	uri, err := db.FileURI(u.db.Path)
	if err != nil {
		return err
	}
	patience := strconv.FormatInt(db.LockPatience.Milliseconds(), 10)
	db, err := sql.Open("sqlite", uri+"?mode=rw&_pragma=busy_timeout("+patience+")")
	if err != nil {
		return err
	}
	stop := u.reportCopy(path)
	_, err = db.ExecContext(ctx, `VACUUM INTO ?`, path)
	stop()
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	return f.Sync() // VACUUM INTO does not sync
}
