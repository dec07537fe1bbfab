package ui

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/ui/uitest"
)

func TestTabMarksAndMovesOn(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24)
		first := d.items()[0].ID
		d.keys("tab", "tab").sees("2 selected · esc clears · 12 conversations", "◆")
		if d.row() != 2 || d.list().Marked()[0] != first {
			t.Fatalf("row %d, marked %q", d.row(), d.list().Marked())
		}
		d.keys("up", "shift+tab").sees("1 selected")
		if d.row() != 0 {
			t.Fatalf("row %d", d.row())
		}
		d.keys("tab").misses("selected")
	})
}

// Marks are of conversations, not of rows: they stay while the query, the
// order and the scope change, and while others change the history.
func TestMarksAreKeptById(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24).types("kafka").keys("tab", "tab")
		ids := d.list().Marked()
		d.keys("ctrl+u").types("menu").sees("2 selected (2 not shown)")
		d.keys("ctrl+o").keys("ctrl+u").keys("ctrl+o", "ctrl+s")
		if !slices.Equal(d.list().Marked(), ids) {
			t.Fatalf("marked %q, were %q", d.list().Marked(), ids)
		}
		d.sees("2 selected · esc clears · 12 conv")
		// The conversation goes on in a new segment.
		lib.Set(func() {
			for i := range lib.Convs {
				if lib.Convs[i].ID == ids[0] {
					lib.Convs[i].ID = "next"
					lib.Convs[i].Segments = append(lib.Convs[i].Segments, "next")
				}
			}
			lib.Version++
		})
		d.wait(3 * time.Second)
		if got := d.list().Marked(); got[0] != "next" || got[1] != ids[1] {
			t.Fatalf("marked %q", got)
		}
	})
}

func TestEscClearsMarksBeforeTheQuery(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24).types("kafka").keys("tab", "esc").misses("selected")
		if d.quit || d.query() != "kafka" || d.list().Marked() != nil {
			t.Fatal("the first Esc clears the marks and nothing else")
		}
		if d.keys("esc"); d.quit || d.query() != "" {
			t.Fatal("the second clears the query")
		}
	})
}

func TestARangeIsMarkedFromTheLastMark(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24).keys("down", "tab", "down", "down", "alt+v").sees("4 selected")
		want := []string{}
		for _, it := range d.items()[1:5] {
			want = append(want, it.ID)
		}
		if !slices.Equal(d.list().Marked(), want) {
			t.Fatalf("marked %q, want %q", d.list().Marked(), want)
		}
	})
}

// All that a query finds is selected, also what has not been read yet.
func TestMarkAllTakesWhatIsFurtherDown(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		for i := range 300 {
			c := model.Conversation{Session: model.Session{ID: fmt.Sprint("old", i), Title: fmt.Sprint("moss ", i), Source: "cli"}, RootID: fmt.Sprint("root", i)}
			c.LastActive = uitest.Now().Add(-time.Duration(1000+i) * 24 * time.Hour)
			lib.Convs = append(lib.Convs, c)
		}
		d := start(t, lib, 100, 24).types("moss")
		if n := d.loaded(); n >= 300 {
			t.Fatalf("%d rows were read at once", n)
		}
		d.keys("alt+a").sees("300 selected · esc clears · 300 conv")
		// Typing on before the answer has come means other rows.
		e := start(t, lib, 100, 24).types("moss")
		lib.Set(func() { lib.Delay = func(string) time.Duration { return 300 * time.Millisecond } })
		e.send(keyPress("alt+a"))
		e.types(" 1")
		e.wait(3 * time.Second)
		if n := len(e.list().Marked()); n >= 300 {
			t.Fatalf("%d marked of %d", n, e.total())
		}
	})
}
