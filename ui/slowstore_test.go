package ui

import (
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/uitest"
)

// echoSome is echo, with no answer to every third query, and echoClose gives the
// conversations close to it.
func echoSome(q string) model.SearchResults {
	if len(q)%3 == 0 {
		return model.SearchResults{}
	}
	return echo(q)
}

func echoClose(q string) []model.Match {
	return rungs(q, echoSome(q).Conversations, 4, true)
}

var echoes = regexp.MustCompile(`answer \d+ to \[([a-z]*)\]`)

// A user types, erases, clears, moves and changes the order over a store
// that takes 300 ms for everything, the list itself included, and presses Enter
// somewhere in between. No answer comes after one to a later question, there
// is never an empty screen, and the resumed row was under the cursor, on the screen.
// In every second round the closest conversations come later still, and every third
// query has no other answers.
func TestFastTypingAndMovingOverASlowStore(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(31, 7))
	resumed := 0
	for round := range campaign.Length(15, 200) {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			lib.Answer = echo
			lib.Delay = func(string) time.Duration { return 300 * time.Millisecond }
			if round%2 == 1 {
				lib.Answer, lib.AnswerClose = echoSome, echoClose
				lib.DelayClose = func(q string) time.Duration { return time.Duration(len(q)%5) * 100 * time.Millisecond }
			}
			s := startProgram(t, lib, 100, 24)
			first := len(s.frames)
			text, questions := "", []string{""}
			for range 5 + rng.IntN(20) {
				key := string(rune('a' + rng.IntN(26)))
				n := rng.IntN(20)
				switch {
				case n < 3:
					key, text = "\x7f", text[:max(0, len(text)-1)]
				case n < 4:
					key, text = "\x15", "" // Ctrl+U
				case n < 8:
					key = []string{"\x1b[A", "\x1b[B"}[rng.IntN(2)]
				case n < 9:
					key = "\x13" // Ctrl+S
				default:
					text += key
				}
				questions = append(questions, text)
				io.WriteString(s.keys, key)
				s.wait(time.Duration(rng.IntN(400)) * time.Millisecond)
			}
			s.wait(time.Duration(rng.IntN(500)) * time.Millisecond)
			before := s.text()
			io.WriteString(s.keys, "\r")
			s.wait(time.Second)
			if id := s.root.Outcome().ID; s.ended() {
				resumed++
				title := ""
				if i := strings.LastIndex(id, "-"); i > 0 {
					title = fmt.Sprintf("answer %s to [%s]", id[i+1:], id[:i])
				}
				for _, c := range lib.Convs {
					if c.ID == id {
						title = c.Title
					}
				}
				row, _, _ := strings.Cut(before[strings.LastIndex(before, "▸"):], "\n") // the first is that of the query
				shown := []rune(kit.CleanLine(title))                                   // as in a row
				if len(shown) == 0 || !strings.Contains(row, string(shown[:min(len(shown), 20)])) {
					t.Fatalf("round %d: resumed %q (%s) from:\n%s", round, id, title, before)
				}
			} else {
				last := s.wait(2 * time.Second)
				if got := echoed(last); got != text || lib.Max > 2 { // the preview is read beside the list
					t.Fatalf("round %d: %q is answered by, with at most %d questions at once:\n%s", round, text, lib.Max, last)
				}
				s.p.Quit()
				<-s.done
			}
			newest := 0
			for _, f := range s.frames[first:] {
				name := echoed(f.text)
				for _, m := range echoes.FindAllStringSubmatch(f.text, -1) {
					if name == "" { // a menu of completions covers the first row
						name = m[1]
					}
					if m[1] != name {
						t.Fatalf("round %d: rows of [%s] beside those of [%s]:\n%s", round, m[1], name, f.text)
					}
				}
				if strings.Contains(f.text, "No matches") {
					t.Fatalf("round %d: an empty flash:\n%s", round, f.text)
				}
				if name == "" && strings.TrimSpace(f.text) == "" { // the terminal is given back
					continue
				}
				if name == "" && !strings.Contains(f.text, "House rules") && !strings.Contains(f.text, "Kafka") {
					t.Fatalf("round %d: an empty flash:\n%s", round, f.text)
				}
				at := newest
				for at < len(questions) && questions[at] != name {
					at++
				}
				if at == len(questions) {
					t.Fatalf("round %d: [%s] comes after [%s]:\n%s", round, name, questions[newest], f.text)
				}
				newest = at
			}
			s.keys.Close()
			s.screen.Close()
		})
	}
	if resumed < campaign.Length(4, 50) {
		t.Errorf("only %d rounds resumed anything", resumed)
	}
}

// What takes more than 150 ms says so, wherever a key begins it.
func TestASlowStoreIsToldOf(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		slow := func(what string, keys []string, says string) {
			t.Helper()
			lib.Delay = func(string) time.Duration { return 2 * time.Second }
			d.keys(keys...)
			d.wait(200 * time.Millisecond)
			d.sees(says)
			lib.Delay = nil
			d.wait(3 * time.Second)
			d.misses(says)
		}
		slow("a title", []string{"f2", "x"}, "Checking the title…")
		d.keys("esc")
		slow("a search", []string{"k"}, "searching…")
		d.keys("esc")
		lib.Delay = func(string) time.Duration { return 2 * time.Second }
		d.keys("enter")
		d.wait(300 * time.Millisecond)
		d.sees("Checking before resuming…")
		d.wait(3 * time.Second)
		if !d.quit {
			t.Error("it is not resumed")
		}
	})
}

// Every screen that is opened over a slow store says what it waits for, after a second with a
// bar that moves unless motion is reduced, and can be left at once.
func TestOpeningOverASlowStoreIsToldOf(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		says string
		keys []string
	}{
		"transcript": {"reading…", []string{"right"}}, "lineage": {"reading…", []string{"ctrl+l"}}, "usage": {"reading…", []string{"ctrl+x", "U"}},
		"space": {"measuring…", []string{"ctrl+x", "S"}}, "comparison": {"comparing…", []string{"tab", "down", "tab", "ctrl+x", "C"}},
		"details": {"reading…", []string{"ctrl+x", "i"}}, "filter": {"counting…", []string{"f4"}}, "delete": {"counting…", []string{"ctrl+d"}}, "expiring": {"reading…", []string{"ctrl+x", "X"}},
		"sort": {"reading…", []string{"ctrl+s"}}, "scope": {"reading…", []string{"ctrl+o"}},
	} {
		for _, still := range []bool{false, true} {
			at(t, func(t *testing.T, lib *uitest.Fake) {
				d := start(t, lib, 100, 24, func(o *Options) { o.Still = still }).keys("down")
				lib.Set(func() { parting(lib); lib.Delay = func(string) time.Duration { return 3 * time.Second } })
				lib.Set(func() { lib.Planning = func([]string) time.Duration { return 3 * time.Second } })
				last := len(c.keys) - 1
				d.keys(c.keys[:last]...)
				d.send(keyPress(c.keys[last]))
				d.wait(200 * time.Millisecond)
				d.sees(c.says)
				bar := regexp.MustCompile(`… ─*████─+`)
				before := bar.FindString(d.screen())
				d.wait(time.Second)
				early := bar.FindString(d.screen())
				d.wait(time.Second)
				late := bar.FindString(d.screen())
				moves := early != "" && late != "" && early != late
				if before != "" || moves == still || still && early+late != "" {
					t.Errorf("%s, reduced motion %t: the bar is %q, then %q and %q\n%s", name, still, before, early, late, d.screen())
				}
				d.send(keyPress("esc"))
				if len(d.root.screens) > 1 || len(d.root.dialogs) > 0 {
					t.Errorf("%s is not left:\n%s", name, d.screen())
				}
			})
		}
	}
}
