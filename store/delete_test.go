package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/sessiondb"
)

// dump returns every row of every table but the full-text index, with types,
// places and exact bytes, one line each.
func dump(t testing.TB, q *sql.DB) []string {
	t.Helper()
	ctx := context.Background()
	sc, err := db.ReadSchema(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for table, ddl := range sc.Tables {
		if strings.HasPrefix(table, "messages_fts") || !strings.HasPrefix(strings.ToUpper(ddl), "CREATE TABLE") {
			continue
		}
		columns, rowid, err := db.ColumnsOf(ctx, q, table, ddl)
		if err != nil {
			t.Fatal(err)
		}
		// The bytes come as they are, not as hex made by SQLite: rows may be large.
		types, values := []string{"''"}, []string{"''"}
		if rowid {
			values[0] = "rowid"
		}
		for _, c := range columns {
			types = append(types, "typeof("+db.Quote(c)+")")
			values = append(values, "CAST("+db.Quote(c)+" AS BLOB)")
		}
		rows, err := q.Query(`SELECT ` + strings.Join(types, " || ' ' || ") + `, ` + strings.Join(values, ", ") + ` FROM ` + db.Quote(table))
		if err != nil {
			t.Fatal(err)
		}
		raw := make([]sql.RawBytes, 1+len(values))
		into := make([]any, len(raw))
		for i := range raw {
			into[i] = &raw[i]
		}
		for rows.Next() {
			if err := rows.Scan(into...); err != nil {
				t.Fatal(err)
			}
			line, sum := string(raw[1]), sha256.New()
			fmt.Fprintf(sum, "%s %s", raw[0], raw[1])
			for i, kind := range strings.Fields(string(raw[0])) {
				value := raw[i+2]
				fmt.Fprintf(sum, " %d:", len(value))
				sum.Write(value)
				if len(line) < 90 {
					line += fmt.Sprintf(" %s:%X", kind, []byte(value[:min(len(value), 45)]))
				}
			}
			line = strings.TrimPrefix(line, " ")
			out = append(out, table+" "+line[:min(len(line), 90)]+" "+hex.EncodeToString(sum.Sum(nil)[:6]))
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(out)
	return out
}

// indexed returns what the full-text index holds, as far as a count tells, after
// it has checked itself. images says that there are or were messages with
// images: the trigram index of an older SQLite lacks them, and complains.
func indexed(t testing.TB, db *sql.DB, images bool) (counts []int) {
	t.Helper()
	// A fresh connection: a full-text table keeps what it knows of its index
	// in memory, and its check does not look whether others have changed it.
	var path string
	if err := db.QueryRow(`SELECT file FROM pragma_database_list WHERE name = 'main'`).Scan(&path); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(1000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	var result string
	if err := db.QueryRow(`PRAGMA integrity_check`).Scan(&result); err != nil || result != "ok" && !(images && older(result)) {
		t.Fatalf("integrity check: %s %v", result, err)
	}
	for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
		var ddl string
		if db.QueryRow(`SELECT sql FROM sqlite_master WHERE name = ?`, table).Scan(&ddl) != nil {
			continue
		}
		_, err := db.Exec(`INSERT INTO ` + table + `(` + table + `) VALUES ('integrity-check')`)
		if err != nil && (table == "messages_fts" || !images) {
			t.Fatalf("%s is out of step: %v", table, err)
		}
		questions := []string{`SELECT count(*) FROM ` + table + `_docsize`}
		if table == "messages_fts" {
			for _, word := range []string{"the", "terminal", "text"} {
				questions = append(questions, `SELECT count(*) FROM messages_fts WHERE messages_fts MATCH '`+word+`'`)
			}
		}
		for _, q := range questions {
			var n int
			if err := db.QueryRow(q).Scan(&n); err != nil {
				t.Fatal(err)
			}
			counts = append(counts, n)
		}
	}
	return counts
}

// withImages returns the sessions with messages that begin with a NUL.
func withImages(t testing.TB, db *sql.DB) (ids []string) {
	t.Helper()
	rows, err := db.Query(`SELECT DISTINCT session_id FROM messages WHERE hex(substr(CAST(content AS BLOB), 1, 1)) = '00'`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}

// older reports whether a check only complains of the trigram index.
func older(result string) bool {
	return result == "malformed inverted index for FTS5 table main.messages_fts_trigram"
}

// same fails where two dumps differ, and shows where.
func same(t testing.TB, what string, before, after []string) {
	t.Helper()
	if slices.Equal(before, after) {
		return
	}
	have := map[string]int{}
	for _, l := range before {
		have[l]++
	}
	for _, l := range after {
		have[l]--
	}
	shown := 0
	for l, n := range have {
		if n != 0 && shown < 6 {
			shown++
			t.Errorf("%s: %+d %s", what, -n, l)
		}
	}
	if shown == 0 {
		t.Errorf("%s: the order differs", what)
	}
}

func deleted(t testing.TB, s *Store, o model.DeleteOptions, ids ...string) model.Undo {
	t.Helper()
	u, err := s.Delete(t.Context(), ids, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { u.Close() })
	return u
}

func restored(t testing.TB, s *Store, u model.Undo) {
	t.Helper()
	if err := s.Restore(t.Context(), u, model.RestoreOptions{}); err != nil {
		t.Fatal(err)
	}
}

func conversations(t testing.TB, s *Store) (ids []string) {
	t.Helper()
	c, err := s.sessions.CurrentSnapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for m := range conversationsOf(c) {
		ids = append(ids, m.ID)
	}
	return ids
}

func TestRestoreRestoresEveryTableByteForByte(t *testing.T) {
	t.Parallel()
	names := []string{"v01.db", "v11.db", "v25.db"}
	if campaign.On() {
		names = Versions(t)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			thereAndBack(t, name)
		})
	}
}

func thereAndBack(t *testing.T, name string) {
	s := openFixture(t, name)
	db := otherConnection(t, s.Path())
	images := withImages(t, db)
	before, found := dump(t, db), indexed(t, db, len(images) > 0)
	ids := conversations(t, s)
	var some [][]string
	for i := 0; i < len(ids); i += campaign.Length(72, 9) {
		some = append(some, []string{ids[i]})
	}
	for _, id := range images {
		some = append(some, []string{id})
	}
	some = append(some, ids) // all at once
	for _, ids := range some {
		p, err := s.PlanDelete(t.Context(), ids, model.DeleteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		u := deleted(t, s, model.DeleteOptions{Expected: &p}, ids...)
		if g := u.Deleted(); len(g.Sessions) != len(p.Sessions) || g.Messages != p.Messages || g.Delegates != p.Delegates {
			t.Errorf("planned %+v, gone %+v", p, g)
		}
		// When all is gone nothing is left of what an older SQLite wrote.
		indexed(t, db, len(images) > 0 && left(t, s) > 0)
		for _, id := range p.Sessions {
			if n := Count(t, s, `SELECT count(*) FROM sessions WHERE id = '`+strings.ReplaceAll(id, "'", "''")+`'`); n != 0 {
				t.Errorf("%s is still there", id)
			}
		}
		restored(t, s, u)
		same(t, "restored", before, dump(t, db))
		if now := indexed(t, db, len(images) > 0); !slices.Equal(now, found) {
			t.Errorf("the index held %v, now %v", found, now)
		}
		restored(t, s, u) // is all there already
		same(t, "restored again", before, dump(t, db))
		if t.Failed() {
			return
		}
	}
}

// Of every damaged or unusual file either all comes back that was deleted, or nothing
// went and that is said.
func TestRestoreRestoresEveryTableOfBadFiles(t *testing.T) {
	t.Parallel()
	refused := map[string]string{"fts-corrupt": model.KindIndex, "truncated": model.KindDamaged}
	held := map[string]int{"future": 3} // by an unknown table
	unopened := map[string]bool{"damaged-pages": true, "empty": true, "not-a-database": true, "other-application": true, "truncated-header": true}
	for _, file := range someOf(fixtures.Names(t, "bad/*.db", 21), 2) {
		name := strings.TrimSuffix(path.Base(file), ".db")
		if unopened[name] {
			continue // see TestBadFiles
		}
		t.Run(name, func(t *testing.T) {
			s := openFixture(t, "bad/"+name+".db")
			ids := conversations(t, s)
			if kind := refused[name]; kind != "" {
				before, err := os.ReadFile(s.Path())
				if err != nil {
					t.Fatal(err)
				}
				_, err = s.PlanDelete(t.Context(), ids[:1], model.DeleteOptions{})
				expect(t, err, kind)
				u, err := s.Delete(t.Context(), ids, model.DeleteOptions{SkipBlocked: true})
				if expect(t, err, kind); u != nil {
					t.Errorf("gone: %+v", u.Deleted())
				}
				if after, err := os.ReadFile(s.Path()); err != nil || !bytes.Equal(before, after) {
					t.Error("the file has changed", err)
				}
				return
			}
			db := otherConnection(t, s.Path())
			before := dump(t, db)
			u := deleted(t, s, model.DeleteOptions{SkipBlocked: true}, ids...)
			if left := conversations(t, s); len(left) != held[name] || len(u.Deleted().Skipped) != held[name] {
				t.Errorf("%q are left, of which %v is said", left, u.Deleted().Skipped)
			}
			restored(t, s, u)
			same(t, name, before, dump(t, db))
		})
	}
}

// Where the full-text index is damaged between a delete and its undo, the undo
// says what to do, and does it after that.
func TestUndoAfterTheIndexWasDamaged(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	q := otherConnection(t, s.Path())
	before := dump(t, q)
	u := deleted(t, s, model.DeleteOptions{}, conversations(t, s)[0])
	Must(t, q, `UPDATE messages_fts_data SET block = x'ffffffffffffffffff' WHERE id = 10`) // its table of contents
	gone := dump(t, q)
	expect(t, s.Restore(t.Context(), u, model.RestoreOptions{}), model.KindIndex)
	same(t, "refused", gone, dump(t, q))
	if r, err := Migrate(t.Context(), s.Path(), WithoutBackup()); err != nil || len(r.Repairs) == 0 {
		t.Fatal(r, err)
	}
	restored(t, s, u)
	same(t, "restored", before, dump(t, q))
	indexed(t, q, true)
}

// A parent that is missing before a delete is missing after the restore, and
// nothing else is out of joint: rings and sessions that are their own parent
// come back too.
func TestRestoreKeepsDanglingParents(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 700} { // at once, and in parts
		s, q := One(t, "v11.db", `PRAGMA foreign_keys = OFF`,
			session("lost", "parent_session_id", "'unknown'"), message("lost", n),
			session("under", "parent_session_id", "'lost'"),
			session("self", "parent_session_id", "'self'"),
			session("ring1", "parent_session_id", "'ring2'"), session("ring2", "parent_session_id", "'ring1'"))
		before := dump(t, q)
		u := deleted(t, s, model.DeleteOptions{}, "lost", "self", "ring1")
		restored(t, s, u)
		same(t, "restored", before, dump(t, q))
		restored(t, s, u)
		same(t, "restored again", before, dump(t, q))
		if err := s.db.Write(t.Context(), "break", func(x *db.Tx) error {
			_, err := x.Exec(t.Context(), `UPDATE sessions SET parent_session_id = 'unknown' WHERE id = 'self'`)
			return err
		}); db.ExtendedCode(err) != db.SQLiteConstraintForeignKey {
			t.Error("references are not checked any more:", err)
		}
	}
}

// A table of a future Hermes that holds on to a session keeps it.
func TestUnknownReferenceRefusesDelete(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), fixture(t, "bad/future.db"), WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	q := otherConnection(t, s.Path())
	before := dump(t, q)
	var id string
	if err := q.QueryRow(`SELECT session_id FROM time_crystals`).Scan(&id); err != nil {
		t.Fatal(err)
	}
	if _, err := s.PlanDelete(t.Context(), []string{id}, model.DeleteOptions{}); kind(err) != model.KindRefused {
		t.Error(err)
	}
	u, err := s.Delete(t.Context(), []string{id}, model.DeleteOptions{})
	if kind(err) != model.KindRefused || u != nil {
		t.Error(u, err)
	}
	same(t, "refused", before, dump(t, q))
}

func TestBackupFileEqualsTheUndo(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v25.db")
	db := otherConnection(t, s.Path())
	before := dump(t, db)
	file := filepath.Join(t.TempDir(), "backup.jsonl")
	ids := conversations(t, s)
	u := deleted(t, s, model.DeleteOptions{Backup: file}, ids[:20]...)
	if _, err := s.Delete(t.Context(), ids[20:], model.DeleteOptions{Backup: file}); !errors.Is(err, os.ErrExist) {
		t.Error("a backup was overwritten:", err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	restored(t, s, u)
	same(t, "from the file", before, dump(t, db))
}

// left counts the messages in a file.
func left(t testing.TB, s *Store) int {
	t.Helper()
	return Count(t, s, `SELECT count(*) FROM messages`)
}

// behindNULByOlderSQLite counts the messages with text behind a NUL of which the
// trigram index has nothing.
func behindNULByOlderSQLite(t testing.TB, s *Store) int {
	t.Helper()
	return Count(t, s, `SELECT count(*) FROM messages m JOIN messages_fts_trigram_docsize d ON d.id = m.id
		WHERE instr(CAST(m.content AS BLOB), x'00') > 0 AND substr(d.sz, 1, 1) = x'00'`)
}

// What an older SQLite left out of the trigram index, and what a newer one put
// in, goes as it came, in whatever order and whichever way messages go.
func TestMessagesBehindNULGo(t *testing.T) {
	t.Parallel()
	const image = `char(0) || 'json:[{"type": "text", "text": "a picture of a quagga"}]'`
	insert := `INSERT INTO messages (session_id, role, content, tool_name, timestamp) SELECT id, 'user', ` + image + `, 'draw', 1 FROM sessions`
	some := []string{"v11.db", "v25.db"}
	if campaign.On() {
		some = []string{"v10.db", "v11.db", "v16.db", "v22.db", "v23.db", "v25.db"} // one of each kind of index
	}
	for _, name := range Versions(t) {
		if name < "v10.db" || !campaign.On() && !slices.Contains(some, name) { // the older ones have no index of trigrams
			continue
		}
		if older := behindNULByOlderSQLite(t, openFixture(t, name)); (older > 0) != (name >= "v11.db") {
			t.Errorf("%s: %d messages that an older SQLite cut at a NUL", name, older)
		}
		for _, way := range []string{"delete", "one by one", "clear", "replace"} {
			if way != "delete" && (!slices.Contains(some, name) || !campaign.On() && (name != "v25.db" || way == "clear")) {
				continue
			}
			s := openFixture(t, name)
			q := otherConnection(t, s.Path())
			Must(t, q, insert, `UPDATE messages SET content = 'half' || char(0) || 'way' WHERE rowid = (SELECT max(rowid) FROM messages)`)
			ids := texts(t, s, `SELECT id FROM sessions ORDER BY id DESC`)
			for _, id := range ids {
				var err error
				switch way {
				case "clear":
					err = s.ClearMessages(t.Context(), id)
				case "replace":
					if err = s.ReplaceMessages(t.Context(), id, nil); kind(err) == model.KindContinued {
						err = nil // it was compressed; its messages go below
					}
				case "one by one":
					var u model.Undo
					if u, err = s.Delete(t.Context(), []string{id}, model.DeleteOptions{SegmentOnly: true, NoUndo: true}); err == nil {
						err = u.Close()
					} else if kind(err) == model.KindNotFound {
						err = nil // it was the subagent of another
					}
				}
				if err != nil {
					t.Fatal(name, way, err)
				}
			}
			if way == "delete" {
				if err := deleted(t, s, model.DeleteOptions{NoUndo: true}, ids...).Close(); err != nil {
					t.Fatal(err)
				}
			}
			if way == "replace" {
				Must(t, q, `DELETE FROM messages`) // rewound ones stay
			}
			if n := left(t, s); n != 0 {
				t.Error(name, way, n, "are left")
			}
			indexed(t, q, false)
			for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
				if n := Count(t, s, `SELECT count(*) FROM `+table+` WHERE `+table+` MATCH 'quagga'`); n != 0 {
					t.Errorf("%s, %s: %d are found in %s", name, way, n, table)
				}
			}
		}
	}
}

// Messages with text behind a NUL come back, and come in, with the trigrams that the
// SQLite of the file's writer has made of the others: those before the NUL, in a file
// with such messages or with none, and all in a file whose messages have all. An index that
// holds its texts has all, of the text without the NUL.
func TestMessagesBehindNULComeAsTheWriterHasThem(t *testing.T) {
	t.Parallel()
	const image = "\x00json:[{\"type\": \"text\", \"text\": \"a picture of a quagga\"}]"
	for _, name := range someOf([]string{"v11.db", "v16.db", "v23.db", "v25.db"}, 2) {
		s := openFixture(t, name)
		q := otherConnection(t, s.Path())
		inline := name < "v23.db"
		state := func() []string {
			return texts(t, s, `SELECT id || ' ' || hex(sz) FROM messages_fts_trigram_docsize `+map[bool]string{true: `WHERE id NOT IN (SELECT id FROM messages WHERE instr(CAST(content AS BLOB), x'00') > 0)`}[inline]+` ORDER BY id`)
		}
		before := state()
		ids := withImages(t, q)
		if len(ids) == 0 {
			t.Fatal(name, "has no images")
		}
		backup := filepath.Join(t.TempDir(), "removed.jsonl")
		u := deleted(t, s, model.DeleteOptions{Backup: backup}, ids...)
		restored(t, s, u)
		if after := state(); !slices.Equal(after, before) {
			t.Errorf("%s: the index is another after the undo", name)
		}
		if err := deleted(t, s, model.DeleteOptions{NoUndo: true}, ids...).Close(); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(backup)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := s.Import(t.Context(), f, model.ImportOptions{}); err != nil {
			t.Fatal(err)
		}
		if after := state(); !slices.Equal(after, before) {
			t.Errorf("%s: the index is another after the import", name)
		}
		for _, newer := range []bool{false, true} {
			s := openFixture(t, name)
			q := otherConnection(t, s.Path())
			if newer { // this SQLite is one
				if err := deleted(t, s, model.DeleteOptions{NoUndo: true}, withImages(t, q)...).Close(); err != nil {
					t.Fatal(err)
				}
				Must(t, q, session("theirs"), `INSERT INTO messages (session_id, role, content, timestamp) VALUES ('theirs', 'user', char(0) || 'json:["a picture"]', 1)`)
			}
			Must(t, q, session("ours"))
			id, err := s.AppendMessage(t.Context(), "ours", sessiondb.NewMessage{Role: "user", Content: image})
			if err != nil {
				t.Fatal(err)
			}
			whole := Count(t, s, fmt.Sprintf(`SELECT substr(sz, 1, 1) <> x'00' FROM messages_fts_trigram_docsize WHERE id = %d`, id)) == 1
			if whole != (newer || inline) {
				t.Errorf("%s: an appended image is indexed as a whole: %v, want %v", name, whole, newer)
			}
			held := image
			if inline {
				held = image[1:]
			}
			if got := texts(t, s, fmt.Sprintf(`SELECT hex(content) FROM messages_fts_trigram WHERE rowid = %d`, id)); len(got) != 1 || !strings.HasPrefix(got[0], hexed(held)) {
				t.Errorf("%s: the index holds the text %q", name, got)
			}
		}
	}
}
