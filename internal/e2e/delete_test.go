//go:build !windows

package e2e

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/internal/fixtures"
)

// Delete, look, take it back: everything is as it was.
func TestDeleteAndUndo(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"v25", "v16", "v11"}[:campaign.Length(1, 3)] {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			db := filepath.Join(t.TempDir(), version+".db")
			fixtures.Unpack(t, version+".db", db)
			before := exported(t, db)
			s := open(t, 120, 40, nil, "--db", db)
			s.until("the list is there", func(text string) bool { return s.onScreen() && strings.Contains(text, "conversations ·") })
			s.Press("Tab", "Tab", "Tab")
			s.Sees("3 selected")
			s.Press("Ctrl+D")
			s.Sees("Delete 3 conversations?")
			s.Sees("Deletes ")
			s.Press("Enter") // the safe default
			s.Loses("Deletes ")
			s.Press("Ctrl+D")
			s.Sees("Deletes ")
			s.Types("y")
			s.Sees("Deleted 3 conversations")
			s.Press("Alt+Z")
			s.Sees("Restored 3 conversations")
			s.Press("Ctrl+D")
			s.Sees("Deletes ")
			s.Types("y")
			s.Sees("Deleted “")
			s.Press("Alt+Z")
			s.Sees("Restored “")
			s.Press("Ctrl+C")
			s.exits(130)
			s.restored()
			if after := exported(t, db); after != before {
				t.Errorf("the history is not as it was:\n%s\n%s", before, after)
			}
		})
	}
}

// One segment goes alone by choice, and comes back into its place.
func TestDeleteASegmentAndUndo(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"v11", "v25"}[:campaign.Length(1, 2)] {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			db := filepath.Join(t.TempDir(), version+".db")
			fixtures.Unpack(t, version+".db", db)
			before := exported(t, db)
			s := open(t, 120, 40, nil, "--db", db)
			s.until("the list is there", func(text string) bool { return s.onScreen() && strings.Contains(text, "conversations ·") })
			s.Pastes("my project compressed")
			s.Sees(" 1 conversation")
			s.Press("Ctrl+D")
			s.Sees("s Only the newest segment")
			s.Types("s")
			s.Sees("The conversation will end with segment ")
			s.Types("[")
			s.Sees("Delete segment ")
			s.Press("Enter") // the safe answer
			s.Loses("Delete segment ")
			s.Press("Ctrl+D")
			s.Sees("s Only the newest segment")
			s.Types("s[")
			s.Sees("Delete segment ")
			s.Sees("Deletes ")
			s.Types("y")
			s.Sees("Deleted a segment of “")
			if now := exported(t, db); now == before {
				t.Error("nothing was changed")
			}
			s.Press("Alt+Z")
			s.Sees("Restored a segment of “")
			s.Press("Ctrl+C")
			s.exits(130)
			s.restored()
			if after := exported(t, db); after != before {
				t.Errorf("the history is not as it was:\n%s\n%s", before, after)
			}
		})
	}
}

// A clean-up, opened from the commands, deletes all its findings at once, and one
// undo restores them.
func TestCleanUpAndUndo(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "v25.db")
	fixtures.Unpack(t, "v25.db", db)
	before := exported(t, db)
	s := open(t, 120, 40, nil, "--db", db)
	s.Sees("recent first")
	s.Types(":")
	s.Sees("Commands")
	s.Pastes("clean up")
	s.Sees("Review and delete clutter")
	s.Press("Enter")
	s.Sees(" selected, ")
	of := regexp.MustCompile(`(\d+) of (\d+) selected`).FindStringSubmatch(s.text())
	if of == nil || of[1] != of[2] || of[1] == "0" {
		t.Fatalf("not all are selected: %q", of)
	}
	s.Types("d")
	s.Sees("Deletes ")
	if len(of[1]) > 1 { // ten and more need their number
		s.Types(of[1] + "\r")
	} else {
		s.Types("y")
	}
	s.Sees("Deleted ")
	s.Sees("No clutter: no empty, ghost or duplicate conversations.")
	if now := exported(t, db); now == before {
		t.Error("nothing was changed")
	}
	s.Types("u")
	s.Sees("Restored ")
	s.Press("Ctrl+C")
	s.exits(130)
	s.restored()
	if after := exported(t, db); after != before {
		t.Errorf("the history is not as it was:\n%s\n%s", before, after)
	}
}

// With --read-only no key changes anything, and says so.
func TestReadOnlyChangesNothing(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "v25.db")
	fixtures.Unpack(t, "v25.db", db)
	before := exported(t, db)
	s := open(t, 120, 40, nil, "--db", db, "--read-only")
	s.until("the list is there", func(text string) bool { return s.onScreen() && strings.Contains(text, "conversations ·") })
	for _, key := range []string{"Ctrl+D", "Alt+Z"} {
		s.Press(key)
		s.Sees("pened with --read-only")
		s.Press("Tab")
		s.Sees("selected")
		s.Press("Esc")
		s.Loses("selected")
	}
	s.Press("Ctrl+X")
	s.Sees("storage")
	if strings.Contains(s.text(), "undo") {
		t.Errorf("it is offered:\n%s", s.text())
	}
	s.Press("Ctrl+C")
	s.exits(130)
	if after := exported(t, db); after != before {
		t.Error("the history is not as it was")
	}
}
