package store

import (
	"context"
)

// Open opens an existing database for reading, whatever its version. It runs
// no DDL, changes no journal mode and writes no version.
//
// Where the file and its folder can be written the connections are read-write
// ones that are told to refuse writes: when the last of them closes, SQLite
// removes the -wal and -shm files that reading a WAL database makes. The
// database file of an idle history keeps its bytes and its time. What SQLite
// does by itself remains: where a process that wrote has died, the last close
// moves the contents of its -wal into the file, as the next start of Hermes
// would, and a half-written transaction in a rollback journal is undone.
//
// A -wal with content that nobody has open (no -shm beside it: a copy or a
// restored backup) is read in full through read-only connections and left
// where it is, and so is the file; a -shm file, which holds no data, then
// stays behind. The same holds with [ReadOnly].
//
// A WAL database without a -wal is read as immutable, with a note, where its
// folder can not be written or its file system has no shared memory.
//
// A truncated file gives what is left of it, with a note. The error is an
// [*db.Error] when the file is at fault. No call takes longer than two seconds
// on any kind of file.
func Open(ctx context.Context, path string, opts ...Option) (*Store, error) {
	s := newStore(path, opts)
	if err := s.db.Open(ctx); err != nil {
		return nil, err
	}
	return s, nil
}
