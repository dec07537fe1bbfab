package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/transcript"
	"hermes-sessions/ui/uitest"
)

func TestClosestScreens(t *testing.T) {
	t.Parallel()
	for name, typed := range map[string]string{"below": "kafka retry", "alone": "kafka topic brokers"} {
		for _, size := range [][2]int{{120, 40}, {80, 24}, {30, 8}} {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), func(t *testing.T) {
				at(t, func(t *testing.T, lib *uitest.Fake) {
					lib.Readings = []model.WordReading{{Word: "brokers", Forms: []string{"broker"}}}
					golden.RequireEqual(t, start(t, lib, size[0], size[1]).types(typed).keys("down").screen())
				})
			})
		}
	}
}

// rungs returns n conversations with a query in their titles, the first of them number
// from. Those close to it have other words, and wider columns.
func rungs(q string, from, n int, isClose bool) (all []model.Match) {
	for i := range n {
		c := model.Conversation{Session: model.Session{ID: fmt.Sprintf("%s-%d", q, from+i), Title: fmt.Sprintf("answer %d to [%s]", from+i, q), Source: "cli"}, Messages: 7}
		m := model.Match{Conversation: c, Best: model.Hit{Kind: model.HitTitle}, Hits: 1}
		if isClose {
			m.Close, m.Hits, m.Words, m.Missing = true, 0, 4, []string{"zebra"}
			m.Source, m.Messages = "telegram", 1204
		}
		all = append(all, m)
	}
	return all
}

// tiers lets a library answer every query with so many conversations with all words,
// and so many close to it.
func tiers(lib *uitest.Fake, all, near int) {
	lib.Answer = func(q string) model.SearchResults {
		return model.SearchResults{Conversations: all, Hits: all, Matches: rungs(q, 0, all, false)}
	}
	lib.AnswerClose = func(q string) []model.Match { return rungs(q, all, near, true) }
}

func TestTheClosestComeBelowAndMoveNothing(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{120, 40}, {100, 24}, {80, 24}, {60, 20}, {30, 8}} {
		for _, keys := range [][]string{nil, {"down"}, {"down", "down", "down"}, {"pgdown"}, {"end"}} {
			at(t, func(t *testing.T, lib *uitest.Fake) {
				tiers(lib, 12, 9)
				lib.DelayClose = func(string) time.Duration { return 3 * time.Second }
				d := start(t, lib, size[0], size[1]).types("xy")
				d.keys(keys...)
				before := d.list().Peek()
				if before.Total != 12 || len(before.Items) != 12 {
					t.Fatalf("%d of %d rows before the closest have come", len(before.Items), before.Total)
				}
				d.wait(4 * time.Second)
				after := d.list().Peek()
				if len(after.Items) != 21 || after.Row != before.Row || after.RowLine != before.RowLine || after.Top != before.Top {
					t.Fatalf("%dx%d, %q: row %d at line %d under row %d is now row %d at line %d under row %d, of %d", size[0], size[1], keys,
						before.Row, before.RowLine, before.Top, after.Row, after.RowLine, after.Top, len(after.Items))
				}
				for i, l := range before.Window {
					if after.Window[i] != l {
						t.Fatalf("%dx%d, %q: line %d was %q and is %q", size[0], size[1], keys, i, ansi.Strip(l), ansi.Strip(after.Window[i]))
					}
				}
			})
		}
	}
}

func TestCountsSayHowManyAreClose(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		tiers(lib, 2, 14)
		lib.DelayClose = func(string) time.Duration { return time.Second }
		d := start(t, lib, 100, 24).types("xy").sees("2 conversations · 2 matches · searching…").misses("closest")
		d.wait(time.Second)
		d.sees("2 conversations · 2 matches · 14 close", "\n Closest", "3 of 4 words · not: zebra")
		d.misses("searching")
	})
	at(t, func(t *testing.T, lib *uitest.Fake) {
		tiers(lib, query.ClosestUpTo+1, 14)
		start(t, lib, 100, 24).types("xy").sees("51 conversations · 51 matches").misses("close")
		if slices.ContainsFunc(lib.Asked, func(q string) bool { return strings.HasPrefix(q, "closest") }) {
			t.Errorf("the closest were asked for: %q", lib.Asked)
		}
	})
}

// While the closest conversations to a query without other answers are looked for,
// the rows before stay, and Enter takes none of them.
func TestNoEmptyScreenBeforeTheClosestCome(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		tiers(lib, 0, 3)
		lib.DelayClose = func(string) time.Duration { return 400 * time.Millisecond }
		d := start(t, lib, 100, 24)
		d.send(keyPress("x"))
		d.wait(100 * time.Millisecond)
		d.sees("House rules").misses("No matches", "searching")
		d.wait(100 * time.Millisecond)
		d.sees("House rules", "searching…").misses("No matches")
		d.send(keyPress("enter"))
		d.wait(10 * time.Millisecond)
		if d.sees("Still searching"); d.quit {
			t.Fatal("a row of the query before was resumed")
		}
		d.wait(300 * time.Millisecond)
		d.sees("answer 0 to [x]", "\n Closest", "0 conversations · 3 close").misses("House rules")
	})
	at(t, func(t *testing.T, lib *uitest.Fake) {
		tiers(lib, 0, 0)
		d := start(t, lib, 100, 24).types("xy").sees("No matches. Try another word · esc clears")
		d.types(" z").sees("No matches. Try fewer words · esc clears")
		d.types(" source:cli").sees("No matches. Try fewer filters or words · esc clears")
		d.keys("ctrl+u").types("\"xyz\"").sees("No matches. Try it without quotes, which find only the exact text · esc clears")
		d.keys("ctrl+u").types("source:nowhere").sees("No matches. Try other filters · esc clears")
		lib.Answer = func(string) model.SearchResults {
			return model.SearchResults{Spans: []model.SpanReading{{Words: "last week", Span: "2026-11-16..2026-11-22"}}}
		}
		d.keys("ctrl+u").types("Last week ").sees("No matches. For what began then, try started:2026-11-16..2026-11-22 · esc clears")
	})
}

// What is opened before the rows of a query have come waits for the closest too.
func TestOpeningWaitsForTheClosest(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		tiers(lib, 0, 3)
		lib.DelayClose = func(string) time.Duration { return 400 * time.Millisecond }
		for _, m := range rungs("x", 0, 1, true) {
			lib.Convs = append(lib.Convs, m.Conversation)
		}
		d := start(t, lib, 100, 24)
		d.send(keyPress("x"))
		d.wait(100 * time.Millisecond)
		d.send(keyPress("right"))
		d.wait(100 * time.Millisecond)
		d.sees("House rules")
		d.wait(time.Second)
		if top, ok := d.root.top().(*transcript.Screen); !ok || top.Conv.ID != "x-0" {
			t.Fatalf("not the closest conversation is open:\n%s", d.screen())
		}
	})
}

func TestTheNextKeyDropsTheClosest(t *testing.T) {
	t.Parallel()
	for _, ends := range []bool{false, true} {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			tiers(lib, 2, 5)
			lib.DelayClose = func(string) time.Duration { return 15 * time.Millisecond }
			d := start(t, lib, 100, 24)
			d.send(keyPress("x"))
			d.wait(10 * time.Millisecond)
			lib.Set(func() { lib.Delay = func(string) time.Duration { return 200 * time.Millisecond } })
			if ends {
				time.Sleep(10 * time.Millisecond)
				synctest.Wait() // the answer is there, and is taken after the key
			}
			d.send(keyPress("y"))
			d.wait(100 * time.Millisecond)
			d.sees("answer 1 to [x]").misses("close")
			d.wait(150 * time.Millisecond)
			d.sees("answer 1 to [xy]", "5 close")
		})
	}
}

func TestNoKeyWaitsForTheClosest(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		tiers(lib, 2, 5)
		lib.DelayClose = func(string) time.Duration { return 10 * time.Second }
		d := start(t, lib, 100, 24)
		for i := range 4 {
			d.send(keyPress("x"))
			d.wait(5 * time.Millisecond)
			d.sees("answer 1 to [" + strings.Repeat("x", i+1) + "]")
		}
	})
}

func TestRefreshesAskForTheClosestToo(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		tiers(lib, 2, 5)
		d := start(t, lib, 100, 24).types("x").sees("5 close")
		asked := len(lib.Asked)
		lib.Set(func() { lib.Version++ })
		d.wait(3 * time.Second)
		d.sees("5 close", "answer 1 to [x]")
		for _, q := range lib.Asked[asked:] {
			if strings.HasPrefix(q, "search") {
				t.Errorf("the rows were read again without the closest: %q", lib.Asked[asked:])
			}
		}
		if !slices.Contains(lib.Asked[asked:], "closest x") {
			t.Errorf("nothing was read again: %q", lib.Asked[asked:])
		}
	})
}

// A close conversation opens at its best message, with every word of the query marked,
// and reading goes on from it to the next one.
func TestACloseConversationIsReadByAnyOfItsWords(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24).types("kafka offsets brokers dead").sees("\n Closest")
		d.keys("right")
		tr, ok := d.root.top().(*transcript.Screen)
		if !ok || !strings.HasPrefix(tr.Title(), "Kafka") {
			t.Fatalf("not the first is open:\n%s", d.screen())
		}
		st := d.root.styles
		for _, marked := range []string{st.CurrentHit.Render("kafka"), st.Hit.Render("offsets"), st.Hit.Render("dead")} {
			if !strings.Contains(d.root.View().Content, marked) {
				t.Errorf("%q is not marked:\n%s", marked, d.screen())
			}
		}
		d.sees("match 1 of ")
		for range 6 {
			d.keys("n")
		}
		d.sees("Broker upgrade plan", "match 1 of 1")
	})
}

func TestTheBestMessageOfACloseConversationIsPreviewed(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 140, 40).types("kafka offsets brokers dead").keys("down").sees("Broker upgrade plan")
		d.sees("● you ──", "One at a time, controller last.") // the hit, and what it is about
		if slices.ContainsFunc(lib.Asked, func(q string) bool { return q == "hits kafka offsets brokers dead" }) {
			t.Error("messages with all words are looked for where there are none")
		}
	})
}

func TestAllThatIsMarkedHasAllWords(t *testing.T) {
	t.Parallel()
	for all, want := range map[int]int{2: 2, 0: 5} {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			tiers(lib, all, 5)
			lib.AnswerClose = func(q string) []model.Match { // with roots, by which they are marked
				near := rungs(q, all, 5, true)
				for i := range near {
					near[i].RootID = near[i].ID
				}
				return near
			}
			lib.Answer = func(q string) model.SearchResults {
				r := model.SearchResults{Conversations: all, Matches: rungs(q, 0, all, false)}
				for i := range r.Matches {
					r.Matches[i].RootID = r.Matches[i].ID
				}
				return r
			}
			d := start(t, lib, 100, 24).types("x").keys("alt+a")
			if got := len(d.list().Marked()); got != want {
				t.Errorf("%d of %d and 5 close ones are marked", got, all)
			}
		})
	}
}

// What only other scopes have is still told, and one key away, where there are
// conversations close to the query.
func TestHitsInOtherScopesAreToldAboveTheClosest(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24).types("check volume").sees("\n Closest", "12 hidden ctrl+o", "compose up hangs")
		d.keys("ctrl+o").sees("backup check")
	})
}

// Of alternatives, one would do.
func TestTheHeadingFitsAlternatives(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Answer = func(string) model.SearchResults { return model.SearchResults{} }
		lib.AnswerClose = func(string) []model.Match { return []model.Match{{Conversation: lib.Convs[0], Close: true, Words: 2}} }
		start(t, lib, 100, 24).types("check OR volume").sees("\n Closest")
	})
}

// Nothing more is in another scope than the rows that are shown from there.
func TestRowsOfOtherScopesAreNotToldTwice(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		shown := model.Match{Conversation: lib.Convs[0], Close: true, Words: 2, Together: true, OutOfScope: true}
		shown.Conversation.Scope = model.ScopeAutomation
		lib.Answer = func(string) model.SearchResults {
			return model.SearchResults{HiddenHits: 1, HiddenScope: model.ScopeAutomation}
		}
		lib.AnswerClose = func(string) []model.Match { return []model.Match{shown} }
		start(t, lib, 100, 24).types("check volume").sees("\n Closest", "in automation").misses("12 hidden")
	})
}

func TestADeletedCloseConversationComesBackToItsPlace(t *testing.T) {
	t.Parallel()
	for _, order := range []string{"by relevance", "newest first"} {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			d := start(t, lib, 100, 24).types("kafka retry the")
			if order == "newest first" {
				d.keys("ctrl+s")
			}
			before := d.keys("down", "down").sees("7 close").screen()
			d.keys("ctrl+d", "y").sees("6 close")
			lib.Set(func() { lib.DelayClose = func(string) time.Duration { return 2 * time.Second } })
			window := d.keys("alt+z").list().Peek().Window
			if d.wait(5 * time.Second); d.screen() != before || !slices.Equal(window, d.list().Peek().Window) {
				t.Errorf("%s: before\n%s\nand after\n%s", order, before, d.screen())
			}
		})
	}
}
