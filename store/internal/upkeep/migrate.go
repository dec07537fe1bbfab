package upkeep

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hermes-sessions/store/ddl"
	"hermes-sessions/store/internal/db"
)

// Migrated says what store.Migrate did.
type Migrated struct {
	Path    string
	From    int      // schema version found; 0 for a new file and where none was stated
	To      int      // always 11
	Backup  string   // the copy of the file as it was; "" where nothing was changed or none was wanted
	Repairs []string // what was wrong before, one sentence each
}

// Migrate migrates a file that is not open, and closes it; see store.Migrate for the
// contract.
func (u *Upkeep) Migrate(ctx context.Context) (Migrated, error) {
	done, err := u.migrateFile(ctx)
	if err != nil {
		err = u.db.WriteError("migrate", err)
	}
	return done, errors.Join(err, u.db.Writer.Close())
}

// migrateFile migrates the file and leaves the writer open.
func (u *Upkeep) migrateFile(ctx context.Context) (Migrated, error) {
	done := Migrated{Path: u.db.Path, To: ddl.Version}
	if u.db.Writer.ReadOnly {
		return done, u.db.ReadOnlyError(nil)
	}
	if err := u.createFile(); err != nil {
		return done, err
	}
	if err := u.db.Writer.Open(u.db.Path, "rw"); err != nil {
		return done, err
	}
	complaints, err := u.checkBeforeMigration(ctx)
	if err != nil {
		return done, err
	}
	err = u.db.Writer.Run(ctx, u.db.Clock, true, func(t *db.Tx) error {
		// An earlier attempt of this transaction may have made the copy already.
		if done.Backup != "" {
			if err := os.Remove(done.Backup); err != nil {
				return fmt.Errorf("remove the copy of an attempt that failed: %w", err)
			}
		}
		done = Migrated{Path: u.db.Path, To: ddl.Version}
		m, err := u.planMigration(ctx, t, complaints)
		if err != nil {
			return err
		}
		done.From, done.Repairs = m.fromVersion, m.repairs
		if len(m.statements) == 0 {
			return nil
		}
		if !m.newFile && !u.NoBackup {
			if done.Backup, err = u.backUpFileForMigration(ctx, m.fromVersion); err != nil {
				return err
			}
		}
		for _, step := range m.statements {
			if _, err := t.Exec(ctx, step); err != nil {
				return err
			}
		}
		return nil
	})
	return done, err
}

// createFile makes the file and its folder where there is none.
func (u *Upkeep) createFile() error {
	err := u.db.CheckFile()
	e, ok := errors.AsType[*db.Error](err)
	switch {
	case ok && e.Kind == db.KindAbsent:
		if err := os.MkdirAll(filepath.Dir(u.db.Path), 0o700); err != nil {
			return err
		}
		// Conversations are private: only the owner may read them.
		f, err := os.OpenFile(u.db.Path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, os.ErrExist) {
			return nil // another process was faster
		}
		if err != nil {
			return u.db.NotThereError(err)
		}
		return f.Close()
	case ok && e.Kind == db.KindEmpty:
		return nil
	}
	return err
}

// checkBeforeMigration does what cannot be done inside a transaction: it chooses the
// journal mode of a new file, and refuses a damaged one. It gives what SQLite says
// about the full-text tables, which the migration can rebuild.
func (u *Upkeep) checkBeforeMigration(ctx context.Context) (complaints []string, err error) {
	q := u.db.Writer.Pool
	sc, err := db.ReadSchema(ctx, q)
	if err != nil {
		return nil, u.db.DiagnoseOpen(err)
	}
	if len(sc.Tables) == 0 {
		return nil, u.db.ChooseJournal(ctx)
	}
	if _, _, err := u.checkVersions(ctx, q, sc); err != nil {
		return nil, err
	}
	rows, err := q.QueryContext(ctx, `PRAGMA quick_check`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return nil, err
		}
		switch {
		case strings.Contains(line, "messages_fts"):
			complaints = append(complaints, line)
		case line == "ok" || strings.Contains(line, " value in "): // a value of an odd type, which does no harm
		default:
			return nil, u.db.NewError(db.KindDamaged, errors.New(line))
		}
	}
	return complaints, rows.Err()
}

// backUpFileForMigration copies the file, with the contents of the -wal, to a new file
// beside it. It runs inside the transaction that is about to change the file, so that
// the copy has every write of other processes.
func (u *Upkeep) backUpFileForMigration(ctx context.Context, from int) (path string, err error) {
	name := fmt.Sprintf("%s.bak-v%d-%s", u.db.Path, from, u.db.Clock().Format("20060102-150405"))
	var f *os.File
	for n := 1; ; n++ {
		if path = name; n > 1 {
			path = fmt.Sprintf("%s-%d", name, n)
		}
		// Created here, to be private from the start; VACUUM accepts an empty file.
		if f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			break
		}
		if !errors.Is(err, os.ErrExist) {
			return "", fmt.Errorf("write a copy: %w", err)
		}
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("write the copy %s: %w", path, errors.Join(err, f.Close(), os.Remove(path)))
			path = ""
		}
	}()
	uri, err := db.FileURI(u.db.Path)
	if err != nil {
		return path, err
	}
	db, err := sql.Open("sqlite", uri+"?mode=rw&_pragma=busy_timeout(1000)")
	if err != nil {
		return path, err
	}
	_, err = db.ExecContext(ctx, `VACUUM INTO ?`, path)
	if err = errors.Join(err, db.Close()); err != nil {
		return path, err
	}
	if err := f.Sync(); err != nil { // VACUUM INTO does not sync
		return path, err
	}
	return path, f.Close()
}
