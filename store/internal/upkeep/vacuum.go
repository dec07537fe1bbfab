package upkeep

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
)

// Vacuum gives the space of deleted rows back to the file system; see
// store.Store.Vacuum for the contract.
func (u *Upkeep) Vacuum(ctx context.Context) error {
	if err := u.db.CheckOpen(); err != nil {
		return err
	}
	if err := u.db.WriteProblem(); err != nil {
		return err
	}
	if err := u.db.CheckSameFile(ctx); err != nil {
		return err
	}
	if err := u.db.CheckSound(ctx); err != nil {
		return err
	}
	return u.db.WriteError("vacuum", u.db.WithIdleClosed(func() error { return u.vacuum(ctx) }))
}

// vacuum closes the idle connections, empties the -wal, locks the file and runs
// VACUUM.
func (u *Upkeep) vacuum(ctx context.Context) (err error) {
	name, err := db.FileURI(u.db.Path)
	if err != nil {
		return err
	}
	// In WAL mode every open connection holds a shared lock, so asking for an
	// exclusive one finds out whether another connection is open.
	file, err := sql.Open("sqlite", name+"?mode=rw&_pragma=busy_timeout(1000)&_pragma=locking_mode(exclusive)&_pragma=ignore_check_constraints(1)")
	if err != nil {
		return err
	}
	defer func() {
		if e := file.Close(); err == nil {
			err = e
		}
	}()
	file.SetMaxOpenConns(1)
	for _, statement := range []string{`BEGIN EXCLUSIVE`, `COMMIT`} {
		if _, err := file.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	// A vacuum of a damaged file would write a sound one without the rows that cannot be
	// read, over those that a salvage still finds.
	complaints, err := u.quickCheck(ctx, file)
	if err != nil {
		return err
	}
	for _, line := range complaints {
		if !strings.Contains(line, "FTS5 table") { // what the index holds is copied as it is
			return u.db.NewError(model.KindDamaged, errors.New(line))
		}
	}
	_, err = file.ExecContext(ctx, `VACUUM`)
	return err
}
