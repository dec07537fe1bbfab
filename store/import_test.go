package store

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
)

// emptied removes all sessions without Hermes's triggers. The index is made
// anew first, see KindIndex.
func emptied(t testing.TB, db *sql.DB) {
	t.Helper()
	for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
		var n int
		if db.QueryRow(`SELECT count(*) FROM sqlite_master WHERE name = ?`, table).Scan(&n) == nil && n > 0 {
			Must(t, db, `INSERT INTO `+table+`(`+table+`) VALUES ('rebuild')`)
		}
	}
	Must(t, db, `PRAGMA foreign_keys = OFF`, `DELETE FROM messages`, `DELETE FROM sessions`)
	for _, table := range []string{"session_model_usage", "system_prompts"} {
		var n int
		if db.QueryRow(`SELECT count(*) FROM sqlite_master WHERE name = ?`, table).Scan(&n) == nil && n > 0 {
			Must(t, db, `DELETE FROM `+table)
		}
	}
}

func exported(t testing.TB, s *Store) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := s.Export(t.Context(), &b, model.ExportOptions{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func imported(t testing.TB, s *Store, text string) model.ImportReport {
	t.Helper()
	r, err := s.Import(t.Context(), strings.NewReader(text), model.ImportOptions{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestExportImportExportIsEqual(t *testing.T) {
	t.Parallel()
	for _, name := range versionsToTest(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openFixture(t, name)
			db := otherConnection(t, s.Path())
			if s.db.Schema.Has("messages", "message_uid") { // a trigger gives one to each new row; Hermes does to the old ones
				Must(t, db, `UPDATE messages SET message_uid = lower(hex(randomblob(16))) WHERE message_uid IS NULL`)
			}
			before := exported(t, s)
			sessions, messages := Count(t, s, `SELECT count(*) FROM sessions`), Count(t, s, `SELECT count(*) FROM messages WHERE session_id IN (SELECT id FROM sessions)`)
			hidden := 0
			if s.db.Schema.Has("messages", "active") {
				hidden = messages - strings.Count(before, `"session_id": `)
			}
			if r := imported(t, s, before); r.Skipped != sessions || r.Sessions+r.Messages+r.Unlinked+r.Renumbered != 0 {
				t.Errorf("into itself: %+v", r)
			}
			emptied(t, db)
			r := imported(t, s, before)
			if r.Sessions != sessions || r.Messages != messages-hidden || r.Skipped+r.Renumbered+r.Unlinked+r.BadLines+len(r.Unknown) != 0 {
				t.Errorf("%+v, %d sessions, %d messages", r, sessions, messages-hidden)
			}
			after := exported(t, s)
			if before == after {
				return
			}
			was, is := strings.Split(before, "\n"), strings.Split(after, "\n")
			for i := range min(len(was), len(is)) {
				if was[i] != is[i] {
					j := 0
					for j < min(len(was[i]), len(is[i])) && was[i][j] == is[i][j] {
						j++
					}
					t.Fatalf("line %d differs at %d:\n%.200s\n%.200s", i, j, was[i][max(0, j-60):], is[i][max(0, j-60):])
				}
			}
		})
	}
}

func TestImportIntoAnOlderSchemaReportsDroppedColumns(t *testing.T) {
	t.Parallel()
	from := exported(t, openFixture(t, "v25.db"))
	path := filepath.Join(t.TempDir(), "new.db")
	if _, err := Migrate(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), path, WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	r := imported(t, s, from)
	if !slices.Contains(r.Unknown, "sessions.cwd") || !slices.Contains(r.Unknown, "messages.active") || r.Sessions != strings.Count(from, "\n") {
		t.Errorf("%+v", r)
	}
	indexed(t, otherConnection(t, path), true)
	var title string
	if err := s.db.Pool.QueryRow(`SELECT parent_session_id FROM sessions WHERE parent_session_id IS NOT NULL LIMIT 1`).Scan(&title); err != nil {
		t.Error("no parent was linked", err)
	}
}

const good = `{"id": "new one", "source": "cli", "started_at": 5.0, "title": "free", "messages": [{"role": "user", "content": "hello", "timestamp": 5.5}]}`

// A bad line is named and does not keep the others out.
func TestImportOfBadLines(t *testing.T) {
	t.Parallel()
	bad := []string{
		`not JSON`, `[]`, `{}`, `{"id": "x"`, `{"id": "x", "source": "cli"}`, `{"source": "cli", "started_at": 1.0}`, `{"id": "", "source": "cli", "started_at": 1.0}`,
		`{"id": 7, "source": "cli", "started_at": 1.0}`, `{"id": "x", "source": null, "started_at": 1.0}`,
		`{"id": "x", "source": "cli", "started_at": 1.0, "messages": {}}`, `{"id": "x", "source": "cli", "started_at": 1.0, "messages": [1]}`,
		`{"id": "x", "source": "cli", "started_at": 1.0, "messages": [{"content": "x", "timestamp": 1}]}`,
		`{"id": "x", "source": "cli", "started_at": 1.0, "messages": [{"role": "user", "content": "x"}]}`,
		`{"id": "x", "source": "cli", "started_at": 1.0, "messages": [{"role": "user", "timestamp": 1, "session_id": "y"}]}`,
		`{"id": "x", "source": "cli", "started_at": 1.0} {"id": "y", "source": "cli", "started_at": 1.0}`,
		`{"id": "x", "source": "cli", "started_at": 1.0, "title": "my project"}`,
		`{"id": "x", "source": "cli", "started_at": 1.0, "messages": []`, "\x00", `{"id": "x\`, `"x"`, `{"a":}`, `{"a" 1}`, `{1:2}`, `nul`,
	}
	text := strings.Join(bad, "\r\n") + "\n\n  \n" + good
	s := openFixture(t, "v11.db")
	q := otherConnection(t, s.Path())
	before := dump(t, q)
	for line := range bad {
		r, err := s.Import(t.Context(), strings.NewReader(bad[line]+"\n"+good), model.ImportOptions{Strict: true})
		if kind(err) != model.KindInvalid || r.BadLines != 1 && line != 13 && line != 15 {
			t.Errorf("strict, %q: %+v %v", bad[line], r, err)
		}
	}
	same(t, "strict", before, dump(t, q))
	r, err := s.Import(t.Context(), strings.NewReader(text), model.ImportOptions{})
	if err != nil || r.Sessions != 1 || r.Messages != 1 || r.BadLines != len(bad) {
		t.Errorf("%+v %v", r, err)
	}
	for i, b := range r.Bad {
		if b.Line < 1 || b.Line > len(bad) || b.Err == nil {
			t.Errorf("%d: %+v", i, b)
		}
	}
	if n := Count(t, s, `SELECT count(*) FROM sessions WHERE id IN ('x', 'y')`); n != 0 {
		t.Error("a bad line left a session")
	}
	if r, err := s.Import(t.Context(), strings.NewReader(strings.Replace(good, "new one", "another", 1)), model.ImportOptions{DropTitles: true}); err != nil || r.Untitled != 1 || r.Sessions != 1 {
		t.Errorf("%+v %v", r, err)
	}
}

// Parents come later, earlier, or not at all.
func TestImportLinksParents(t *testing.T) {
	t.Parallel()
	line := func(id, parent string) string {
		return fmt.Sprintf(`{"id": %q, "source": "cli", "parent_session_id": %s, "started_at": 1.0, "messages": []}`, id, parent) + "\n"
	}
	s := openFixture(t, "v16.db")
	lines := line("c", `"b"`) + line("b", `"a"`) + line("d", `"a"`) + line("a", "null") + line("e", `"a"`) + line("lost", `"nowhere"`) + line("self", `"self"`)
	r := imported(t, s, lines)
	if r.Sessions != 7 || r.Unlinked != 1 {
		t.Errorf("%+v", r)
	}
	st := see(t, otherConnection(t, s.Path()))
	for id, parent := range map[string]any{"a": nil, "b": "a", "c": "b", "d": "a", "e": "a", "lost": nil, "self": "self"} {
		if st.parents[id] != parent {
			t.Errorf("%s has the parent %v", id, st.parents[id])
		}
	}
	// As after an import that was cut off before the parent came.
	Must(t, otherConnection(t, s.Path()), `UPDATE sessions SET parent_session_id = NULL WHERE id IN ('b', 'd', 'e')`, `DELETE FROM sessions WHERE id = 'a'`)
	if r := imported(t, s, lines); r.Sessions != 1 || r.Skipped != 6 {
		t.Errorf("%+v", r)
	}
	st = see(t, otherConnection(t, s.Path()))
	for _, id := range []string{"b", "d", "e"} {
		if st.parents[id] != "a" {
			t.Errorf("%s has the parent %v", id, st.parents[id])
		}
	}
}

// Numbers that are taken are given anew, for the session as a whole, in order.
func TestImportRenumbersMessages(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	r := imported(t, s, `{"id": "n", "source": "cli", "started_at": 1.0, "messages": [{"id": 1000000, "role": "user", "content": "first", "timestamp": 1}, {"id": 1000001, "role": "user", "content": "second", "timestamp": 1}]}
{"id": "m", "source": "cli", "started_at": 1.0, "messages": [{"id": 999999, "role": "user", "content": "first", "timestamp": 1}, {"id": 1000001, "role": "user", "content": "second", "timestamp": 1}]}`)
	if r.Messages != 4 || r.Renumbered != 2 {
		t.Errorf("%+v", r)
	}
	messages, err := s.Messages(t.Context(), "m")
	if err != nil || len(messages) != 2 || messages[0].Get("content") != "first" {
		t.Error(messages, err)
	}
	// Behind the highest number that there is, neither this import nor Hermes could add one.
	r = imported(t, s, `{"id": "last", "source": "cli", "started_at": 1.0, "messages": [{"id": 9223372036854775807, "role": "user", "content": "highest", "timestamp": 1}]}
{"id": "more", "source": "cli", "started_at": 1.0, "messages": [{"role": "user", "content": "without one", "timestamp": 1}]}`)
	if r.Messages != 2 || r.Renumbered != 2 {
		t.Errorf("%+v", r)
	}
}

// A backup comes back through Import too: whole, twice, with damage, and into
// another database.
func TestImportOfABackup(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v25.db")
	q := otherConnection(t, s.Path())
	before := dump(t, q)
	file := filepath.Join(t.TempDir(), "backup.jsonl")
	u := deleted(t, s, model.DeleteOptions{Backup: file}, conversations(t, s)[:10]...)
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := imported(t, s, string(b))
	if r.Sessions != len(u.Deleted().Sessions) || r.Messages != u.Deleted().Messages || r.BadLines != 0 {
		t.Errorf("%+v", r)
	}
	same(t, "backup", before, dump(t, q))
	if r := imported(t, s, string(b)); r.Sessions+r.Messages != 0 {
		t.Errorf("again: %+v", r)
	}
	same(t, "backup again", before, dump(t, q))

	lines := strings.SplitAfter(string(b), "\n")
	damaged := lines[0] + "{\"table\": 7}\nnot JSON\n" + strings.Join(lines[1:], "")
	path := filepath.Join(t.TempDir(), "new.db")
	if _, err := Migrate(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	other, err := Open(t.Context(), path, WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	if _, err := other.Import(t.Context(), strings.NewReader(damaged), model.ImportOptions{Strict: true}); kind(err) != model.KindInvalid {
		t.Error(err)
	}
	r, err = other.Import(t.Context(), strings.NewReader(damaged), model.ImportOptions{})
	if err != nil || r.Sessions != len(u.Deleted().Sessions) || r.BadLines != 2 || !slices.Contains(r.Unknown, "sessions.archived") {
		t.Errorf("%+v %v", r, err)
	}
	if v := Count(t, other, `SELECT version FROM schema_version`); v != 11 {
		t.Error("a backup changed the version")
	}
}

// A statement of SQLite takes 32,766 values: messages with many columns come back by several.
func TestMessagesOfManyColumnsComeBack(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11-first.db")
	q := otherConnection(t, s.Path())
	id := conversations(t, s)[0]
	for i := range 80 {
		if _, err := q.ExecContext(t.Context(), fmt.Sprintf(`ALTER TABLE messages ADD COLUMN more%d INTEGER`, i)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := q.ExecContext(t.Context(), `INSERT INTO messages (session_id, role, content, timestamp)
		WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 600) SELECT ?, 'user', x, 1.7e9 + x FROM c`, id); err != nil {
		t.Fatal(err)
	}
	s = reopen(t, s.Path())
	before, lines := dump(t, q), exported(t, s)
	u := deleted(t, s, model.DeleteOptions{}, id)
	if u.Deleted().Messages < 600 {
		t.Fatalf("%+v", u.Deleted())
	}
	restored(t, s, u)
	same(t, "undo", before, dump(t, q))
	emptied(t, q)
	imported(t, s, lines)
	if after := exported(t, s); after != lines {
		t.Errorf("the import differs: %d bytes, not %d", len(after), len(lines))
	}
}

// display_metadata comes in as the object of today's exports and as the text of earlier ones,
// and the columns about the place on Hermes's screen do not come in: Hermes and its triggers
// fill them in.
func TestImportOfDisplayColumns(t *testing.T) {
	t.Parallel()
	const line = `{"id": "new one", "source": "cli", "started_at": 5.0, "messages": [` +
		`{"role": "user", "content": "a", "timestamp": 1.0, "display_metadata": {"to": "部署", "n": 1}}, ` +
		`{"role": "user", "content": "b", "timestamp": 2.0, "display_metadata": "{\"to\": \"x\"}"}, ` +
		`{"role": "user", "content": "c", "timestamp": 3.0, "display_metadata": "\"{\\\"to\\\": \\\"x\\\"}\""}, ` +
		`{"role": "user", "content": "d", "timestamp": 4.0, "display_metadata": {"$real": "1"}}, ` +
		`{"role": "user", "content": "e", "timestamp": 5.0, "display_metadata": null, "display_identity": "\ufffd\ufffd", "display_order": 7}]}`
	stored := []string{`{"to": "\u90e8\u7f72", "n": 1}`, `{"to": "x"}`, `"{\"to\": \"x\"}"`, `{"$real": "1"}`, ``}
	const exportedAs = `"display_metadata": {"to": "部署", "n": 1}` + `"display_metadata": {"to": "x"}` + `"display_metadata": {"to": "x"}` +
		`"display_metadata": {"$real": "1"}` + `"display_metadata": null`
	for _, name := range []string{"v25.db", "v28.db", "v31.db"} {
		s := openFixture(t, name)
		if r := imported(t, s, line); len(r.Unknown) > 0 {
			t.Errorf("%s: %v", name, r.Unknown)
		}
		if got := texts(t, s, `SELECT coalesce(display_metadata, '') FROM messages WHERE session_id = 'new one' ORDER BY id`); !slices.Equal(got, stored) {
			t.Errorf("%s: stored %q", name, got)
		}
		var b strings.Builder
		if _, err := s.Export(t.Context(), &b, model.ExportOptions{IDs: []string{"new one"}}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(regexp.MustCompile(`"display_metadata": (\{.*?\}|null)`).FindAllString(b.String(), -1), ""); got != exportedAs {
			t.Errorf("%s: exported %s", name, got)
		}
		if strings.Contains(b.String(), "display_identity") || strings.Contains(b.String(), "display_order") {
			t.Errorf("%s: exported %s", name, b.String())
		}
		if s.db.Schema.Has("messages", "display_order") {
			if n := Count(t, s, `SELECT count(*) FROM messages WHERE session_id = 'new one' AND (display_identity IS NOT NULL OR display_order IS NOT id)`); n > 0 {
				t.Errorf("%s: %d messages have a place of another file", name, n)
			}
		}
	}
}

// A backup has every column as it is stored, bytes too, and those that an export leaves out.
func TestBackupKeepsEveryColumn(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v26.db", "v28.db", "v30.db", "v31.db"} {
		s := openFixture(t, name)
		q := otherConnection(t, s.Path())
		sessions := named(t, name)
		ids := []string{sessions["display"], sessions["compacted_in_place"], sessions["multimodal"]}
		before := dump(t, q)
		backup := filepath.Join(t.TempDir(), "removed.jsonl")
		restored(t, s, deleted(t, s, model.DeleteOptions{}, ids...))
		same(t, name+": undo", before, dump(t, q))
		if err := deleted(t, s, model.DeleteOptions{Backup: backup, NoUndo: true}, ids...).Close(); err != nil {
			t.Fatal(err)
		}
		lines, err := os.ReadFile(backup)
		if err != nil {
			t.Fatal(err)
		}
		if identities := s.db.Schema.Has("messages", "display_identity"); strings.Contains(string(lines), `"display_identity": {"$bytes_base64": "`) != identities {
			t.Errorf("%s: the backup has no bytes", name)
		}
		imported(t, s, string(lines))
		same(t, name+": import", before, dump(t, q))
	}
}

// A backup may not write into Hermes's bookkeeping.
func TestBackupFillsOnlyTablesOfSessions(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v25.db")
	r := imported(t, s, `{"hermes_sessions_backup": 1}
{"table": "schema_version", "row": {"version": 99}}
{"table": "state_meta", "row": {"key": "fts_stale", "value": "1"}}
{"table": "sqlite_master", "row": {"name": "x"}}
{"table": "no such table", "row": {"name": "x"}}`)
	if len(r.Unknown) != 4 || Count(t, s, `SELECT max(version) FROM schema_version`) != 25 {
		t.Errorf("%+v", r)
	}
}

// endless is a line that is longer than memory should be.
type endless struct {
	at, messages int
	buf          []byte
}

func (e *endless) Read(p []byte) (int, error) {
	for len(e.buf) == 0 {
		e.at++
		switch {
		case e.at == 1:
			e.buf = []byte(`{"messages": [`)
		case e.at <= e.messages:
			e.buf = fmt.Appendf(nil, `{"role": "user", "content": "%s", "timestamp": 1}, `, strings.Repeat("word ", 20000))
		case e.at == e.messages+1:
			e.buf = []byte(`{"role": "user", "content": "end", "timestamp": 1}], "id": "big", "source": "cli", "started_at": "x"`)
		case e.at == e.messages+2:
			e.buf = []byte("\n" + good)
		default:
			return 0, io.EOF
		}
	}
	n := copy(p, e.buf)
	e.buf = e.buf[n:]
	return n, nil
}

// A line of 50 MB, in a campaign of 100, cut off at its very end, costs no memory to speak of.
func TestImportOfALongLineTakesLittleMemory(t *testing.T) {
	s := openFixture(t, "v11.db")
	megabytes := campaign.Length(50, 100)
	peak := heapDuring(t, func() {
		r, err := s.Import(t.Context(), &endless{messages: 10 * megabytes}, model.ImportOptions{})
		if err != nil || r.BadLines != 1 || r.Sessions != 1 {
			t.Errorf("%+v %v", r, err)
		}
	})
	t.Logf("%d MB more heap than before", peak>>20)
	if peak > uint64(megabytes)*8/10<<20 {
		t.Errorf("%d MB of heap for one line", peak>>20)
	}
}

func TestCanceledImportKeepsWholeSessions(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v11.db")
	var lines strings.Builder
	for n := range 300 {
		fmt.Fprintf(&lines, `{"id": "i%d", "source": "cli", "started_at": 1.0, "messages": [{"role": "user", "content": "a", "timestamp": 1}, {"role": "user", "content": "b", "timestamp": 1}]}`+"\n", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r, err := s.Import(ctx, strings.NewReader(lines.String()), model.ImportOptions{Progress: func(int64) { cancel() }})
	if err == nil || r.Sessions == 0 || r.Sessions == 300 {
		t.Fatalf("%+v %v", r, err)
	}
	if n := Count(t, s, `SELECT count(*) FROM messages WHERE session_id IN (SELECT id FROM sessions WHERE id LIKE 'i%')`); n != 2*r.Sessions {
		t.Error(n, "messages of", r.Sessions, "sessions")
	}
}

func FuzzImportLine(f *testing.F) {
	f.Add(good)
	f.Add(`{"hermes_sessions_backup": 1}` + "\n" + `{"table": "sessions", "rowid": 1, "row": {"id": "x", "source": "cli", "started_at": 1.0}}`)
	f.Add(`{"hermes_sessions_backup": 1}` + "\n" + `{"link": "x", "parent": "y"}` + "\n" + `{"file": "../x", "data": "AA=="}`)
	f.Add(`{"hermes_sessions_backup": 1}` + "\n" + `{"table": "sessions", "rowid": 1, "row": {"source": "cli", "started_at": 1.0}}`)
	f.Add(`{"id": "\ud800", "source": "\u0000", "started_at": NaN, "messages": [{"role": "a", "timestamp": Infinity, "id": 1e99, "content": [{}], "tool_calls": {"$real": "x"}}]}`)
	f.Add("{\"id\":\"a\",\"source\":\"\xff\",\"started_at\":-1,\"title\":\"\",\"parent_session_id\":\"a\",\"messages\":[]}")
	path := filepath.Join(f.TempDir(), "fuzz.db")
	if _, err := Migrate(context.Background(), path); err != nil {
		f.Fatal(err)
	}
	s, err := Open(context.Background(), path, WithTranscripts(filepath.Join(f.TempDir(), "sessions")))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.Close() })
	f.Fuzz(func(t *testing.T, text string) {
		r, err := s.Import(t.Context(), strings.NewReader(text), model.ImportOptions{})
		if err != nil {
			if k := kind(err); k != model.KindExists && k != model.KindTitleInUse && !strings.Contains(err.Error(), "constraint") && !strings.Contains(err.Error(), "refers to a row that no longer exists") && !strings.Contains(err.Error(), "transcript file") {
				t.Fatalf("%q: %v", text, err)
			}
		}
		if r.Sessions < 0 || r.BadLines < len(r.Bad) {
			t.Fatalf("%+v", r)
		}
		// What came in can go out and come in again.
		var out bytes.Buffer
		if _, err := s.Export(t.Context(), &out, model.ExportOptions{}); err != nil {
			t.Fatal(err)
		}
		if again, err := s.Import(t.Context(), &out, model.ImportOptions{}); err != nil || again.Sessions > 0 {
			t.Fatalf("%+v %v", again, err)
		}
		if _, err := s.db.Writer.Pool.Exec(`DELETE FROM messages; DELETE FROM sessions`); err != nil && !strings.Contains(err.Error(), "FOREIGN KEY") {
			t.Fatal(err)
		}
	})
}

// heapDuring returns how much the heap grew at most while f ran.
func heapDuring(t testing.TB, f func()) uint64 {
	t.Helper()
	// With 100, as much garbage as the other tests keep in memory would be counted.
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	read := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	runtime.GC()
	before := read()
	stop, peak := make(chan struct{}), make(chan uint64)
	go func() {
		most := before
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				most = max(most, read())
			case <-stop:
				peak <- most
				return
			}
		}
	}()
	f()
	close(stop)
	return <-peak - before
}

// A message that gets another number at import keeps its columns, though that number is also the
// one of another message of the backup.
func TestImportOfNumbersThatAreTaken(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v31.db")
	q := otherConnection(t, path)
	Must(t, q, `INSERT INTO sessions (id, source, started_at, ended_at) VALUES ('two', 'cli', 1, 2), ('other', 'cli', 1, 2)`,
		`INSERT INTO messages (id, session_id, role, content, timestamp, token_count) VALUES (9001, 'two', 'user', 'first', 1, 11), (9003, 'two', 'user', 'second', 2, 22)`,
		`UPDATE messages SET display_order = NULL, message_uid = 'uid of ' || content WHERE session_id = 'two'`)
	s := reopen(t, path)
	read := func() (all []string) {
		rows, err := q.Query(`SELECT content || ' ' || token_count || ' ' || message_uid FROM messages WHERE session_id = 'two' ORDER BY content`)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var line string
			if err := rows.Scan(&line); err != nil {
				t.Fatal(err)
			}
			all = append(all, line)
		}
		return all
	}
	before := read()
	backup := filepath.Join(t.TempDir(), "backup")
	if _, err := s.Delete(t.Context(), []string{"two"}, model.DeleteOptions{Backup: backup}); err != nil {
		t.Fatal(err)
	}
	Must(t, q, `UPDATE sqlite_sequence SET seq = 9000 WHERE name = 'messages'`,
		`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('other', 'user', 'here', 1), ('other', 'user', 'and there', 2)`)
	r, err := s.Import(t.Context(), strings.NewReader(string(fileContent(t, backup))), model.ImportOptions{})
	if err != nil || r.Renumbered == 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if after := read(); !slices.Equal(before, after) {
		t.Errorf("%q, not %q", after, before)
	}
}
