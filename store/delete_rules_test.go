package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/trash"
)

// effect is what a recorded call did to the database.
type effect struct {
	Removed []string `json:"sessions_removed"`
	Changed []struct {
		After []any `json:"after"`
	} `json:"sessions_changed"`
	Messages [][]any `json:"messages_removed"`
	Rows     []int   `json:"fts_rows"`
	Trigram  []int   `json:"trigram_rows"`
}

// relinked returns the sessions that lost their parent.
func (e effect) relinked() (ids []string) {
	for _, c := range e.Changed {
		ids = append(ids, c.After[0].(string))
	}
	slices.Sort(ids)
	return ids
}

// seen is the state by which an effect is recognized.
type seen struct {
	parents  map[string]any
	messages map[string]int
	fts      int
	trigram  int
}

func see(t testing.TB, db *sql.DB) seen {
	t.Helper()
	st := seen{parents: map[string]any{}, messages: map[string]int{}}
	rows, err := db.Query(`SELECT id, parent_session_id, (SELECT count(*) FROM messages WHERE session_id = s.id) FROM sessions s`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		var parent any
		var n int
		if err := rows.Scan(&id, &parent, &n); err != nil {
			t.Fatal(err)
		}
		st.parents[id], st.messages[id] = parent, n
	}
	if err := db.QueryRow(`SELECT (SELECT count(*) FROM messages_fts_docsize), (SELECT count(*) FROM messages_fts_trigram_docsize)`).Scan(&st.fts, &st.trigram); err != nil {
		t.Fatal(err)
	}
	return st
}

// between returns the sessions that are gone and those that lost their parent.
func (st seen) between(after seen) (removed, relinked []string) {
	for id := range st.parents {
		if parent, ok := after.parents[id]; !ok {
			removed = append(removed, id)
		} else if parent != st.parents[id] {
			relinked = append(relinked, id)
		}
	}
	slices.Sort(removed)
	slices.Sort(relinked)
	return removed, relinked
}

// without returns what is in a and not in b.
func without(a, b []string) (rest []string) {
	for _, v := range a {
		if !slices.Contains(b, v) {
			rest = append(rest, v)
		}
	}
	return rest
}

// The recorded deletes took single sessions. We take their subagents too.
// Differences carry the number of their fault in store/README.md#known-faults.
func TestDeleteSessionAsRecorded(t *testing.T) {
	t.Parallel()
	var recording struct {
		Items []struct {
			Input  string `json:"input"`
			Note   string `json:"note"`
			Output bool   `json:"output"`
			Effect effect `json:"effect"`
		} `json:"items"`
	}
	Recorded(t, "v11/delete_session", &recording)
	differences := map[string]string{
		"chain_1":   "Q11: the subagent goes with the session that started it",
		"chain_2":   "Q11: the subagent goes with the session that started it",
		"tree_root": "Q11: subagents go to any depth",
		"tree_d1":   "Q11: subagents go to any depth",
	}
	equal := 0
	for _, item := range recording.Items {
		s := openFixture(t, "v11.db")
		q := otherConnection(t, s.Path())
		before := see(t, q)
		u, err := s.Delete(t.Context(), []string{item.Input}, model.DeleteOptions{SegmentOnly: true})
		if !item.Output {
			if kind(err) != model.KindNotFound {
				t.Errorf("%s: %v", item.Input, err)
			} else {
				equal++
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", item.Note, err)
			continue
		}
		after := see(t, q)
		removed, relinked := before.between(after)
		more, less := without(removed, item.Effect.Removed), without(item.Effect.relinked(), relinked)
		switch {
		case len(without(item.Effect.Removed, removed)) > 0 || len(without(relinked, item.Effect.relinked())) > 0:
			t.Errorf("%s: removed %q, relinked %q, recorded %q and %q", item.Note, removed, relinked, item.Effect.Removed, item.Effect.relinked())
		case len(more) == 0 && len(less) == 0:
			if after.fts != item.Effect.Rows[1] || after.trigram != item.Effect.Trigram[1] || u.Deleted().Messages != item.Effect.Rows[0]-item.Effect.Rows[1] {
				t.Errorf("%s: %d and %d rows in the index, recorded %v", item.Note, after.fts, after.trigram, item.Effect.Rows)
			}
			equal++
		case differences[item.Note] == "":
			t.Errorf("%s: also removed %q, not relinked %q", item.Note, more, less)
		default:
			c := u.Deleted()
			if c.Delegates != len(more) {
				t.Errorf("%s: %d delegates, removed %q", item.Note, c.Delegates, more)
			}
			t.Logf("%s differs: %s (%d more)", item.Note, differences[item.Note], len(more))
		}
		u.Close()
	}
	t.Logf("delete_session: %d of %d equal", equal, len(recording.Items))
}

// One writes sessions of an invented history into a copy of a fixture and
// opens it.
func One(t testing.TB, name string, statements ...string) (*Store, *sql.DB) {
	t.Helper()
	path := fixture(t, name)
	db := otherConnection(t, path)
	Must(t, db, statements...)
	s, err := Open(t.Context(), path, WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, db
}

// session is the statement that makes one, with more columns and values.
func session(id string, columns ...string) string {
	names, values := "id, source, started_at", "'"+id+"', 'cli', 1700000000"
	for i := 0; i < len(columns); i += 2 {
		names += ", " + columns[i]
		values += ", " + columns[i+1]
	}
	return `INSERT INTO sessions (` + names + `) VALUES (` + values + `)`
}

// message is the statement that adds n messages to a session.
func message(id string, n int) string {
	return fmt.Sprintf(`WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < %d)
		INSERT INTO messages (session_id, role, content, timestamp) SELECT '%s', 'user', 'word number ' || n, 1700000000 + n FROM i`, n, id)
}

// Deleting what the list shows as one row leaves no part of it behind.
func TestQ10DeleteTakesTheWholeConversation(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"root", "middle", "tip"} {
		s, db := One(t, "v11.db",
			session("root", "ended_at", "1700000100", "end_reason", "'compression'"), message("root", 3),
			`UPDATE sessions SET started_at = 1700000000 WHERE id = 'root'`,
			session("middle", "parent_session_id", "'root'", "ended_at", "1700000300", "end_reason", "'compression'"),
			`UPDATE sessions SET started_at = 1700000100 WHERE id = 'middle'`, message("middle", 2),
			session("tip", "parent_session_id", "'middle'"), `UPDATE sessions SET started_at = 1700000300 WHERE id = 'tip'`, message("tip", 2),
			session("branch", "parent_session_id", "'root'", "model_config", `'{"_branched_from": "root"}'`), message("branch", 1),
		)
		p, err := s.PlanDelete(t.Context(), []string{by}, model.DeleteOptions{})
		if err != nil || p.Requested != 3 || p.Messages != 7 || !slices.Equal(p.Orphaned, []string{"branch"}) {
			t.Fatalf("%+v %v", p, err)
		}
		before := see(t, db)
		u := deleted(t, s, model.DeleteOptions{}, by)
		removed, relinked := before.between(see(t, db))
		if !slices.Equal(removed, []string{"middle", "root", "tip"}) || !slices.Equal(relinked, []string{"branch"}) {
			t.Errorf("by %s: removed %q, relinked %q", by, removed, relinked)
		}
		restored(t, s, u)
		if removed, relinked := before.between(see(t, db)); len(removed)+len(relinked) > 0 {
			t.Error(removed, relinked)
		}
	}
}

// One segment by explicit choice: what went on from it is a conversation of
// its own, and the plan says so.
func TestPlanOfOneSegmentNamesRelinkedSessions(t *testing.T) {
	t.Parallel()
	s := openFixture(t, "v25.db")
	db := otherConnection(t, s.Path())
	c, err := s.sessions.CurrentSnapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Collect(conversationsOf(c))
	at := slices.IndexFunc(all, func(c model.Conversation) bool { return len(c.Segments) == 4 })
	chain := all[at].Segments
	p, err := s.PlanDelete(t.Context(), chain[1:2], model.DeleteOptions{SegmentOnly: true})
	if err != nil || p.Requested != 1 || !slices.Contains(p.Orphaned, chain[2]) {
		t.Fatalf("%+v %v", p, err)
	}
	before := dump(t, db)
	u := deleted(t, s, model.DeleteOptions{SegmentOnly: true}, chain[1])
	if conv, err := s.Conversation(t.Context(), chain[3]); err != nil || !slices.Equal(conv.Segments, chain[2:]) {
		t.Error(conv.Segments, err)
	}
	restored(t, s, u)
	same(t, "segment", before, dump(t, db))
}

// Whichever segment goes alone: what becomes of the others is what the plan
// says, and what branched off or worked for it is not forgotten. Taken back,
// every row is as it was.
func TestDeleteAndRestoreOfEverySegment(t *testing.T) {
	t.Parallel()
	for _, name := range someOf([]string{"v11.db", "v16.db", "v25.db"}, 2) {
		var rows []string
		for k := 1; k <= 4; k++ {
			id, parent, ended := fmt.Sprint("part", k), "NULL", ""
			if k > 1 {
				parent = fmt.Sprintf("'part%d'", k-1)
			}
			if k < 4 {
				ended = fmt.Sprintf("UPDATE sessions SET ended_at = %d, end_reason = 'compression' WHERE id = '%s'", 1700000000+100*k, id)
			}
			rows = append(rows, session(id, "parent_session_id", parent, "title", fmt.Sprintf("'part #%d'", k)),
				fmt.Sprintf("UPDATE sessions SET started_at = %d WHERE id = '%s'", 1700000000+100*(k-1), id), message(id, 3))
			if ended != "" {
				rows = append(rows, ended)
			}
			rows = append(rows,
				session(fmt.Sprint("fork", k), "parent_session_id", "'"+id+"'", "model_config", `'{"_branched_from": "`+id+`"}'`), message(fmt.Sprint("fork", k), 2),
				session(fmt.Sprint("help", k), "parent_session_id", "'"+id+"'", "model_config", `'{"_delegate_from": "`+id+`"}'`), message(fmt.Sprint("help", k), 2))
		}
		s, q := One(t, name, rows...)
		whole, err := s.Conversation(t.Context(), "part1")
		if err != nil || len(whole.Segments) != 4 {
			t.Fatalf("%s: %q %v", name, whole.Segments, err)
		}
		before, found := dump(t, q), indexed(t, q, true)
		for k := range 4 {
			id := whole.Segments[k]
			o := model.DeleteOptions{SegmentOnly: true}
			p, err := s.PlanDelete(t.Context(), []string{id}, o)
			if err != nil || p.Requested != 1 || p.Delegates != 1 || p.Messages != 5 || !slices.Contains(p.Orphaned, fmt.Sprint("fork", k+1)) {
				t.Fatalf("%s: segment %d: %+v %v", name, k+1, p, err)
			}
			o.Expected = &p
			u := deleted(t, s, o, id)
			for part, want := range map[int][]string{0: whole.Segments[:k], 3: whole.Segments[k+1:]} {
				if len(want) == 0 {
					continue
				}
				if c, err := s.Conversation(t.Context(), whole.Segments[part]); err != nil || !slices.Equal(c.Segments, want) {
					t.Errorf("%s, without segment %d: %q, want %q, %v", name, k+1, c.Segments, want, err)
				}
			}
			if c, err := s.Conversation(t.Context(), fmt.Sprint("fork", k+1)); err != nil || len(c.Segments) != 1 {
				t.Errorf("%s: the branch of segment %d: %+v %v", name, k+1, c, err)
			}
			restored(t, s, u)
			same(t, fmt.Sprintf("%s: segment %d", name, k+1), before, dump(t, q))
			if now := indexed(t, q, true); !slices.Equal(now, found) {
				t.Errorf("%s: the index held %v, now %v", name, found, now)
			}
		}
		// The session continued since the plan: the plan is out of date.
		o := model.DeleteOptions{SegmentOnly: true}
		p, err := s.PlanDelete(t.Context(), []string{"part4"}, o)
		if err != nil {
			t.Fatal(err)
		}
		Must(t, q, `UPDATE sessions SET ended_at = 1700000400, end_reason = 'compression' WHERE id = 'part4'`,
			session("part5", "parent_session_id", "'part4'"), `UPDATE sessions SET started_at = 1700000400 WHERE id = 'part5'`)
		o.Expected = &p
		changed := dump(t, q)
		if u, err := s.Delete(t.Context(), []string{"part4"}, o); u != nil || kind(err) != model.KindChanged {
			t.Errorf("%s: %v %v", name, u, err)
		}
		same(t, name, changed, dump(t, q))
	}
}

// No subagent becomes a conversation because its parent was deleted, and
// where software marks subagents, nothing else is taken for one.
func TestQ11DelegatesGoWithTheirConversation(t *testing.T) {
	t.Parallel()
	for _, name := range versionsToTest(t) {
		s := openFixture(t, name)
		c, err := s.sessions.CurrentSnapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all := slices.Collect(conversationsOf(c))
		at := slices.IndexFunc(all, func(c model.Conversation) bool { return c.Delegates > 1 && c.Scope != model.ScopeSubagents })
		if at < 0 {
			continue
		}
		conv := all[at]
		u := deleted(t, s, model.DeleteOptions{}, conv.ID)
		if g := u.Deleted(); g.Delegates != conv.Delegates {
			t.Errorf("%s: %d of %d delegates went with %s", name, g.Delegates, conv.Delegates, conv.ID)
		}
		after, err := s.sessions.CurrentSnapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for m := range conversationsOf(after) {
			old, _ := c.ConversationOf(m.ID)
			if old.Scope == model.ScopeSubagents && m.Scope != model.ScopeSubagents {
				t.Errorf("%s: %s turned into a conversation", name, old.ID)
			}
		}
	}

	s, _ := One(t, "v16.db", session("mother"),
		session("marked", "parent_session_id", "'mother'", "model_config", `'{"_delegate_from": "mother"}'`),
		session("deep", "parent_session_id", "'marked'", "model_config", `'{"_delegate_from": "marked"}'`),
		session("apart", "model_config", `'{"_delegate_from": "mother"}'`),
		session("both", "parent_session_id", "'mother'", "model_config", `'{"_delegate_from": "mother", "_branched_from": "mother"}'`),
		session("plain", "parent_session_id", "'mother'"))
	p, err := s.PlanDelete(t.Context(), []string{"mother"}, model.DeleteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(p.Sessions)
	if !slices.Equal(p.Sessions, []string{"apart", "deep", "marked", "mother"}) || !slices.Equal(p.Orphaned, []string{"both", "plain"}) {
		t.Errorf("%+v", p)
	}
}

// Exactly the files of the session go, and Restore brings them back.
func TestQ19TranscriptFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sessions := filepath.Join(dir, "sessions")
	if err := os.MkdirAll(filepath.Join(sessions, "old"), 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(names ...string) {
		for _, name := range names {
			if err := os.WriteFile(filepath.Join(sessions, name), []byte("of "+name+strings.Repeat("x", 100_000)), 0o640); err != nil {
				t.Fatal(err)
			}
		}
	}
	goes := []string{
		"old.json", "old.jsonl", "session_old.json", "request_dump_old_1.json", "request_dump_old_20260102_030405_678901.json",
		"[a-z]*.json", "request_dump_[a-z]*_1.json",
	}
	stays := []string{
		"old_er.json", "request_dump_old_er_1.json", "request_dump_old_er_2026.json", "old.json.bak", "request_dump_old_x.txt",
		"request_dump_old_gone_1.json", "other.json", "request_dump_other_1.json", "session_old_er.json", "old2.json", "../x.json", "old/1.json",
		"request_dump_old_.json", "session_both.json",
	}
	write(append(slices.Clone(goes), stays...)...)
	if err := os.Symlink(filepath.Join(dir, "x.json"), filepath.Join(sessions, "link.json")); err != nil {
		t.Skip("this user may make no symbolic links:", err) // Windows asks for a privilege
	}
	path := fixture(t, "v11.db")
	Must(t, otherConnection(t, path), session("old"), session("old_er"), session("other"), session("../x"), session("[a-z]*"), session("link"),
		session("both"), session("session_both"), message("old", 2))
	s, err := Open(t.Context(), path, WithTranscripts(sessions))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	ids := []string{"old", "../x", "[a-z]*", "link", "session_both"}
	p, err := s.PlanDelete(t.Context(), ids, model.DeleteOptions{})
	if err != nil || p.Files != len(goes) {
		t.Error(p.Files, err)
	}
	old := time.Unix(1700000000, 0)
	if err := os.Chtimes(filepath.Join(sessions, "old.json"), old, old); err != nil {
		t.Fatal(err)
	}
	u := deleted(t, s, model.DeleteOptions{}, ids...)
	if g := u.Deleted(); g.Files != len(goes) || len(g.FilesLeft) > 0 {
		t.Errorf("%+v", g)
	}
	for _, name := range goes {
		if _, err := os.Lstat(filepath.Join(sessions, name)); !errors.Is(err, os.ErrNotExist) {
			t.Error(name, "is left", err)
		}
	}
	for _, name := range append(stays, "link.json") {
		if _, err := os.Lstat(filepath.Join(sessions, name)); err != nil {
			t.Error(name, "is gone", err)
		}
	}
	write("old.jsonl") // another process has created it again
	if err := os.WriteFile(filepath.Join(sessions, "old.jsonl"), []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	restored(t, s, u)
	for _, name := range goes {
		b, err := os.ReadFile(filepath.Join(sessions, name))
		if want := "of " + name + strings.Repeat("x", 100_000); err != nil || name == "old.jsonl" && string(b) != "new" || name != "old.jsonl" && string(b) != want {
			t.Errorf("%s: %d bytes %v", name, len(b), err)
		}
	}
	if info, err := os.Stat(filepath.Join(sessions, "old.json")); err != nil || !info.ModTime().Equal(old) || info.Mode().Perm() != 0o640 {
		t.Error(info, err)
	}
}

func TestQ27FortyThousandIDs(t *testing.T) {
	t.Parallel()
	campaign.Only(t) // it makes 40,000 sessions
	s, _ := One(t, "v11.db", `WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 40000)
		INSERT INTO sessions (id, source, started_at) SELECT 'many_' || n, 'cli', n FROM i`)
	var ids []string
	for n := 1; n <= 40000; n++ {
		ids = append(ids, fmt.Sprintf("many_%d", n))
	}
	u := deleted(t, s, model.DeleteOptions{}, ids...)
	if n := Count(t, s, `SELECT count(*) FROM sessions WHERE id LIKE 'many%'`); n != 0 || len(u.Deleted().Sessions) != 40000 {
		t.Error(n, "are left,", len(u.Deleted().Sessions), "gone")
	}
}

// While a long conversation goes, another program can write every time it
// wants to, and none of its rows is lost.
func TestLongDeleteLetsOtherProcessesWrite(t *testing.T) {
	s, q := One(t, "v25.db", session("long"), message("long", 2200), session("other"))
	before := dump(t, q)
	const meanwhile = `INSERT INTO messages (session_id, role, content, timestamp) VALUES ('other', 'user', 'meanwhile', 1)`
	stop, stopped := make(chan struct{}), make(chan int)
	go func() { // as patient as Hermes
		for n, refused := 0, 0; ; {
			select {
			case <-stop:
				stopped <- n
				return
			default:
			}
			if err := db.SleepContext(t.Context(), 10*time.Millisecond); err != nil {
				t.Error(err)
			}
			_, err := q.Exec(meanwhile)
			switch {
			case err == nil:
				n, refused = n+1, 0
			case db.ResultCode(err) != db.SQLiteBusy || refused == db.MaxWriteTries:
				t.Error("the patient writer:", err)
				<-stop
			default:
				refused++
			}
		}
	}()
	var progress []int
	u, err := s.Delete(t.Context(), []string{"long"}, model.DeleteOptions{Progress: func(done, total int) {
		progress = append(progress, done)
		if total != 2200 {
			t.Error("of", total)
		}
	}})
	close(stop)
	t.Logf("in %d parts; another process wrote %d messages at the same time", len(progress), <-stopped)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { u.Close() })
	if len(progress) < 4 || progress[len(progress)-1] != 2200 || u.Deleted().Messages != 2200 {
		t.Error("progress", progress)
	}
	for i := 1; i < len(progress); i++ {
		if took := progress[i] - progress[i-1]; took < 0 || took > 2200/2 {
			t.Errorf("one part took %d messages", took)
		}
	}
	Must(t, q, `DELETE FROM messages WHERE session_id = 'other'`)
	restored(t, s, u)
	Must(t, q, `UPDATE sqlite_sequence SET seq = (SELECT max(id) FROM messages) WHERE name = 'messages'`)
	same(t, "long", before, dump(t, q))
	indexed(t, q, true)
}

// A canceled delete stops between two parts, says what is gone, and gives it
// back.
func TestCanceledDeleteCanBeRestored(t *testing.T) {
	t.Parallel()
	s, q := One(t, "v25.db", session("long", "title", "'long one'"), message("long", 2100))
	before := dump(t, q)
	ctx, cancel := context.WithCancel(t.Context())
	u, err := s.Delete(ctx, []string{"long"}, model.DeleteOptions{Progress: func(done, total int) {
		if done > 200 {
			cancel()
		}
	}})
	if kind(err) != model.KindIncompleteWrite || !errors.Is(err, context.Canceled) || u == nil {
		t.Fatal(u, err)
	}
	t.Cleanup(func() { u.Close() })
	g := u.Deleted()
	if left := Count(t, s, `SELECT count(*) FROM messages WHERE session_id = 'long'`); left+g.Messages != 2100 || g.Messages == 0 || len(g.Sessions) != 0 {
		t.Errorf("%d left, %+v", left, g)
	}
	if newest := Count(t, s, `SELECT CAST(max(timestamp) AS INTEGER) FROM messages WHERE session_id = 'long'`); newest != 1700002100-g.Messages {
		t.Error("not the newest went first")
	}
	restored(t, s, u)
	same(t, "canceled", before, dump(t, q))
	// With nothing done yet there is nothing to undo.
	if u, err := s.Delete(ctx, []string{"long"}, model.DeleteOptions{}); u != nil || !errors.Is(err, context.Canceled) {
		t.Error(u, err)
	}
}

// Without an undo, what is gone of a conversation that is deleted in parts is in a file
// until all of it is gone. A delete that is stopped names that file, which can be
// imported, and never says that nothing was changed.
func TestStoppedDeleteWithoutUndoSavesWhatIsGone(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	spools := func() []string {
		files, err := filepath.Glob(filepath.Join(temp, "hermes-sessions-*"))
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	s, q := One(t, "v25.db", session("long", "title", "'long one'"), message("long", 2100), session("short"), message("short", 3))
	before := dump(t, q)
	ctx, cancel := context.WithCancel(t.Context())
	u, err := s.Delete(ctx, []string{"long"}, model.DeleteOptions{NoUndo: true, Progress: func(done, total int) {
		files := spools()
		if len(files) != 1 {
			t.Fatalf("after %d messages there are the files %v", done, files)
		}
		if text, err := os.ReadFile(files[0]); err != nil || strings.Count(string(text), "\n") != done+1 {
			t.Errorf("after %d messages the file has %d lines: %v", done, strings.Count(string(text), "\n"), err)
		}
		if done > 200 {
			cancel()
		}
	}})
	left := spools()
	if kind(err) != model.KindIncompleteWrite || u == nil || len(left) != 1 || !strings.Contains(err.Error(), left[0]) {
		t.Fatalf("%v, and there are %v", err, left)
	}
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(left[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := s.Import(t.Context(), f, model.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	same(t, "imported", before, dump(t, q))
	if err := os.Remove(left[0]); err != nil {
		t.Fatal(err)
	}
	if u, err = s.Delete(t.Context(), []string{"short", "long"}, model.DeleteOptions{NoUndo: true}); err != nil || len(spools()) > 0 {
		t.Errorf("%v, and there are %v", err, spools())
	}
	if err := s.Restore(t.Context(), u, model.RestoreOptions{}); err == nil {
		t.Error("something was restored")
	}
}

func TestDeleteRefusesSessionsInUse(t *testing.T) {
	t.Parallel()
	now := clock().Unix()
	refused := func(what, want string, s *Store, db *sql.DB, id string) {
		t.Helper()
		before := dump(t, db)
		if _, err := s.PlanDelete(t.Context(), []string{id}, model.DeleteOptions{}); kind(err) != want {
			t.Errorf("%s: plan says %v", what, err)
		}
		u, err := s.Delete(t.Context(), []string{id}, model.DeleteOptions{})
		if kind(err) != want || u != nil {
			t.Errorf("%s: %v %v", what, u, err)
		}
		same(t, what, before, dump(t, db))
	}
	s, q := One(t, "v25.db", session("busy"), message("busy", 2), fmt.Sprintf(`INSERT INTO compression_locks VALUES ('busy', 'other', 1, %d)`, now+60))
	refused("compression lock", model.KindInUse, s, q, "busy")
	Must(t, q, `UPDATE compression_locks SET expires_at = 1`)
	deleted(t, s, model.DeleteOptions{}, "busy")

	s, q = One(t, "v25.db", session("busy", "ended_at", "1700000100", "end_reason", "'compression'"),
		session("tip", "parent_session_id", "'busy'"), `UPDATE sessions SET started_at = 1700000100 WHERE id = 'tip'`,
		session("child", "parent_session_id", "'tip'", "model_config", `'{"_branched_from": "tip"}'`),
		`CREATE TABLE session_turn_leases (conversation_id TEXT PRIMARY KEY, expires_at REAL)`,
		fmt.Sprintf(`INSERT INTO session_turn_leases VALUES ('busy', %d)`, now+60))
	refused("turn lease", model.KindInUse, s, q, "tip")
	deleted(t, s, model.DeleteOptions{}, "child")

	s, q = One(t, "v25.db", session("any"), message("any", 1), session("none"),
		`CREATE TRIGGER messages_fts_cjk_delete AFTER DELETE ON messages BEGIN SELECT 1; END`)
	refused("cjk trap", model.KindTokenizer, s, q, "any")
	deleted(t, s, model.DeleteOptions{}, "none")

	words := "written by a newer Hermes. Downgrading is unsupported: run `hermes update` (it's the only way)"
	s, q = One(t, "v25.db", session("kept"), message("kept", 1),
		`CREATE TRIGGER sessions_runtime_ledger_delete_guard BEFORE DELETE ON sessions BEGIN SELECT RAISE(ABORT, '`+strings.ReplaceAll(words, "'", "''")+`'); END`)
	before := dump(t, q)
	_, err := s.Delete(t.Context(), []string{"kept"}, model.DeleteOptions{})
	e, ok := errors.AsType[*model.Error](err)
	if !ok || e.Kind != model.KindRefused || e.Message != words {
		t.Error("the guard's words are not verbatim:", err)
	}
	same(t, "ledger guard", before, dump(t, q))
}

// Between the question and the yes others may write: then nothing is done.
func TestDeleteRefusesChangedSessions(t *testing.T) {
	t.Parallel()
	s, q := One(t, "v16.db", session("asked"), message("asked", 2))
	p, err := s.PlanDelete(t.Context(), []string{"asked"}, model.DeleteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	Must(t, q, message("asked", 1))
	before := dump(t, q)
	if _, err := s.Delete(t.Context(), []string{"asked"}, model.DeleteOptions{Expected: &p}); kind(err) != model.KindChanged {
		t.Error(err)
	}
	Must(t, q, session("more", "parent_session_id", "'asked'", "model_config", `'{"_delegate_from": "asked"}'`))
	if _, err := s.Delete(t.Context(), []string{"asked"}, model.DeleteOptions{Expected: &p}); kind(err) != model.KindChanged {
		t.Error(err)
	}
	Must(t, q, `DELETE FROM sessions WHERE id = 'more'`)
	same(t, "changed", before, dump(t, q))
	Must(t, q, `DELETE FROM messages WHERE session_id = 'asked'`, `DELETE FROM sessions WHERE id = 'asked'`)
	if _, err := s.Delete(t.Context(), []string{"asked"}, model.DeleteOptions{Expected: &p}); kind(err) != model.KindNotFound {
		t.Error(err)
	}
}

func TestRestoreConflictsAreNamed(t *testing.T) {
	t.Parallel()
	for _, n := range []int{2, 2050} {
		s, q := One(t, "v25.db", session("mine", "title", "'the title'"), message("mine", n))
		u := deleted(t, s, model.DeleteOptions{}, "mine")
		Must(t, q, session("thief", "title", "'the title'"))
		before := dump(t, q)
		if err := s.Restore(t.Context(), u, model.RestoreOptions{}); kind(err) != model.KindTitleInUse || !strings.Contains(err.Error(), "thief") {
			t.Error(err)
		}
		same(t, "title taken", before, dump(t, q))
		if err := s.Restore(t.Context(), u, model.RestoreOptions{DropTitles: true}); err != nil {
			t.Error(err)
		}
		if n := Count(t, s, `SELECT count(*) FROM sessions WHERE id = 'mine' AND title IS NULL`); n != 1 {
			t.Error("the session is not back")
		}
		u = deleted(t, s, model.DeleteOptions{}, "mine")
		Must(t, q, session("mine", "model", "'another one'"))
		before = dump(t, q)
		if err := s.Restore(t.Context(), u, model.RestoreOptions{}); kind(err) != model.KindExists {
			t.Error(err)
		}
		same(t, "id taken", before, dump(t, q))
	}
}

// With NoUndo no rows are kept, and Restore fails.
func TestDeleteWithoutUndoKeepsNoRows(t *testing.T) {
	t.Parallel()
	s, _ := One(t, "v25.db", session("away"), message("away", 50))
	u := deleted(t, s, model.DeleteOptions{NoUndo: true}, "away")
	if rows := u.(*trash.UndoLog).Rows; len(rows.Mem) > 0 || rows.File != nil {
		t.Error("rows were kept")
	}
	if g := u.Deleted(); len(g.Sessions) != 1 || g.Messages != 50 {
		t.Errorf("%+v", g)
	}
	if err := s.Restore(t.Context(), u, model.RestoreOptions{}); err == nil {
		t.Error("nothing was restored without an error")
	}
}

// Above a few megabytes the rows are in a file that only this user can read.
func TestLargeUndoIsStoredInAFile(t *testing.T) {
	t.Parallel()
	s, db := One(t, "v01.db", session("large"),
		`WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 12)
		INSERT INTO messages (session_id, role, content, timestamp) SELECT 'large', 'user', replace(hex(zeroblob(100000)), '0', 'abc'), n FROM i`)
	before := dump(t, db)
	u := deleted(t, s, model.DeleteOptions{}, "large")
	if rows := u.(*trash.UndoLog).Rows; len(rows.Mem) > 0 || rows.File == nil {
		t.Error("7 MB are in memory")
	}
	restored(t, s, u)
	same(t, "large", before, dump(t, db))
}

// A branch that found another parent keeps it, one that is gone stays gone.
func TestRestoreKeepsLaterChanges(t *testing.T) {
	t.Parallel()
	s, db := One(t, "v25.db", session("parent"), session("new parent"),
		session("moved", "parent_session_id", "'parent'"), session("gone", "parent_session_id", "'parent'"), session("left", "parent_session_id", "'parent'"))
	u := deleted(t, s, model.DeleteOptions{}, "parent")
	Must(t, db, `UPDATE sessions SET parent_session_id = 'new parent' WHERE id = 'moved'`, `DELETE FROM sessions WHERE id = 'gone'`)
	restored(t, s, u)
	st := see(t, db)
	if st.parents["moved"] != "new parent" || st.parents["left"] != "parent" {
		t.Error(st.parents["moved"], st.parents["left"])
	}
	if _, ok := st.parents["gone"]; ok {
		t.Error("a deleted branch is back")
	}
}

func TestReadOnlyStoreDeletesNothing(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), fixture(t, "v11.db"), ReadOnly())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ids := conversations(t, s)
	if _, err := s.PlanDelete(t.Context(), ids[:1], model.DeleteOptions{}); kind(err) != model.KindReadOnly {
		t.Error(err)
	}
	if _, err := s.Delete(t.Context(), ids[:1], model.DeleteOptions{}); kind(err) != model.KindReadOnly {
		t.Error(err)
	}
}
