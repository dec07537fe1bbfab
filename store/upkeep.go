package store

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/salvage"
	"hermes-sessions/store/internal/upkeep"
)

// Migrate makes a session database of schema 11: where there is no file (or an
// empty one) a new one, readable for its owner only, with [WithNewestSchema] of
// schema 26; of a file of version 1 to 10 one of version 11. Missing parts of a
// file of version 11 are repaired: columns, the title index, duplicate titles, the
// full-text index and its triggers. A file that lacks nothing is not touched
// (store/README.md#migration).
//
// All of it happens in one transaction: whenever it is interrupted, the file is
// as it was or as it should be. Before that a copy is written beside the file,
// named FILE.bak-vN-TIME, with the contents of the -wal; [WithoutBackup] leaves
// it out. A new file is in WAL mode where the file system supports it; the
// journal mode of an existing one stays.
//
// The error is an [*model.Error]: [model.KindNewer] for a file beyond version 11, which needs
// no migration to be read or edited; [model.KindForeign], [model.KindDamaged], [model.KindLocked],
// [model.KindReadOnly], [model.KindDiskFull], or what [Open] says of such a path.
func Migrate(ctx context.Context, path string, opts ...Option) (model.Migrated, error) {
	return newStore(path, opts).upkeep.Migrate(ctx)
}

// Check inspects the whole database and says what is wrong, with the remedy
// for each. It only reads, whatever it finds, and it can be canceled. Pages,
// indexes and row numbers are always checked. That the full-text index holds
// each text as it is written is checked only up to 64 MB, or when thorough is
// set: that takes about 20 s a gigabyte, during which no process can write to a
// file that is not in WAL mode.
//
// What cannot be checked is itself a finding. The error is ctx's.
func (s *Store) Check(ctx context.Context, thorough bool) (model.Checkup, error) {
	c, err := s.upkeep.Check(ctx, thorough)
	if err == nil {
		var more []model.HealthNote
		more, err = s.files.Check(ctx, thorough)
		c.Advice = append(c.Advice, more...)
	}
	return c, err
}

// Salvage writes everything that can be read, of a damaged database too, to a new
// sound file: every row of every ordinary table, read without indexes, with the indexes
// built again. out must not exist. The new file is readable for its owner only, in
// journal mode DELETE, and gets its name when it is complete, checked (with its
// full-text index) and on disk.
//
// Its schema is the file's own, table by table, where the file has columns that schema
// 11 does not have and its list of tables can be read to the end; otherwise it is schema
// 11, the newest one whose statements this program has itself. A session of which only
// messages are left gets a row that stands in for its own.
func (s *Store) Salvage(ctx context.Context, out string) (model.Salvaged, error) {
	return s.upkeep.Salvage(ctx, out)
}

// SalvagePages is [Store.Salvage] for a file that [Open] refuses because its list of tables, or its
// header, is lost or wrong: the rows are found page by page. Rows of deleted sessions may be among them.
// The error is of [model.KindDamaged] where no page has any.
func SalvagePages(ctx context.Context, path, out string, opts ...Option) (done model.Salvaged, err error) {
	found := out + ".pages"
	remove := func() error {
		if err := os.Remove(found); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if _, err := os.Lstat(out); err == nil {
		return done, upkeep.ExistsError(out)
	}
	if err := remove(); err != nil { // of a run that was killed
		return done, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	err = salvage.Rebuild(ctx, path, found)
	if db.IsDiskFull(err) {
		return done, upkeep.FullError(out, err)
	} else if err != nil {
		return done, err
	}
	s, err := Open(ctx, found, opts...)
	if err != nil {
		return done, err
	}
	s.db.AddNote(model.NoteDamaged)
	done, err = s.Salvage(ctx, out)
	done.Path, done.Incomplete = path, true
	done.Notes = append(done.Notes, "rows were found page by page, and rows that were deleted may be among them")
	return done, errors.Join(err, s.Close())
}

// FinalizeOrphans ends, as of now, the sessions that were begun as the
// continuation of a compressed one more than a week ago, got messages, but
// never a call of a model; their reason is "orphaned_compression". It gives
// how many (finalize_orphaned_compression_sessions).
func (s *Store) FinalizeOrphans(ctx context.Context) (int, error) {
	return s.upkeep.FinalizeOrphans(ctx)
}

// Vacuum gives the space of deleted rows back to the file system (vacuum). It
// needs the file for itself: the error is of [model.KindLocked] while another process,
// or another call of this store, has it open. It closes the idle connections of
// this store, so a call at the same time may find the file locked. A damaged file is
// refused with an error of [model.KindDamaged]: it would come out sound, and without the rows
// that cannot be read.
func (s *Store) Vacuum(ctx context.Context) error {
	return s.upkeep.Vacuum(ctx)
}

// FileSizes returns the sizes of the database file, of its write-ahead log, and of the pages
// that hold nothing. It takes a few milliseconds whatever the size.
func (s *Store) FileSizes(ctx context.Context) (model.FileSizes, error) {
	return s.upkeep.FileSizes(ctx)
}

// MeasureStorage makes one step of measuring how many bytes of text are stored, by session
// and by month in the zone of the clock: it reads up to 20,000 messages whose ids are not
// above from, newest first. The first step, from [model.FromNewest], also has the texts in
// the rows of the sessions. Add the steps to a [model.Storage]. Bytes are as SQLite stores
// them; numbers are not counted. A step takes about 50 ms.
func (s *Store) MeasureStorage(ctx context.Context, from int64) (model.StorageStep, error) {
	return s.upkeep.MeasureStorage(ctx, from)
}

// ForecastVacuum says what a vacuum would give back, need and take, without touching the
// file. Whether another process has it open is known only on Linux, in WAL mode.
func (s *Store) ForecastVacuum(ctx context.Context) (model.VacuumForecast, error) {
	return s.upkeep.ForecastVacuum(ctx)
}

// Checkpoint moves the write-ahead log into the database file and empties it. Where a
// process is reading or writing, emptied is false: what could be moved has been, and the
// next checkpoint empties the log.
func (s *Store) Checkpoint(ctx context.Context) (bool, error) {
	return s.upkeep.Checkpoint(ctx)
}
