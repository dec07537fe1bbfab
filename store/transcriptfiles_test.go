package store

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/fixtures"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/transcriptfiles"
	"hermes-sessions/store/sessiondb"
)

// lostID is a conversation that only a file has, oldID one in a file of an older release.
const (
	lostID = "20260920_101500_abc123"
	oldID  = "20260801_090000_01d01d"
)

// homeWithFiles makes a home with a fixture and transcript files, and opens it. known is a
// session of the database with a file that has all of its messages but the first, with other
// times, one of them twice, and two messages more.
func homeWithFiles(t testing.TB, name string) (s *Store, folder, known string) {
	t.Helper()
	home := t.TempDir()
	folder = filepath.Join(home, "sessions")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	fixtures.Unpack(t, name, filepath.Join(home, "state.db"))
	s, err := Open(t.Context(), filepath.Join(home, "state.db"), WithClock(clock), WithTranscripts(folder))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	known = knownSession(t, s)
	rows, err := s.Messages(t.Context(), known)
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for _, row := range rows[1:] {
		m := Record{}
		for _, f := range row {
			switch f.Name {
			case "role", "content", "tool_calls", "tool_call_id", "tool_name":
				m = append(m, f)
			case "timestamp":
				f.Value = f.Value.(float64) + 30
				m = append(m, f)
			}
		}
		line, err := m.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&lines, "%s\n", line)
	}
	lines.WriteString(`{"role": "system", "content": "be kind"}` + "\n")
	lines.WriteString(`{"role": "user", "content": "what was lost?"}` + "\n")
	lines.WriteString(`{"role": "assistant", "content": "fünd again", "timestamp": 1789999000.25}` + "\n")
	for file, text := range map[string]string{
		known + ".jsonl": lines.String(),
		lostID + ".jsonl": `{"role": "session_meta", "platform": "telegram", "model": "m-large"}
{"role": "user", "content": "Where is the rain gauge?", "timestamp": 1789900000.5}
{"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "terminal", "arguments": "{\"command\": \"ls roof\"}"}}], "timestamp": "2026-09-20T10:30:00+00:00"}
{"role": "tool", "tool_call_id": "c1", "name": "terminal", "content": "gauge.txt"}
"on the roof, then"
{"role": "assistant", "content": "It is on the ro
{"role": "assistant", "content": "It is on the roof.", "timestamp": 1789900003}
`,
		"session_" + oldID + ".json": `{"session_id": "` + oldID + `", "model": "m-small", "base_url": "http://localhost", "platform": "cli",
 "session_start": "2026-08-01T09:00:00.5", "last_updated": "2026-08-01T09:05:00", "system_prompt": "be kind", "tools": [{"name": "x"}],
 "message_count": 2, "messages": [{"role": "user", "content": "an old question"}, {"role": "assistant", "content": "an old answer"}]}`,
		"sessions.json":       `{"chat": {"session_id": "x"}}`,
		"request_dump_x.json": `{"messages": [{"role": "user", "content": "sent"}]}`,
		"other.json":          `{"settings": []}`,
		"empty.jsonl":         "",
	} {
		if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s, folder, known
}

// knownSession returns a session that can be appended to and has tool calls.
func knownSession(t testing.TB, s *Store) string {
	t.Helper()
	page, err := s.Conversations(t.Context(), query.ListOptions{Scope: model.ScopeAll})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range page.Conversations {
		check, err := s.ResumeCheck(t.Context(), c.ID)
		if err == nil && c.Calls > 0 && c.Messages > 3 && len(c.Segments) == 1 && check.HeldBy == "" && !strings.ContainsAny(c.ID, `/\*`) {
			return c.ID
		}
	}
	t.Fatal("no session to append to")
	return ""
}

// textsIn returns the files of a folder.
func textsIn(t testing.TB, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(b)
	}
	return all
}

// A conversation of which the database knows nothing is counted as hidden, listed in the
// scope of all, found by its id, read and searched, and every change of it is refused with the
// advice to import it.
func TestConversationsInFilesAreReadAsOthers(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v11.db", "v25.db", "v31.db"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, folder, _ := homeWithFiles(t, name)
			ctx, before := t.Context(), textsIn(t, folder)
			without := openFixture(t, name)
			list := func(s *Store, q query.ListOptions) model.ConversationPage {
				page, err := s.Conversations(ctx, q)
				if err != nil {
					t.Fatal(err)
				}
				return page
			}
			with, plain := list(s, query.ListOptions{}), list(without, query.ListOptions{})
			if with.Total != plain.Total || with.OutOfScope != plain.OutOfScope+2 {
				t.Errorf("%d and %d hidden, not %d and %d", with.Total, with.OutOfScope, plain.Total, plain.OutOfScope+2)
			}
			inFiles := list(s, query.ListOptions{Filters: query.Parse("source:file", false).Filters})
			if len(inFiles.Conversations) != 2 || inFiles.Conversations[0].ID != lostID || inFiles.Conversations[1].ID != oldID {
				t.Fatalf("%+v", inFiles.Conversations)
			}
			lost := inFiles.Conversations[0]
			if lost.Preview != "Where is the rain gauge?" || lost.Messages != 7 || lost.Model != "m-large" || lost.LastActive.Unix() != 1789900003 {
				t.Errorf("%+v", lost)
			}
			for _, order := range query.Orders() {
				all := list(s, query.ListOptions{Scope: model.ScopeAll, Order: order, PinnedFirst: true})
				var paged []string
				for from := 0; from < all.Total; from += 7 {
					for _, c := range list(s, query.ListOptions{Scope: model.ScopeAll, Order: order, PinnedFirst: true, Offset: from, Limit: 7}).Conversations {
						paged = append(paged, c.ID)
					}
				}
				var whole []string
				for _, c := range all.Conversations {
					whole = append(whole, c.ID)
				}
				if !slices.Equal(paged, whole) || !slices.Contains(whole, oldID) || len(whole) != all.Total {
					t.Errorf("order %s: pages differ from the whole list", order)
				}
			}
			found, err := s.MatchName(ctx, lostID[:12])
			if err != nil || found.By != model.NameID || len(found.Sessions) != 1 || found.Sessions[0].ID != lostID {
				t.Errorf("%+v %v", found, err)
			}
			o, err := s.Outline(ctx, lostID)
			if err != nil || len(o.MessageIDs) != 6 {
				t.Fatal(len(o.MessageIDs), err)
			}
			messages, err := s.MessagesOf(ctx, lostID, o.MessageIDs)
			if err != nil || len(messages) != 6 {
				t.Fatal(len(messages), err)
			}
			if m := messages[1]; len(m.Calls) != 1 || m.Calls[0].Name != "terminal" || m.At.Unix() != 1789900200 {
				t.Errorf("%+v", m)
			}
			if m := messages[3]; m.Role != "user" || m.Content.Text != "on the roof, then" {
				t.Errorf("a text without an object: %+v", m)
			}
			if m := messages[4]; !strings.Contains(m.DecodeError, lostID+".jsonl, line 6") || !strings.HasSuffix(m.Content.Text, "on the ro") {
				t.Errorf("a broken line: %+v", m)
			}
			tail, err := s.Tail(ctx, lostID, 2)
			if err != nil || !reflect.DeepEqual(tail, messages[4:]) {
				t.Errorf("%+v %v", tail, err)
			}
			near, err := s.MessagesNear(ctx, lostID, o.MessageIDs[3], 2)
			if err != nil || !reflect.DeepEqual(near, messages[2:4]) {
				t.Errorf("%+v %v", near, err)
			}
			hits, err := s.HitIDs(ctx, query.Parse("roof", false), lostID)
			if want := []int64{o.MessageIDs[1], o.MessageIDs[3], o.MessageIDs[5]}; err != nil || !slices.Equal(hits, want) {
				t.Errorf("%v, not %v: %v", hits, want, err)
			}
			if rows, err := s.Records(ctx, []string{oldID, lostID}); err != nil || len(rows) != 2 || rows[0].Get("source") != "file" || rows[1].Get("id") != lostID {
				t.Errorf("%v %v", rows, err)
			}
			d, err := s.Details(ctx, lostID)
			if text := strings.Join(d.Anomalies(), "\n"); err != nil || !strings.Contains(text, "only in sessions/"+lostID+".jsonl; hermes-sessions import "+lostID) || !strings.Contains(text, "line 6") {
				t.Errorf("%s %v", text, err)
			}
			_, pin := s.SetPinned(ctx, []string{lostID}, true)
			_, plan := s.PlanDelete(ctx, []string{lostID}, model.DeleteOptions{})
			_, resume := s.ResumeCheck(ctx, lostID)
			for _, err := range []error{pin, plan, resume} {
				if e, ok := err.(*model.Error); !ok || e.Kind == model.KindNotFound && (e.Remedy.Kind != model.RemedyImport || e.Remedy.Object != lostID) {
					t.Errorf("%v", err)
				}
			}
			if after := textsIn(t, folder); !reflect.DeepEqual(before, after) {
				t.Error("the files were changed")
			}
		})
	}
}

// Import brings a conversation in, and appends to one that the database has what only its file
// has, each message once, however often it is repeated. On schema 28 to 31 it needs changes
// that are judged by what they do.
func TestImportOfTranscriptFiles(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v11.db", "v25.db", "v31.db"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, folder, known := homeWithFiles(t, name)
			ctx, before := t.Context(), textsIn(t, folder)
			d, err := s.Details(ctx, known)
			if text := strings.Join(d.Anomalies(), "\n"); err != nil || !strings.Contains(text, "sessions/"+known+".jsonl has 2 messages that the database does not have; hermes-sessions import "+known+" adds them.") {
				t.Errorf("%s %v", text, err)
			}
			advised := func() (kinds []string) {
				c, err := s.Check(ctx, false)
				if err != nil {
					t.Fatal(err)
				}
				for _, n := range c.Advice {
					switch n.Kind {
					case transcriptfiles.NoteBeyond, transcriptfiles.NoteOnlyInFiles, transcriptfiles.NoteBroken:
						kinds = append(kinds, n.Kind+" "+n.Remedy.Object)
					}
				}
				slices.Sort(kinds)
				return kinds
			}
			if got, want := advised(), []string{"broken-file ", "messages-in-files " + known, "only-in-files " + oldID}; !slices.Equal(got, want) {
				t.Errorf("%q, not %q", got, want)
			}
			count := len(messagesOf(t, s, known))
			r, err := s.ImportTranscript(ctx, known, "", model.ImportOptions{})
			if err != nil || r.Messages != 2 || r.Sessions != 0 || r.BadLines != 0 {
				t.Fatalf("%+v %v", r, err)
			}
			rows := messagesOf(t, s, known)
			if len(rows) != count+2 {
				t.Fatal(len(rows), count)
			}
			if last := rows[len(rows)-1]; last.Content.Text != "fünd again" || !last.At.Equal(time.Unix(1789999000, 250_000_000)) || rows[count].Content.Text != "what was lost?" {
				t.Errorf("%+v", last)
			}
			if r, err = s.ImportTranscript(ctx, known, filepath.Join(folder, known+".jsonl"), model.ImportOptions{}); err != nil || r.Messages != 0 {
				t.Errorf("again: %+v %v", r, err)
			}
			var exported bytes.Buffer
			if n, err := s.Export(ctx, &exported, model.ExportOptions{IDs: []string{lostID, known, oldID}}); n != 3 || kind(err) != model.KindIncomplete || !strings.Contains(err.Error(), "line 6") {
				t.Error(n, err)
			}
			if r, err = s.ImportTranscript(ctx, lostID, "", model.ImportOptions{}); err != nil || r.Sessions != 1 || r.Messages != 6 || r.BadLines != 1 || r.Bad[0].Line != 6 {
				t.Fatalf("%+v %v", r, err)
			}
			if r, err = s.ImportTranscript(ctx, oldID, "", model.ImportOptions{}); err != nil || r.Sessions != 1 || r.Messages != 2 {
				t.Fatalf("%+v %v", r, err)
			}
			c, err := s.Conversation(ctx, oldID)
			if err != nil || c.Source != "cli" || c.Model != "m-small" || c.Messages != 2 || c.StartedAt.IsZero() || c.EndedAt.IsZero() {
				t.Errorf("%+v %v", c, err)
			}
			if got, want := advised(), []string{"broken-file "}; !slices.Equal(got, want) {
				t.Errorf("%q, not %q", got, want)
			}
			page, err := s.Conversations(ctx, query.ListOptions{Scope: model.ScopeAll, Sources: []string{"file"}})
			if err != nil || page.Total != 0 {
				t.Error(page.Total, err)
			}
			if name != "v11.db" { // any insert into its trigram index, NUL in which SQLite reads differently now, is called malformed
				integrity(t, s)
			}
			if after := textsIn(t, folder); !reflect.DeepEqual(before, after) {
				t.Error("the files were changed")
			}
			// What was exported from the files is what was imported.
			other := filepath.Join(t.TempDir(), "new.db")
			if _, err := Migrate(ctx, other, WithNewestSchema()); err != nil {
				t.Fatal(err)
			}
			to := openAt(t, other)
			if r, err := to.Import(ctx, &exported, model.ImportOptions{}); err != nil || r.Sessions != 3 || r.BadLines != 0 {
				t.Fatalf("%+v %v", r, err)
			}
			for _, id := range []string{lostID, oldID, known} {
				want, got := messagesOf(t, s, id), messagesOf(t, to, id)
				for i := range want {
					want[i].ID, got[i].ID = 0, 0
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s:\n got %+v\nwant %+v", id, got, want)
				}
			}
		})
	}
}

// A gateway may write what the file has too, between the look at the database and the import.
func TestImportOfAFileWhileAGatewayWrites(t *testing.T) {
	t.Parallel()
	s, _, known := homeWithFiles(t, "v31.db")
	other := openAt(t, s.Path())
	count := len(messagesOf(t, s, known))
	held, goOn := make(chan struct{}), make(chan struct{})
	done := make(chan error)
	go func() {
		done <- other.db.Write(t.Context(), "hold", func(tx *db.Tx) error {
			if _, err := tx.Exec(t.Context(), `INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'assistant', 'fünd again', 1789999000.25)`, known); err != nil {
				return err
			}
			close(held)
			<-goOn
			return nil
		})
	}()
	<-held
	time.AfterFunc(300*time.Millisecond, func() { close(goOn) })
	r, err := s.ImportTranscript(t.Context(), known, "", model.ImportOptions{})
	if err != nil || r.Messages != 1 {
		t.Errorf("%+v %v", r, err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if now := len(messagesOf(t, s, known)); now != count+2 {
		t.Errorf("%d messages, not %d", now, count+2)
	}
}

// What a newer Hermes says about a message in a file is said in the database, too.
func TestImportedMessagesKeepTheirColumns(t *testing.T) {
	t.Parallel()
	s, folder, known := homeWithFiles(t, "v31.db")
	line := `{"role": "user", "content": "with more", "message_uid": "5e5e", "display_kind": "hidden", "display_metadata": {"a": 1}, "display_order": 3, "active": 0, "odd": 1}`
	if err := os.WriteFile(filepath.Join(folder, known+".jsonl"), []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := s.ImportTranscript(t.Context(), known, "", model.ImportOptions{})
	if err != nil || r.Messages != 1 || !slices.Equal(r.Unknown, []string{"messages.odd"}) {
		t.Errorf("%+v %v", r, err)
	}
	if n := Count(t, s, `SELECT count(*) FROM messages WHERE content = 'with more' AND message_uid = '5e5e' AND display_kind = 'hidden'
		AND display_metadata = '{"a": 1}' AND display_order = id AND active = 1`); n != 1 {
		t.Errorf("%d rows", n)
	}
}

// messagesOf returns what the transcript of a session shows.
func messagesOf(t testing.TB, s *Store, id string) []model.Message {
	t.Helper()
	all, err := s.Tail(t.Context(), id, 1_000)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// integrity checks the file and its full-text index.
func integrity(t testing.TB, s *Store) {
	t.Helper()
	c, err := s.Check(t.Context(), true)
	if err != nil || c.Index.Words.Missing+c.Index.Words.Extra+c.Index.Trigrams.Missing+c.Index.Trigrams.Extra > 0 {
		t.Errorf("%+v %v", c.Index, err)
	}
	for _, p := range c.Problems {
		if p.Kind == model.NoteDamaged || p.Kind == model.NoteFTSDamaged {
			t.Error(p)
		}
	}
}

// Where both have a time, the same words an hour later are another message; each message of
// the database answers for one.
func TestWhichMessagesOfFilesAreNew(t *testing.T) {
	t.Parallel()
	s, folder, known := homeWithFiles(t, "v25.db")
	first := sessiondb.NewMessage{Role: "user", Content: "once only", Timestamp: time.Unix(1789990000, 0)}
	if _, err := s.AppendMessage(t.Context(), known, first); err != nil {
		t.Fatal(err)
	}
	line := func(at float64) string {
		return fmt.Sprintf(`{"role": %q, "content": %q, "timestamp": %f}`, first.Role, first.Content, at) + "\n"
	}
	at := float64(first.Timestamp.Unix())
	for _, c := range []struct {
		what, text string
		beyond     int
	}{
		{"the same", line(at), 0},
		{"written some minutes later", line(at + 300), 0},
		{"an hour later", line(at + 3600), 1},
		{"twice", line(at) + line(at), 1},
		{"without a time", fmt.Sprintf(`{"role": %q, "content": %q}`, first.Role, first.Content) + "\n", 0},
		{"said by another", strings.Replace(line(at), first.Role, "assistant", 1), 1},
		{"about the session", `{"role": "session_meta"}` + "\n" + `{"role": "system", "content": "x"}` + "\n", 0},
		{"nothing", "", 0},
	} {
		if err := os.WriteFile(filepath.Join(folder, known+".jsonl"), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := s.Details(t.Context(), known)
		if err != nil || len(d.Files) != 1 || d.Files[0].Beyond != c.beyond {
			t.Errorf("%s: %+v %v", c.what, d.Files, err)
		}
	}
}

// Of several files of a session the later ones give what those before do not have.
func TestSeveralFilesOfASessionAreOneConversation(t *testing.T) {
	t.Parallel()
	s, folder, _ := homeWithFiles(t, "v25.db")
	if err := os.WriteFile(filepath.Join(folder, oldID+".jsonl"), []byte(`{"role": "assistant", "content": "an old answer"}
{"role": "user", "content": [{"type": "text", "text": "thanks"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}]}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, m := range messagesOf(t, s, oldID) {
		texts = append(texts, m.Content.Text)
	}
	if want := []string{"an old question", "an old answer", "thanks"}; !slices.Equal(texts, want) {
		t.Errorf("%q", texts)
	}
	page, err := s.Conversations(t.Context(), query.ListOptions{Sources: []string{"file"}})
	if err != nil || page.Total != 2 || page.Conversations[1].Messages+page.Conversations[0].Messages != 7+3 {
		t.Errorf("%+v %v", page, err)
	}
}

// A program that watches the database does not wait for the folder: the conversations come
// with a later version.
func TestAWatchedFolderIsReadInTheBackground(t *testing.T) {
	t.Parallel()
	s, folder, _ := homeWithFiles(t, "v25.db")
	ctx := t.Context()
	version, err := s.DataVersion(ctx)
	if err != nil {
		t.Fatal(err)
	}
	files := func() (ids []string) {
		page, err := s.Conversations(ctx, query.ListOptions{Sources: []string{"file"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page.Conversations {
			ids = append(ids, c.ID)
		}
		return ids
	}
	wait := func(n int) {
		t.Helper()
		for range 10_000 {
			files()
			now, err := s.DataVersion(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if ids := files(); now > version && len(ids) == n {
				version = now
				return
			}
			time.Sleep(time.Millisecond)
		}
		t.Fatalf("%q after ten seconds", files())
	}
	wait(2)
	if err := os.WriteFile(filepath.Join(folder, "20260102_030405_new.jsonl"), []byte(`{"role": "user", "content": "new"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	wait(3)
	// The first rows never ask.
	page, err := s.Conversations(ctx, query.ListOptions{FirstPage: true, Limit: 10})
	if err != nil || len(page.Conversations) == 0 {
		t.Error(err)
	}
}

// A folder that cannot be read, or is none, is no error of the list; a checkup names it.
func TestAFolderOfFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s, folder, _ := homeWithFiles(t, "v25.db")
	if os.Geteuid() == 0 {
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(folder, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	} else if err := os.Chmod(folder, 0); err != nil {
		t.Fatal(err)
	}
	page, err := s.Conversations(t.Context(), query.ListOptions{Scope: model.ScopeAll})
	if err != nil || page.Total == 0 || slices.ContainsFunc(page.Conversations, func(c model.Conversation) bool { return c.Source == "file" }) {
		t.Error(page.Total, err)
	}
	if _, err := s.Outline(t.Context(), lostID); kind(err) != model.KindNotFound {
		t.Error(err)
	}
	c, err := s.Check(t.Context(), false)
	unread := slices.ContainsFunc(c.Advice, func(n model.HealthNote) bool { return n.Kind == transcriptfiles.NoteUnread })
	if err != nil || unread == (os.Geteuid() == 0) {
		t.Errorf("%+v %v", c.Advice, err)
	}
}

// 10,000 files, and a large one, take little memory and are listed; what is too large to be
// compared is said.
func TestManyAndLargeTranscriptFiles(t *testing.T) {
	s, folder, known := homeWithFiles(t, "v25.db")
	for i := range 10_000 {
		name := fmt.Sprintf("20250101_%06d_%06x.jsonl", i, i)
		if err := os.WriteFile(filepath.Join(folder, name), []byte(`{"role": "user", "content": "hello"}`+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	line := `{"role": "user", "content": "` + strings.Repeat("x", 10_000) + `"}` + "\n"
	large, err := os.Create(filepath.Join(folder, known+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for range 70 << 20 / len(line) {
		if _, err := large.WriteString(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := large.Close(); err != nil {
		t.Fatal(err)
	}
	grew := heapDuring(t, func() {
		page, err := s.Conversations(t.Context(), query.ListOptions{Sources: []string{"file"}, Limit: 20})
		if err != nil || page.Total != 10_002 || len(page.Conversations) != 20 {
			t.Error(page.Total, err)
		}
		d, err := s.Details(t.Context(), known)
		if text := strings.Join(d.Anomalies(), "\n"); err != nil || !strings.Contains(text, "too much to compare") {
			t.Errorf("%s %v", text, err)
		}
	})
	if grew > 40<<20 {
		t.Errorf("%d MB", grew>>20)
	}
	c, err := s.Check(t.Context(), false)
	if err != nil || !slices.ContainsFunc(c.Advice, func(n model.HealthNote) bool { return n.Kind == transcriptfiles.NoteNotCompared }) {
		t.Errorf("%+v %v", c.Advice, err)
	}
}
