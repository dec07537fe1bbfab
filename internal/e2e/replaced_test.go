//go:build !windows

package e2e

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
)

// replaceable is a browser on a database, with other files beside it.
type replaceable struct {
	*browser
	db, copy, other string
}

func openReplaceable(t *testing.T) *replaceable {
	t.Helper()
	s := open(t, 120, 30, nil, "--db="+fixtures.Database(t, "v25.db"))
	r := &replaceable{browser: s, db: filepath.Join(s.folder, "state.db"), copy: filepath.Join(s.folder, "copy"), other: filepath.Join(s.folder, "other")}
	fixtures.Unpack(t, "v25.db", r.copy)
	fixtures.Unpack(t, "v16.db", r.other)
	r.Sees("74 conversations")
	return r
}

// cp copies as the program of that name does: the target stays the same file.
func (r *replaceable) cp(from, to string) {
	r.t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	r.done(err)
}

func (r *replaceable) done(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// run runs a statement on a file as another program, which ends after it.
func (r *replaceable) run(file, statement string) {
	r.t.Helper()
	db, err := sql.Open("sqlite", "file:"+file)
	if err == nil {
		_, err = db.ExecContext(r.t.Context(), statement)
	}
	r.done(errors.Join(err, db.Close()))
}

// current is the line of the row that actions are about.
func (r *replaceable) current() string {
	for line := range strings.Lines(r.text()) {
		if strings.HasPrefix(line, " ▸") {
			row, _, _ := strings.Cut(line, "│") // without the preview
			return row
		}
	}
	return ""
}

// refuses presses a key that would delete, which says why nothing comes of it.
func (r *replaceable) refuses(why string) {
	r.t.Helper()
	r.Press("Ctrl+D")
	r.until("it says why not", func(text string) bool { // in a box, or in a line with the remedy
		return strings.Contains(text, why) && (strings.Contains(text, "Not possible") || strings.Contains(text, "changed (put "))
	})
	if strings.Contains(r.text(), "Not possible") {
		r.Press("Esc")
		r.Loses("Not possible")
	}
	if strings.Contains(r.text(), "Deletes ") {
		r.t.Error(r.text())
	}
}

func (r *replaceable) leaves() {
	r.t.Helper()
	r.Press("Ctrl+C")
	r.exits(130)
	r.restored()
}

// After mv, the list is that of the new file: said once, and nothing of the old one is
// done to it.
func TestReplacedByMove(t *testing.T) {
	t.Parallel()
	r := openReplaceable(t)
	r.done(os.Rename(r.other, r.db))
	r.Sees("state.db was replaced; showing the new file")
	r.Sees("46 conversations")
	r.Press("Down")
	r.Loses("was replaced")
	r.Press("Ctrl+D")
	r.Sees("Deletes ")
	r.Types("y")
	r.Sees("Deleted “")
	r.Sees("45 conversations")
	r.Press("Alt+Z")
	r.Sees("46 conversations")
	before := exported(t, r.db)
	// What was deleted from one file is not brought back into another.
	r.Press("Ctrl+D")
	r.Sees("Deletes ")
	r.Types("y")
	r.Sees("Deleted “")
	r.done(os.Rename(r.copy, r.db))
	r.Sees("was replaced")
	r.Sees("74 conversations")
	content := contents(t, r.db)
	r.Press("Alt+Z")
	r.Sees("This change was made in the database that was here before")
	if contents(t, r.db) != content || before == "" {
		t.Error("the other file was changed")
	}
	r.leaves()
}

// After cp of a backup, the list is that of the backup, and the same row is current.
func TestOverwrittenByCopy(t *testing.T) {
	t.Parallel()
	r := openReplaceable(t)
	r.Press("Down", "Down")
	r.until("the cursor has moved", func(string) bool {
		return strings.Contains(r.current(), "데이터베이스") && !strings.Contains(r.current(), "★")
	})
	was := r.current()
	r.cp(r.other, r.db)
	r.Sees("state.db was overwritten; showing its new content")
	r.Sees("46 conversations")
	r.cp(r.copy, r.db)
	r.Sees("74 conversations")
	r.run(r.copy, `DELETE FROM sessions WHERE id = (SELECT s.id FROM sessions s WHERE s.pinned = 1 AND NOT EXISTS (SELECT 1 FROM sessions c WHERE c.parent_session_id = s.id) LIMIT 1)`)
	r.Press("Home", "Down", "Down", "Down")
	r.until("the same row is current", func(string) bool { return r.current() == was })
	r.done(os.Rename(r.copy, r.db))
	r.Sees("state.db was replaced")
	r.Sees("73 conversations")
	if got := r.current(); got != was {
		t.Errorf("the current row is %q, want %q", got, was)
	}
	r.leaves()
}

// While the file is gone the rows can be read, and nothing can be changed.
func TestRemovedFileComesBack(t *testing.T) {
	t.Parallel()
	r := openReplaceable(t)
	before := contents(t, r.db)
	hidden := r.db + ".hidden"
	r.done(os.Rename(r.db, hidden))
	r.Sees("state.db was removed: nothing can be changed until it is back")
	r.Sees("rows already read are still shown")
	r.refuses("nothing can be changed")
	r.Press("Right")
	r.Sees("q back")
	r.Types("q")
	r.Sees("74 conversations")
	r.done(os.Rename(hidden, r.db))
	r.Sees("state.db is back")
	r.Loses("rows already read are still shown")
	if contents(t, r.db) != before {
		t.Error("the file was changed")
	}
	r.done(os.Remove(r.db))
	r.Sees("state.db was removed")
	r.done(os.Rename(r.other, r.db))
	r.Sees("state.db was replaced")
	r.Sees("46 conversations")
	r.leaves()
}

// An empty file leaves the rows on the screen, garbage too.
func TestEmptiedAndOverwrittenWithGarbage(t *testing.T) {
	t.Parallel()
	r := openReplaceable(t)
	r.done(os.Truncate(r.db, 0))
	r.Sees("state.db was emptied")
	r.Sees("74 conversations")
	r.refuses("was emptied")
	r.cp(r.other, r.db)
	r.Sees("46 conversations")
	r.done(os.WriteFile(r.db, []byte(strings.Repeat("no database ", 9000)), 0o600))
	r.Sees("this is not a SQLite database")
	r.Sees("46 conversations")
	r.cp(r.copy, r.db)
	r.Sees("74 conversations")
	r.leaves()
	if contents(t, r.db) != contents(t, r.copy) {
		t.Error("the file is not the copy")
	}
}

// A log that is removed while it is open loses nothing that was read.
func TestRemovedLog(t *testing.T) {
	t.Parallel()
	r := openReplaceable(t)
	r.run(r.copy, `PRAGMA journal_mode = wal`)
	r.done(os.Rename(r.copy, r.db))
	r.Sees("state.db was replaced")
	r.until("the log is open", func(string) bool { return exists(r.db + "-wal") })
	r.Press("Down")
	r.Loses("was replaced")
	r.done(os.Remove(r.db + "-wal"))
	r.Sees("state.db-wal was removed")
	r.Sees("74 conversations")
	r.leaves()
}

// Rights that are taken away while it is open are told.
func TestRightsAreTakenAway(t *testing.T) {
	t.Parallel()
	dependOnSources(t)
	if fixtures.AsUser(t) {
		return
	}
	r := openReplaceable(t)
	r.done(os.Chmod(r.db, 0o400))
	r.done(os.Chmod(r.folder, 0o500))
	r.Sees("state.db can no longer be changed")
	r.done(os.Chmod(r.folder, 0o700))
	r.done(os.Chmod(r.db, 0))
	r.Sees("state.db can no longer be read")
	r.done(os.Chmod(r.db, 0o600))
	r.Sees("state.db is back")
	r.leaves()
}
