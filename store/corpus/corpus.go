// Package corpus makes session databases of any size for benchmarks: schema
// 11 as Hermes Agent writes it, with invented text. The same Config gives the
// same database every time.
//
// What makes a real database slow is in there on purpose: words as unevenly
// frequent as in language, tool output that is most of the text, an 8 kB
// system prompt in front of the columns that a list reads, sessions that were
// written at the same time and so lie mixed in the table, a few very long
// ones, compression chains, branches, subagents, text in Chinese, and a
// full-text index whose newest part is still in many small pieces.
package corpus

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver, pure Go

	"hermes-sessions/store/ddl"
)

// generation counts the changes to what a Config gives, so that a cached
// database of an older generator is not taken for a new one.
const generation = 3

// Config says what to make.
type Config struct {
	Messages int    // exactly so many in all
	Seed     uint64 // another seed gives other text and another shape
	Longest  int    // messages of the longest session; 0: 20,000. At most a fifth of Messages
}

// S is a small history: 10,000 messages, about 100 MB.
func S() Config { return Config{Messages: 10_000, Seed: 1} }

// M is a heavy user's history: 100,000 messages, about 1 GB.
func M() Config { return Config{Messages: 100_000, Seed: 1} }

// L is the largest history known: a million messages, about 10 GB. To make it
// takes a quarter of an hour.
func L() Config { return Config{Messages: 1_000_000, Seed: 1} }

// normal fills in what was left out.
func (c Config) normal() Config {
	if c.Longest <= 0 {
		c.Longest = 20_000
	}
	c.Longest = min(c.Longest, c.Messages/5)
	return c
}

// Make writes a new database to path, which must not exist. The file appears
// only when it is whole; what remains of an interrupted call beside it ends
// in ".part". The named sessions that a benchmark can rely on are "longest"
// and, from 5,000 messages on, "thousand", both by title and by id.
func Make(ctx context.Context, path string, c Config) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("make %s: %w", path, fs.ErrExist)
	}
	part, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part")
	if err != nil {
		return fmt.Errorf("make %s: %w", path, err)
	}
	defer os.Remove(part.Name())
	if err := part.Close(); err != nil {
		return fmt.Errorf("make %s: %w", path, err)
	}
	if err := write(ctx, part.Name(), c.normal()); err != nil {
		return fmt.Errorf("make %s: %w", path, err)
	}
	// A link, unlike a rename, never replaces a file that another process put
	// there meanwhile and may have open.
	if err := os.Link(part.Name(), path); err != nil {
		return fmt.Errorf("make %s: %w", path, err)
	}
	return nil
}

// Cached gives the path of a database made with c, making it first if there is
// none yet in the user's cache folder. It is shared: copy it before changing it.
func Cached(ctx context.Context, c Config) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "hermes-sessions", "corpus")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("cache corpus: %w", err)
	}
	c = c.normal()
	key := sha256.Sum256(fmt.Appendf(nil, "%d %+v", generation, c))
	path := filepath.Join(dir, fmt.Sprintf("%d-%x.db", c.Messages, key[:6]))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := Make(ctx, path, c); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return path, nil
}

// write fills the empty file at path.
func write(ctx context.Context, path string, c Config) (err error) {
	// Nobody needs half a corpus, so nothing is done to survive a crash.
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+
		"?_pragma=journal_mode(off)&_pragma=synchronous(off)&_pragma=cache_size(-262144)&_pragma=temp_store(memory)&_pragma=locking_mode(exclusive)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	exec := func(stmts ...string) error {
		for _, stmt := range stmts {
			if _, err := db.ExecContext(ctx, stmt); err != nil {
				return fmt.Errorf("%.60q: %w", stmt, err)
			}
		}
		return nil
	}
	version := fmt.Sprintf("INSERT INTO schema_version VALUES (%d)", ddl.Version)
	if err := exec(ddl.Tables, ddl.TitleIndex, ddl.Index, version); err != nil {
		return err
	}
	h, err := newHistory(ctx, db, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.close()) }()

	// The bulk is indexed in one go. The last messages come through the
	// triggers in small transactions, as a live agent writes them.
	tail := min(2_000, c.Messages/4)
	if err := exec("BEGIN"); err != nil {
		return err
	}
	if err := h.advance(ctx, c.Messages-tail); err != nil {
		return err
	}
	if err := exec("COMMIT", ddl.FillWords, ddl.FillTrigrams, ddl.Triggers); err != nil {
		return err
	}
	for tail > 0 {
		n := min(4, tail)
		tail -= n
		if err := exec("BEGIN"); err != nil {
			return err
		}
		if err := h.advance(ctx, n); err != nil {
			return err
		}
		if err := exec("COMMIT"); err != nil {
			return err
		}
	}
	if err := h.leave(ctx); err != nil {
		return err
	}
	return exec("PRAGMA locking_mode=normal", "PRAGMA journal_mode=wal", "PRAGMA wal_checkpoint(truncate)")
}
