package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// readers is how many connections rest open: the list, the transcript and a
// search may overlap, and one more watches for changes. There may be more at a
// time: who reads inside a transaction may need another connection beside it,
// and must never wait for one that waits for him.
const readers = 4

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
// [*Error] when the file is at fault. No call takes longer than two seconds
// on any kind of file.
func Open(ctx context.Context, path string, opts ...Option) (*Store, error) {
	s := newStore(path, opts)
	s.pages = newPages()
	s.known.turn, s.preparing = make(chan struct{}, 1), make(chan struct{}, 1)
	s.known.dressed = map[dressKey]dress{}
	if err := s.openFile(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// openFile opens the file for reading and notes what is wrong with it.
func (s *Store) openFile(ctx context.Context) error {
	if err := s.examine(); err != nil {
		return err
	}
	if err := s.connect(ctx); err != nil {
		return err
	}
	if err := s.recognise(); err != nil {
		return errors.Join(err, s.closeFile())
	}
	s.notice(ctx)
	s.lookAtRights()
	return nil
}

// examine looks at the file from outside. The file itself is not opened here
// or anywhere but in SQLite: closing any other descriptor of it would drop
// the locks that this process holds on it.
func (s *Store) examine() error {
	info, err := os.Stat(s.path)
	switch {
	case err != nil:
		return s.absent(err)
	case info.IsDir():
		return s.fault(KindDirectory, err)
	case !info.Mode().IsRegular():
		return s.fault(KindNotAFile, err)
	case info.Size() == 0 && s.walSize() == 0:
		return s.fault(KindEmpty, nil)
	}
	s.file = info
	return nil
}

func (s *Store) walSize() int64 {
	info, err := os.Stat(s.path + "-wal")
	if err != nil {
		return 0
	}
	return info.Size()
}

// connect tries the ways to open a file, most capable first.
func (s *Store) connect(ctx context.Context) error {
	_, err := os.Stat(s.path + "-shm")
	abandoned := errors.Is(err, os.ErrNotExist) && s.walSize() > 0
	ways := []string{"mode=rw", "mode=ro"}
	if s.readOnly || abandoned {
		ways = ways[1:]
	}
	if s.walSize() == 0 {
		ways = append(ways, "immutable=1")
	}
	var first error
	for _, way := range ways {
		err := s.try(ctx, way)
		if err == nil {
			switch {
			case way == "immutable=1" && unshared(first):
				s.note(NoteUnshared)
			case way == "immutable=1":
				s.note(NoteFrozen)
			}
			s.readOnly = way != "mode=rw"
			return nil
		}
		if first == nil {
			first = err
		}
		switch c := code(err); {
		case c == sqliteCantOpen || c == sqliteReadOnly || c == sqlitePerm || unshared(err):
			continue
		case c == sqliteCorrupt:
			// The pages that are there can be read when SQLite does not
			// insist on all that the header promises.
			if s.try(ctx, way+salvage) == nil {
				s.note(NoteDamaged)
				s.readOnly = way != "mode=rw"
				return nil
			}
		}
		return s.diagnose(first)
	}
	return s.diagnose(first)
}

// salvage makes SQLite open a file that is cut off or whose list of tables
// breaks off. In spite of its name nothing is written: query_only stands.
const salvage = "&_pragma=writable_schema(1)"

// frugal bounds what a connection keeps of the file's pages, in kilobytes. The
// system keeps them too: more makes nothing quicker, and each connection takes it.
// SQLite reads the list of tables for it, so salvage does without.
const frugal = "&_pragma=cache_size(-500)"

// try opens the pool one way and asks for the schema, which is the first read
// of the file. On an error nothing stays open.
func (s *Store) try(ctx context.Context, way string) error {
	name, err := fileURI(s.path)
	if err != nil {
		return err
	}
	settings := way + "&_pragma=query_only(1)"
	if !strings.HasSuffix(way, salvage) {
		settings += frugal
	}
	pool := func(patience string) (*sql.DB, error) {
		db, err := sql.Open("sqlite", name+"?"+settings+"&_pragma=busy_timeout("+patience+")")
		if err != nil {
			return nil, err
		}
		db.SetMaxIdleConns(readers)
		return db, nil
	}
	db, err := pool("1000")
	if err != nil {
		return err
	}
	s.schema, err = inspect(ctx, db)
	if err != nil && strings.HasSuffix(way, salvage) && s.recognise() == nil {
		err = nil
	}
	if err != nil {
		return errors.Join(err, db.Close())
	}
	var journal string
	if err := db.QueryRowContext(ctx, `PRAGMA journal_mode`).Scan(&journal); err == nil && journal != "wal" {
		// Without a write-ahead log readers wait for writers, and writers that
		// hardly pause can keep one waiting for longer than a second.
		patient, err := pool("5000")
		if err != nil {
			return errors.Join(err, db.Close())
		}
		if err := db.Close(); err != nil {
			return errors.Join(err, patient.Close())
		}
		db = patient
	}
	s.db = db
	return nil
}

// fileURI names a file to SQLite so that no character of it means anything.
func fileURI(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find the folder of %s: %w", path, err)
	}
	if runtime.GOOS == "windows" {
		path = "/" + strings.TrimPrefix(filepath.ToSlash(path), "/")
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath(), nil
}
