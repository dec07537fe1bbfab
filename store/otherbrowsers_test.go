package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
)

// Traps that other browsers of sessions fell into, one test each.

func TestTrapFilterAfterLimit(t *testing.T) {
	t.Parallel()
	s, _ := One(t, "v11.db",
		session("wanted"), `UPDATE sessions SET source = 'telegram-of-old' WHERE id = 'wanted'`, message("wanted", 1),
		`WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 10000) INSERT INTO sessions (id, source, title, started_at) SELECT 'noise' || n, 'cli', 'noise ' || n, 1780000000 + n FROM i`)
	page, err := s.Conversations(t.Context(), query.ListOptions{Sources: []string{"telegram-of-old"}, Limit: 5})
	if err != nil || len(page.Conversations) != 1 || page.Conversations[0].ID != "wanted" || page.Total != 1 {
		t.Fatalf("%+v %v", page, err)
	}
}

func TestTrapResetEmptyOrArchivedTip(t *testing.T) {
	t.Parallel()
	s, _ := One(t, "v25.db",
		session("root", "ended_at", "1700000100", "end_reason", "'compression'", "archived", "1"), message("root", 2),
		session("tip", "parent_session_id", "'root'", "title", "'goes on here'"), `UPDATE sessions SET started_at = 1700000200 WHERE id = 'tip'`, message("tip", 2),
		session("reset", "parent_session_id", "'root'", "model_config", `'{"_reset_from": "root"}'`), `UPDATE sessions SET started_at = 1700000300 WHERE id = 'reset'`, message("reset", 1),
	)
	c, err := s.Conversation(t.Context(), "root")
	if err != nil || c.ID != "tip" || c.Scope != model.ScopeConversations {
		t.Errorf("a reset sibling or an archived root wins: %q in scope %v, %v", c.ID, c.Scope, err)
	}
	if c, err = s.Conversation(t.Context(), "reset"); err != nil || c.ID != "reset" || c.RootID != "reset" {
		t.Errorf("a reset is no conversation of its own: %+v %v", c, err)
	}
	s, _ = One(t, "v25.db",
		session("root", "ended_at", "1700000100", "end_reason", "'compression'"), message("root", 2),
		session("full", "parent_session_id", "'root'"), `UPDATE sessions SET started_at = 1700000200 WHERE id = 'full'`, message("full", 2),
		session("void", "parent_session_id", "'root'"), `UPDATE sessions SET started_at = 1700000300 WHERE id = 'void'`,
	)
	c, err = s.Conversation(t.Context(), "root")
	if err != nil || c.ID != "full" || c.Scope != model.ScopeConversations {
		t.Errorf("an empty sibling is the tip: %+v %v", c, err)
	}
	if id, err := s.Tip(t.Context(), "root"); err != nil || id != "full" {
		t.Errorf("the tip is %q: %v", id, err)
	}
}

func TestTrapParentCycleOrMissingParent(t *testing.T) {
	t.Parallel()
	s, db := One(t, "v11.db",
		`PRAGMA foreign_keys = OFF`,
		session("a", "parent_session_id", "'b'"), session("b", "parent_session_id", "'a'"), message("a", 1), message("b", 1),
		session("dangling", "parent_session_id", "'unknown'"), message("dangling", 1),
	)
	for _, id := range []string{"a", "b", "dangling"} {
		if _, err := s.Conversation(t.Context(), id); err != nil {
			t.Errorf("%s is not in the list: %v", id, err)
		}
	}
	before := dump(t, db)
	u := deleted(t, s, model.DeleteOptions{SkipBlocked: true}, "a", "b", "dangling")
	if n := Count(t, s, `SELECT count(*) FROM sessions WHERE id IN ('a', 'b', 'dangling')`); n != 0 {
		t.Errorf("%d are left", n)
	}
	restored(t, s, u)
	after := dump(t, db)
	// A parent that does not exist cannot be put back as one.
	if len(after) != len(before) {
		t.Errorf("%d rows came back, want %d", len(after), len(before))
	}
}

func TestTrapEndedAtNullMeansLive(t *testing.T) {
	t.Parallel()
	s, _ := One(t, "v11.db",
		`WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 700) INSERT INTO sessions (id, source, title, started_at) SELECT 'left' || n, 'cli', 'left ' || n, 1700000000 + n FROM i`)
	page, err := s.Conversations(t.Context(), query.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, c := range page.Conversations {
		if c.State == model.StateRunning {
			t.Fatalf("%s is shown as running", c.ID)
		}
		if c.ID[0] == 'l' {
			seen++
		}
	}
	if seen != 700 {
		t.Fatalf("%d of 700", seen)
	}
	if p, err := s.PlanDelete(t.Context(), []string{"left1"}, model.DeleteOptions{}); err != nil || len(p.Running) != 0 {
		t.Errorf("%+v %v", p, err)
	}
}

func TestTrapCostZeroWithUnknownStatusShownAsFree(t *testing.T) {
	t.Parallel()
	var statements []string
	for i, c := range [][2]string{{"0.0", "NULL"}, {"0.0", "'unknown'"}, {"NULL", "NULL"}} {
		id := fmt.Sprint("cost", i)
		statements = append(statements, session(id, "estimated_cost_usd", c[0], "cost_status", c[1]), message(id, 1))
	}
	s, _ := One(t, "v11.db", statements...)
	for i := range 3 {
		c, err := s.Conversation(t.Context(), fmt.Sprint("cost", i))
		if err != nil || c.Total.Cost.String() != "?" {
			t.Errorf("%d: %q %v", i, c.Total.Cost.String(), err)
		}
	}
}

// An empty list never hides an error: what cannot be read is an error
// with its remedy, and what can is shown, with a note.
func TestTrapEmptyListWhenUnreadable(t *testing.T) {
	t.Parallel()
	look := func(path string) (n int, notes int, err error) {
		s, err := Open(t.Context(), path, WithClock(clock), patience(200*time.Millisecond))
		if err != nil {
			return 0, 0, err
		}
		defer s.Close()
		page, err := s.Conversations(t.Context(), query.ListOptions{})
		return len(page.Conversations), len(s.Notes()), err
	}
	cut := fixture(t, "v11.db")
	if err := os.Truncate(cut, 6*4096); err != nil {
		t.Fatal(err)
	}
	locked := fixture(t, "v25.db")
	Must(t, otherConnection(t, locked), `PRAGMA journal_mode = delete`, `BEGIN EXCLUSIVE`)
	bare := fixture(t, "v11.db")
	Must(t, otherConnection(t, bare), `DROP TABLE sessions`)
	for name, path := range map[string]string{
		"truncated": fixture(t, "bad/truncated.db"), "cut off": cut, "header only": fixture(t, "bad/truncated-header.db"),
		"pages": fixture(t, "bad/damaged-pages.db"), "locked": locked, "no index": fixture(t, "bad/fts-missing.db"), "no sessions": bare,
	} {
		n, notes, err := look(path)
		e, typed := errors.AsType[*model.Error](err)
		switch {
		case err == nil && n == 0:
			t.Errorf("%s: an empty list and no error", name)
		case err == nil && notes == 0:
			t.Errorf("%s: %d rows and no word of what is wrong", name, n)
		case err != nil && (!typed || e.Message == "" || e.Remedy.Text == ""):
			t.Errorf("%s: %v", name, err)
		}
	}
	// What is searched without its index is found all the same.
	s, err := Open(t.Context(), fixture(t, "bad/fts-missing.db"), WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if r, err := s.Search(t.Context(), query.Parse("the", false), query.ListOptions{Scope: model.ScopeAll}); err != nil || len(r.Matches) == 0 {
		t.Errorf("%d matches, %v", len(r.Matches), err)
	}
}

// The other half of TestTrapSecondReaderHurtsWAL: a program that keeps the file
// open and commits message after message, until its input ends.
func TestTrapWriterChild(t *testing.T) {
	path := os.Getenv("STORE_TEST_TRAP_WAL")
	if path == "" {
		t.Skip("runs inside TestTrapSecondReaderHurtsWAL")
	}
	q := otherConnection(t, path)
	Must(t, q, `PRAGMA journal_mode = wal`)
	stop := make(chan struct{})
	go func() { io.Copy(io.Discard, os.Stdin); close(stop) }()
	n := 0
	for running := true; running; n++ {
		Must(t, q, fmt.Sprintf(`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('writer', 'user', 'message %d of the writer', %d)`, n, 1700000000+n))
		if n == 0 {
			fmt.Println("ready")
		}
		if err := db.SleepContext(t.Context(), 200*time.Microsecond); err != nil { // others run, too
			t.Fatal(err)
		}
		select {
		case <-stop:
			running = false
		default:
		}
	}
	fmt.Println("wrote", n)
}

// A reader that comes and goes beside a writer takes nothing from it: no commit
// fails, none is lost, and the -wal and -shm stay that the writer needs.
func TestTrapSecondReaderHurtsWAL(t *testing.T) {
	t.Parallel()
	rounds := campaign.Length(20, 1000)
	path := fixture(t, "v11.db")
	db := otherConnection(t, path)
	Must(t, db, session("writer"))
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	writer := child(t.Context(), "TestTrapWriterChild", "STORE_TEST_TRAP_WAL="+path)
	in, err := writer.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fscanln(out, new(string)); err != nil {
		t.Fatal(err)
	}
	files := func() (names []string) {
		found, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			names = append(names, filepath.Base(f))
		}
		return names
	}
	want := []string{"state.db", "state.db-shm", "state.db-wal"}
	seen := 0
	for round := range rounds {
		var opts []Option
		if round%5 == 4 {
			opts = append(opts, ReadOnly())
		}
		s, err := Open(t.Context(), path, opts...)
		if err != nil {
			t.Fatal(round, err)
		}
		n := Count(t, s, `SELECT count(*) FROM messages WHERE session_id = 'writer'`)
		if n < seen {
			t.Fatalf("round %d: %d messages after %d", round, n, seen)
		}
		seen = n
		if _, err := s.Conversations(t.Context(), query.ListOptions{Limit: 20}); err != nil {
			t.Fatal(round, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(round, err)
		}
		if got := files(); !slices.Equal(got, want) {
			t.Fatalf("round %d: the files are %q", round, got)
		}
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(out)
	if err := errors.Join(err, writer.Wait()); err != nil {
		t.Fatalf("the writer: %v\n%s", err, rest)
	}
	_, said, _ := strings.Cut(string(rest), "wrote ")
	wrote := 0
	if _, err := fmt.Sscan(said, &wrote); err != nil {
		t.Fatalf("%q: %v", rest, err)
	}
	s := reopen(t, path)
	if n := Count(t, s, `SELECT count(*) FROM messages WHERE session_id = 'writer'`); n != wrote || wrote < rounds/10 {
		t.Errorf("%d messages of %d that were written", n, wrote)
	}
	indexed(t, s.db.Pool, true)
	if got := files(); len(got) == 0 || got[0] != "state.db" {
		t.Errorf("the files are %q", got)
	}
}
