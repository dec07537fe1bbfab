package store

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
)

// What a killed child does, and to which file, is in its environment.
const (
	killedDoes = "STORE_TEST_KILLED_DOES"
	killedFile = "STORE_TEST_KILLED_FILE"
	killedWith = "STORE_TEST_KILLED_WITH"
)

// TestKilledChild is the process that is killed. By itself it does nothing.
func TestKilledChild(t *testing.T) {
	does := os.Getenv(killedDoes)
	if does == "" {
		t.Skip("runs inside the tests of killed writers")
	}
	ctx := context.Background()
	with := os.Getenv(killedWith)
	opts := []Option{WithClock(clock)}
	if strings.HasSuffix(does, "undoable") || does == "finish" {
		opts = append(opts, WithUndoFolder(with))
	}
	if strings.Contains(does, "kept") {
		opts = append(opts, WithUndoLimits(week))
	}
	s, err := Open(ctx, os.Getenv(killedFile), opts...)
	if err != nil {
		t.Fatal(err)
	}
	var undo model.Undo
	if does == "restore, undoable" {
		if undo, err = s.Delete(ctx, []string{"kill"}, model.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if does == "restore" {
		if undo, err = s.Delete(ctx, []string{"kill"}, model.DeleteOptions{Backup: with}); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Println("ready")
	switch does {
	case "delete, undoable":
		_, err = s.Delete(ctx, []string{"kill"}, model.DeleteOptions{})
	case "prune, kept, undoable":
		_, err = s.Prune(ctx, model.PruneOptions{OlderThan: time.Hour})
	case "finish, kept, undoable":
		var left []model.SavedUndo
		if left, err = s.SavedUndos(ctx); err == nil && len(left) > 0 {
			err = s.FinishUndo(ctx, left[0], model.RestoreOptions{})
		}
	case "finish":
		var left []model.SavedUndo
		if left, err = s.InterruptedUndos(ctx); err == nil && len(left) > 0 {
			err = s.FinishUndo(ctx, left[0], model.RestoreOptions{})
		}
	case "restore", "restore, undoable":
		err = s.Restore(ctx, undo, model.RestoreOptions{})
	case "delete":
		_, err = s.Delete(ctx, []string{"kill"}, model.DeleteOptions{Backup: with})
	case "salvage":
		_, err = s.Salvage(ctx, with)
	case "import":
		var f *os.File
		if f, err = os.Open(with); err == nil {
			_, err = s.Import(ctx, f, model.ImportOptions{Strict: true})
		}
	case "edit":
		var back model.Edit
		for on := true; err == nil; on = !on { // until it is killed
			back, err = edited(ctx, s, with, on, back)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// killed runs the child and kills it after a while. done says that it was
// faster.
func killed(t *testing.T, does, file, with string, after time.Duration) (done bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledChild$")
	cmd.Env = append(os.Environ(), killedDoes+"="+does, killedFile+"="+file, killedWith+"="+with)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "ready" {
	}
	timer := time.AfterFunc(after, func() { cmd.Process.Kill() })
	defer timer.Stop()
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "---") {
			t.Error(lines.Text())
		}
	}
	return cmd.Wait() == nil
}

// toBeKilled is a database with a conversation of n messages that has a branch,
// and its dump. columns are those of its session, and their values.
func toBeKilled(t *testing.T, n int, columns ...string) (whole []byte, before []string) {
	t.Helper()
	path := fixture(t, "v25.db")
	db := otherConnection(t, path)
	Must(t, db, session("kill", append([]string{"title", "'to be killed'"}, columns...)...), message("kill", n), session("branch", "parent_session_id", "'kill'"))
	before = dump(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return whole, before
}

// halfway reports whether a part of the conversation's n messages is there. One
// of short messages must be there or not, as a whole.
func halfway(t *testing.T, db *sql.DB, round, n, short int) bool {
	t.Helper()
	indexed(t, db, true)
	st := see(t, db)
	_, there := st.parents["kill"]
	left := st.messages["kill"]
	switch {
	case n == short && (there && (left != n || st.parents["branch"] != "kill") || !there && (left != 0 || st.parents["branch"] != nil)):
		t.Errorf("round %d: the session is there: %v, %d messages", round, there, left)
	case !there && left > 0:
		t.Errorf("round %d: messages without their session", round)
	}
	return left > 0 && left < n
}

// A process that is killed while it deletes leaves a sound database. A short
// conversation is there or not; of a longer one the backup has what the
// database has not.
func TestKillDuringDelete(t *testing.T) {
	t.Parallel()
	for _, n := range []int{400, 2100} {
		whole, before := toBeKilled(t, n)
		parts := 0
		rounds := campaign.Length(1, 10)
		for round := range rounds {
			dir := t.TempDir()
			file, backup := filepath.Join(dir, "state.db"), filepath.Join(dir, "backup.jsonl")
			if err := os.WriteFile(file, whole, 0o600); err != nil {
				t.Fatal(err)
			}
			killed(t, "delete", file, backup, time.Duration(rand.Int64N(int64(time.Duration(n)*time.Millisecond/4))))
			db := otherConnection(t, file)
			if halfway(t, db, round, n, 400) {
				parts++
			}
			s, err := Open(t.Context(), file, WithClock(clock))
			if err != nil {
				t.Fatal(err)
			}
			if b, err := os.ReadFile(backup); err == nil && len(b) > 0 {
				// The last line may be half a line where nothing was removed yet.
				if _, err := s.Import(t.Context(), strings.NewReader(string(b)), model.ImportOptions{}); err != nil {
					t.Error(err)
				}
			}
			same(t, fmt.Sprint("round ", round), before, dump(t, db))
			indexed(t, db, true)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		t.Logf("trust: %d kills during a delete of %d messages: %d left a part, which the backup completed; 0 rows lost", rounds, n, parts)
	}
}

// A process that is killed while it salvages leaves the damaged file as it was, and the new one
// whole or not at all. One that is run again writes it, and leaves nothing beside it.
func TestKillDuringSalvage(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v25.db")
	db := otherConnection(t, path)
	Must(t, db, session("long"), message("long", 3000))
	want := dump(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before := fileContent(t, path)
	early := 0
	for round := range campaign.Length(4, 40) {
		out := filepath.Join(t.TempDir(), "saved.db")
		if done := killed(t, "salvage", path, out, time.Duration(rand.Int64N(int64(800*time.Millisecond)))); !done {
			if _, err := os.Stat(out); errors.Is(err, fs.ErrNotExist) {
				early++
				if done, err := reopen(t, path).Salvage(t.Context(), out); err != nil || !done.Whole() {
					t.Fatalf("round %d: run again: %+v %v", round, done, err)
				}
			}
		}
		if beside := filesBeside(t, out); len(beside) != 1 {
			t.Errorf("round %d: beside it %v", round, beside)
		}
		s := reopen(t, out)
		same(t, "salvaged", want, dump(t, s.db.Pool))
		indexed(t, s.db.Pool, true)
	}
	if !bytes.Equal(before, fileContent(t, path)) {
		t.Error("the file was changed")
	}
	t.Logf("trust: %d salvages killed, %d of them before the new file was there", campaign.Length(4, 40), early)
}

// A process that is killed while it restores or imports leaves each session
// whole or out, and the same call finishes the work.
func TestKillDuringImport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lines := filepath.Join(dir, "lines.jsonl")
	var b strings.Builder
	sessions := campaign.Length(60, 400)
	last := fmt.Sprintf("i%03d", sessions-1)
	for n := range sessions {
		fmt.Fprintf(&b, `{"id": "i%03d", "source": "cli", "parent_session_id": "%s", "started_at": %d.0, "messages": [`, n, last, n)
		for m := range 5 {
			if m > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, `{"role": "user", "content": "message %d of %d", "timestamp": %d.0}`, m, n, m)
		}
		b.WriteString("]}\n")
	}
	if err := os.WriteFile(lines, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	s, db := One(t, "v25.db", session("kill", "title", "'long'"), message("kill", 2050), session("branch", "parent_session_id", "'kill'"))
	full := dump(t, db)
	backup := filepath.Join(dir, "backup.jsonl")
	if err := deleted(t, s, model.DeleteOptions{Backup: backup}, "kill").Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	Must(t, db, `PRAGMA wal_checkpoint(TRUNCATE)`)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	kills := 0
	for round := range campaign.Length(2, 8) {
		file := filepath.Join(t.TempDir(), "state.db")
		if err := os.WriteFile(file, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		with := lines
		if round%2 == 1 {
			with = backup
		}
		done := false
		for try := 0; !done && try < 40; try++ {
			kills++
			done = killed(t, "import", file, with, time.Duration(rand.Int64N(int64(600*time.Millisecond)))+time.Duration(try)*200*time.Millisecond)
			db := otherConnection(t, file)
			indexed(t, db, true)
			for id, n := range see(t, db).messages {
				if strings.HasPrefix(id, "i") && n != 5 {
					t.Fatalf("%s has %d messages", id, n)
				}
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
		db := otherConnection(t, file)
		if with == backup {
			same(t, "backup", full, dump(t, db))
			continue
		}
		st := see(t, db)
		for n := range sessions {
			if parent := st.parents[fmt.Sprintf("i%03d", n)]; parent != last {
				t.Fatalf("i%03d has the parent %v after all", n, parent)
			}
		}
	}
	t.Logf("trust: %d kills during an import: each session whole or out, 0 rows lost", kills)
}

// A process that is killed while it restores leaves a sound database. A short
// conversation is back or not; of a longer one a part is. No row is another
// than before, and the backup brings the rest, dangling parents included.
func TestKillDuringRestore(t *testing.T) {
	t.Parallel()
	for _, n := range []int{300, 1500} {
		whole, before := toBeKilled(t, n, "parent_session_id", "'unknown'")
		parts := 0
		rounds := campaign.Length(1, 10)
		for round := range rounds {
			dir := t.TempDir()
			file, backup := filepath.Join(dir, "state.db"), filepath.Join(dir, "backup.jsonl")
			if err := os.WriteFile(file, whole, 0o600); err != nil {
				t.Fatal(err)
			}
			killed(t, "restore", file, backup, time.Duration(rand.Int64N(int64(time.Duration(n)*time.Millisecond/3))))
			db := otherConnection(t, file)
			if halfway(t, db, round, n, 300) {
				parts++
			}
			for _, row := range dump(t, db) {
				if strings.HasPrefix(row, "messages ") && !slices.Contains(before, row) {
					t.Errorf("round %d: %s is not what it was", round, row)
				}
			}
			s, err := Open(t.Context(), file, WithClock(clock))
			if err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(backup)
			if err != nil {
				t.Fatal(err)
			}
			if r, err := s.Import(t.Context(), strings.NewReader(string(b)), model.ImportOptions{}); err != nil || r.Skipped+r.Renumbered+r.Unlinked > 0 {
				t.Errorf("%+v %v", r, err)
			}
			same(t, fmt.Sprint("round ", round), before, dump(t, db))
			indexed(t, db, true)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		t.Logf("trust: %d kills during a restore of %d messages: %d left a part, which the backup completed; 0 rows lost", rounds, n, parts)
	}
}

// editedSegments is how many segments the conversation of TestKillDuringEdits has.
var editedSegments = campaign.Length(100, 250)

// edited makes one edit of it where on is true, and else takes it back.
func edited(ctx context.Context, s *Store, what string, on bool, back model.Edit) (model.Edit, error) {
	switch what {
	case "pin":
		return s.SetPinned(ctx, []string{"part1"}, on)
	case "archive":
		return s.SetArchived(ctx, []string{"part1"}, on)
	}
	if on { // from an earlier segment
		return s.Rename(ctx, model.Renaming{ID: fmt.Sprint("part", editedSegments), Title: "wandering"})
	}
	return model.Edit{}, s.UndoEdit(ctx, back)
}

// A process that is killed while it pins, archives or renames has done it to
// all segments or to none: no flag holds for half a conversation, and a title
// that moves is never on two sessions or on none.
func TestKillDuringEdits(t *testing.T) {
	t.Parallel()
	path := fixture(t, "v25.db")
	db := otherConnection(t, path)
	for k := 1; k <= editedSegments; k++ {
		parent := "NULL"
		if k > 1 {
			parent = fmt.Sprintf("'part%d'", k-1)
		}
		Must(t, db, session(fmt.Sprint("part", k), "parent_session_id", parent, "system_prompt", "printf('%.*c', 3000, 'x')"), message(fmt.Sprint("part", k), 1))
	}
	Must(t, db, `UPDATE sessions SET title = 'wandering' WHERE id = 'part1'`,
		fmt.Sprintf(`UPDATE sessions SET ended_at = started_at, end_reason = 'compression' WHERE id LIKE 'part%%' AND id <> 'part%d'`, editedSegments))
	s := reopen(t, path)
	if c, err := s.Conversation(t.Context(), "part1"); err != nil || len(c.Segments) != editedSegments {
		t.Fatal(len(c.Segments), err)
	}
	before := dump(t, db)
	for _, what := range []string{"pin", "archive", "rename"} {
		done := map[string]int{}
		for range campaign.Length(1, 10) {
			killed(t, "edit", path, what, time.Duration(rand.Int64N(int64(150*time.Millisecond))))
			indexed(t, db, true)
			all := fmt.Sprint(editedSegments)
			for _, column := range []string{"pinned", "archived"} {
				n := texts(t, s, `SELECT count(*) FROM sessions WHERE id LIKE 'part%' AND `+column+` = 1`)[0]
				if n != "0" && n != all {
					t.Errorf("%s: %s of %s segments are %s", what, n, all, column)
				}
				done[column+" "+n]++
			}
			who := texts(t, s, `SELECT id FROM sessions WHERE title = 'wandering'`)
			if len(who) != 1 || who[0] != "part1" && who[0] != "part"+all {
				t.Errorf("%s: the title is that of %q", what, who)
			}
			done[who[0]]++
			// The next one begins where this one began.
			Must(t, db, `UPDATE sessions SET pinned = 0, archived = 0 WHERE id LIKE 'part%'`)
			if who[0] != "part1" {
				Must(t, db, `UPDATE sessions SET title = NULL WHERE title = 'wandering'`, `UPDATE sessions SET title = 'wandering' WHERE id = 'part1'`)
			}
		}
		t.Logf("trust: %d kills during changes (%s): 0 left a half; %v", campaign.Length(1, 10), what, done)
	}
	same(t, "after all of it", before, dump(t, db))
}
