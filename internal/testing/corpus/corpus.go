// Package corpus makes session databases of any size for benchmarks: schema
// 11 or a later one as Hermes Agent writes it, with invented text. The same
// Config gives the same database every time. builder.go has the steps, layout.go
// the schema, history.go the sessions, text.go the text.
//
// It includes what makes real databases slow: words as unevenly
// frequent as in language, tool output that is most of the text, an 8 kB
// system prompt in front of the columns that a list reads, sessions that were
// written at the same time and so lie mixed in the table, a few very long
// ones, compression chains, branches, subagents, text in Chinese, and a
// full-text index whose newest part is still in many small pieces.
package corpus

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// generation counts the changes to what a Config gives, so that a cached
// database of an older generator is not taken for a new one.
const generation = 3

// Config says what to make.
type Config struct {
	Messages int    // exactly so many in all
	Seed     uint64 // another seed gives other text and another shape
	Longest  int    // messages of the longest session; 0: 20,000. At most a fifth of Messages
	Shorter  int    // texts are so many times shorter; 0: 1
	Schema   int    // one from 26 on that a recorded database has; 0: 11
}

// S is a small history: 10,000 messages, about 100 MB.
func S() Config { return Config{Messages: 10_000, Seed: 1} }

// M is a heavy user's history: 100,000 messages, about 1 GB.
func M() Config { return Config{Messages: 100_000, Seed: 1} }

// L is the largest history known: a million messages, about 10 GB. To make it
// takes a quarter of an hour.
func L() Config { return Config{Messages: 1_000_000, Seed: 1} }

// XL is what many years of short messages come to: five million of them, about
// 7 GB.
func XL() Config { return Config{Messages: 5_000_000, Seed: 1, Shorter: 8} }

// Named returns the history of a size: S, M, L or XL. With a schema after it, as in M31, it
// has that schema.
func Named(name string) (Config, bool) {
	size := strings.TrimRight(name, "0123456789")
	c, ok := map[string]Config{"S": S(), "M": M(), "L": L(), "XL": XL()}[size]
	if ok && size != name {
		var err error
		c.Schema, err = strconv.Atoi(name[len(size):])
		ok = err == nil && c.Schema >= 26
	}
	return c, ok
}

// withDefaults returns the configuration with defaults for the fields that are not set.
func (c Config) withDefaults() Config {
	if c.Longest <= 0 {
		c.Longest = 20_000
	}
	c.Longest = min(c.Longest, c.Messages/5)
	c.Shorter = max(1, c.Shorter)
	return c
}

// Make writes a new database to path, which must not exist, and tells how far
// it is from time to time. The file appears only when it is whole. What an
// interrupted call leaves beside it ends in ".part": the next one goes on with
// it, and another process that wants the same waits. The named sessions that a
// benchmark can rely on are "longest" and, from 5,000 messages on, "thousand",
// both by title and by id.
func Make(ctx context.Context, path string, c Config, tell ...func(progress string)) error {
	b := builder{path: path, config: c.withDefaults(), tell: func(progress string) {
		for _, f := range tell {
			f(progress)
		}
	}}
	if err := b.run(ctx); err != nil {
		return fmt.Errorf("make %s: %w", path, err)
	}
	return nil
}

// Cached returns the path of a database made with c, making it first if there is
// none yet in the user's cache folder. It is shared: copy it before changing it.
func Cached(ctx context.Context, c Config, tell ...func(progress string)) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "hermes-sessions", "corpus")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("cache corpus: %w", err)
	}
	c = c.withDefaults()
	described := fmt.Appendf(nil, "%d {Messages:%d Seed:%d Longest:%d Shorter:%d}", generation, c.Messages, c.Seed, c.Longest, c.Shorter)
	if c.Schema != 0 {
		described = fmt.Appendf(described, " of schema %d", c.Schema)
	}
	key := sha256.Sum256(described)
	path := filepath.Join(dir, fmt.Sprintf("%d-%x.db", c.Messages, key[:6]))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := Make(ctx, path, c, tell...); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return path, nil
}
