package ui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/ui/dialog"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/list"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/uitest"
)

func TestTypingOnlyEverChangesTheQuery(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		for r := rune(' '); r < 0x7f; r++ {
			d := start(t, lib, 80, 24)
			d.types(string(r))
			switch {
			case strings.ContainsRune("?:", r): // the documented two open a box
				if len(d.root.dialogs) != 1 || d.query() != "" {
					t.Errorf("%q first: %d boxes, query %q", r, len(d.root.dialogs), d.query())
				}
				d.keys("esc")
			case r == '/': // and a slash starts a search, which is on already
			default:
				if d.query() != string(r) {
					t.Errorf("%q first: the query is %q", r, d.query())
				}
			}
			if d.quit || d.root.out != (Outcome{}) || len(d.root.dialogs) > 0 || d.root.toast.text != "" || len(d.root.screens) != 1 {
				t.Errorf("%q did more than type", r)
			}
			d.types(string(r) + string(r))
			if got := d.query(); !strings.HasSuffix(got, string(r)) && !strings.ContainsRune("?:/", r) {
				t.Errorf("%q again: the query is %q", r, got)
			}
		}
		d := start(t, lib, 80, 24).types("a?:/qd")
		if d.query() != "a?:/qd" {
			t.Errorf("the query is %q", d.query())
		}
	})
}

func TestEscGoesOneStepAtATime(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24).types("kafka").keys("ctrl+x").sees("resume")
		if d.keys("esc"); len(d.root.dialogs) != 0 || d.query() == "" || d.quit {
			t.Fatal("the first Esc closes the menu and nothing else")
		}
		if d.keys("esc"); d.query() != "" || d.quit {
			t.Fatal("the second clears the query")
		}
		d.sees("12 conversations")
		if d.keys("esc"); !d.quit || d.root.Outcome() != (Outcome{}) {
			t.Fatal("the third quits without a decision")
		}
	})
}

func TestCtrlCQuitsFromEverywhere(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		for _, before := range [][]string{nil, {"x"}, {"f1"}, {"ctrl+x"}, {"ctrl+y"}} {
			d := start(t, lib, 80, 24).keys(before...).keys("ctrl+c")
			if !d.quit || !d.root.Outcome().Canceled {
				t.Errorf("after %q: quit %v, %+v", before, d.quit, d.root.Outcome())
			}
		}
	})
}

func TestEnterResumesTheCurrentRowAtItsTip(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24).types("kafka").keys("down", "enter")
		if want := lib.Convs[1].ID; !d.quit || d.root.Outcome().ID != want {
			t.Fatalf("quit %v, chose %q, want %q", d.quit, d.root.Outcome().ID, want)
		}
	})
}

func TestMovingGoesRoundOnAFreshPressOnly(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		if d.keys("up"); d.row() != 11 {
			t.Fatalf("up from the first: row %d", d.row())
		}
		if d.keys("ctrl+n"); d.row() != 0 {
			t.Fatalf("down from the last: row %d", d.row())
		}
		for range 30 { // held down in a terminal that does not tell
			d.send(keyPress("down"))
			d.wait(30 * time.Millisecond)
		}
		if d.row() != 11 {
			t.Fatalf("a held key went on to row %d", d.row())
		}
		d.settle()
		held := keyPress("ctrl+j")
		held.IsRepeat = true
		if d.send(held); d.row() != 11 {
			t.Fatalf("a repeated key went on to row %d", d.row())
		}
		if d.settle(); d.keys("down").row() != 0 {
			t.Fatal("a fresh press stays at the end")
		}
	})
}

func TestHomeAndEndMoveInTheQueryFirst(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		if d.keys("end"); d.row() != 11 {
			t.Fatal("End does not go to the last row")
		}
		if d.keys("home"); d.row() != 0 {
			t.Fatal("Home does not go to the first row")
		}
		d.types("kafka").keys("down", "home").types("x")
		if got := d.query(); got != "xkafka" {
			t.Fatalf("the query is %q", got)
		}
	})
}

func TestAQueryIsEditedAsInAShell(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24).types("kafka retry").keys("ctrl+w").types("topic").keys("ctrl+a").types("the ")
		if got := d.query(); got != "the kafka topic" {
			t.Fatalf("the query is %q", got)
		}
		d.keys("ctrl+e", "left", "left", "right", "backspace")
		if got := d.query(); got != "the kafka topc" {
			t.Fatalf("the query is %q", got)
		}
		if d.keys("ctrl+u"); d.query() != "c" {
			t.Fatalf("the query is %q", d.query())
		}
	})
}

func TestAPasteIsOneQuery(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		lib.Set(func() { lib.Asked = nil })
		d.send(tea.PasteMsg{Content: "kafka\n\x1b[31mretry\u202e topic\r\n"})
		d.settle()
		if got := d.query(); got != "kafka retry topic" {
			t.Fatalf("the query is %q", got)
		}
		n := 0
		for _, a := range lib.Asked {
			if strings.HasPrefix(a, "search") {
				n++
			}
		}
		if n != 1 {
			t.Fatalf("asked %q", lib.Asked)
		}
	})
}

func TestTheCursorIsBehindWideCharacters(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		before := d.root.View().Cursor.X
		d.types("日本a")
		if c := d.root.View().Cursor; c == nil || c.X != before+5 || c.Y != 0 {
			t.Fatalf("the cursor is at %+v, was at %d", c, before)
		}
		d.send(tea.PasteMsg{Content: strings.Repeat("長い", 100)})
		if c := d.root.View().Cursor; c == nil || c.X >= 80 {
			t.Fatalf("the cursor is at %+v", c)
		}
		for typed, want := range map[string]int{"": 15, "key": 18} { // in the field of the help, behind its title
			h := start(t, lib, 80, 24).keys("f1").types(typed)
			if c := h.root.View().Cursor; c == nil || c.X != want || c.Y != 1 {
				t.Fatalf("in the help, the cursor is at %+v after %q", c, typed)
			}
		}
		if d.keys("f4").types("c"); d.root.View().Cursor.Y == 0 {
			t.Fatal("the cursor is behind the filters")
		}
	})
}

func TestAQuestionMarkCanBeLookedFor(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		for typed, want := range map[string]string{" ?": "?", "\\?x": "?x", "\\": "\\", "\\n": "\\n", "kafka ": "kafka ", " ": ""} {
			d := start(t, lib, 80, 24).types(typed)
			if got := d.asks().Query.Text; got != want {
				t.Errorf("%q looks for %q, want %q", typed, got, want)
			}
		}
	})
}

// A glance at a long history is shown at once, and a page that is sure follows
// without a key.
func TestTheFirstPageComesAtOnce(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		for i := range 500 {
			c := model.Conversation{Session: model.Session{ID: fmt.Sprint("old", i), Title: fmt.Sprint("old ", i), Source: "cli"}}
			c.LastActive = uitest.Now().Add(-time.Duration(1000+i) * 24 * time.Hour)
			lib.Convs = append(lib.Convs, c)
		}
		lib.First = list.FirstPage
		d := start(t, lib, 80, 24)
		if !slices.Equal(lib.Limits, []int{list.FirstRows, list.WholePage}) || d.loaded() != list.WholePage {
			t.Fatalf("asked for %d, got %d rows", lib.Limits, d.loaded())
		}
		d.sees("512 conversations")
		if d.keys("down", "down", "ctrl+s", "ctrl+s", "end"); d.loaded() != 512 || d.row() != 511 {
			t.Fatalf("by title, there are %d rows", d.loaded())
		}
	})
}

func TestALimitIsKept(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24, func(o *Options) { o.List.Limit = 5 })
		d.keys("end")
		d.wait(5 * time.Second)
		if d.loaded() != 5 || d.row() != 4 {
			t.Fatalf("%d rows, row %d", d.loaded(), d.row())
		}
	})
}

func TestALongSearchReadsOnNearItsEnd(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		for i := range 300 {
			c := model.Conversation{Session: model.Session{ID: fmt.Sprint("z", i), Title: fmt.Sprint("zeppelin ", i), Source: "cli"}}
			c.LastActive = uitest.Now().Add(-time.Duration(i) * time.Hour)
			lib.Convs = append(lib.Convs, c)
		}
		d := start(t, lib, 80, 24).types("zeppelin").sees("300 conversations")
		if n := d.loaded(); n != list.FirstPage {
			t.Fatalf("%d rows were read before anyone asked", n)
		}
		d.keys("ctrl+end")
		if n := d.loaded(); n != 4*list.FirstPage || d.current() != fmt.Sprint("zeppelin ", list.FirstPage-1) {
			t.Fatalf("%d rows, at %q", n, d.current())
		}
	})
}

func TestTheCurrentRowFollowsItsConversation(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24).keys("down", "down", "down", "down")
		title := d.current()
		lib.Set(func() { // another process writes
			for i := range 3 {
				c := model.Conversation{Session: model.Session{ID: fmt.Sprint("new", i), Title: fmt.Sprint("brand new ", i), Source: "cli"}, LastActive: uitest.Now()}
				lib.Convs = append(lib.Convs, c)
			}
			lib.Version++
		})
		d.wait(2 * time.Second)
		if d.current() != title {
			t.Fatalf("the current row is %q, was %q", d.current(), title)
		}
		d.sees("15 conversations")
		gone := d.list().Current().ID
		row := d.row()
		lib.Set(func() {
			lib.Convs = slices.DeleteFunc(lib.Convs, func(c model.Conversation) bool { return c.ID == gone })
			lib.Version++
		})
		d.wait(2 * time.Second)
		if d.row() != row || d.current() == title {
			t.Fatalf("its conversation gone, the current row is %d, was %d", d.row(), row)
		}
	})
}

func TestARefreshDoesNotMoveWhatIsRead(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 12).keys("end", "up", "up")
		y := d.rowLine()
		lib.Set(func() {
			lib.Convs = append(lib.Convs, model.Conversation{Session: model.Session{ID: "n", Title: "new", Source: "cli"}, LastActive: uitest.Now()})
			lib.Version++
		})
		title := d.current()
		d.wait(2 * time.Second)
		if d.current() != title || d.rowLine() != y {
			t.Fatalf("%q on line %d, was %q on line %d", d.current(), d.rowLine(), title, y)
		}
	})
}

func TestANewQueryStartsAtTheBestRow(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24).types("ka")
		if d.row() != 0 || d.current() != "Kafka consumer retries #3" {
			t.Fatalf("at %q", d.current())
		}
		d.keys("down").types("f")
		if d.row() != 0 {
			t.Fatalf("the row chosen for another query is still current: %q", d.current())
		}
	})
}

func TestAFailureIsNeverAnEmptyList(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		lib.Set(func() { lib.Err = errors.New("read sessions: disk I/O \x1b[31merror") })
		d.types("k").sees("could not be read", "disk I/O error", "f5").misses("No matches")
		if d.keys("enter"); d.quit {
			t.Fatal("Enter resumed a row that is not on the screen")
		}
		d.sees("could not be read")
		lib.Set(func() { lib.Err = nil })
		d.keys("f5").sees("Kafka").misses("disk I/O error")
	})
}

func TestALibraryThatComesBackIsReadAgain(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Err = errors.New("database is locked")
		d := start(t, lib, 80, 24).sees("locked")
		lib.Set(func() { lib.Err = nil })
		d.wait(3 * time.Second)
		d.sees("Kafka").misses("locked")
	})
}

func TestNotesAreAboveTheRows(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.HealthNotes = []model.HealthNote{{Kind: "fts-missing", Message: "There is no search index\x1b[2J.", Remedy: model.Remedy{Kind: model.RemedyMigrate, Text: "rebuild it"}}, {Message: "two"}}
		d := start(t, lib, 100, 24).sees("! There is no search index. (1 more) (rebuild it)\n   hermes-sessions doctor --migrate", "Kafka")
		d.send(tea.WindowSizeMsg{Width: 100, Height: 8})
		d.sees("! There is no search index. (1 more)").misses("rebuild it")
		d.send(tea.WindowSizeMsg{Width: 30, Height: 8})
		d.sees("! There is no search index").misses("rebuild it")
		d.send(tea.WindowSizeMsg{Width: 100, Height: 6})
		d.misses("index")
	})
}

// What the search says of the index stands in the place of what is known of it already, with
// the same remedy.
func TestASearchSaysOnceWhatIsWrongWithTheIndex(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.HealthNotes = []model.HealthNote{{Kind: "fts-missing", Message: "there is no search index", Remedy: model.Remedy{Kind: model.RemedyMigrate, Text: "rebuild it"}}}
		lib.Answer = func(string) model.SearchResults {
			return model.SearchResults{IndexNote: "no index: every message was read"}
		}
		d := start(t, lib, 100, 24).sees("! there is no search index (rebuild it)\n   hermes-sessions doctor --migrate")
		d.types("kafka").sees("! no index: every message was read (rebuild it)\n   hermes-sessions doctor --migrate").misses("(1 more)")
	})
}

// An error of a damaged database says what helps once: above.
func TestTheRemedyOfADamagedDatabaseIsSaidOnce(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		wrong := trouble{"the database is damaged", "hermes-sessions doctor --salvage saved.db --db /home/ada/state.db"}
		lib.HealthNotes = []model.HealthNote{{Kind: "damaged", Message: "some is missing", Remedy: model.AdviseToRun("save the rest", wrong.command)}}
		d := start(t, lib, 60, 20)
		lib.Set(func() { lib.Err = wrong })
		d.types("kafka").sees("could not be read\n\n  the database is damaged\n\n  f5")
		if n := strings.Count(d.screen(), "--salvage saved.db"); n != 1 {
			t.Errorf("the remedy is said %d times:\n%s", n, d.screen())
		}
		d.send(tea.WindowSizeMsg{Width: 60, Height: 9}) // no room for it above
		d.sees("--salvage saved.db")
	})
}

func TestTheAgeOfRowsGrowsWithTime(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		later := time.Duration(0)
		d := start(t, lib, 80, 24, func(o *Options) {
			o.Clock = func() time.Time { return uitest.Now().Add(later) }
		}).sees("  5m ")
		later = 3 * time.Minute
		d.wait(2 * time.Second)
		d.sees("  8m ").misses("  5m ")
		later = 12 * time.Hour // past midnight, what was today is yesterday
		d.wait(2 * time.Second)
		d.sees("Yesterday").misses("Today")
	})
}

func TestOrdersGoRound(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24)
		for _, want := range []string{"Started · Today", "by title", "by messages", "by cost", "Pinned"} {
			d.keys("ctrl+s").sees(want)
		}
		d.types("kafka").sees("best first")
		d.keys("ctrl+s").sees("Running").misses("best first") // dates come back with their order
	})
}

// The first line says the order also in a narrow window and beside the long name of a
// database; the number then stands without its noun, but for another scope.
func TestTheOrderIsSaidBesideALongName(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24, func(o *Options) { o.Badge = "backup-of-the-kitchen-laptop.db" })
		d.sees(" 12 · recent first · 12 hidden ctrl+o\n").keys("ctrl+s").sees(" · by start · 12 hidden ctrl+o\n")
		d.keys("ctrl+o").sees("24 conversations · none hidden")
		start(t, lib, 60, 20).sees("12 · recent first · 12 hidden ctrl+o")
	})
}

func TestThePreviewIsOfTheCurrentRow(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 120, 40).keys("down").sees("Keep the house rules here.")
		lib.Set(func() { lib.Delay = func(string) time.Duration { return 200 * time.Millisecond } })
		d.send(keyPress("down"))
		d.misses("Keep the house rules here.") // at once
		d.wait(50 * time.Millisecond)
		d.send(keyPress("down"))
		d.wait(100 * time.Millisecond)
		d.send(keyPress("down")) // while the second is read
		for range 20 {
			d.misses("dead letters", "controller last")
			d.wait(10 * time.Millisecond)
		}
		d.settle()
		d.sees("The printer is on fire")
	})
}

func TestThePreviewShowsHitsWhileSearching(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 120, 40).types("kafka").sees("● you", "◆ hermes", "topic was compacted")
		d.keys("esc").sees("● you", "◆ hermes")
	})
}

func TestThePreviewScrolls(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 120, 14).sees("cleanup.policy").misses("Why does the retry")
		for range 30 {
			d.keys("shift+up")
		}
		d.sees("Why does the retry").misses("cleanup.policy")
		for range 30 {
			d.keys("shift+down")
		}
		d.sees("cleanup.policy")
	})
}

func TestThePreviewComesAndGoes(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		for _, c := range []struct {
			w, h         int
			first, after bool
		}{{120, 40, true, false}, {80, 24, false, true}, {80, 30, true, false}, {70, 20, false, true}, {50, 15, false, false}, {38, 9, false, false}} {
			for _, key := range []string{"ctrl+/", "ctrl+_", "f3"} {
				d := start(t, lib, c.w, c.h)
				if got := d.list().Peek().Preview; got != c.first {
					t.Errorf("%dx%d: at first %v", c.w, c.h, got)
				}
				if d.keys(key); d.list().Peek().Preview != c.after {
					t.Errorf("%dx%d: after %s %v", c.w, c.h, key, !c.after)
				}
				if d.keys(key); d.list().Peek().Preview != c.first {
					t.Errorf("%dx%d: after %s twice %v", c.w, c.h, key, !c.first)
				}
			}
		}
	})
}

func TestCopyingGivesTheWholeId(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Convs[0].ID = "20991231_235959_abcdef"
		d := start(t, lib, 80, 24).types("kafka").keys("ctrl+y").keys("i").sees("Sent to the terminal's clipboard")
		d.keys("ctrl+y", "c").keys("ctrl+y", "t").keys("ctrl+x", "y", "down", "enter")
		want := []string{"20991231_235959_abcdef", "hermes --resume 20991231_235959_abcdef", "Kafka consumer retries #3", "hermes --resume 20991231_235959_abcdef"}
		if !slices.Equal(d.sent, want) {
			t.Fatalf("sent %q, want %q", d.sent, want)
		}
	})
}

func TestTheMenuSaysWhyNot(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, &uitest.Fake{}, 80, 24).keys("ctrl+x")
		if d.keys("r").sees("No conversation here"); d.quit || len(d.root.dialogs) != 1 {
			t.Fatal("the impossible was done")
		}
		if d.keys("ctrl+x", "ctrl+x"); len(d.root.dialogs) != 0 {
			t.Fatal("its own key does not close the menu")
		}
		if d.keys("ctrl+x", "?"); len(d.root.dialogs) != 1 {
			t.Fatalf("from the menu to the help: %d boxes", len(d.root.dialogs))
		}
		d.sees("List keys")
	})
}

func TestEveryRouteOfTheMenuLeadsSomewhere(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		for _, b := range uitest.Keys(t).In(shell.InList) {
			letters, _ := b.Letters()
			for _, letter := range letters {
				if b.Action == shell.Up || b.Action == shell.Down {
					continue
				}
				d := start(t, lib, 120, 40, func(o *Options) { o.History = []string{"kafka"} }).keys("ctrl+x")
				d.keys(letter)
				if n := len(d.root.dialogs); n > 0 {
					if m, ok := d.root.dialogs[n-1].(*dialog.Menu); ok && m.Toggle == shell.More && d.root.toast.text == "" {
						t.Errorf("%q does nothing and says nothing:\n%s", b.Action, d.screen())
					}
				}
			}
		}
	})
}

// Help is a page of what everybody needs, in as many lines as a window has; typing finds the rest.
func TestHelpIsOnePageAndFindsEveryKey(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		for _, c := range []struct{ w, h, most int }{{80, 24, 25}, {120, 40, 25}, {30, 8, 60}} {
			d := start(t, lib, c.w, c.h)
			if n := len(dialog.NewHelp(d.root, shell.InList, d.root.can).Lines(c.w - 6)); n > c.most || n < 18 {
				t.Errorf("%dx%d: help has %d lines, want at most %d", c.w, c.h, n, c.most)
			}
		}
		d := start(t, lib, 60, 14).keys("f1")
		seen := d.screen()
		for last := ""; last != d.screen(); d.keys("down") {
			last = d.screen()
			seen += last
		}
		seen += d.screen()
		for _, b := range uitest.Keys(t).In(shell.InList) {
			if on := b.Place != shell.Searched && b.Action != shell.Help; on != strings.Contains(seen, b.Help[:min(len(b.Help), 25)]) {
				t.Errorf("the page of help has %q: %t", b.Action, !on)
			}
			h := dialog.NewHelp(d.root, shell.InList, d.root.can)
			h.Update(tea.PasteMsg{Content: strings.ReplaceAll(string(b.Action), "-", " ")})
			if found := strings.Join(h.Lines(200), "\n"); !strings.Contains(found, b.KeyTexts()) || !strings.Contains(found, b.Help) {
				t.Errorf("help does not find %q:\n%s", b.Action, found)
			}
		}
		if d.keys("home"); !strings.Contains(d.screen(), "│ enter ") {
			t.Errorf("Home does not lead back:\n%s", d.screen())
		}
		d.types("one row").sees("One row up", "One row down").keys("esc").types("pgup").sees("One page up").keys("esc")
		d.types("ctrl+k").sees("One row up").keys("esc") // a key that is named nowhere
		d.types("marks").sees("works now").keys("esc")   // a whole section by its title
		if d.keys("esc"); len(d.root.dialogs) != 0 || d.query() != "" {
			t.Error("Esc does not close the help")
		}
	})
}

func TestAToastGoesByItselfAndAFaultStays(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		d.run(d.root.Say("one"))
		d.wait(3 * time.Second)
		d.run(d.root.Say("two \x1b[2J\nlines"))
		d.wait(2 * time.Second) // the first one's timer has run out
		d.sees("Two lines").misses("ctrl+x more")
		d.wait(3 * time.Second)
		d.misses("two").sees("ctrl+x more")
		d.root.Fail(errors.New("it broke"))
		d.wait(time.Minute)
		d.sees("! It broke")
		d.keys("down").misses("it broke")
	})
}

func TestToastsAreSeenOnSmallScreens(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 38, 6)
		d.root.Fail(errors.New("it broke"))
		d.sees("! It broke")
		d.fits()
	})
}

func TestTheFooterShortensAndNeverWraps(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 200, 20)
		last := 1000
		for w := 200; w > 0; w-- {
			d.send(tea.WindowSizeMsg{Width: w, Height: 20})
			n := strings.Count(d.root.footer(), "  ") // fits() holds the width
			if n > last {
				t.Fatalf("at %d columns there are more hints than at %d", w, w+1)
			}
			last = n
		}
		d.send(tea.WindowSizeMsg{Width: 12, Height: 20})
		if got := d.root.footer(); !strings.Contains(got, "help") {
			t.Fatalf("help is not the last to go: %q", got)
		}
	})
}

func TestTheMouse(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 120, 40)
		click := func(x, y int) {
			d.send(tea.MouseClickMsg{Button: tea.MouseLeft, X: x, Y: y})
			d.settle()
		}
		if click(10, 6); d.row() != 1 { // header, titles, heading, a row of two lines, heading, row
			t.Fatalf("a click selected row %d", d.row())
		}
		if click(100, 7); d.row() != 1 {
			t.Fatalf("a click on the preview selected row %d", d.row())
		}
		if click(10, 35); d.row() != 1 {
			t.Fatalf("a click on nothing selected row %d", d.row())
		}
		d.send(tea.WindowSizeMsg{Width: 80, Height: 12})
		d.send(tea.MouseWheelMsg{Button: tea.MouseWheelDown, X: 5, Y: 5})
		if d.settle(); d.scrolled() != 3 {
			t.Fatalf("the wheel scrolled %d lines", d.scrolled())
		}
	})
}

func TestHostileTextIsHarmless(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		evil := "a\x1b]52;c;aGk=\ab\x1b[2J\r\u009bc\u202ed\x00\xff"
		for i := range lib.Convs {
			c := &lib.Convs[i]
			c.Title, c.Preview, c.Source, c.Model, c.CWD = evil, evil, evil, evil, evil
			for j := range lib.Messages[c.ID] {
				lib.Messages[c.ID][j].Content.Text = "kafka " + evil
				lib.Messages[c.ID][j].Role = []string{"user", "assistant", "tool", evil}[j%4]
			}
		}
		lib.HealthNotes = []model.HealthNote{{Message: evil, Remedy: model.AdviseToRun(evil, evil)}}
		d := start(t, lib, 160, 40, func(o *Options) { o.Where = evil })
		look := func() {
			t.Helper()
			v := d.root.View()
			rest := strings.ReplaceAll(v.WindowTitle+kit.Escapes.ReplaceAllString(v.Content, ""), "\n", "")
			if got := kit.CleanLine(rest); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(rest, " ", "") {
				t.Fatalf("not clean:\n%q", rest)
			}
			if strings.Contains(v.Content, "\x1b]") || strings.Contains(v.WindowTitle, "\x1b") {
				t.Fatal("an operating system command reaches the terminal")
			}
		}
		look()
		d.types("kafka")
		look()
		d.keys("ctrl+y")
		look()
	})
}

func TestABackgroundRestylesTheScreen(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		dark := d.root.View().Content
		d.send(tea.BackgroundColorMsg{Color: d.root.styles.Text.GetForeground()}) // light, as text on dark is
		if light := d.root.View().Content; light == dark {
			t.Fatal("nothing changed")
		}
	})
}

// A gateway that writes all the time must not keep us reading all the time.
func TestABusyWriterIsPolledSlowly(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Delay = func(string) time.Duration { return 400 * time.Millisecond }
		d := start(t, lib, 80, 24)
		d.wait(time.Second)
		lib.Set(func() { lib.Asked = nil })
		for i := range 60 {
			lib.Set(func() {
				lib.Version++
				lib.Convs[0].Title = fmt.Sprint("turn ", i)
			})
			d.wait(500 * time.Millisecond)
		}
		n := strings.Count(strings.Join(lib.Asked, "\n"), "list")
		if n < 2 || n > 3 { // of 400 ms each
			t.Fatalf("the list was read %d times in 30 s", n)
		}
		d.wait(13 * time.Second)
		d.sees("turn 59") // and the last word is not missed
	})
}

// A reading that takes longer than a writer waits is let end: begun anew at each write it would
// never end, and show nothing of what is written.
func TestAWriterDoesNotInterruptAReading(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		d.wait(2 * time.Second)
		delayAnswers(lib, 3*time.Second)
		lib.Set(func() { lib.Asked = nil })
		for i := range 10 {
			lib.Set(func() {
				lib.Version++
				lib.Convs[0].Title = fmt.Sprint("turn ", i)
			})
			d.wait(500 * time.Millisecond)
		}
		d.sees("turn ")
		if n := strings.Count(strings.Join(lib.Asked, "\n"), "list"); n != 1 {
			t.Fatalf("the list was read %d times in 5 s", n)
		}
		d.wait(30 * time.Second)
		d.sees("turn 9") // and the last word is not missed
	})
}

func TestAScriptGetsTheHintChoose(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24, func(o *Options) { o.Choose = true }).sees("enter choose").misses("resume")
		d.keys("ctrl+x").sees("choose").misses("resume")
	})
}

func TestAStartingQueryIsLookedForAtOnce(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24, func(o *Options) { o.Query = "ka\x1b[2Jfka" }).sees("▸ kafka", "2 conversations")
		if d.types("x"); d.query() != "kafkax" {
			t.Fatalf("the query is %q", d.query())
		}
	})
}

// Where no conversation has a folder, titles have the room of that column, until one has.
func TestNoColumnForFoldersThatNobodyHas(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		long := "A title that is longer than the room beside all columns has it"
		lib.Set(func() {
			for i := range lib.Convs {
				lib.Convs[i].CWD = ""
			}
			lib.Convs[2].Title = long
		})
		d := start(t, lib, 200, 50).sees("Model", long).misses("Folder")
		d.types("room beside").sees(long).misses("Folder").keys("esc").misses("Folder")
		lib.Set(func() { lib.Convs[1].CWD = "/home/ada/oven" })
		d.keys("f5").sees("Folder", "oven/").misses(long)
	})
}

// A long history shows its first rows before all sessions are counted: without a folder among
// them there is no column for folders from the start, and none after an answer that has others.
func TestNoColumnForFoldersThatNobodyOfALongHistoryHas(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Set(func() {
			lib.First = list.FirstRows
			template := lib.Convs[0]
			template.Pinned, template.CWD, lib.Convs = false, "", nil
			for i := range 2 * list.FirstPage {
				c := template
				c.ID = fmt.Sprintf("long-%04d", i)
				c.RootID, c.Title = c.ID, fmt.Sprintf("Talk %d", i)
				c.LastActive = c.LastActive.Add(-time.Duration(i) * time.Minute)
				lib.Convs = append(lib.Convs, c)
			}
		})
		d := start(t, lib, 200, 50).sees("Model", "Talk 1 ").misses("Folder")
		d.types("talk 11").sees("Talk 11 ").misses("Folder").keys("esc").sees("Talk 1 ").misses("Folder")
		lib.Set(func() { lib.Convs[len(lib.Convs)-1].CWD = "/home/ada/oven" })
		d.keys("f5").sees("Folder")
	})
}
