package store

import (
	"context"

	"hermes-sessions/store/internal/upkeep"
)

// Migrate makes a session database of schema 11: where there is no file (or an
// empty one) a new one, readable for its owner only; of a file of version 1 to
// 10 one of version 11. What a file of version 11 lacks is repaired: columns,
// the title index, duplicate titles, the full-text index and its triggers. A
// file that lacks nothing is not touched (store/README.md#migration).
//
// All of it happens in one transaction: whenever it is interrupted, the file is
// as it was or as it should be. Before that a copy is written beside the file,
// named FILE.bak-vN-TIME, with all that stands in the -wal; [WithoutBackup]
// leaves it out. A new file is in WAL mode where the file system can; the
// journal mode of an existing one stays.
//
// The error is an [*db.Error]: newer for a file beyond version 11, which needs no
// migration to be read or edited; foreign, damaged, locked, read-only,
// disk-full, or what [Open] says of such a path.
func Migrate(ctx context.Context, path string, opts ...Option) (upkeep.Migrated, error) {
	return newStore(path, opts).upkeep.Migrate(ctx)
}
