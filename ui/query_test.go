package ui

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
	"hermes-sessions/ui/uitest"
)

func TestFiltersNarrowTheListAndAreShown(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24).types("source:telegram ").sees("source telegram", "Kafka consumer retries").misses("Broker upgrade")
		if a := lib.Asked[len(lib.Asked)-1]; a != "list " {
			t.Fatalf("filters alone search: %q", lib.Asked)
		}
		d.types("after:7d ").sees("active since", "Running") // the date groups stay
		d.types("nobody:").misses("nobody: is not").types("x").sees("nobody: is not a filter").types(" ").sees("nobody: is not a filter", "No matches")
		if d.keys("esc"); d.query() != "" {
			t.Fatal("the query is still there")
		}
		d.misses("source telegram", "No filter")
	})
}

func TestAScopeIsShownThatAFilterNames(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		start(t, lib, 100, 24).types("source:cron ").sees("backup check", "12 conversations")
	})
}

func TestTheQueryIsColoredByItsPieces(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 120, 24).types("kafka -retry source:telegram OR x:y")
		s := d.root.styles
		head := strings.Split(d.root.View().Content, "\n")[0]
		for _, want := range []string{s.Text.Render("kafka"), s.Warn.Render("-retry"), s.Key.Render("source:") + s.Accent.Render("telegram"), s.Key.Render("OR"), s.Text.Render("x:y")} {
			if !strings.Contains(head, want) {
				t.Errorf("no %q in %q", want, head)
			}
		}
		if text := d.list().Peek().HeadLine; !strings.Contains(ansi.Strip(text), "kafka -retry source:telegram OR x:y") {
			t.Errorf("coloring changed the text: %q", ansi.Strip(text))
		}
	})
}

// The line for filters is there where there is room, and never pushes anything
// over an edge (the driver looks after each key).
func TestChipsAtEverySize(t *testing.T) {
	t.Parallel()
	for i, size := range append(sizes(), [2]int{30, 8}, [2]int{40, 12}) {
		if !campaign.On() && i%2 == 0 {
			continue
		}
		at(t, func(t *testing.T, lib *uitest.Fake) {
			d := start(t, lib, size[0], size[1]).types("source:tele -model:x after:2w \"日本 語").keys("esc")
			d.types("source:tele -model:x after:2w \"日本 語")
			if got, want := strings.Contains(d.screen(), " source tele"), size[0] >= 40 && size[1] >= 12; got != want {
				t.Errorf("%dx%d: chips are shown: %v\n%s", size[0], size[1], got, d.screen())
			}
			d.keys("left", "left", "home", "down", "up", "esc")
		})
	}
}

func TestFlagsOfTheCommandLineAreChips(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		start(t, lib, 100, 24, func(o *Options) { o.List.CWD = "/srv/app"; o.List.Sources = []string{"cli", "tui"} }).
			sees("source cli or tui", "in /srv/app")
	})
}

func TestTabTakesWhatIsOffered(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24).types("kafka sou").misses("tab ")
		// In prose it selects the row, also behind the beginning of a filter word.
		if d.keys("tab", "shift+tab"); d.query() != "kafka sou" || len(d.list().Marked()) == 0 {
			t.Fatalf("after Tab the query is %q, selected %q", d.query(), d.list().Marked())
		}
		d.keys("esc").types("rce:")
		d.sees("cli", "cron", "telegram", "12") // with how many there are
		d.types("t").misses("cron").keys("tab")
		if got := d.query(); got != "kafka source:telegram " {
			t.Fatalf("after Tab the query is %q", got)
		}
		d.sees("Kafka consumer retries", "source telegram")
		// The next one by Shift+Tab, and movement keys stay movement keys.
		d.keys("ctrl+u").types("is:").keys("shift+tab", "shift+tab")
		was := d.row()
		if d.keys("down"); d.row() == was {
			t.Fatal("an arrow does not move in the list any more")
		}
		d.keys("tab")
		if got := d.query(); got != "is:live " {
			t.Fatalf("after Shift+Tab twice and Tab the query is %q", got)
		}
	})
}

func TestAClickTakesAnOffer(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24).types("is:")
		lines := strings.Split(d.screen(), "\n")
		y := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "untitled") })
		x := ansi.StringWidth(lines[y][:strings.Index(lines[y], "untitled")])
		d.send(tea.MouseClickMsg{Button: tea.MouseLeft, X: x, Y: y})
		if d.settle(); d.query() != "is:untitled " {
			t.Fatalf("the query is %q", d.query())
		}
	})
}

func TestEscClosesTheOffersFirst(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24).types("is:").sees("live").keys("esc").misses("  tab")
		if d.query() != "is:" {
			t.Fatal("Esc took the text with the offers")
		}
		if d.types("p").sees("Pinned").keys("esc", "esc"); d.query() != "" || d.quit {
			t.Fatalf("the query is %q", d.query())
		}
	})
}

func TestNothingIsOfferedForPlainWords(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24)
		for _, r := range "is it ok to say id 2 x:y http://a \"sour" {
			d.types(string(r))
			if d.list().Peek().Offering {
				t.Fatalf("something is offered for %q", d.query())
			}
		}
		d.keys("ctrl+u").types("kafka").keys("tab") // Tab is what it is elsewhere
		if d.query() != "kafka" || len(d.markedRoots()) != 1 {
			t.Fatal("Tab does not mark")
		}
	})
}

func TestValuesThatCannotBeTypedAreNotOffered(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		for i, m := range []string{"good model", "evil\x1b[31m", `with "quotes"`} {
			lib.Convs[i].Model = m
		}
		d := start(t, lib, 100, 24).types("model:").sees("good model    1")
		for _, o := range d.list().Peek().Offers {
			if strings.Contains(o, "evil") || strings.Contains(o, "quotes") {
				t.Errorf("%q is offered", o)
			}
		}
		if d.types("good").keys("tab"); d.query() != `model:"good model" ` {
			t.Fatalf("the query is %q", d.query())
		}
	})
}

func TestOffersOnEverySize(t *testing.T) {
	t.Parallel()
	for i, size := range append(sizes(), [2]int{30, 8}, [2]int{21, 6}) {
		if !campaign.On() && i%2 == 0 {
			continue
		}
		at(t, func(t *testing.T, lib *uitest.Fake) {
			d := start(t, lib, size[0], size[1])
			for range 8 {
				d.types("x ")
			}
			d.types("source:").keys("shift+tab", "shift+tab").types("c").keys("tab", "left", "left")
			d.types("日本語 is:").keys("shift+tab", "tab")
		})
	}
}

func TestEarlierQueriesComeBack(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 30, func(o *Options) { o.History = []string{"older one", "oldest"} })
		d.types("kafka source:telegram ").keys("ctrl+t").keys("q") // it led somewhere
		d.keys("esc").types("xylophone").keys("esc")               // this did not
		if got := d.root.History(); !slices.Equal(got, []string{"kafka source:telegram", "older one", "oldest"}) {
			t.Fatalf("remembered %q", got)
		}
		d.keys("ctrl+x", "h").sees("Earlier queries", "kafka source:telegram", "older one").keys("1")
		if d.query() != "kafka source:telegram" {
			t.Fatalf("the query is %q", d.query())
		}
		d.sees("Kafka consumer retries").keys("enter")
		if !d.quit || d.root.Outcome().ID == "" || d.root.History()[0] != "kafka source:telegram" || len(d.root.History()) != 3 {
			t.Fatalf("remembered %q", d.root.History())
		}
	})
	at(t, func(t *testing.T, lib *uitest.Fake) {
		start(t, lib, 100, 30).keys("ctrl+x", "h").sees("No earlier queries")
	})
}

// One key shows what is hidden, wherever it is, and hides it again; the first line says so in the
// same words at every width.
func TestOneKeyShowsWhatIsHidden(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		for i := range lib.Convs {
			if lib.Convs[i].Scope == model.ScopeAutomation {
				lib.Convs[i].Scope = model.ScopeArchived
			}
		}
		start(t, lib, 100, 24).types("zebra").sees("No matches here for “zebra”.\n  12 hidden ctrl+o").keys("ctrl+o").sees("backup check", "none hidden ctrl+o")
		for _, w := range []int{200, 120, 80, 60} {
			d := start(t, lib, w, 24).sees("12 hidden ctrl+o").misses("scope", "+12")
			d.keys("ctrl+o").sees("none hidden ctrl+o", "backup check").keys("ctrl+o").sees("12 hidden ctrl+o").misses("backup check")
		}
		start(t, lib, 30, 8).sees("12 · 12 hidden\n").misses("+12")
		lib.Set(func() {
			for i := range lib.Convs {
				lib.Convs[i].Scope = model.ScopeArchived
			}
			lib.Version++
		})
		start(t, lib, 80, 24).sees("No conversations here.\n  24 hidden ctrl+o").misses("archive")
	})
}

func TestHitsByRelevanceOrNewest(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24).types("kafka").sees("best first").misses("recent first")
		d.keys("ctrl+s").sees("recent first", "Running").misses("best first")
		d.keys("ctrl+s").sees("best first")
	})
}

func TestAPasteKeepsItsLeadingSpaceAndHasAnySize(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24).types("kafka")
		d.send(tea.PasteMsg{Content: " retry\n"})
		d.settle()
		if got := d.query(); got != "kafka retry" {
			t.Fatalf("the query is %q", got)
		}
		for _, text := range []string{strings.Repeat("kafka\n", 2<<20), strings.Repeat("長", 1<<20), strings.Repeat("\x1b[31m", 1<<20), strings.Repeat("source:x ", 1<<18), strings.Repeat("\"", 1<<20)} {
			d.keys("ctrl+u")
			d.send(tea.PasteMsg{Content: text})
			d.settle()
			d.keys("home", "end")
		}
	})
}

// Of a log the line holds what it is searched by, wherever it stands.
func TestALongPasteIsCondensed(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		noise := strings.Repeat("GET /healthz 200 in 3 ms\n", 400)
		d.send(tea.PasteMsg{Content: noise + "cannot decode kafka manifest\n" + noise})
		d.settle()
		if got := d.query(); strings.TrimSpace(got) != "cannot decode kafka manifest" {
			t.Fatalf("the query is %q", got)
		}
	})
}

// What an input method has put together comes as one key with many characters.
func TestComposedTextIsTyped(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24)
		for _, text := range []string{"文章", "を", "é", "👩‍💻"} {
			d.send(tea.KeyPressMsg{Code: tea.KeyExtended, Text: text})
			d.settle()
		}
		if got := d.query(); got != "文章をé👩‍💻" {
			t.Fatalf("the query is %q", got)
		}
	})
}

// echoed returns the query that the answers on a screen name.
func echoed(screen string) string {
	_, rest, ok := strings.Cut(screen, "answer 0 to [")
	if !ok {
		return ""
	}
	text, _, _ := strings.Cut(rest, "]")
	return text
}

// Typing, erasing, pasting and taking offers over a slow store: an answer on
// the screen is never followed by one to an older question, and once there are
// rows there are rows.
func TestEditingOverASlowStore(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(11, 12))
	for round := range 12 {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			lib.Answer, lib.Delay = echo, slowly
			s := startProgram(t, lib, 110, 24)
			s.types("a", 500*time.Millisecond)
			first := len(s.frames)
			text := "a"
			questions := []string{"a"}
			for i := range 30 {
				key := string(rune('b' + rng.IntN(20)))
				switch rng.IntN(6) {
				case 0:
					if len(text) > 1 {
						key, text = "\x7f", text[:len(text)-1]
					} else {
						text += key
					}
				case 1:
					key = fmt.Sprintf("%d%d", i, round)
					text += key
					key = "\x1b[200~" + key + "\x1b[201~"
				default:
					text += key
				}
				questions = append(questions, text)
				io.WriteString(s.keys, key)
				s.wait(time.Duration(rng.IntN(450)) * time.Millisecond)
			}
			last := s.wait(2 * time.Second)
			if echoed(last) != text || lib.Max > 1 {
				t.Fatalf("round %d: %q is answered by, with at most %d questions at once:\n%s", round, text, lib.Max, last)
			}
			newest := 0
			for _, f := range s.frames[first:] {
				name := echoed(f.text)
				if name == "" {
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
			s.leave()
		})
	}
}

// Enter takes the row that was on the screen when it was pressed, whatever answer
// arrives in the same moment: rows that cannot have been seen yet are not taken.
func TestEnterInTheMomentOfAnAnswer(t *testing.T) {
	t.Parallel()
	for ms := 285; ms < 345; ms += 3 {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			lib.Answer, lib.Delay = echo, slowly
			s := startProgram(t, lib, 100, 20)
			s.types("gate", 500*time.Millisecond)
			s.types("w", time.Duration(ms)*time.Millisecond)
			before := s.text()
			io.WriteString(s.keys, "\r")
			s.wait(time.Second)
			if id := s.root.Outcome().ID; s.ended() && !strings.Contains(before, "▸   answer 0 to ["+strings.TrimSuffix(id, "-0")+"] ") {
				t.Fatalf("%d ms after the key: resumed %q from:\n%s", ms, id, before)
			}
			if !s.ended() {
				s.p.Quit()
				<-s.done
			}
			s.keys.Close()
			s.screen.Close()
		})
	}
}

// Offers over a slow store: keys are never swallowed while values are read,
// and the list goes on answering.
func TestOffersOverASlowStore(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		s := startProgram(t, lib, 100, 24)
		lib.Set(func() { lib.Delay = func(string) time.Duration { return 300 * time.Millisecond } })
		s.types("source:", 5*time.Millisecond)
		s.wait(200 * time.Millisecond)
		if !strings.Contains(s.text(), "reading…") {
			t.Fatalf("the wait is not told:\n%s", s.text())
		}
		s.types("tele", 20*time.Millisecond)
		s.wait(2 * time.Second)
		if !strings.Contains(s.text(), "telegram") || !strings.Contains(s.text(), "  tab") {
			t.Fatalf("nothing is offered:\n%s", s.text())
		}
		io.WriteString(s.keys, "\t")
		if got := s.wait(2 * time.Second); !strings.Contains(got, "source:telegram ") || !strings.Contains(got, "Kafka consumer retries") || strings.Contains(got, "Broker upgrade") {
			t.Fatalf("after Tab:\n%s", got)
		}
		s.leave()
	})
}

// The offers scroll where not all have room.
func TestOffersInASmallWindow(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 30, 8).types("is:").sees("▸ pinned", "live", "5/10").misses("untitled")
		d.keys("shift+tab", "shift+tab", "shift+tab", "shift+tab", "shift+tab").sees("▸ untitled", "6/10").misses("pinned")
		if d.keys("tab"); d.query() != "is:untitled " {
			t.Errorf("took %q", d.query())
		}
	})
}
