package ui

import (
	"strings"
	"testing"
	"time"

	"hermes-sessions/model/query"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/uitest"

	tea "charm.land/bubbletea/v2"
)

// Traps that other browsers of sessions fell into, one test each; those that
// lie in the database have theirs in the store.

func TestTrapFirstLetterOfAQueryTriggersAnAction(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		for r := rune('!'); r < 0x7f; r++ {
			if strings.ContainsRune("?:/", r) {
				continue // harmless views, and the habit of starting a search
			}
			d := start(t, lib, 80, 24)
			d.types(string(r))
			if d.quit || len(d.root.dialogs) > 0 || d.query() != string(r) || d.root.changes.jobs.busy() || len(lib.Titles()) != 12 {
				t.Errorf("%q does more than search", r)
			}
		}
	})
}

func TestTrapConfirmationAppliesToAnotherRowAfterRefresh(t *testing.T) {
	TestConfirmationAppliesToAnotherRowAfterRefresh(t)
}

func TestTrapCutIDs(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		long := strings.Repeat("20261121_101112_abcdef", 4)
		lib.Convs[0].ID, lib.Convs[0].RootID = long, long
		d := start(t, lib, 40, 24).keys("ctrl+y").keys("i")
		if len(d.sent) != 1 || d.sent[0] != long {
			t.Fatalf("copied %q", d.sent)
		}
	})
}

func TestTrapEscapeSequencesInTitles(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		bad := "\x1b]52;c;aGk=\a\x1b[2Jx\u202ey\u0085z"
		lib.Convs[0].Title = bad
		d := start(t, lib, 100, 30).keys("down")
		for _, path := range [][]string{nil, {"ctrl+d"}, {"n", "ctrl+r"}, {"esc", "tab", "tab", "ctrl+d"}, {"y"}, {"alt+z"}, {"ctrl+x", "c", "right"}} {
			d.keys(path...)
			v := d.root.View()
			for _, s := range []string{"\x1b]52", "\x1b[2J", "\u202e", "\u0085", "\a"} {
				if strings.Contains(v.Content, s) || strings.Contains(v.WindowTitle, s) {
					t.Fatalf("after %q: %q reached the terminal", path, s)
				}
			}
		}
	})
}

func TestTrapEscapeSequencesInMessages(t *testing.T) {
	t.Parallel()
	t.Run("on the screen", TestTranscriptIsHarmless)
	t.Run("in the clipboard", TestCopySendsTheMessage)
}

func TestTrapEnterIsLF(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		// LF arrives as Ctrl+J, which moves: it never deletes or resumes.
		d := start(t, lib, 80, 24)
		d.send(tea.KeyPressMsg{Code: 'j', Mod: tea.ModCtrl})
		d.wait(time.Second)
		if d.quit || d.row() != 1 {
			t.Fatalf("row %d, left %v", d.row(), d.quit)
		}
		// Where the terminal is known to send it for Enter, it chooses as CR does.
		feeds := bound(t, shell.Searches, shell.Overrides{shell.InList: {shell.Resume: {"enter", "ctrl+j"}, shell.Down: {"down"}}, shell.InDialog: {shell.ChooseEntry: {"enter", "ctrl+j"}}})
		for _, enter := range []string{"enter", "ctrl+j"} {
			d = start(t, lib, 80, 24, feeds).keys("ctrl+d").sees("Deletes ")
			if d.keys(enter); len(d.root.dialogs) > 0 || len(lib.Titles()) != 12 {
				t.Fatalf("%s does not take the safe answer", enter)
			}
			d.types(":sort title").keys(enter)
			if d.list().Listing().Order != query.ByTitle {
				t.Fatalf("%s chooses no command", enter)
			}
			if d.keys(enter); !d.quit || d.root.Outcome().ID == "" {
				t.Fatalf("%s resumes nothing", enter)
			}
		}
	})
}
