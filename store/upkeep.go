package store

import (
	"context"

	"hermes-sessions/model"
	"hermes-sessions/store/internal/upkeep"
)

// Migrated says what [Migrate] did: Path, From (the schema version found, 0 for
// a new file and where none was stated), To (11, or for a new file the schema that
// was asked for), Backup (the copy of the file as it was, "" for none) and Repairs
// (what was wrong before, one sentence each).
type Migrated = upkeep.Migrated

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
// The error is an [*Error]: [KindNewer] for a file beyond version 11, which needs
// no migration to be read or edited; [KindForeign], [KindDamaged], [KindLocked],
// [KindReadOnly], [KindDiskFull], or what [Open] says of such a path.
func Migrate(ctx context.Context, path string, opts ...Option) (Migrated, error) {
	return newStore(path, opts).upkeep.Migrate(ctx)
}

// Checkup is what [Store.Check] found: Path, schema Version, Journal mode, size
// (Bytes, WALBytes) and Mode of the file, its Sessions and Messages, the Index,
// and as notes the Problems (the gravest first) and Advice. Healthy reports
// whether there are no problems.
type Checkup = upkeep.Checkup

// IndexCheck says how the messages are indexed (store/README.md#fts-layouts):
// the Layout, the tables of Words and Trigrams, whether there is the CJK index that
// only Hermes can write, whether Hermes has marked the index as Stale, how many
// messages are Pending in a rebuild by Hermes, and whether every text was Compared
// with the index.
type IndexCheck = upkeep.IndexCheck

// TableCheck says whether a full-text table is Present, how many messages are
// Missing from it, and how many Extra rows it has.
type TableCheck = upkeep.TableCheck

// Check inspects the whole database and says what is wrong, with the remedy
// for each. It only reads, whatever it finds, and it can be canceled. Pages,
// indexes and row numbers are always checked. That the full-text index holds
// each text as it is written is checked only up to 64 MB, or when thorough is
// set: that takes about 20 s a gigabyte, during which no process can write to a
// file that is not in WAL mode.
//
// What cannot be checked is itself a finding. The error is ctx's.
func (s *Store) Check(ctx context.Context, thorough bool) (Checkup, error) {
	c, err := s.upkeep.Check(ctx, thorough)
	if err == nil {
		var more []model.HealthNote
		more, err = s.files.Check(ctx, thorough)
		c.Advice = append(c.Advice, more...)
	}
	return c, err
}

// Salvaged says what [Store.Salvage] wrote, and what is lost: by conversation in
// Lost, by other tables in LostRows. Incomplete is set where pages of tables are damaged,
// which may have held more than that; Whole reports whether nothing is lost. Notes say
// what is otherwise in the new file than it was.
type Salvaged = upkeep.Salvaged

// LostConversation is what one conversation lacks in the file that [Store.Salvage] wrote.
type LostConversation = upkeep.LostConversation

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
func (s *Store) Salvage(ctx context.Context, out string) (Salvaged, error) {
	return s.upkeep.Salvage(ctx, out)
}

// FinalizeOrphans ends, as of now, the sessions that were begun as the
// continuation of a compressed one more than a week ago, got messages, but
// never a call of a model; their reason is "orphaned_compression". It gives
// how many (finalize_orphaned_compression_sessions).
func (s *Store) FinalizeOrphans(ctx context.Context) (int, error) {
	return s.upkeep.FinalizeOrphans(ctx)
}

// Vacuum gives the space of deleted rows back to the file system (vacuum). It
// needs the file for itself: the error is of [KindLocked] while another process,
// or another call of this store, has it open. It closes the idle connections of
// this store, so a call at the same time may find the file locked. A damaged file is
// refused with an error of [KindDamaged]: it would come out sound, and without the rows
// that cannot be read.
func (s *Store) Vacuum(ctx context.Context) error {
	return s.upkeep.Vacuum(ctx)
}

// Storage measures a database file and looks after its write-ahead log: [upkeep.Storage]
// describes its methods. All but Checkpoint only read.
type Storage = upkeep.Storage

// Storage returns the measures of this database.
func (s *Store) Storage() Storage { return s.upkeep.Storage() }
