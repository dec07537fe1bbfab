package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/uitest"
)

func bound(t *testing.T, typing shell.Typing, own shell.Overrides) func(*Options) {
	t.Helper()
	rows, err := shell.Rebind(uitest.Bindings(t), own)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := shell.NewKeys(rows, typing)
	if err != nil {
		t.Fatal(err)
	}
	return func(o *Options) { o.Keys = keys }
}

func TestOwnKeysTakeThePlaceOfTheOthers(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 120, 30, bound(t, shell.Searches, shell.Overrides{shell.InList: {shell.Hidden: {"f6"}}}))
		if d.keys("ctrl+o"); d.list().Listing().Scope != model.ScopeConversations {
			t.Fatal("the old key still acts")
		}
		if d.sees("12 hidden f6").keys("ctrl+x").sees("hidden             f6").keys("esc", "f6"); d.list().Listing().Scope != model.ScopeAll {
			t.Fatal("the new key does nothing")
		}
	})
}

// The second key of a sequence is awaited, so it is no text, although letters are typed.
func TestTheSecondKeyOfASequenceIsNotTyped(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 120, 30, bound(t, shell.Searches, shell.Overrides{shell.InList: {shell.Hidden: {"ctrl+o", "alt+y y"}}}))
		if d.keys("alt+y", "y"); d.list().Listing().Scope != model.ScopeAll || d.query() != "" {
			t.Fatalf("scope %v, query %q", d.list().Listing().Scope, d.query())
		}
		if d.keys("alt+y", "x", "y"); d.list().Listing().Scope != model.ScopeAll || d.query() != "xy" {
			t.Fatalf("another key does not give the sequence up: scope %v, query %q", d.list().Listing().Scope, d.query())
		}
		if d.keys("alt+y", "esc", "y"); d.query() != "xyy" {
			t.Fatalf("Esc does not give the sequence up: query %q", d.query())
		}
	})
}

// In the manner of vi letters act until a query is begun, and again after Esc.
func TestLettersActUntilAQueryIsBegun(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		vi := bound(t, shell.ActsAlways, shell.Overrides{shell.InList: {shell.Down: {"j"}, shell.Up: {"k"}, shell.Last: {"G"}, shell.Back: {"q", "esc"}, shell.CycleSort: {"s"}, shell.Type: {"i", "/"}}})
		d := start(t, lib, 120, 30, vi).sees("normal i to search")
		if d.types("jj"); d.row() != 2 || d.query() != "" {
			t.Fatalf("row %d, query %q", d.row(), d.query())
		}
		if d.types("zx").keys("backspace"); d.query() != "" || d.root.View().Cursor.Shape != tea.CursorUnderline {
			t.Fatalf("a letter without a meaning was typed: %q", d.query())
		}
		if d.types("/kafka s"); d.query() != "kafka s" || d.list().Listing().Order != query.ByActivity {
			t.Fatalf("the query is %q", d.query())
		}
		if d.keys("esc").types("s"); d.query() != "kafka s" || d.list().Peek().Order == query.ByRelevance {
			t.Fatalf("Esc does not end typing: %q", d.query())
		}
		if d.types("ix"); d.query() != "kafka sx" {
			t.Fatalf("typing does not go on: %q", d.query())
		}
		if d.keys("esc").types("q"); d.query() != "" || d.quit {
			t.Fatal("q does not clear the query first")
		}
		if d.types("q"); !d.quit {
			t.Fatal("q does not quit")
		}
	})
}

// Two keys of one action, as d d: the first alone does nothing, and any other
// than the second forgets it.
func TestTwoKeysOfOneAction(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		vi := bound(t, shell.ActsAlways, shell.Overrides{shell.InList: {
			shell.Down: {"j"}, shell.Up: {"k"}, shell.Back: {"q", "esc"}, shell.Type: {"i"}, shell.Delete: {"d d", "ctrl+d"}, shell.Copy: {"y y"},
		}})
		d := start(t, lib, 120, 50, vi).keys("d").sees("d…")
		if len(d.root.dialogs) > 0 {
			t.Fatal("the first alone does something")
		}
		d.keys("d").sees("Delete “Kafka consumer retries #3”?").keys("n")
		d.keys("d", "j") // moves, and forgets
		if d.row() != 1 || len(d.root.dialogs) > 0 {
			t.Fatalf("on row %d", d.row())
		}
		if d.keys("d"); len(d.root.dialogs) > 0 {
			t.Fatal("what was forgotten counts")
		}
		if d.keys("esc").misses("d…"); d.quit {
			t.Fatal("Esc does more than to forget it")
		}
		d.keys("y", "d", "y", "y").sees("Copy")
		d.keys("esc").keys("d").types("i").types("dd")
		if d.query() != "dd" {
			t.Fatalf("what is typed acts: %q", d.query())
		}
		d.keys("esc", "f1").sees("d d ")
	})
	for want, own := range map[string]shell.Overrides{
		`d begins "d d", which does "delete" in list, and does "copy" alone`: {shell.InList: {shell.Delete: {"d d"}, shell.Copy: {"d"}}},
		`key d d does both`:                            {shell.InList: {shell.Delete: {"d d"}, shell.Copy: {"d d"}}},
		`has the key "d d d", which no terminal sends`: {shell.InList: {shell.Delete: {"d d d"}}},
	} {
		rows, err := shell.Rebind(uitest.Bindings(t), own)
		if err == nil {
			_, err = shell.NewKeys(rows, shell.ActsAlways)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", own, err, want)
		}
	}
	rows, err := shell.Rebind(uitest.Bindings(t), shell.Overrides{shell.InList: {shell.Delete: {"d d"}}})
	if err == nil {
		_, err = shell.NewKeys(rows, shell.Searches)
	}
	if err == nil || !strings.Contains(err.Error(), "is typed there") {
		t.Errorf("a letter of a query begins two keys: %v", err)
	}
}

// As in Hermes's own picker, letters act on an empty query when they are asked
// to, and are typed in all others.
func TestLettersActBeforeTheFirstCharacter(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		up := bound(t, shell.ActsFirst, shell.Overrides{shell.InList: {shell.Back: {"esc", "q"}}})
		d := start(t, lib, 120, 30, up).types("kafkaq")
		if d.query() != "kafkaq" || d.quit {
			t.Fatalf("the query is %q", d.query())
		}
		if d = start(t, lib, 120, 30, up).types("q"); !d.quit {
			t.Fatal("q on an empty query does not quit")
		}
	})
}
