//go:build !windows

package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
)

// While a dialog is open, another process inserts, renames and deletes rows: the
// action applies to the row that the dialog was opened for, or to none.
func TestAnotherProcessWritesDuringEveryDialog(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "v25.db")
	fixtures.Unpack(t, "v25.db", db)
	write := otherWriter(t, db)
	n := 0
	meanwhile := func() {
		for range 5 {
			n++
			id := fmt.Sprint("between", n)
			write(`INSERT INTO sessions (id, source, title, started_at) VALUES (?, 'cli', ?, unixepoch() + 1000)`, id, "in between "+fmt.Sprint(n))
			write(`INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', 'hello', unixepoch() + 1000)`, id)
		}
		write(`DELETE FROM messages WHERE session_id = ?`, fmt.Sprint("between", n-4))
		write(`DELETE FROM sessions WHERE id = ?`, fmt.Sprint("between", n-4))
		write(`UPDATE sessions SET title = title || '!' WHERE id LIKE 'between%'`)
	}
	for i := range 3 {
		id := fmt.Sprint("mine", i)
		write(`INSERT INTO sessions (id, source, title, started_at, ended_at) VALUES (?, 'cli', ?, unixepoch(), unixepoch())`, id, "target "+fmt.Sprint(i))
		write(`INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', 'hello', unixepoch())`, id)
	}
	s := open(t, 160, 40, nil, "--db", db) // what names the file fits on a line, and needs no box
	pick := func(title string) {
		s.Sees("conversations ·")
		s.Pastes(title)
		s.Sees(" 1 conversation")
	}
	leave := func() {
		s.Press("Ctrl+U")
		s.Sees("Search…")
	}

	pick("target 0")
	s.Press("Ctrl+D")
	s.Sees("Delete “target 0”?")
	s.Sees("Deletes ")
	meanwhile()
	s.Types("y")
	s.Sees("Deleted “target 0”")
	leave()

	pick("target 1")
	s.Press("Ctrl+R")
	s.Sees("enter save · esc cancel")
	meanwhile()
	s.Types("x")
	s.Sees("enter save")
	s.Press("Enter")
	s.Sees("Renamed to “target 1x”")
	leave()

	// Renamed by the other writer while the dialog is open: that title stays.
	pick("target 2")
	s.Press("Ctrl+R")
	s.Sees("enter save · esc cancel")
	write(`UPDATE sessions SET title = 'theirs' WHERE id = 'mine2'`)
	s.Types("x")
	s.Sees("enter save")
	s.Press("Enter")
	s.Sees("nother program has renamed it to 'theirs'; nothing was renamed")
	leave()

	// More was said between the question and the answer: nothing goes.
	pick("theirs")
	s.Press("Ctrl+D")
	s.Sees("Deletes ")
	write(`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('mine2', 'user', 'and more', unixepoch())`)
	meanwhile()
	s.Types("y")
	s.Sees("nother program has changed these sessions; nothing was deleted")
	s.Press("Ctrl+C")
	s.exits(130)
	s.restored()

	var list struct{ Sessions []struct{ ID, Title string } }
	ask(t, &list, "--db", db, "list", "--limit", "0")
	got := map[string]string{}
	between := 0
	for _, c := range list.Sessions {
		got[c.ID] = c.Title
		if strings.HasPrefix(c.ID, "between") {
			between++
		}
	}
	if _, there := got["mine0"]; there || got["mine1"] != "target 1x" || got["mine2"] != "theirs" || between != n-n/5 {
		t.Errorf("mine0 %q, mine1 %q, mine2 %q, %d of the other writer's %d", got["mine0"], got["mine1"], got["mine2"], between, n-n/5)
	}
}

// A database that stays locked: the row leaves, the work can be stopped, the
// row comes back, and nothing has changed.
func TestALockedDatabasePutsTheRowBack(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "v25.db")
	fixtures.Unpack(t, "v25.db", db)
	before := exported(t, db)
	write := otherWriter(t, db)
	write(`PRAGMA journal_mode = wal`)
	s := open(t, 160, 40, nil, "--db", db)
	s.Sees("recent first")
	s.Pastes("my project compressed")
	s.Sees(" 1 conversation")
	s.Press("Ctrl+D")
	s.Sees("Deletes ")
	write(`BEGIN IMMEDIATE`)
	s.Types("y")
	s.Sees(" 0 conversations")
	s.Sees("Deleting “my project compressed”") // it waits for its turn
	s.Press("Ctrl+U")                          // and the list does not wait with it
	s.Sees("recent first")
	s.Pastes("docker")
	s.Sees(" matches · ")
	s.Press("Right")
	s.Sees("match 1 of ")
	s.Press("Left")
	s.Loses("match 1 of ")
	s.Press("Ctrl+U")
	s.Sees("Search…")
	s.Pastes("my project compressed")
	s.Sees(" 0 conversations")
	s.Press("Alt+C")
	s.Sees("topped")
	s.Sees(" 1 conversation")
	write(`ROLLBACK`)
	if campaign.On() { // it gives up by itself, after a while
		write(`BEGIN IMMEDIATE`)
		s.Press("Ctrl+D")
		s.Sees("Deletes ")
		s.Types("y")
		s.Sees("nother program keeps the database locked")
		s.Sees(" 1 conversation")
		write(`ROLLBACK`)
	}
	s.Press("Ctrl+C")
	s.exits(130)
	s.restored()
	if after := exported(t, db); after != before {
		t.Error("the history is not as it was")
	}
}
