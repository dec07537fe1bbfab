package corpus_test

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/testing/corpus"
)

var (
	small = corpus.Config{Messages: 1_000, Seed: 7}
	tiny  = corpus.Config{Messages: 200, Seed: 7}
)

func TestMake(t *testing.T) {
	path := filepath.Join(t.TempDir(), "corpus.db")
	if err := corpus.Make(t.Context(), path, small); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ask := func(query string) (answer string) {
		t.Helper()
		if err := db.QueryRowContext(t.Context(), query).Scan(&answer); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		return answer
	}
	for query, want := range map[string]string{
		"PRAGMA integrity_check":                                                        "ok",
		"PRAGMA journal_mode":                                                           "wal",
		"SELECT version FROM schema_version":                                            "11",
		"SELECT count(*) FROM messages":                                                 "1000",
		"SELECT sum(message_count) FROM sessions":                                       "1000",
		"SELECT message_count FROM sessions WHERE id = 'longest'":                       "200",
		"SELECT count(*) FROM pragma_foreign_key_check":                                 "0",
		"SELECT count(*) FROM messages WHERE NOT json_valid(tool_calls)":                "0",
		"SELECT count(*) FROM messages WHERE role = 'tool' AND NOT json_valid(content)": "0",
		"SELECT count(*) > 0 FROM sessions WHERE end_reason = 'compression'":            "1",
		"SELECT count(*) FROM sqlite_master WHERE type = 'trigger'":                     "6",
	} {
		if got := ask(query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
		if _, err := db.ExecContext(t.Context(), `INSERT INTO `+table+`(`+table+`) VALUES ('integrity-check')`); err != nil {
			t.Errorf("%s is out of step: %v", table, err)
		}
		if ask(`SELECT count(*) FROM `+table+` WHERE `+table+` MATCH 'docker'`) == "0" {
			t.Errorf("%s knows no docker", table)
		}
	}
}

func TestMakeGivesTheSameForTheSameConfig(t *testing.T) {
	dir := t.TempDir()
	var files [2][]byte
	for i, name := range []string{"one.db", "two.db"} {
		path := filepath.Join(dir, name)
		if err := corpus.Make(t.Context(), path, tiny); err != nil {
			t.Fatal(err)
		}
		var err error
		if files[i], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	if string(files[0]) != string(files[1]) {
		t.Error("two databases of the same Config differ")
	}
}

// A database of a later schema has the objects of the recorded one, its rows, and indexes in step.
func TestMakeALaterSchema(t *testing.T) {
	for schema, triggers := range map[int]string{26: "6", 31: "11"} {
		c := tiny
		c.Schema = schema
		var files [2][]byte
		for i := range files {
			path := filepath.Join(t.TempDir(), "corpus.db")
			if err := corpus.Make(t.Context(), path, c); err != nil {
				t.Fatal(err)
			}
			var err error
			if files[i], err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			for query, want := range map[string]string{
				"PRAGMA integrity_check":                                                                             "ok",
				"SELECT version FROM schema_version":                                                                 strconv.Itoa(schema),
				"SELECT count(*) FROM messages":                                                                      "200",
				"SELECT count(*) FROM sqlite_master WHERE type = 'trigger'":                                          triggers,
				"SELECT count(*) > 20 FROM messages_fts('docker')":                                                   "1",
				"SELECT count(*) > 0 FROM messages_fts_trigram('docker')":                                            "1",
				"SELECT count(*) FROM messages_fts_docsize":                                                          "200",
				"SELECT count(*) = 0 FROM messages_fts_trigram_docsize JOIN messages USING (id) WHERE role = 'tool'": "1",
			} {
				var got string
				if err := db.QueryRowContext(t.Context(), query).Scan(&got); err != nil || got != want {
					t.Errorf("schema %d: %s: %s, want %s (%v)", schema, query, got, want, err)
				}
			}
		}
		if string(files[0]) != string(files[1]) {
			t.Errorf("schema %d: two databases of the same Config differ", schema)
		}
	}
}

func TestMakeTheSmallest(t *testing.T) {
	for _, n := range []int{0, 1, 7} {
		path := filepath.Join(t.TempDir(), "corpus.db")
		if err := corpus.Make(t.Context(), path, corpus.Config{Messages: n}); err != nil {
			t.Errorf("%d messages: %v", n, err)
		}
	}
}

func TestACanceledMakeLeavesNoFile(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := corpus.Make(ctx, filepath.Join(dir, "corpus.db"), tiny); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// However often it is interrupted, and wherever: what comes out is what comes
// out of one go.
func TestAnInterruptedMakingGoesOn(t *testing.T) {
	campaign.Only(t) // it makes the database twice
	t.Parallel()
	dir := t.TempDir()
	once := filepath.Join(dir, "once.db")
	steps := 0
	if err := corpus.Make(t.Context(), once, small, func(string) { steps++ }); err != nil {
		t.Fatal(err)
	}
	often := filepath.Join(dir, "often.db")
	tries := 0
	for ; ; tries++ {
		ctx, cancel := context.WithCancel(t.Context())
		left := 1 + tries%7 // the first step is always done anew
		err := corpus.Make(ctx, often, small, func(string) {
			if left--; left < 0 {
				cancel()
			}
		})
		cancel()
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("try %d: %v", tries, err)
		}
		if _, err := os.Stat(often); err == nil {
			t.Fatalf("try %d: it is there already", tries)
		}
		if tries > steps {
			t.Fatalf("it is not done after %d tries of %d steps", tries, steps)
		}
	}
	if tries < 5 {
		t.Errorf("only %d interruptions", tries)
	}
	if left, _ := filepath.Glob(often + "?*"); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	var files [2][]byte
	for i, path := range []string{once, often} {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []int{24, 92} { // how often it was changed, in the header
			copy(b[at:], make([]byte, 4))
		}
		files[i] = b
	}
	if string(files[0]) != string(files[1]) {
		t.Error("interrupted it gives another database")
	}
}

// Of two that want the same database one makes it and the other waits for it.
func TestTwoProcessesMakeOneDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "corpus.db")
	errs := make(chan error)
	for range 2 {
		go func() { errs <- corpus.Make(t.Context(), path, tiny) }()
	}
	if one, other := <-errs, <-errs; (one == nil) == (other == nil) || !errors.Is(errors.Join(one, other), fs.ErrExist) {
		t.Errorf("%v and %v", one, other)
	}
	if left, _ := filepath.Glob(path + "?*"); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestMakeReplacesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "precious.db")
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := corpus.Make(t.Context(), path, tiny); !errors.Is(err, fs.ErrExist) {
		t.Errorf("err = %v", err)
	}
	if data, _ := os.ReadFile(path); string(data) != "precious" {
		t.Errorf("the file now holds %.20q", data)
	}
}

func TestCachedMakesOnce(t *testing.T) {
	// Where a user's cache is differs from system to system.
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, t.TempDir())
	}
	first, err := corpus.Cached(t.Context(), tiny)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(first)
	if err != nil {
		t.Fatal(err)
	}
	again, err := corpus.Cached(t.Context(), tiny)
	if err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(again)
	if err != nil {
		t.Fatal(err)
	}
	if again != first || !os.SameFile(before, after) {
		t.Errorf("made %s, then %s", first, again)
	}
	other, err := corpus.Cached(t.Context(), corpus.Config{Messages: 100, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	if other == first {
		t.Error("another Config gives the same file")
	}
}
