package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
)

// kinds returns what was found, in order.
func kinds(notes []model.HealthNote) (found []string) {
	for _, n := range notes {
		found = append(found, n.Kind)
	}
	return found
}

// inspected checks a file, and verifies that the check changed nothing.
func inspected(t testing.TB, path string, thorough bool) model.Checkup {
	t.Helper()
	before := state(t, path)
	s, err := Open(t.Context(), path, WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Check(t.Context(), thorough)
	if err = errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	if after := state(t, path); after != before {
		t.Errorf("before:\n%safter:\n%s", before, after)
	}
	for _, n := range slices.Concat(c.Problems, c.Advice) {
		if n.Kind == "" || n.Message == "" || n.Remedy.Text == "" || strings.ContainsAny(n.Message+n.Remedy.Text, "\n\r") {
			t.Errorf("finding %+v", n)
		}
	}
	return c
}

// Files as Hermes leaves them are healthy in every version, both ways of
// looking say so, and looking leaves them as they were.
func TestCheckOfHealthyFiles(t *testing.T) {
	t.Parallel()
	layouts := map[string]string{"v09.db": "external", "v10.db": "external", "v11.db": "inline", "v22.db": "inline", "v23.db": "storage 1", "life-long.db": "inline"}
	for _, name := range versionsToTest(t) {
		t.Run(name, func(t *testing.T) {
			path := fixture(t, name)
			for _, thorough := range []bool{false, true} {
				c := inspected(t, path, thorough)
				if !c.Healthy() || !c.Index.Compared {
					t.Errorf("thorough %v: %+v", thorough, c)
				}
				if older := 0 < c.Version && c.Version < 11; older != slices.Contains(kinds(c.Advice), model.NoteOlderSchema) {
					t.Errorf("version %d: advice %v", c.Version, c.Advice)
				}
				if want := layouts[name]; want != "" && c.Index.Layout != want {
					t.Errorf("layout %q, want %q", c.Index.Layout, want)
				}
			}
		})
	}
}

// Every damaged or unusual file gets its own findings.
func TestCheckOfBadFiles(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]struct{ problems, advice []string }{
		"bad-json":         {advice: []string{model.NoteOddValues}},
		"cycle":            {problems: []string{model.NoteCycles, model.NoteCycles, model.NoteCycles}},
		"duplicate-titles": {problems: []string{model.NoteDuplicateTitles}, advice: []string{model.NoteOlderSchema}},
		"fts-corrupt":      {problems: []string{model.NoteFTSDamaged}},
		"fts-missing":      {problems: []string{model.NoteFTSMissing}},
		"fts-out-of-step":  {problems: []string{model.NoteFTSOutOfStep, model.NoteFTSOutOfStep}},
		"future":           {advice: []string{model.NoteNewerSchema}},
		"invalid-utf8":     {advice: []string{model.NoteOddValues}},
		"no-version-row":   {problems: []string{model.NoteNoVersion}},
		"nulls-everywhere": {},
		"orphan-parent":    {problems: []string{model.NoteDangling}, advice: []string{model.NoteOrphans}},
		"timestamps":       {advice: []string{model.NoteOddValues}},
		"two-version-rows": {problems: []string{model.NoteTwoVersions}},
	} {
		t.Run(file, func(t *testing.T) {
			c := inspected(t, fixture(t, "bad/"+file+".db"), false)
			if got := kinds(c.Problems); !slices.Equal(got, want.problems) {
				t.Errorf("problems %v, want %v", c.Problems, want.problems)
			}
			if got := kinds(c.Advice); !slices.Equal(got, want.advice) {
				t.Errorf("advice %v, want %v", c.Advice, want.advice)
			}
			if file == "fts-out-of-step" && (c.Index.Words != model.TableCheck{Present: true, Missing: 20, Extra: 1}) {
				t.Errorf("index %+v", c.Index)
			}
		})
	}
}

// What the remedies of a file up to schema 11 promise, they do.
func TestCheckAfterTheRemedy(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"duplicate-titles", "fts-corrupt", "fts-missing", "fts-out-of-step", "two-version-rows", "no-version-row"} {
		t.Run(file, func(t *testing.T) {
			path := fixture(t, "bad/"+file+".db")
			if _, err := Migrate(t.Context(), path, WithClock(clock)); err != nil {
				t.Fatal(err)
			}
			if c := inspected(t, path, true); !c.Healthy() || len(c.Advice) > 0 {
				t.Errorf("%+v", c)
			}
		})
	}
}

// A file that is cut off is looked at as far as it goes: damage comes first,
// and no remedy is named that refuses damaged files.
func TestCheckOfATruncatedFile(t *testing.T) {
	t.Parallel()
	c := inspected(t, fixture(t, "bad/truncated.db"), false)
	if len(c.Problems) == 0 || c.Problems[0].Kind != model.NoteDamaged {
		t.Fatalf("%+v", c.Problems)
	}
	for _, n := range c.Problems {
		if n.Remedy.Kind == model.RemedyMigrate {
			t.Errorf("%+v", n)
		}
	}
	if c.Messages == 0 {
		t.Error("no message could be read")
	}
}

// A page of messages that is overwritten is found, with how many cannot be
// read.
func TestCheckCountsLostRows(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v11.db")
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	all := Count(t, s, `SELECT count(*) FROM messages`)
	root := Count(t, s, `SELECT rootpage FROM sqlite_master WHERE name = 'messages'`)
	size := Count(t, s, `PRAGMA page_size`)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// The first child of the table's root is a page of messages.
	page := b[(root-1)*size:]
	cell := int(page[12])<<8 | int(page[13])
	child := int(page[cell])<<24 | int(page[cell+1])<<16 | int(page[cell+2])<<8 | int(page[cell+3])
	copy(b[(child-1)*size:], make([]byte, size))
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	c := inspected(t, path, false)
	if got := kinds(c.Problems); len(got) < 2 || got[0] != model.NoteDamaged || got[1] != model.NoteLost {
		t.Fatalf("%+v", c.Problems)
	}
	var lost, left int
	if _, err := fmt.Sscanf(c.Problems[1].Message, "%d messages cannot be read; %d can", &lost, &left); err != nil || lost == 0 || lost+left != all {
		t.Errorf("%q of %d: %v", c.Problems[1].Message, all, err)
	}
}

// What a rebuild of Hermes has yet to reach is no fault; what it has reached
// and left out is one, and so is an index that was put aside or lost a part.
func TestCheckOfIndexStates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file, change string
		problem, advice    string
		missing, pending   int
	}{
		{name: "rebuild under way", file: "v25.db", advice: model.NoteFTSOutOfStep, pending: 50, change: `
			INSERT INTO state_meta VALUES ('fts_rebuild_high_water', '200'), ('fts_rebuild_progress', '150');
			DELETE FROM messages_fts_docsize WHERE id > 150 AND id <= 200;
			DELETE FROM messages_fts_trigram_docsize WHERE id > 150 AND id <= 200`},
		{name: "rebuild with a gap", file: "v25.db", problem: model.NoteFTSOutOfStep, advice: model.NoteFTSOutOfStep, pending: 50, missing: 10, change: `
			INSERT INTO state_meta VALUES ('fts_rebuild_high_water', '200'), ('fts_rebuild_progress', '150');
			DELETE FROM messages_fts_docsize WHERE id > 140 AND id <= 200;
			DELETE FROM messages_fts_trigram_docsize WHERE id > 150 AND id <= 200`},
		{name: "put aside", file: "v25.db", problem: model.NoteFTSOutOfStep, change: `INSERT INTO state_meta VALUES ('fts_stale', '1')`},
		{name: "trigger lost", file: "v11.db", problem: model.NoteFTSOutOfStep, change: `DROP TRIGGER messages_fts_trigram_insert`},
		{name: "cjk", file: "v25.db", advice: model.KindTokenizer},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := fixture(t, c.file)
			if c.name == "cjk" {
				trapped(t, path)
			}
			db := otherConnection(t, path)
			Must(t, db, c.change)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			found := inspected(t, path, true)
			has := func(notes []model.HealthNote, kind string) bool {
				return kind == "" && len(notes) == 0 || kind != "" && slices.Contains(kinds(notes), kind)
			}
			if !has(found.Problems, c.problem) || !has(found.Advice, c.advice) {
				t.Errorf("problems %v\nadvice %v", found.Problems, found.Advice)
			}
			if found.Index.Words.Missing != c.missing || found.Index.Pending != c.pending {
				t.Errorf("index %+v", found.Index)
			}
		})
	}
}

// Triggers for which changes would be refused are named, by a trial that does not write to the
// file. Those of Hermes are none.
func TestCheckOfTriggers(t *testing.T) {
	t.Parallel()
	for trigger, want := range map[string]string{
		``: "",
		`CREATE TRIGGER foreign_one AFTER DELETE ON sessions BEGIN DELETE FROM messages; END`:                                                                                               `"foreign_one" of the database would also delete messages`,
		`CREATE TRIGGER foreign_one AFTER UPDATE OF title ON sessions BEGIN UPDATE sessions SET model = ''; END`:                                                                            `"foreign_one" of the database would also change other sessions`,
		`CREATE TRIGGER foreign_one BEFORE INSERT ON messages BEGIN SELECT RAISE(IGNORE); END`:                                                                                              `"foreign_one" of the database skips rows without an error`,
		`CREATE TRIGGER foreign_one BEFORE DELETE ON sessions BEGIN SELECT RAISE(ABORT, 'a newer Hermes guards it'); END`:                                                                   `a newer Hermes guards it`,
		`CREATE TABLE log (x); CREATE TRIGGER foreign_one AFTER DELETE ON messages BEGIN INSERT INTO log VALUES (old.id); END`:                                                              `"foreign_one" of the database would also change the table log`,
		`CREATE TRIGGER foreign_one AFTER UPDATE OF title ON sessions BEGIN UPDATE sessions SET model = '' WHERE id = new.id; END`:                                                          "",
		`CREATE TRIGGER foreign_one AFTER DELETE ON messages BEGIN SELECT count(*) FROM (WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c WHERE x < 0); END`: `"foreign_one" of the database has changed no row for 1s`,
	} {
		path := fixture(t, "v31.db")
		q := otherConnection(t, path)
		Must(t, q, trigger, `PRAGMA wal_checkpoint(TRUNCATE)`)
		if err := q.Close(); err != nil {
			t.Fatal(err)
		}
		before := fileContent(t, path)
		c := inspected(t, path, false)
		switch {
		case want == "" && len(c.Problems) > 0, want != "" && (len(c.Problems) != 1 || c.Problems[0].Kind != model.NoteRefused || !strings.Contains(c.Problems[0].Message, want)):
			t.Errorf("%s: %+v", trigger, c.Problems)
		case want != "" && c.Problems[0].Remedy.Text == "":
			t.Errorf("%s: no remedy", trigger)
		}
		if !bytes.Equal(before, fileContent(t, path)) {
			t.Errorf("%s: the file was changed", trigger)
		}
	}
}

// The journal mode is reported, and a log that is never emptied gives advice.
func TestCheckOfTheJournal(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v11.db")
	if c := inspected(t, path, false); c.Journal != "wal" || c.WALBytes != 0 || len(c.Advice) > 0 {
		t.Errorf("%+v", c)
	}
	Must(t, otherConnection(t, path), `PRAGMA journal_mode = DELETE`)
	if c := inspected(t, path, false); c.Journal != "delete" {
		t.Errorf("%+v", c)
	}
	for _, size := range []int64{0, 64<<20 + 1} {
		path := fixture(t, "bad/hot-wal.db")
		var advice []string
		if size > 0 { // what is beyond the log's end is not read
			advice = []string{model.NoteLargeWAL}
			if err := os.Truncate(path+"-wal", size); err != nil {
				t.Fatal(err)
			}
		}
		c, err := reopen(t, path).upkeep.Check(t.Context(), false)
		if err != nil || c.WALBytes < max(1, size) || !slices.Equal(kinds(c.Advice), advice) {
			t.Errorf("%+v %v", c, err)
		}
		if size > 0 && !strings.Contains(c.Advice[0].Remedy.Command, "wal_checkpoint(TRUNCATE)") {
			t.Errorf("%+v", c.Advice)
		}
	}
}

// A file that every user may read is a finding where its folder lets them reach it.
func TestCheckOfRights(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("rights are kept elsewhere")
	}
	path := fixture(t, "v25.db")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Chmod(path, 0o644))
	for dir := filepath.Dir(path); dir != filepath.Clean(os.TempDir()); dir = filepath.Dir(dir) {
		must(os.Chmod(dir, 0o755)) // those of a test are closed to others
	}
	c := inspected(t, path, false)
	if got := kinds(c.Advice); !slices.Equal(got, []string{model.NoteReadableByAll}) || len(c.Problems) > 0 || c.Advice[0].Remedy.Command != "chmod 600 "+model.ShellWord(path) {
		t.Errorf("%+v", c.Problems)
	}
	must(os.Chmod(filepath.Dir(path), 0o700))
	if c := inspected(t, path, false); !c.Healthy() {
		t.Errorf("in a closed folder: %+v", c.Problems)
	}
}

// An id is data in every remedy, whatever it contains.
func TestRemediesQuoteIDs(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v25.db")
	const id = "x'; $(rm -rf ~) `\"\\"
	db := otherConnection(t, path)
	if _, err := db.Exec(`INSERT INTO sessions (id, source, started_at, parent_session_id) VALUES (?1, 'cli', 1, ?1)`, id); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	c := inspected(t, path, false)
	want := "sqlite3 " + model.ShellWord(path) + ` 'UPDATE sessions SET parent_session_id = NULL WHERE id = '\''x'\'''\''; $(rm -rf ~) ` + "`\"\\" + `'\'''`
	if len(c.Problems) != 1 || c.Problems[0].Remedy.Command != want {
		t.Errorf("got  %+v\nwant %s", c.Problems, want)
	}
}

// A canceled check ends with context.Canceled.
func TestCheckIsCanceled(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Check(ctx, true); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// No remedy is the .recover command of SQLite's shell, which yields nothing in many
// builds of it; of a file that can be read, export saves what is left.
func TestRemediesOfDamagedFiles(t *testing.T) {
	t.Parallel()
	for _, name := range append(fixtures.Names(t, "damaged/*.db", 7), "bad/truncated.db", "bad/truncated-header.db", "bad/damaged-pages.db") {
		var notes []model.HealthNote
		s, err := Open(t.Context(), fixture(t, name), WithClock(clock))
		if e, ok := errors.AsType[*model.Error](err); ok {
			notes = append(notes, model.HealthNote{Kind: e.Kind, Remedy: e.Remedy})
		} else {
			c, err := s.Check(t.Context(), true)
			if err != nil {
				t.Fatal(err)
			}
			notes = c.Problems
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		if len(notes) == 0 {
			t.Errorf("%s is healthy", name)
		}
		for _, n := range notes {
			if n.Remedy.Text == "" || strings.Contains(n.Remedy.Command, ".recover") {
				t.Errorf("%s: the remedy of %s is %q", name, n.Kind, n.Remedy)
			}
			if strings.Contains(n.Remedy.Command, "REINDEX") {
				path := fixture(t, name)
				before := readable(t, path)
				Must(t, otherConnection(t, path), `REINDEX`)
				if after := readable(t, path); after < before {
					t.Errorf("%s: %d sessions can be read, and %d after the remedy of %s", name, before, after, n.Kind)
				}
			}
		}
	}
}

// readable counts the sessions of a file that can be read.
func readable(t *testing.T, path string) int {
	t.Helper()
	var lines bytes.Buffer
	_, err := reopen(t, path).Export(t.Context(), &lines, model.ExportOptions{})
	if _, ok := errors.AsType[*model.Error](err); err != nil && !ok {
		t.Fatal(err)
	}
	return bytes.Count(lines.Bytes(), []byte("\n"))
}

// What no writer stores in a column is advice that says what it is, where, and in how many
// rows; so is a session with more messages by its count than there are, as after an undo that
// was killed.
func TestCheckSaysWhichValuesAreOdd(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v11.db", "v25.db"} {
		for _, journal := range []string{"wal", "delete"} {
			path := fixture(t, name)
			db := otherConnection(t, path)
			Must(t, db, `PRAGMA journal_mode = `+journal, session("odd"), session("torso", "message_count", "1000"), message("odd", 9), message("torso", 640))
			Must(t, db, `PRAGMA writable_schema = 1`, `UPDATE sqlite_master SET sql = replace(sql, 'role TEXT NOT NULL', 'role TEXT')`)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			db = otherConnection(t, path)
			first := Count(t, reopen(t, path), `SELECT min(id) FROM messages WHERE session_id = 'odd'`)
			for i, change := range []string{
				`timestamp = 'yesterday'`, `timestamp = 1e300`, `timestamp = -1`, `tool_calls = '[{'`, `content = char(0) || 'json:{'`,
				`content = CAST(X'ff41' AS TEXT)`, `content = CAST(X'41ff' AS TEXT)`, `role = NULL`,
			} {
				Must(t, db, fmt.Sprintf(`UPDATE messages SET %s WHERE id = %d`, change, first+i))
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			c := inspected(t, path, true)
			if got := kinds(c.Advice); !c.Healthy() || !slices.Contains(got, model.NoteOddValues) || !slices.Contains(got, model.NoteCounts) {
				t.Fatalf("%s: problems %v, advice %v", name, c.Problems, got)
			}
			for _, n := range c.Advice {
				switch n.Kind {
				case model.NoteOddValues:
					for _, want := range []string{
						"text instead of a time in messages.timestamp (1 row)", "a time out of range in messages.timestamp (2 rows)", "JSON that cannot be parsed in messages.content (1 row)",
						"JSON that cannot be parsed in messages.tool_calls (1 row)", "NULL in messages.role (1 row)", "text that is not UTF-8 in messages.content (2 rows)",
					} {
						if !strings.Contains(n.Message, want) {
							t.Errorf("%s: %q is not in %q", name, want, n.Message)
						}
					}
				case model.NoteCounts:
					if !strings.Contains(n.Message, "1 session counts more messages than exist") {
						t.Errorf("%s: %q", name, n.Message)
					}
				}
			}
		}
	}
}
