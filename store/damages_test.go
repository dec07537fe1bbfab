package store

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/cputime"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
)

// damagedBy returns a copy of a fixture that is damaged in one way of [fixtures.Damages].
func damagedBy(t *testing.T, name, damage string) *Store {
	t.Helper()
	path := fixture(t, name)
	for _, d := range fixtures.Damages() {
		if d.Name == damage {
			d.Do(t, path)
			return reopen(t, path)
		}
	}
	t.Fatalf("there is no damage %q", damage)
	return nil
}

// An export that leaves messages out because their session has no row, or sessions because
// they have no id, says so; the doctor finds them, and a salvage keeps them.
func TestRowsThatNoExportHas(t *testing.T) {
	t.Parallel()
	for damage, problem := range map[string]string{
		"messages of no session": model.NoteDangling, "parents that are gone": model.NoteDangling,
		"ids that are no text": model.NoteUnnamed, "no id": model.NoteUnnamed,
	} {
		s := damagedBy(t, "v11-first.db", damage)
		var lines bytes.Buffer
		_, err := s.Export(t.Context(), &lines, model.ExportOptions{})
		expect(t, err, model.KindIncomplete)
		expect(t, s.ExportGaps(t.Context(), model.ExportOptions{}), model.KindIncomplete)
		if c := inspected(t, s.Path(), false); !strings.Contains(strings.Join(kinds(c.Problems), " "), problem) {
			t.Errorf("%s: the doctor finds %v", damage, c.Problems)
		}
		done, saved := salvaged(t, s)
		if want := Count(t, s, `SELECT count(*) FROM messages`); done.Messages != want || done.Sessions < Count(t, s, `SELECT count(*) FROM sessions`) {
			t.Errorf("%s: %d of %d messages are salvaged, with %d sessions", damage, done.Messages, want, done.Sessions)
		}
		if _, err := saved.Export(t.Context(), &lines, model.ExportOptions{}); err != nil {
			t.Errorf("%s: what is salvaged can not be exported: %v", damage, err)
		}
		if _, err := s.Conversations(t.Context(), query.ListOptions{}); err != nil || !s.db.HasNote(problem) {
			t.Errorf("%s: a list has the notes %v, %v", damage, s.Notes(), err)
		}
	}
}

// Where the keys of inner pages are too high, a lookup finds no row, without an error, that a
// scan finds. Every message is read all the same, and the damage is said.
func TestMessagesThatLookupsMiss(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v01.db", "v11-first.db", "v25.db"} {
		s := damagedBy(t, name, "keys of inner pages too high in messages")
		var ids []int64 // against their order: next to the last row SQLite needs no lookup
		if err := db.EachRow(t.Context(), s.db.Pool, `SELECT m.id FROM messages m NOT INDEXED WHERE `+s.db.Schema.ActiveRows("m"), nil, func(r db.Row) { ids = slices.Insert(ids, 0, r.Int(0)) }); err != nil {
			t.Fatal(err)
		}
		messages, err := s.MessagesByID(t.Context(), append(slices.Clone(ids), 1<<40))
		if err != nil {
			t.Fatal(err)
		}
		lost := 0
		for _, m := range messages {
			if m.DecodeError != "" && m.Role == "" {
				lost++
			}
		}
		if len(messages) != len(ids) || lost > 0 || !s.db.HasNote(model.NoteDamaged) {
			t.Errorf("%s: %d of %d messages, %d of them lost, notes %v", name, len(messages), len(ids), lost, s.Notes())
		}
		s = reopen(t, s.Path())
		var lines strings.Builder
		_, err = s.Export(t.Context(), &lines, model.ExportOptions{})
		expect(t, err, model.KindIncomplete)
		exported := strings.Count(lines.String(), `"session_id": "`)
		if exported != len(ids) {
			t.Errorf("%s: %d of %d messages: %v", name, exported, len(ids), err)
		}
	}
}

// A session whose parent has no row is exported by its id with an error where messages of
// that parent are left.
func TestExportOfAConversationWithoutItsParent(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	Must(t, otherConnection(t, s.Path()), `PRAGMA foreign_keys = off`, session("root"), message("root", 3), session("tip", "parent_session_id", "'root'"), message("tip", 2), session("other"),
		`DELETE FROM sessions WHERE id = 'root'`)
	var lines strings.Builder
	_, err := s.Export(t.Context(), &lines, model.ExportOptions{IDs: []string{"tip"}})
	expect(t, err, model.KindIncomplete)
	if !strings.Contains(err.Error(), "3 messages of 1 missing session could not be exported") || !strings.Contains(lines.String(), `"tip"`) {
		t.Errorf("%v: %s", err, lines.String())
	}
	if _, err := s.Export(t.Context(), &lines, model.ExportOptions{IDs: []string{"other"}}); err != nil {
		t.Error(err)
	}
}

// Where the list of free pages is damaged, or two tables share a page, nothing is changed:
// SQLite would write over rows. The doctor finds it.
func TestNoChangeWhereItWouldWriteOverRows(t *testing.T) {
	t.Parallel()
	for _, damage := range []string{
		"a table among the free pages", "free pages beyond the end in the header", "a number of free pages in the header",
		"a page of another table in messages", "a page of another table in sessions", "rows listed as free space",
	} {
		s := damagedBy(t, "v11-first.db", damage)
		before := Count(t, s, `SELECT count(*) FROM messages`)
		expect(t, s.EndSession(t.Context(), conversations(t, s)[0], "user_exit"), model.KindDamaged)
		if c := inspected(t, s.Path(), false); c.Healthy() {
			t.Errorf("%s: it is called healthy", damage)
		}
		if after := Count(t, s, `SELECT count(*) FROM messages`); after != before {
			t.Errorf("%s: %d of %d messages", damage, after, before)
		}
	}
}

// The doctor finds wrong numbers of the header that say how the file is vacuumed by
// itself, and none in a file that is.
func TestVacuumFlags(t *testing.T) {
	t.Parallel()
	for mode := range 3 {
		path := fixture(t, "v11-first.db")
		db := otherConnection(t, path)
		if Must(t, db, `PRAGMA journal_mode = delete`, fmt.Sprintf(`PRAGMA auto_vacuum = %d`, mode), `VACUUM`); db.Close() != nil {
			t.Fatal("the other connection stays open")
		}
		if c := inspected(t, path, false); !c.Healthy() {
			t.Errorf("auto-vacuum %d: %v", mode, c.Problems)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		damaged := 55 // the last byte of the largest root page
		if mode == 0 {
			damaged = 67 // of the flag for incremental vacuum
		}
		content[damaged]++
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if c := inspected(t, path, false); c.Healthy() {
			t.Errorf("auto-vacuum %d: a file with another flag is called healthy", mode)
		}
	}
}

// Where the write-ahead log is damaged, SQLite reads it up to there. The doctor counts the
// transactions behind that, a note and an export say that they lack them, and nothing writes
// into the log or empties it: no change, and no end of reading, also where a process that was
// killed has left a -shm.
// A log that is sound, or continues one of earlier, has none.
func TestDamagedLog(t *testing.T) {
	t.Parallel()
	const page = 1024
	for name, c := range map[string]struct {
		damage func(log []byte)
		lost   int
	}{
		"none":                      {func([]byte) {}, 0},
		"a page of the first":       {func(log []byte) { log[32+24+500]++ }, 2},
		"a page of the second":      {func(log []byte) { log[32+10*(24+page)+24+500]++ }, 1},
		"a salt of a frame":         {func(log []byte) { log[32+10*(24+page)+8]++ }, 1},
		"a salt of the header":      {func(log []byte) { log[16]++ }, 2},
		"frames of an earlier log":  {func(log []byte) { log[32+26*(24+page)+8]++ }, 0},
		"a frame without a commit":  {func(log []byte) { copy(log[32+26*(24+page)+4:], []byte{0, 0, 0, 0}) }, 0},
		"a page size that is none":  {func(log []byte) { log[9]++ }, 2},
		"another page size":         {func(log []byte) { log[10] *= 2 }, 2},
		"the last page of the last": {func(log []byte) { log[len(log)-1]++ }, 1},
	} {
		path := fixture(t, "bad/hot-wal.db")
		log, err := os.ReadFile(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		c.damage(log)
		if err := os.WriteFile(path+"-wal", log, 0o600); err != nil {
			t.Fatal(err)
		}
		if len(name)%2 == 0 {
			if err := os.WriteFile(path+"-shm", make([]byte, 32<<10), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s := reopen(t, path)
		if noted := slices.Contains(kinds(s.Notes()), model.NoteLogDamaged); noted != (c.lost > 0) {
			t.Errorf("%s: a note says it: %v", name, noted)
		}
		if lost, err := db.LostInLog(path); lost != c.lost || err != nil {
			t.Errorf("%s: %d transactions are lost, want %d: %v", name, lost, c.lost, err)
		}
		if c.lost == 0 {
			continue
		}
		_, err = s.Export(t.Context(), io.Discard, model.ExportOptions{})
		expect(t, err, model.KindIncomplete)
		_, err = s.Checkpoint(t.Context())
		expect(t, err, model.KindDamaged)
		expect(t, s.Vacuum(t.Context()), model.KindDamaged)
		id := conversations(t, s)[0]
		expect(t, s.EndSession(t.Context(), id, "user_exit"), model.KindDamaged)
		_, err = s.Delete(t.Context(), []string{id}, model.DeleteOptions{})
		expect(t, err, model.KindDamaged)
		_, err = Migrate(t.Context(), path)
		expect(t, err, model.KindDamaged)
		if c := inspected(t, path, false); !slices.Contains(kinds(c.Problems), model.NoteLogDamaged) {
			t.Errorf("%s: the doctor finds %v", name, c.Problems)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if after, err := os.ReadFile(path + "-wal"); err != nil || !bytes.Equal(after, log) {
			t.Errorf("%s: the log was changed: %v", name, err)
		}
	}
}

// A log beside an emptied file, which SQLite would remove, and a damaged one beside a journal
// stay as they are, and the error says how to keep them.
func TestLogsOfFilesThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	for _, damage := range []string{"an emptied file with a log", "a damaged log and a journal"} {
		path := fixture(t, "v11-first.db")
		for _, d := range fixtures.Damages() {
			if d.Name == damage {
				d.Do(t, path)
			}
		}
		before, err := os.ReadFile(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		_, err = Open(t.Context(), path)
		expect(t, err, model.KindDamaged)
		if e, ok := errors.AsType[*model.Error](err); !ok || !strings.Contains(e.Remedy.Command, path+"-wal") {
			t.Errorf("%s: %v", damage, err)
		}
		if after, err := os.ReadFile(path + "-wal"); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s: the log has changed: %v", damage, err)
		}
	}
}

// Messages that a table declared STRICT would not take again are not deleted, and salvaged.
func TestOtherTypesInAStrictTable(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v11-first.db", "v25.db"} {
		s := damagedBy(t, name, "other types in a strict table")
		want := Count(t, s, `SELECT count(*) FROM messages`)
		_, err := s.Delete(t.Context(), conversations(t, s)[:1], model.DeleteOptions{})
		expect(t, err, model.KindRefused)
		if n := Count(t, s, `SELECT count(*) FROM messages`); n != want {
			t.Errorf("%s: %d of %d messages are left", name, n, want)
		}
		if done, _ := salvaged(t, s); done.Messages != want {
			t.Errorf("%s: %d of %d messages are salvaged: %+v", name, done.Messages, want, done)
		}
	}
}

// Messages with negative numbers are salvaged.
func TestSalvageOfNegativeNumbers(t *testing.T) {
	t.Parallel()
	s := damagedBy(t, "v11-first.db", "negative numbers")
	done, _ := salvaged(t, s)
	if want := Count(t, s, `SELECT count(*) FROM messages`); done.Messages != want || !done.Whole() {
		t.Errorf("%d of %d messages", done.Messages, want)
	}
}

// An index by which sessions are counted and that lacks most of them harms no search.
func TestSearchWhereSessionsAreMiscounted(t *testing.T) {
	t.Parallel()
	whole, s := openFixture(t, "v11-first.db"), damagedBy(t, "v11-first.db", "one entry in idx_sessions_started")
	for _, asked := range []string{"docker", "docker the kafka"} {
		o := query.ListOptions{Closest: true, Limit: 20, FirstPage: true}
		want, err := whole.Search(t.Context(), query.Parse(asked, false), o)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.Search(t.Context(), query.Parse(asked, false), o); err != nil || got.Conversations != want.Conversations || got.Hits != want.Hits {
			t.Errorf("%s: %d of %d conversations: %v", asked, got.Conversations, want.Conversations, err)
		}
	}
}

// A file of Hermes without one of its tables is not said to be of another application.
func TestDamagedListOfTables(t *testing.T) {
	t.Parallel()
	for _, damage := range []string{`DELETE FROM sqlite_schema WHERE name = 'messages'`, `UPDATE sqlite_schema SET sql = replace(sql, 'content TEXT', 'content TEXT AS (upper(role))') WHERE name = 'messages'`} {
		path := fixture(t, "v25.db")
		c := otherConnection(t, path)
		Must(t, c, `PRAGMA writable_schema = ON`, damage)
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		_, err := Open(t.Context(), path)
		if expect(t, err, model.KindDamaged); !strings.Contains(err.Error(), "there is no table messages with a column") {
			t.Error(err)
		}
	}
}

// Views in place of tables of Hermes are not read: a view may never end.
func TestViewsInPlaceOfTables(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v11-first.db")
	for _, d := range fixtures.Damages() {
		if d.Name == "an endless view" {
			d.Do(t, path)
		}
	}
	_, err := Open(t.Context(), path)
	expect(t, err, model.KindDamaged)
	s := damagedBy(t, "v11-first.db", "an endless version")
	if s.db.Schema.Version != 0 {
		t.Errorf("version %d", s.db.Schema.Version)
	}
}

// A trigger that removes or changes other rows, or leaves some out, ends the change that fires
// it; what a trigger changes of the same session is taken back by undo. A trigger that a change
// does not fire, or that finds nothing, is no reason to refuse it.
func TestTriggersThatReachOtherRows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		trigger string
		refused string // what the error says, "" where the change is made
		rename  bool   // else a delete and its undo
	}{
		{trigger: `AFTER DELETE ON sessions BEGIN DELETE FROM messages; END`, refused: "would also delete messages"},
		{trigger: `AFTER DELETE ON sessions BEGIN DELETE FROM messages WHERE id < 0; END`},
		{"AFTER UPDATE ON sessions BEGIN delete  from [sessions] WHERE id <> new.id; END", "would also delete sessions", true},
		{`AFTER UPDATE OF title ON sessions BEGIN UPDATE OR IGNORE "messages" SET content = ''; END`, "would also change the content of messages", true},
		{trigger: `AFTER UPDATE OF title ON sessions BEGIN UPDATE OR IGNORE "messages" SET content = ''; END`},
		{trigger: `AFTER DELETE ON messages BEGIN INSERT OR REPLACE INTO sessions (id, source, started_at) VALUES ('x', 'cli', 1); END`, refused: "would also add sessions"},
		{trigger: `BEFORE INSERT ON messages BEGIN INSERT INTO messages (session_id, role, timestamp) VALUES (new.session_id, 'user', 1); END`, refused: "would also add messages"},
		{trigger: `AFTER DELETE ON messages BEGIN UPDATE sessions SET message_count = message_count - 1 WHERE id = old.session_id; END`},
		{trigger: `AFTER INSERT ON messages BEGIN UPDATE sessions SET message_count = 7 WHERE id = new.session_id; UPDATE messages SET derived = 'new' WHERE session_id = new.session_id; END`},
		{trigger: `AFTER DELETE ON messages BEGIN UPDATE messages SET derived = old.id WHERE session_id = old.session_id; END`},
		{trigger: `AFTER DELETE ON messages BEGIN UPDATE messages SET derived = old.id; END`, refused: "would also change other messages"},
		{trigger: `BEFORE DELETE ON messages BEGIN UPDATE messages SET role = 'x' WHERE session_id = old.session_id; END`, refused: "would also change the role of messages"},
		{`BEFORE UPDATE ON sessions BEGIN UPDATE sessions SET model = '' WHERE id <> new.id; END`, "would also change other sessions", true},
		{`AFTER UPDATE OF title ON sessions BEGIN UPDATE "sessions" SET model = '' WHERE sessions."id" = new.id; END`, "", true},
		{trigger: `AFTER DELETE ON messages BEGIN DELETE FROM messages_more WHERE id = old.id; END`},
		{trigger: `AFTER DELETE ON messages BEGIN INSERT INTO messages_more VALUES (old.id); END`, refused: "would also change the table messages_more"},
		{trigger: `BEFORE INSERT ON messages BEGIN SELECT RAISE(IGNORE); END`, refused: "skips rows without an error"},
		{trigger: `BEFORE DELETE ON messages BEGIN SELECT raise ( ignore ) WHERE old.id % 2; END`, refused: "skips rows without an error"},
		{trigger: `BEFORE DELETE ON messages BEGIN SELECT raise(IGNORE) WHERE old.id < 0; END`},
		{trigger: `BEFORE DELETE ON sessions BEGIN SELECT raise(IGNORE); END`, refused: "skips rows without an error"},
		{trigger: `AFTER DELETE ON messages BEGIN SELECT count(*) FROM (WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c WHERE x < 0); END`, refused: "has changed no row"},
		{trigger: `AFTER DELETE ON messages BEGIN INSERT INTO messages_more WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c; END`, refused: "would also change the table messages_more"},
	} {
		path := fixture(t, "v06.db")
		q := otherConnection(t, path)
		Must(t, q, `CREATE TABLE messages_more (id)`, `ALTER TABLE messages ADD COLUMN derived`, `UPDATE messages SET derived = id`, `CREATE TRIGGER foreign_one `+c.trigger)
		s := reopen(t, path)
		s.db.Writer.MaxStall = 300 * time.Millisecond
		before := dump(t, q)
		id := conversations(t, s)[0]
		var err error
		if c.rename {
			var edit model.Edit
			edit, err = s.Rename(t.Context(), model.Renaming{ID: id, Title: "another title"})
			if err == nil {
				err = s.UndoEdit(t.Context(), edit)
			}
		} else {
			var undo model.Undo
			undo, err = s.Delete(t.Context(), []string{id}, model.DeleteOptions{})
			if err == nil && Count(t, s, `SELECT count(*) FROM messages WHERE session_id = '`+id+`'`) > 0 {
				t.Errorf("%s: messages are left", c.trigger)
			}
			if err == nil {
				err = s.Restore(t.Context(), undo, model.RestoreOptions{})
			}
			if undo != nil && err != nil { // only the undo is refused, and may be made without the trigger
				Must(t, q, `DROP TRIGGER foreign_one`)
				if err := s.Restore(t.Context(), undo, model.RestoreOptions{}); err != nil {
					t.Errorf("%s: %v", c.trigger, err)
				}
			}
		}
		same(t, c.trigger, before, dump(t, q))
		if c.refused == "" {
			if err != nil {
				t.Errorf("%s: %v", c.trigger, err)
			}
			continue
		}
		if expect(t, err, model.KindRefused); err != nil && (!strings.Contains(err.Error(), c.refused) || !strings.Contains(err.Error(), `the trigger "foreign_one"`)) {
			t.Errorf("%s: %v", c.trigger, err)
		}
	}
}

// A delete is refused, and changes nothing, where its backup could not be imported again, or
// where it would remove more than was requested or might not end.
func TestDeletesThatCouldNotBeUndone(t *testing.T) {
	t.Parallel()
	for damage, kind := range map[string]string{
		"an empty page in the counters of numbers": model.KindDamaged, "a chain of two texts": model.KindDamaged, "a chain into a table": model.KindDamaged,
		"an empty page in the full-text index": model.KindIndex, "a check of a function that is lost": model.KindTokenizer,
		"triggers that never end": model.KindRefused, "a trigger that cascades": model.KindRefused, "a unique index that is not": model.KindRefused,
		"a wrong count of loose bytes": model.KindRefused,
	} {
		s := damagedBy(t, "v11-first.db", damage)
		before := Count(t, s, `SELECT count(*) FROM messages`)
		page, err := s.Conversations(t.Context(), query.ListOptions{})
		if err != nil || len(page.Conversations) == 0 {
			t.Fatalf("%s: %d conversations, %v", damage, len(page.Conversations), err)
		}
		if _, err := s.Delete(t.Context(), []string{page.Conversations[0].ID}, model.DeleteOptions{}); err == nil {
			t.Errorf("%s: the delete is made", damage)
		} else if e, ok := errors.AsType[*model.Error](err); !ok || e.Kind != kind || e.Remedy.Text == "" {
			t.Errorf("%s: %v, want %v", damage, err, kind)
		}
		if after := Count(t, s, `SELECT count(*) FROM messages`); after != before {
			t.Errorf("%s: %d of %d messages are left", damage, after, before)
		}
	}
}

// An index whose entries are in no order is not trusted: an export has every message.
func TestExportWithUnorderedIndex(t *testing.T) {
	t.Parallel()
	for _, index := range []string{"idx_messages_session", "sqlite_autoindex_sessions_1"} {
		var sound, damaged bytes.Buffer
		for damage, out := range map[string]*bytes.Buffer{"": &sound, "entries in no order in " + index: &damaged} {
			s := reopen(t, fixture(t, "v11-first.db"))
			if damage != "" {
				s = damagedBy(t, "v11-first.db", damage)
			}
			if _, err := s.Export(t.Context(), out, model.ExportOptions{}); err != nil {
				t.Fatalf("%s: %v", damage, err)
			}
		}
		if want, got := strings.Count(sound.String(), `"role": `), strings.Count(damaged.String(), `"role": `); got != want || want == 0 {
			t.Errorf("%s: %d of %d messages are exported", index, got, want)
		}
	}
}

// A journal beside a log that no process has open is rolled back, and the log is read.
func TestLogBesideJournal(t *testing.T) {
	t.Parallel()
	s := damagedBy(t, "v11-first.db", "a log and a journal")
	if n := Count(t, s, `SELECT count(*) FROM messages WHERE content NOT LIKE '% once more%'`); n != 0 || len(conversations(t, s)) == 0 {
		t.Errorf("%d messages are not as in the log", n)
	}
}

// halfChanged leaves a database in the middle of a change, which reached the file, and gives the
// journal that takes it back and the file as it was.
func halfChanged(t *testing.T, path string) (journal, original []byte) {
	t.Helper()
	c := otherConnection(t, path)
	Must(t, c, `PRAGMA journal_mode = delete`, `PRAGMA synchronous = full`, `PRAGMA cache_size = 2`)
	original = fileContent(t, path)
	Must(t, c, `BEGIN IMMEDIATE`, `UPDATE messages SET content = content || ' in a change that was not finished'`, `INSERT INTO messages (session_id, role, content, timestamp) SELECT id, 'user', hex(zeroblob(3000)), 9 FROM sessions`)
	journal, half := fileContent(t, path+"-journal"), fileContent(t, path)
	Must(t, c, `ROLLBACK`)
	if bytes.Equal(half, original) {
		t.Fatal("the change did not reach the file")
	}
	if err := os.WriteFile(path, half, 0o600); err != nil {
		t.Fatal(err)
	}
	return journal, original
}

func fileContent(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A journal is rolled back. One that is damaged, or of another database, is not: SQLite would
// roll a part of it back, or write it over the file, and remove it.
func TestDamagedJournals(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(journal []byte, size int) []byte{
		"":                          func(j []byte, _ int) []byte { return j },
		"no size of a sector":       func(j []byte, _ int) []byte { binary.BigEndian.PutUint32(j[20:], 0); return j },
		"pages of another size":     func(j []byte, size int) []byte { binary.BigEndian.PutUint32(j[24:], uint32(size/2)); return j },
		"a byte of its second page": func(j []byte, size int) []byte { j[512+8+size+4+size-200]++; return j },
		"another magic number":      func(j []byte, _ int) []byte { j[5] ^= 1; return j },
		"no count of its pages":     func(j []byte, _ int) []byte { binary.BigEndian.PutUint32(j[8:], 0); return j },
		"cut off in a page":         func(j []byte, size int) []byte { return j[:512+8+size+100] },
		"of a shorter file": func(j []byte, size int) []byte {
			short := make([]byte, 512)
			copy(short, j[:28])
			binary.BigEndian.PutUint32(short[8:], 0)
			binary.BigEndian.PutUint32(short[16:], 3)
			return short
		},
		"of another day": func(j []byte, size int) []byte {
			day := make([]byte, 512+8+size)
			copy(day, j[:28])
			binary.BigEndian.PutUint32(day[8:], 1)
			binary.BigEndian.PutUint32(day[12:], 0)
			binary.BigEndian.PutUint32(day[512:], 1)
			copy(day[512+4:], "SQLite format 3")
			return day
		},
	} {
		path := fixture(t, "v11-first.db")
		journal, original := halfChanged(t, path)
		size := int(binary.BigEndian.Uint16(original[16:]))
		if err := os.WriteFile(path+"-journal", damage(journal, size), 0o600); err != nil {
			t.Fatal(err)
		}
		before, beside := fileContent(t, path), fileContent(t, path+"-journal")
		if name == "" {
			if n := Count(t, reopen(t, path), `SELECT count(*) FROM messages WHERE timestamp = 9 OR content LIKE '% not finished'`); n > 0 {
				t.Errorf("%d messages are of a change that was not finished", n)
			}
			continue
		}
		_, err := Open(t.Context(), path)
		expect(t, err, model.KindDamaged)
		if !bytes.Equal(fileContent(t, path), before) {
			t.Errorf("%s: the file was changed", name)
		}
		if kept, err := os.ReadFile(path + "-journal"); err != nil || !bytes.Equal(kept, beside) {
			t.Errorf("%s: the journal was changed: %v", name, err)
		}
	}
}

// A delete is refused where rows break a constraint of their table, or refer to a row that is
// lost, so that they could not be inserted again from a backup.
func TestRowsThatBreakTheirConstraints(t *testing.T) {
	t.Parallel()
	for damage, statements := range map[string]string{
		"a check of messages":       `UPDATE sqlite_master SET sql = rtrim(rtrim(sql, char(10)), ')') || ', CHECK (length(content) < 5))' WHERE name = 'messages'`,
		"a check of sessions":       `UPDATE sqlite_master SET sql = rtrim(rtrim(sql, char(10)), ')') || ', CHECK (started_at > 9e9))' WHERE name = 'sessions'`,
		"a column that is not NULL": `UPDATE sqlite_master SET sql = replace(sql, 'model TEXT', 'model TEXT NOT NULL') WHERE name = 'sessions'`,
		"a reference":               `CREATE TABLE prompts (hash TEXT PRIMARY KEY); ALTER TABLE sessions ADD COLUMN prompt_hash TEXT REFERENCES prompts (hash); UPDATE sessions SET prompt_hash = 'lost' WHERE rowid = 9`,
		"a unique index":            `CREATE INDEX once ON messages (role); UPDATE sqlite_master SET sql = replace(sql, 'CREATE INDEX', 'CREATE UNIQUE INDEX') WHERE name = 'once'`,
		"a column that fails":       `ALTER TABLE messages ADD COLUMN bad AS (abs(-9223372036854775807 - (id % 7 = 0)))`,
	} {
		path := fixture(t, "v11-first.db")
		damaged, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := damaged.ExecContext(t.Context(), `UPDATE sessions SET model = NULL; PRAGMA writable_schema = 1; `+statements); err != nil {
			t.Fatalf("%s: %v", damage, err)
		}
		if err := damaged.Close(); err != nil {
			t.Fatal(err)
		}
		s := reopen(t, path)
		before := Count(t, s, `SELECT count(*) FROM messages`)
		_, err = s.Delete(t.Context(), conversations(t, s)[:1], model.DeleteOptions{})
		if e, ok := errors.AsType[*model.Error](err); !ok || e.Kind != model.KindRefused || e.Remedy.Text == "" {
			t.Errorf("%s: %v", damage, err)
		}
		if after := Count(t, s, `SELECT count(*) FROM messages`); after != before {
			t.Errorf("%s: %d of %d messages are left", damage, after, before)
		}
	}
}

// A log of another database, with pages of another size, is not written over a database by
// reading it. SQLite does that.
func TestLogOfAnotherDatabase(t *testing.T) {
	t.Parallel()
	path, other := fixture(t, "v11-first.db"), filepath.Join(t.TempDir(), "other.db")
	last := otherConnection(t, path) // moves the log of the fixture into the file
	if _, err := last.ExecContext(t.Context(), `PRAGMA wal_checkpoint(TRUNCATE)`); err != nil {
		t.Fatal(err)
	}
	writer := otherConnection(t, other)
	if _, err := writer.ExecContext(t.Context(), `PRAGMA page_size = 1024; PRAGMA journal_mode = wal; CREATE TABLE t (x); INSERT INTO t VALUES (1)`); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(other + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	if err := last.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+"-wal", log, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 3 { // the first to read it leaves a -shm, the next one moved the log into the file
		s, err := Open(t.Context(), path)
		if err == nil {
			err = s.Close()
		}
		if e, ok := errors.AsType[*model.Error](err); !ok || e.Kind != model.KindDamaged || e.Remedy.Command == "" {
			t.Errorf("%v", err)
		}
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the database had %d bytes, and has %d: %v", len(before), len(after), err)
	}
	if after, err := os.ReadFile(path + "-wal"); err != nil || !bytes.Equal(log, after) {
		t.Errorf("the log had %d bytes, and has %d: %v", len(log), len(after), err)
	}
	if err := os.Rename(path+"-wal", path+".other-wal"); err != nil {
		t.Fatal(err)
	}
	if s := reopen(t, path); len(conversations(t, s)) == 0 {
		t.Error("without the log there are no conversations")
	}
}

// A log of another database with pages of the same size makes a sound one look damaged. The
// remedy loses nothing: a copy without the log is whole, and no reading has changed either file.
func TestLogOfAnotherDatabaseWithPagesOfThisSize(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v11-first.db", "v25.db"} {
		path, other := fixture(t, name), fixture(t, "v11.db")
		Must(t, otherConnection(t, other), `PRAGMA wal_autocheckpoint = 0`, `UPDATE messages SET content = content || '!'`)
		log, err := os.ReadFile(other + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path+"-wal", log, 0o600); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			_, err := Open(t.Context(), path)
			expect(t, err, model.KindDamaged)
			if e, ok := errors.AsType[*model.Error](err); !ok || e.Remedy.Command != fmt.Sprintf("cp %[1]s %[1]s.alone", path) {
				t.Errorf("%s: %v, remedy %q", name, err, e.Remedy.Command)
			}
		}
		after, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := os.ReadFile(path + "-wal")
		if err != nil || !bytes.Equal(after, before) || !bytes.Equal(kept, log) {
			t.Errorf("%s: reading has changed a file: %v", name, err)
		}
		if err := os.WriteFile(path+".alone", after, 0o600); err != nil {
			t.Fatal(err)
		}
		if n := len(conversations(t, reopen(t, path+".alone"))); n == 0 {
			t.Errorf("%s: the copy has no conversations", name)
		}
	}
}

// A salvage keeps rows that break a CHECK in a file without it, in which SQLite finds no fault.
func TestSalvageOfRowsThatBreakACheck(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v25.db")
	damaged, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := damaged.ExecContext(t.Context(), `PRAGMA writable_schema = 1;
		UPDATE sqlite_master SET sql = replace(replace(sql, 'role TEXT NOT NULL', 'role TEXT NOT NULL CHECK(length(coalesce(role, ''x('')) > 99)'), 'content TEXT', 'content TEXT CONSTRAINT short Check (length(content) < 5)') WHERE name = 'messages';
		UPDATE sqlite_master SET sql = rtrim(rtrim(sql, char(10)), ')') || ', CHECK (started_at > 9e9))' WHERE name = 'sessions'`); err != nil {
		t.Fatal(err)
	}
	if err := damaged.Close(); err != nil {
		t.Fatal(err)
	}
	s := reopen(t, path)
	if ddl := s.db.Schema.Tables["sessions"] + s.db.Schema.Tables["messages"]; strings.Count(strings.ToUpper(ddl), "CHECK") != 5 {
		t.Fatalf("no constraints in %s", ddl)
	}
	done, saved := salvaged(t, s)
	if !done.Whole() || done.Messages != Count(t, s, `SELECT count(*) FROM messages`) || done.Sessions != Count(t, s, `SELECT count(*) FROM sessions`) || len(done.Notes) != 2 {
		t.Errorf("%+v", done)
	}
	other := otherConnection(t, saved.Path())
	var complaint string
	if err := other.QueryRowContext(t.Context(), `PRAGMA integrity_check`).Scan(&complaint); err != nil || complaint != "ok" {
		t.Errorf("SQLite says of the new file: %s %v", complaint, err)
	}
}

// A salvage does not say that nothing is lost where the messages are a full-text table, of
// which it makes an empty one.
func TestSalvageOfMessagesInAFullTextTable(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v25.db")
	damaged, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := damaged.ExecContext(t.Context(), `PRAGMA writable_schema = 1; DELETE FROM sqlite_master WHERE type IN ('trigger', 'view'); PRAGMA writable_schema = RESET;
		DROP TABLE messages_fts; DROP TABLE IF EXISTS messages_fts_trigram; ALTER TABLE messages RENAME TO old;
		CREATE VIRTUAL TABLE messages USING fts5(id, session_id, role, content, timestamp, active);
		INSERT INTO messages SELECT id, session_id, role, content, timestamp, active FROM old; DROP TABLE old`); err != nil {
		t.Fatal(err)
	}
	if err := damaged.Close(); err != nil {
		t.Fatal(err)
	}
	done, err := reopen(t, path).Salvage(t.Context(), filepath.Join(t.TempDir(), "saved.db"))
	if err != nil {
		t.Fatal(err)
	}
	if done.Messages > 0 || done.Whole() || !strings.Contains(fmt.Sprint(done.LostRows), "{messages 0}") {
		t.Errorf("%+v", done)
	}
}

// A log that was once large, or whose file has a hole, is not read to its end at each opening.
func TestHugeLog(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("files have no holes")
	}
	path := fixture(t, "bad/hot-wal.db")
	if err := os.Truncate(path+"-wal", 200<<30); err != nil {
		t.Skip("this file system has no files of this size:", err)
	}
	var err error
	took := cputime.Of(func() { _, err = db.LostInLog(path) })
	if err != nil || took > 2*time.Second {
		t.Errorf("%v after %v", err, took)
	}
}

// A pipe in the place of a log or a journal, which nothing writes to, is an error. Without
// that, opening waits for a writer until the deadline of the test.
func TestPipesBesideADatabase(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"-wal", "-journal"} {
		path := fixture(t, "v11-first.db")
		if err := fifo(path + end); errors.Is(err, errors.ErrUnsupported) {
			t.Skip(err)
		} else if err != nil {
			t.Fatal(err)
		}
		_, err := Open(t.Context(), path)
		expect(t, err, model.KindNotAFile)
		if e, ok := errors.AsType[*model.Error](err); !ok || !strings.Contains(e.Remedy.Command, path+end) {
			t.Errorf("%s: %v", end, err)
		}
	}
}

// A log that is a symbolic link to a missing file may be elsewhere: the database is not read
// without it.
func TestLogThatIsADanglingLink(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v11-first.db")
	c := otherConnection(t, path)
	Must(t, c, `PRAGMA journal_mode = wal`)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(t.TempDir(), "gone"), path+"-wal"); err != nil {
		t.Skip("this user may make no symbolic links:", err) // Windows asks for a privilege
	}
	_, err := Open(t.Context(), path)
	expect(t, err, model.KindNotAFile)
}

// Ids that look like numbers, in columns that were declared as numbers after their rows were
// written, are found by their text: an index looks for numbers there. Nothing is changed in
// such a file, and a salvage keeps the ids as they are.
func TestIDsInColumnsOfNumbers(t *testing.T) {
	t.Parallel()
	for declared, statements := range map[string]string{
		"messages": `UPDATE sqlite_master SET sql = replace(sql, 'session_id TEXT NOT NULL', 'session_id INTEGER NOT NULL') WHERE name = 'messages'`,
		"sessions": `UPDATE sqlite_master SET sql = replace(replace(sql, 'parent_session_id TEXT', 'parent_session_id STRING'), 'id TEXT PRIMARY KEY', 'id INT PRIMARY KEY') WHERE name = 'sessions'`,
	} {
		for _, name := range []string{"v11-first.db", "v25.db"} {
			if !campaign.On() && (name == "v25.db") != (declared == "sessions") {
				continue
			}
			path := fixture(t, name)
			damaged, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := damaged.ExecContext(t.Context(), `INSERT INTO sessions (id, source, started_at) VALUES ('7', 'cli', 1), ('007', 'cli', 2), ('7.0', 'cli', 3);
				INSERT INTO messages (session_id, role, content, timestamp) SELECT s.id, 'user', 'in '||s.id, 9 FROM sessions s, (VALUES (1), (2)) WHERE s.id GLOB '*7*' AND length(s.id) < 4;
				PRAGMA writable_schema = 1; `+statements); err != nil {
				t.Fatal(err)
			}
			if err := damaged.Close(); err != nil {
				t.Fatal(err)
			}
			whole := func(s *Store) {
				t.Helper()
				ids := conversations(t, s)
				for _, id := range []string{"7", "007", "7.0"} {
					o, err := s.Outline(t.Context(), id)
					if err != nil || !slices.Contains(ids, id) || len(o.MessageIDs) != 2 {
						t.Errorf("%s, %s: %d messages of %s are shown: %v", name, declared, len(o.MessageIDs), id, err)
					}
				}
				var lines strings.Builder
				if _, err := s.Export(t.Context(), &lines, model.ExportOptions{}); err != nil {
					t.Errorf("%s, %s: %v", name, declared, err)
				}
				for _, id := range []string{"7", "007", "7.0"} {
					if strings.Count(lines.String(), `"content": "in `+id+`"`) != 2 || strings.Count(lines.String(), `{"id": "`+id+`"`) != 1 {
						t.Errorf("%s, %s: the export lacks %s", name, declared, id)
					}
				}
			}
			s := reopen(t, path)
			whole(s)
			_, err = s.Delete(t.Context(), []string{"7"}, model.DeleteOptions{})
			expect(t, err, model.KindDamaged)
			if notes := s.Notes(); !slices.ContainsFunc(notes, func(n model.HealthNote) bool { return strings.Contains(n.Message, "in a column of numbers") }) {
				t.Errorf("%s, %s: %+v", name, declared, notes)
			}
			saved := filepath.Join(t.TempDir(), "saved.db")
			if _, err := s.Salvage(t.Context(), saved); err != nil {
				t.Fatal(err)
			}
			whole(reopen(t, saved))
		}
	}
}

// withoutRowids declares tables of a file anew, without rowids, as a migration by hand may.
func withoutRowids(t *testing.T, path string, tables ...string) {
	t.Helper()
	c := otherConnection(t, path)
	Must(t, c, `PRAGMA legacy_alter_table = 1`)
	for _, table := range tables {
		var made string
		if err := c.QueryRowContext(t.Context(), `SELECT replace(sql, 'AUTOINCREMENT', '') || ' WITHOUT  ROWID' FROM sqlite_master WHERE name = ?`, table).Scan(&made); err != nil {
			t.Fatal(err)
		}
		rest, err := db.QueryTexts(t.Context(), c, `SELECT sql FROM sqlite_master WHERE tbl_name = ? AND type IN ('index', 'trigger') AND sql IS NOT NULL`, table)
		if err != nil {
			t.Fatal(err)
		}
		Must(t, c, `ALTER TABLE `+table+` RENAME TO old`, made, `INSERT INTO `+table+` SELECT * FROM old`, `DROP TABLE old`)
		Must(t, c, rest...)
	}
}

// Tables without rowids are searched, exported, checked and salvaged as others are, also where
// their indexes are not trusted.
func TestTablesWithoutRowids(t *testing.T) {
	t.Parallel()
	for _, name := range someOf([]string{"v25.db", "v01.db", "v11-first.db"}, 3) {
		before := openFixture(t, name)
		for _, tables := range someOf([][]string{{"sessions", "messages"}, {"sessions"}, {"messages"}}, 3) {
			path := fixture(t, name)
			withoutRowids(t, path, tables...)
			s := reopen(t, path)
			export := func(s *Store) []string {
				t.Helper()
				var lines strings.Builder
				if _, err := s.Export(t.Context(), &lines, model.ExportOptions{}); err != nil {
					t.Fatalf("%s, %s: %v", name, tables, err)
				}
				if err := s.ExportGaps(t.Context(), model.ExportOptions{}); err != nil {
					t.Errorf("%s, %s: %v", name, tables, err)
				}
				return slices.Sorted(strings.Lines(lines.String()))
			}
			rows := func(lines []string) string {
				return fmt.Sprintf("%d sessions, %d messages", len(lines), strings.Count(strings.Join(lines, ""), `"session_id": "`))
			}
			whole := export(before)
			if !slices.Equal(export(s), whole) {
				t.Errorf("%s, %s: the export differs", name, tables)
			}
			for _, words := range []string{"docker", "the", conversations(t, s)[0][:10]} {
				q := query.Parse(words, false)
				want, err := before.Search(t.Context(), q, query.ListOptions{})
				got, e := s.Search(t.Context(), q, query.ListOptions{})
				if err != nil || e != nil || got.Conversations != want.Conversations || got.Hits != want.Hits {
					t.Errorf("%s, %s: %q finds %d conversations, not %d: %v %v", name, tables, words, got.Conversations, want.Conversations, err, e)
				}
			}
			if c := inspected(t, path, true); !c.Healthy() {
				t.Errorf("%s, %s: the doctor finds %v", name, tables, c.Problems)
			}
			done, saved := salvaged(t, s)
			if !done.Whole() || len(done.Notes) > 0 || rows(export(saved)) != rows(whole) {
				t.Errorf("%s, %s: the salvage lacks something: %+v", name, tables, done)
			}
			s.db.BypassIndexes()
			if rows(export(s)) != rows(whole) {
				t.Errorf("%s, %s: the export without indexes lacks something", name, tables)
			}
		}
	}
}

// A header that states UTF-16 where the texts are UTF-8 is called damaged, and the command
// that is advised makes a copy that has everything. SQLite takes other wrong numbers for UTF-8.
func TestEncodingOfTheHeader(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v01.db", "v25.db"} {
		for stated, misread := range map[byte]bool{0: false, 2: true, 3: true, 5: false} {
			path := fixture(t, name)
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			flipped := slices.Clone(whole)
			flipped[59] = stated
			if err := os.WriteFile(path, flipped, 0o600); err != nil {
				t.Fatal(err)
			}
			if !misread {
				if c := inspected(t, path, true); !c.Healthy() {
					t.Errorf("%s, %d: %v", name, stated, c.Problems)
				}
				continue
			}
			_, err = Open(t.Context(), path)
			expect(t, err, model.KindDamaged)
			var e *model.Error
			if !errors.As(err, &e) || !strings.Contains(e.Message, "the texts are UTF-8") {
				t.Errorf("%s, %d: %v", name, stated, err)
			}
			if runtime.GOOS == "windows" {
				continue
			}
			if said, err := exec.CommandContext(t.Context(), "sh", "-c", e.Remedy.Command).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v: %s", e.Remedy.Command, err, said)
			}
			if mended, err := os.ReadFile(path + ".mended"); err != nil || !bytes.Equal(mended, whole) {
				t.Errorf("%s, %d: the copy differs from the undamaged file: %v", name, stated, err)
			}
		}
	}
}

// A header that states fewer pages than the tables have, as one of an earlier time does, is called
// damaged, and the command that is advised makes a copy that has everything.
func TestPagesBehindThoseOfTheHeader(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v04.db", "v25.db"} {
		path := fixture(t, name)
		before := dump(t, reopen(t, path).db.Pool)
		content := fileContent(t, path)
		binary.BigEndian.PutUint32(content[28:], uint32(len(content)/4096/3))
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(t.Context(), path)
		e, _ := errors.AsType[*model.Error](err)
		if expect(t, err, model.KindDamaged); e == nil || !strings.Contains(e.Message, "but the tables have more") {
			t.Fatalf("%s: %v", name, err)
		}
		if runtime.GOOS == "windows" {
			continue
		}
		if said, err := exec.CommandContext(t.Context(), "sh", "-c", e.Remedy.Command).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", e.Remedy.Command, err, said)
		}
		if c := inspected(t, path+".mended", true); slices.ContainsFunc(c.Problems, func(n model.HealthNote) bool { return n.Kind == model.NoteDamaged }) {
			t.Errorf("%s: %v", name, c.Problems)
		}
		same(t, name, before, dump(t, reopen(t, path+".mended").db.Pool))
	}
}

// Pages behind those of the header accuse it only where a table leads to them: another damage on the
// way to the last message leaves the rest of the file readable.
func TestDamageBesideAPageOfZerosAtTheEnd(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v31.db")
	b := newBreaker(t, path, 1)
	_, leaves := b.tree("messages")
	last := b.page(leaves[len(leaves)-1])
	all, lost := Count(t, reopen(t, path), `SELECT count(*) FROM messages`), int(binary.BigEndian.Uint16(last[3:]))
	clear(last)
	b.content = append(b.content, make([]byte, b.size)...)
	b.write()
	s := reopen(t, path)
	conversations(t, s)
	if done, _ := salvaged(t, s); done.Messages != all-lost || !done.Incomplete {
		t.Errorf("%d messages of %d, of which %d are lost: %+v", done.Messages, all, lost, done)
	}
}

// Columns that have the names of rowids hide these. A salvage keeps all rows then, too, and
// an export finds them without their indexes.
func TestColumnsNamedAsRowids(t *testing.T) {
	t.Parallel()
	for _, names := range someOf([][]string{{"rowid", "_rowid_", "oid"}, {"rowid"}, {"oid"}}, 2) {
		for _, name := range someOf([]string{"v25.db", "v11-first.db"}, 2) {
			path := fixture(t, name)
			c := otherConnection(t, path)
			// A column that is added cannot have such a name, one of a table that is created can.
			rename := []string{`PRAGMA writable_schema = 1`}
			for i, column := range names {
				added := fmt.Sprintf("added%d", i)
				Must(t, c, `ALTER TABLE sessions ADD COLUMN `+added+` TEXT`, `ALTER TABLE messages ADD COLUMN `+added+` INTEGER`, `UPDATE sessions SET `+added+` = 'one'`, `UPDATE messages SET `+added+` = 7`)
				rename = append(rename, `UPDATE sqlite_master SET sql = replace(sql, '`+added+` ', '`+column+` ')`)
			}
			Must(t, c, rename...)
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			s := reopen(t, path)
			sessions, messages := Count(t, s, `SELECT count(*) FROM sessions`), Count(t, s, `SELECT count(*) FROM messages`)
			if done, _ := salvaged(t, s); !done.Whole() || done.Sessions != sessions || done.Messages != messages {
				t.Errorf("%s, %s: %d of %d sessions and %d of %d messages are salvaged", name, names, done.Sessions, sessions, done.Messages, messages)
			}
			s.db.BypassIndexes()
			var lines strings.Builder
			if _, err := s.Export(t.Context(), &lines, model.ExportOptions{}); err != nil || strings.Count(lines.String(), "\n") != sessions {
				t.Errorf("%s, %s: %d of %d sessions are exported: %v", name, names, strings.Count(lines.String(), "\n"), sessions, err)
			}
		}
	}
}

// A free page that a table has too is found by the doctor, although the check of each table
// finds nothing, and nothing is changed.
func TestFreePageOfATable(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v11-first.db", "v25.db"} {
		path := fixture(t, name)
		c := otherConnection(t, path)
		Must(t, c, `PRAGMA journal_mode = delete`, `CREATE TABLE gone (a)`, `INSERT INTO gone VALUES (zeroblob(40000))`, `DROP TABLE gone`)
		var leaf, size int
		if err := c.QueryRowContext(t.Context(), `SELECT max(pageno), (SELECT page_size FROM pragma_page_size) FROM dbstat WHERE name = 'sessions' AND pagetype = 'leaf'`).Scan(&leaf, &size); err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		first := int(binary.BigEndian.Uint32(b[32:]))
		binary.BigEndian.PutUint32(b[(first-1)*size+8:], uint32(leaf))
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if c := inspected(t, path, false); !slices.ContainsFunc(c.Problems, func(n model.HealthNote) bool { return strings.Contains(n.Message, db.SharedPage) }) {
			t.Errorf("%s: the doctor finds %v", name, c.Problems)
		}
		s := reopen(t, path)
		expect(t, s.EndSession(t.Context(), conversations(t, s)[0], "user_exit"), model.KindDamaged)
	}
}

// Ids that are stored as numbers in a column of text are found by no text. Such sessions are
// left out of a list with a note, an export says that it lacks them, and a salvage has them.
func TestNumbersInAColumnOfIDs(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v11-first.db", "v25.db"} {
		path := fixture(t, name)
		for _, statements := range [][]string{
			{`PRAGMA writable_schema = 1`, `UPDATE sqlite_master SET sql = replace(replace(sql, 'id TEXT PRIMARY KEY', 'id BLOB PRIMARY KEY'), 'session_id TEXT', 'session_id BLOB') WHERE name IN ('sessions', 'messages')`},
			{
				`PRAGMA foreign_keys = 0`, `UPDATE sessions SET id = 7 WHERE rowid = (SELECT max(rowid) FROM sessions)`, `INSERT INTO messages (session_id, role, content, timestamp) VALUES (7, 'user', 'in a session with a number', 9)`,
				`PRAGMA writable_schema = 1`, `UPDATE sqlite_master SET sql = replace(replace(sql, 'id BLOB PRIMARY KEY', 'id TEXT PRIMARY KEY'), 'session_id BLOB', 'session_id TEXT') WHERE name IN ('sessions', 'messages')`,
			},
		} {
			c := otherConnection(t, path)
			Must(t, c, statements...)
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		}
		s := reopen(t, path)
		if n := Count(t, s, `SELECT count(*) FROM sessions WHERE typeof(id) = 'integer'`); n != 1 {
			t.Fatalf("%s: %d ids are numbers", name, n)
		}
		if listed, err := s.Conversations(t.Context(), query.ListOptions{}); err != nil || len(listed.Conversations) == 0 || !s.db.HasNote(model.NoteUnnamed) {
			t.Errorf("%s: %v, notes %v", name, err, s.Notes())
		}
		var lines strings.Builder
		_, err := s.Export(t.Context(), &lines, model.ExportOptions{})
		expect(t, err, model.KindIncomplete)
		if c := inspected(t, path, false); !slices.Contains(kinds(c.Problems), model.NoteUnnamed) {
			t.Errorf("%s: the doctor finds %v", name, c.Problems)
		}
		if done, _ := salvaged(t, s); done.Sessions < Count(t, s, `SELECT count(*) FROM sessions`) || done.Messages != Count(t, s, `SELECT count(*) FROM messages`) {
			t.Errorf("%s: the salvage lacks something: %+v", name, done)
		}
	}
}

// Tables with the names of SQLite's own table functions take nothing from what reads and
// changes a file.
func TestTablesNamedAsFunctions(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v11-first.db", "v25.db"} {
		path := fixture(t, name)
		c := otherConnection(t, path)
		for _, function := range []string{
			"json_each", "pragma_encoding", "pragma_page_size", "pragma_page_count", "pragma_freelist_count", "pragma_table_list", "pragma_table_info", "pragma_table_xinfo",
			"pragma_index_list", "pragma_index_info", "pragma_index_xinfo", "pragma_foreign_key_list", "pragma_foreign_key_check", "pragma_quick_check", "pragma_integrity_check",
		} {
			Must(t, c, `CREATE TABLE `+function+` (name, value)`)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		s := reopen(t, path)
		if found, err := s.Search(t.Context(), query.Parse("the", false), everyConversation); err != nil || found.Hits == 0 {
			t.Errorf("%s: a search finds %d, %v", name, found.Hits, err)
		}
		var lines strings.Builder
		if _, err := s.Export(t.Context(), &lines, model.ExportOptions{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c := inspected(t, path, true); !c.Healthy() {
			t.Errorf("%s: the doctor finds %v", name, c.Problems)
		}
		if done, _ := salvaged(t, s); !done.Whole() {
			t.Errorf("%s: a salvage lacks something: %+v", name, done)
		}
		before := Count(t, s, `SELECT count(*) FROM messages`)
		undo, err := s.Delete(t.Context(), conversations(t, s)[:1], model.DeleteOptions{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := s.Restore(t.Context(), undo, model.RestoreOptions{}); err != nil || Count(t, s, `SELECT count(*) FROM messages`) != before {
			t.Errorf("%s: after an undo: %v", name, err)
		}
	}
}

// A file that holds pictures has texts whose trigrams differ between versions of SQLite. An
// index of trigrams that holds something else is found there, too.
func TestTrigramsOfAFileWithPictures(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v11.db", "v25.db"} {
		path := fixture(t, name)
		if c := inspected(t, path, true); !c.Healthy() {
			t.Fatalf("%s: the doctor finds %v", name, c.Problems)
		}
		for _, damage := range []string{`UPDATE messages_fts_trigram_data SET block = (SELECT block FROM messages_fts_data w WHERE w.id = messages_fts_trigram_data.id) WHERE id IN (SELECT id FROM messages_fts_data)`, `DELETE FROM messages_fts_trigram_data WHERE id > 10 AND rowid % 2 = 0`} {
			path := fixture(t, name)
			c := otherConnection(t, path)
			Must(t, c, damage)
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			if c := inspected(t, path, true); !slices.Contains(kinds(c.Problems), model.NoteFTSDamaged) {
				t.Errorf("%s: %s: the doctor finds %v", name, damage, c.Problems)
			}
		}
	}
}

// The doctor says in plain words what SQLite complains about.
func TestDoctorSaysWhatADamageIs(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"damaged/index-lacks-rows-a.db": "an index and its table disagree",
		"damaged/loop.db":               "rows are not in their order",
	} {
		c := inspected(t, fixture(t, name), true)
		if len(c.Problems) == 0 || !strings.HasPrefix(c.Problems[0].Message, "the database is damaged, "+want+": ") {
			t.Errorf("%s: the doctor finds %v", name, c.Problems)
		}
	}
}

// Of one damage, the doctor and the note of a list advise the same: to make indexes anew where
// only they are wrong, else to copy the rows. Of damaged pages the doctor does not say that
// messages have no session, which it would look up there.
func TestDoctorAdvisesWhatTheNoteAdvises(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]string{
		"damaged/index-lacks-rows-a.db": model.NoteIndexDamaged, "damaged/index-lacks-rows-b.db": model.NoteDamaged, "damaged/sessions-unreadable.db": model.NoteDamaged,
	} {
		path := fixture(t, name)
		s := openAt(t, path)
		if _, err := s.Conversations(t.Context(), query.ListOptions{Scope: model.ScopeAll}); err != nil {
			t.Fatal(err)
		}
		c, note := inspected(t, path, true), s.Notes()[0]
		if c.Problems[0].Kind != kind || c.Problems[0].Remedy != note.Remedy || slices.Contains(kinds(c.Problems), model.NoteDangling) {
			t.Errorf("%s: the doctor finds %+v, the note is %+v", name, c.Problems, note)
		}
	}
}

// An index that lacks the newest messages, which nobody counted, hides none of them, in the list
// and in a conversation that is read by itself.
func TestNewestMessagesThatAnIndexLacks(t *testing.T) {
	t.Parallel()
	for index, version := range map[string]string{"idx_messages_session": "v01.db", "idx_messages_session_active": "v16.db"} {
		path := fixture(t, version)
		c := otherConnection(t, path)
		Must(t, c, `CREATE TABLE aside AS SELECT * FROM sqlite_schema WHERE name = '`+index+`'`, `PRAGMA writable_schema = ON`, `DELETE FROM sqlite_schema WHERE name = '`+index+`'`)
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		c = otherConnection(t, path)
		Must(t, c, session("late"), message("late", 2), `PRAGMA writable_schema = ON`, `INSERT INTO sqlite_schema SELECT * FROM aside`)
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		for _, read := range []func(*Store){
			func(s *Store) { _, _ = s.Conversations(t.Context(), query.ListOptions{}) },
			func(s *Store) { _, _ = s.Outline(t.Context(), "late") },
		} {
			s := openAt(t, path)
			read(s)
			if o, err := s.Outline(t.Context(), "late"); err != nil || len(o.MessageIDs) != 2 || !s.db.HasNote(model.NoteIndexDamaged) {
				t.Errorf("%s: %d of 2 messages, %v, notes %v", index, len(o.MessageIDs), err, s.Notes())
			}
		}
	}
}

// A search for messages says that it leaves out one whose session has no row.
func TestSearchForMessagesOfNoSession(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	Must(t, otherConnection(t, s.Path()), session("gone"), message("gone", 3), `PRAGMA foreign_keys = off`, `DELETE FROM sessions`)
	if hits, total, err := s.SearchMessages(t.Context(), "word", SearchOptions{}); err != nil || len(hits) != 0 || total != 0 || !s.db.HasNote(model.NoteDangling) {
		t.Errorf("%d of %d messages, %v, notes %v", len(hits), total, err, s.Notes())
	}
}

// A search notices a full-text index that has as many rows as the messages, but another first one.
func TestSearchWhereTheFirstMessageHasAnotherNumber(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v11.db", "v25.db"} {
		path := fixture(t, name)
		c := otherConnection(t, path)
		Must(t, c, `DROP TRIGGER messages_fts_update`, `DROP TRIGGER messages_fts_trigram_update`, `UPDATE messages SET id = 0, content = 'quagga' WHERE id = 30`)
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		found, err := openAt(t, path).Search(t.Context(), query.Parse("quagga", false), query.ListOptions{Scope: model.ScopeAll})
		if err != nil || found.Hits != 1 || found.IndexNote == "" {
			t.Errorf("%s: %d messages found, %v, note %q", name, found.Hits, err, found.IndexNote)
		}
	}
}

// The doctor finds pages that belong to no table any more: of an index or a
// table that the list of tables has lost.
func TestDoctorOfPagesThatBelongToNoTable(t *testing.T) {
	t.Parallel()
	for _, lost := range []string{"idx_messages_session", "state_meta"} {
		path := fixture(t, "v11.db")
		c := otherConnection(t, path)
		Must(t, c, `PRAGMA writable_schema = ON`, `DELETE FROM sqlite_schema WHERE tbl_name = '`+lost+`' OR name = '`+lost+`'`)
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if c := inspected(t, path, false); len(c.Problems) == 0 || !strings.Contains(c.Problems[0].Message, " no table, so rows may be missing") {
			t.Errorf("%s: the doctor finds %v", lost, c.Problems)
		}
	}
}

// The doctor says that an index is damaged which lacks a table of its own, so that FTS5 cannot
// open it.
func TestDoctorOfAnIndexWithoutItsSettings(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v25.db")
	c := otherConnection(t, path)
	Must(t, c, `PRAGMA writable_schema = ON`, `DELETE FROM sqlite_schema WHERE name = 'messages_fts_config'`)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	for _, full := range []bool{false, true} {
		if c := inspected(t, path, full); !slices.Contains(kinds(c.Problems), model.NoteFTSDamaged) {
			t.Errorf("full %t: the doctor finds %v", full, c.Problems)
		}
	}
}

// The doctor names an index of all rows that its statement declares to be of some, which
// SQLite does not compare with the table.
func TestDoctorOfAnIndexDeclaredPartial(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v11.db")
	c := otherConnection(t, path)
	Must(t, c, `PRAGMA writable_schema = ON`, `UPDATE sqlite_schema SET sql = sql || ' WHERE 0' WHERE name = 'idx_messages_session'`)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if c := inspected(t, path, true); !slices.Contains(kinds(c.Problems), model.NoteIndexDamaged) {
		t.Errorf("the doctor finds %v", c.Problems)
	}
}

// An index that is in order and holds no text, of a table whose texts stand elsewhere, looks
// sound to SQLite. The doctor finds that its messages are not in it, and a search reads them.
func TestIndexInOrderWithoutItsTexts(t *testing.T) {
	t.Parallel()
	for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
		path := fixture(t, "v25.db")
		c := otherConnection(t, path)
		for _, statement := range []string{
			`CREATE VIRTUAL TABLE fresh USING fts5(a)`,
			`UPDATE ` + table + `_data SET block = (SELECT block FROM fresh_data WHERE id = 10) WHERE id = 10`,
			`DROP TABLE fresh`, `DELETE FROM ` + table + `_idx`, `DELETE FROM ` + table + `_data WHERE id > 10`,
		} {
			Must(t, c, statement)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		for _, full := range []bool{false, true} {
			if c := inspected(t, path, full); !slices.Contains(kinds(c.Problems), model.NoteFTSDamaged) {
				t.Errorf("%s, full %t: the doctor finds %v", table, full, c.Problems)
			}
		}
		for _, words := range []string{"docker", ".py", "部署"} {
			want, err := openAt(t, fixture(t, "v25.db")).Search(t.Context(), query.Parse(words, false), query.ListOptions{Scope: model.ScopeAll})
			if err != nil {
				t.Fatal(err)
			}
			found, err := openAt(t, path).Search(t.Context(), query.Parse(words, false), query.ListOptions{Scope: model.ScopeAll})
			if err != nil || found.Hits != want.Hits || (found.IndexNote == "") != (table != "messages_fts") {
				t.Errorf("%s: %s: %d of %d messages found, %v, note %q", table, words, found.Hits, want.Hits, err, found.IndexNote)
			}
		}
	}
}

// A generated column has a place in what SQLite says about a changed row, and none in a list of
// columns: the session of a message is still its session.
func TestTriggersOfATableWithAGeneratedColumn(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"VIRTUAL", "STORED"} {
		path := fixture(t, "v06.db")
		q := otherConnection(t, path)
		q.SetMaxOpenConns(1)
		Must(t, q, `CREATE TABLE kept AS SELECT * FROM messages`, `DELETE FROM messages`, `PRAGMA writable_schema = ON`,
			`UPDATE sqlite_master SET sql = replace(sql, 'session_id TEXT', 'first TEXT GENERATED ALWAYS AS (''x'') `+kind+`, session_id TEXT') WHERE name = 'messages'`,
			`PRAGMA writable_schema = RESET`,
			`INSERT INTO messages (id, session_id, role, content, timestamp) SELECT id, session_id, role, content, timestamp FROM kept`, `DROP TABLE kept`,
			`UPDATE messages SET token_count = 1 WHERE first = 'x'`,
			`CREATE TRIGGER foreign_one AFTER DELETE ON messages BEGIN UPDATE messages SET token_count = 2 WHERE session_id <> old.session_id; END`)
		s := reopen(t, path)
		before := dump(t, q)
		_, err := s.Delete(t.Context(), []string{conversations(t, s)[0]}, model.DeleteOptions{})
		if expect(t, err, model.KindRefused); err != nil && !strings.Contains(err.Error(), "would also change other messages") {
			t.Error(kind, err)
		}
		same(t, "refused", before, dump(t, q))
		Must(t, q, `DROP TRIGGER foreign_one`)
		checkReversible(t, s, kind, 1)
	}
}

// A table may be declared so that a row that is added removes another one, of which no call
// knows.
func TestRowsThatTakeThePlaceOfOthers(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v31.db")
	q := otherConnection(t, path)
	q.SetMaxOpenConns(1)
	Must(t, q, `PRAGMA writable_schema = ON`,
		`UPDATE sqlite_master SET sql = replace(sql, 'id INTEGER PRIMARY KEY', 'id INTEGER PRIMARY KEY ON CONFLICT REPLACE') WHERE name = 'messages'`,
		`PRAGMA writable_schema = RESET`)
	s := reopen(t, path)
	ids := conversations(t, s)
	u, err := s.Delete(t.Context(), ids[:1], model.DeleteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var taken int64
	if err := q.QueryRow(`SELECT max(id) + 1 FROM messages`).Scan(&taken); err != nil {
		t.Fatal(err)
	}
	Must(t, q, `INSERT INTO messages (id, session_id, role, content, timestamp) SELECT id, '`+ids[1]+`', 'user', 'another', 1.7e9 FROM (WITH RECURSIVE c(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM c LIMIT 3000) SELECT id FROM c WHERE id NOT IN (SELECT id FROM messages))`)
	before := dump(t, q)
	err = s.Restore(t.Context(), u, model.RestoreOptions{})
	if err == nil {
		t.Error("restored over other messages")
	}
	same(t, "restore", before, dump(t, q))
}

// A long text is indexed by one change of a row, however long it takes.
func TestALongTextIsNoTriggerThatNeverEnds(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v31.db")
	q := otherConnection(t, path)
	Must(t, q, `INSERT INTO sessions (id, source, started_at, ended_at) VALUES ('big', 'cli', 1, 2)`,
		`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('big', 'user', hex(randomblob(500000)), 1)`)
	s := reopen(t, path)
	s.db.Writer.MaxStall = 10 * time.Millisecond
	if _, err := s.Delete(t.Context(), []string{"big"}, model.DeleteOptions{}); err != nil {
		t.Error(err)
	}
}
