package ui

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"hermes-sessions/internal/campaign"
	"hermes-sessions/model"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/lineage"
	"hermes-sessions/ui/list"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/uitest"
)

// addFamily gives the library a conversation of four segments whose tip is running,
// with subagents, branches, an archived one, one that failed, an empty one, a
// ring, a foundling and a text that attacks. The conversation is in the list
// as well, as its newest row.
func addFamily(lib *uitest.Fake) {
	at := func(ago time.Duration) time.Time { return uitest.Now().Add(-ago) }
	priced := func(in, out int64, usd float64, estimated bool) model.Usage {
		return model.Usage{Input: in, Output: out, APICalls: 3, Cost: model.Cost{USD: usd, Known: true, Estimated: estimated}}
	}
	add := func(s model.Session, from, to time.Duration, messages int) {
		s.StartedAt, s.LastMessageAt, s.VisibleMessages, s.MessageCount = at(from), at(to), messages, messages
		if s.EndReason != "" {
			s.EndedAt = at(to)
		}
		if s.Source == "" {
			s.Source = "cli"
		}
		if s.Model == "" {
			s.Model = "hermes-4-405b"
		}
		lib.Kin = append(lib.Kin, s)
	}
	const title = "Move the shop to the new payment service"
	add(model.Session{ID: "20260101_090000_root", Title: title, EndReason: "compression", ToolCalls: 31, Usage: priced(182_000, 9_400, 1.20, false)}, 50*time.Hour, 48*time.Hour, 88)
	add(model.Session{ID: "20260101_100000_read", ParentID: "20260101_090000_root", DelegateFrom: "x", Source: "subagent", Model: "hermes-4-70b", EndReason: "done", ToolCalls: 12, Usage: priced(41_000, 2_000, 0.08, true)}, 49*time.Hour, 49*time.Hour-4*time.Minute, 14)
	add(model.Session{ID: "20260101_110000_two", ParentID: "20260101_090000_root", Title: title + " #2", EndReason: "compression", ToolCalls: 9, Usage: priced(60_000, 3_000, 0.44, false)}, 48*time.Hour, 30*time.Hour, 40)
	add(model.Session{ID: "20260101_120000_fork", ParentID: "20260101_110000_two", BranchedFrom: "20260101_110000_two", Title: "What if we keep the old one?", EndReason: "user_exit", Usage: priced(20_000, 900, 0.09, false)}, 40*time.Hour, 39*time.Hour, 26)
	add(model.Session{ID: "20260101_130000_old", ParentID: "20260101_110000_two", BranchedFrom: "20260101_110000_two", Title: "Refunds by hand", EndReason: "user_exit", Archived: true}, 38*time.Hour, 37*time.Hour, 6)
	add(model.Session{ID: "20260102_090000_three", ParentID: "20260101_110000_two", Title: title + " #3", EndReason: "compression", ToolCalls: 4, Usage: priced(9_000, 800, 0.05, false)}, 30*time.Hour, 3*time.Hour, 12)
	add(model.Session{ID: "20260102_100000_port", ParentID: "20260102_090000_three", DelegateFrom: "x", Source: "subagent", EndReason: "error", ToolCalls: 3, Usage: priced(7_000, 500, 0.03, true)}, 29*time.Hour, 28*time.Hour, 9)
	add(model.Session{ID: "20260102_110000_deep", ParentID: "20260102_100000_port", DelegateFrom: "x", Source: "subagent", EndReason: "done", ToolCalls: 1}, 29*time.Hour, 28*time.Hour, 3)
	add(model.Session{ID: "20260102_120000_bad", ParentID: "20260102_100000_port", DelegateFrom: "x", Source: "sub\x1b[31m", Title: "日本語 \x1b]0;pwned\a\u202eright\nto left 🎌", EndReason: "done\x1b[2J"}, 29*time.Hour, 28*time.Hour, 2)
	add(model.Session{ID: "20260103_090000_tip", ParentID: "20260102_090000_three", Title: title + " #4", ToolCalls: 2, Usage: priced(3_000, 200, 0.02, true), CWD: "/home/ada/shop", GitBranch: "payments"}, 3*time.Hour, time.Minute, 7)
	add(model.Session{ID: "20260103_100000_void", ParentID: "20260103_090000_tip", DelegateFrom: "x", Source: "subagent"}, time.Hour, time.Hour, 0)
	add(model.Session{ID: "ring-a", ParentID: "ring-b", Title: "I am my own grandparent"}, 90*time.Hour, 90*time.Hour, 1)
	add(model.Session{ID: "ring-b", ParentID: "ring-a"}, 89*time.Hour, 89*time.Hour, 1)
	add(model.Session{ID: "foundling", ParentID: "nobody\x1b[7m", Title: "Foundling"}, 80*time.Hour, 80*time.Hour, 1)
	lib.Forks = map[string]model.Fork{
		"20260101_090000_root": {FirstOwn: 101}, "20260103_090000_tip": {Parent: "20260102_090000_three", LastShared: 430, FirstOwn: 440},
		"20260101_100000_read": {Parent: "20260101_090000_root", LastShared: 104, Position: 4, ParentMessages: 140, FirstOwn: 201},
		"20260101_120000_fork": {Parent: "20260101_110000_two", LastShared: 420, Position: 98, ParentMessages: 140, CopiedMessages: 3, FirstOwn: 304},
	}
	tell := func(id string, first int64, n int) {
		for i := range n {
			m := uitest.Said([]string{"user", "assistant"}[i%2], fmt.Sprintf("message %d of %s", i+1, id))
			m.ID, m.SessionID, m.At = first+int64(i), id, at(time.Hour)
			lib.Messages[id] = append(lib.Messages[id], m)
		}
		for _, s := range lib.Kin {
			if s.ID == id {
				lib.Convs = append(lib.Convs, model.Conversation{Session: s, RootID: s.ID, Segments: []string{s.ID}, Messages: n, LastActive: at(0), Scope: model.ScopeArchived})
			}
		}
	}
	tell("20260101_090000_root", 101, 40)
	tell("20260101_110000_two", 411, 12)
	tell("20260101_100000_read", 201, 14)
	tell("20260101_120000_fork", 301, 6)
	tell("20260103_090000_tip", 440, 7)
	lib.Convs[len(lib.Convs)-1].Scope = model.ScopeConversations
	lib.Convs[len(lib.Convs)-1].Segments = []string{"20260101_090000_root", "20260101_110000_two", "20260102_090000_three", "20260103_090000_tip"}
	lib.Starts = map[string][]int{"20260103_090000_tip": {0, 0, 0, 0}}
}

// openFamily opens the lineage of the family from the list.
func openFamily(t *testing.T, lib *uitest.Fake, w, h int, change ...func(*Options)) *driver {
	t.Helper()
	addFamily(lib)
	d := start(t, lib, w, h, change...)
	for range 40 {
		if l := d.list(); l.Current() != nil && l.Current().ID == "20260103_090000_tip" {
			return d.keys("ctrl+l")
		}
		d.keys("down")
	}
	t.Fatal("the conversation is not in the list")
	return d
}

func (d *driver) tree() *lineage.Screen { return d.root.top().(*lineage.Screen) }

// node is the id of the current session.
func (d *driver) node() string {
	d.t.Helper()
	if n := d.tree().Current(); n != nil {
		return n.ID[strings.LastIndex(n.ID, "_")+1:]
	}
	return ""
}

func (d *driver) selects(id string) *driver {
	d.t.Helper()
	if got := d.node(); got != id {
		d.t.Fatalf("on %s, want %s:\n%s", got, id, d.screen())
	}
	return d
}

func TestLineageScreens(t *testing.T) {
	t.Parallel()
	for _, size := range sizes() {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			at(t, func(t *testing.T, lib *uitest.Fake) {
				golden.RequireEqual(t, openFamily(t, lib, size[0], size[1]).screen())
			})
		})
	}
	for name, f := range map[string]func(d *driver) *driver{
		"folded":  func(d *driver) *driver { return d.keys("-") },
		"branch":  func(d *driver) *driver { return d.keys("/").types("old one").keys("enter") },
		"finding": func(d *driver) *driver { return d.keys("/").types("refund") },
		"help":    func(d *driver) *driver { return d.keys("?") },
		"menu":    func(d *driver) *driver { return d.keys("ctrl+x") },
		"hostile": func(d *driver) *driver {
			return d.keys("/").types("pwned").keys("esc").keys("/").types("左").keys("esc").keys("/").types("日本").keys("enter")
		},
		"no-place": func(d *driver) *driver { return d.keys("/").types("zzz").keys("enter", "n") },
	} {
		t.Run(name, func(t *testing.T) {
			at(t, func(t *testing.T, lib *uitest.Fake) {
				golden.RequireEqual(t, f(openFamily(t, lib, 100, 30)).screen())
			})
		})
	}
}

// Details that do not fit are cut between words: half a number would be another.
func TestLineageDetailsAreCutBetweenWords(t *testing.T) {
	t.Parallel()
	words, cut := map[string]bool{"…": true}, 0
	at(t, func(t *testing.T, lib *uitest.Fake) {
		for _, w := range strings.Fields(openFamily(t, lib, 200, 50).sees("tool calls").screen()) {
			words[w] = true
		}
	})
	for w := 54; w < 70; w++ {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			for _, l := range strings.Split(openFamily(t, lib, w, 20).screen(), "\n") {
				if l = strings.TrimRight(l, " "); !strings.HasPrefix(l, " all ") || !strings.HasSuffix(l, " …") {
					continue
				}
				cut++
				for _, word := range strings.Fields(l) {
					if !words[word] {
						t.Errorf("in %d columns %q has %q", w, l, word)
					}
				}
			}
		})
	}
	if cut == 0 {
		t.Error("everything fits everywhere")
	}
}

func TestLineageInColor(t *testing.T) {
	t.Parallel()
	for name, dark := range map[string]bool{"dark": true, "light": false} {
		t.Run(name, func(t *testing.T) {
			at(t, func(t *testing.T, lib *uitest.Fake) {
				d := openFamily(t, lib, 120, 20)
				if !dark {
					d.send(tea.BackgroundColorMsg{Color: daylight{}})
				}
				d.keys("/").types("payment").keys("enter")
				golden.RequireEqual(t, strings.ReplaceAll(d.root.View().Content, "\x1b", "␛"))
			})
		})
	}
}

// daylight is the color of a light background.
type daylight struct{}

func (daylight) RGBA() (r, g, b, a uint32) { return 0xffff, 0xffff, 0xffff, 0xffff }

// The tree opens at the session that it was asked for, and every way of moving
// does what it says.
func TestMovingInATree(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := openFamily(t, lib, 120, 40).selects("tip")
		d.sees("§4 Move the shop", "tip  running", "segment 4 of 4, the tip", "≥$1.91")
		d.keys("p").selects("root").keys("j").selects("read").keys("J").selects("two").keys("l").selects("fork").keys("J").selects("old")
		d.keys("J").sees("This is the last sibling").selects("old").keys("K").selects("fork").keys("h").selects("two")
		d.keys("left").misses("What if we keep").selects("two").keys("right").sees("What if we keep").selects("two")
		d.keys("G").selects("void").keys("g").selects("root").keys("end").selects("void").keys("home").selects("root")
		d.keys("pgdown", "pgup").selects("root")
		d.keys("/").types("deep").keys("enter").selects("deep").keys("-").selects("three").keys("*").selects("three").sees("the task of 20260102_11")
		d.keys("g", "h").selects("root").misses("§2").keys("h").selects("root").keys("*").sees("§2")
	})
}

// Find looks under folds, in ids, kinds and first prompts; Esc goes back to the
// row where the search began.
func TestFindingInATree(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := openFamily(t, lib, 120, 40).keys("-").selects("tip")
		d.keys("/").types("task of").sees("match 4 of 4").selects("void").keys("enter")
		d.keys("n").selects("read").keys("n").selects("port").keys("N", "N").selects("void")
		d.keys("n", "n", "n").selects("deep")
		d.keys("/").types("xyz").sees("no matches").selects("deep").keys("esc").sees("match 3 of 4").selects("deep")
		d.keys("/").types("archiv").keys("esc").selects("deep")
		d.keys("/").types("branch").sees("match").keys("enter").selects("fork")
		d.keys("/").types("20260101_13").keys("enter").selects("old").sees("archived")
	})
}

// A branch is read where it left, its origin at the same place, and the way
// back leads to the same row each time.
func TestReadingFromATree(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := openFamily(t, lib, 120, 40).keys("/").types("old one").keys("enter").selects("fork")
		d.sees("branch of “Move the shop", "forked at", "3 copied")
		d.keys("enter").sees("message 4 of 20260101_120000_fork", "4 / 6").keys("q").selects("fork")
		d.keys("right").sees("4 / 6").keys("q").selects("fork")
		d.keys("o").sees("message 10 of 20260101_110000_two", "10 / 12").keys("esc").selects("fork")
		d.keys("g", "enter").sees("message 1 of 20260101_090000_root", "1 / 40").keys("q").selects("root")
		d.keys("o").sees("This session has no parent").selects("root")
		d.keys("q")
		if l, ok := d.root.top().(*list.Screen); !ok || l.Current().ID != "20260103_090000_tip" {
			t.Fatalf("not back at the row:\n%s", d.screen())
		}
	})
}

// From a transcript the tree opens at the segment that is read; from a
// transcript that a tree has opened, the same tree comes back.
func TestFromTheTranscriptToTheTree(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := openFamily(t, lib, 120, 40).keys("q", "right").sees("message 7 of 20260103_090000_tip")
		lib.Set(func() { lib.Starts = map[string][]int{"20260103_090000_tip": {0, 2, 4, 6}} })
		d.keys("f5", "K").keys("K").keys("l").selects("three")
		before := len(d.root.screens)
		d.keys("p", "enter").sees("1 / 40").keys("l").selects("root")
		if len(d.root.screens) != before {
			t.Errorf("%d screens, want %d", len(d.root.screens), before)
		}
		d.keys("q").sees("message 5 of 20260103_090000_tip")
	})
}

// Resume goes on at the tip of the conversation that a row belongs to; y
// copies the id of the row itself.
func TestResumeAndCopyFromATree(t *testing.T) {
	t.Parallel()
	for find, tip := range map[string]string{"_two": "20260103_090000_tip", "_fork": "20260101_120000_fork", "_deep": "20260102_110000_deep"} {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			d := openFamily(t, lib, 120, 40).keys("/").types(find).keys("enter", "y")
			if len(d.sent) != 1 || !strings.HasSuffix(d.sent[0], find) {
				t.Errorf("copied %q", d.sent)
			}
			if d.keys("r"); !d.quit || d.root.Outcome().ID != tip {
				t.Errorf("resumed %q, want %q", d.root.Outcome().ID, tip)
			}
		})
	}
}

// What is done on any row of the tree is done to the conversation of that row,
// shows at once, and can be taken back from there.
func TestChangingFromATree(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		const tip = "20260103_090000_tip"
		title := func() string { c, _ := lib.Conversation(t.Context(), tip); return c.Title }
		d := openFamily(t, lib, 120, 40).keys("/").types("_two").keys("enter").selects("two")
		was := title()
		d.keys("ctrl+r").sees("Rename", was).keys("ctrl+u").types("Payments").keys("enter")
		if title() != "Payments" {
			t.Fatalf("the tip is called %q", title())
		}
		d.selects("two").sees("4 Payments", "Renamed").keys("u").sees(kit.CleanLine(was)).misses("4 Payments")
		d.keys("ctrl+x", "P").sees("tip  running  pinned", "Pinned “").keys("ctrl+x", "P").sees("Unpinned").misses("running  pinned")
		d.keys("ctrl+x", "a").sees("Archived “", "tip  running  archived").keys("u").misses("running  archived")
		d.keys("i").sees("Move the shop").keys("esc").selects("two")
		// A branch is a conversation of its own.
		d.keys("/").types("_fork").keys("enter", "f2").sees("What if we keep the old one?").keys("esc").selects("fork")
	})
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := openFamily(t, lib, 120, 40, func(o *Options) { o.Changes = nil })
		for _, key := range []string{"P", "a", "m"} {
			d.keys("ctrl+x", key)
		}
		d.keys("esc").keys("f2").sees(kit.Capitalize(shell.ReadOnly))
	})
}

// Other processes' changes appear by themselves, and the row keeps its
// session; if that was deleted, the row above it becomes current.
func TestATreeFollowsItsDatabase(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := openFamily(t, lib, 120, 40).keys("/").types("deep").keys("enter", "g").keys("n").selects("deep")
		d.wait(2 * time.Second) // the version is known
		lib.Set(func() {
			lib.Version++
			lib.Kin = append(lib.Kin, model.Session{ID: "new_born", ParentID: "20260101_090000_root", DelegateFrom: "x", Source: "subagent", StartedAt: uitest.Now().Add(-49 * time.Hour), VisibleMessages: 1})
		})
		d.wait(3 * time.Second)
		d.sees("the task of new_born", "12 sessions").selects("deep")
		lib.Set(func() {
			lib.Version++
			for i, s := range lib.Kin {
				if strings.HasSuffix(s.ID, "_deep") {
					lib.Kin = append(lib.Kin[:i:i], lib.Kin[i+1:]...)
					break
				}
			}
		})
		d.wait(4 * time.Second)
		d.sees("11 sessions").selects("port")
		lib.Set(func() { lib.Kin, lib.Convs, lib.Version = nil, nil, lib.Version+1 })
		d.wait(6 * time.Second)
		d.sees("could not be read", "not found", "f5 retries").keys("r", "enter", "j", "/", "n", "q")
	})
}

// Rings and foundlings say what they are.
func TestOddFamilies(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{"ring-b": "form a loop", "foundling": "missing: nobody"} {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			addFamily(lib)
			d := start(t, lib, 120, 30)
			d.run(d.root.Do(shell.OpenLineage{ID: id}))
			d.settle()
			d.keys("g").sees(want)
			d.keys("o", "h", "-", "*", "p", "J", "K", "l").misses("could not be read")
		})
	}
}

// On wide terminals the transcript is shown beside the tree and follows it.
func TestTranscriptBesideTheTree(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := openFamily(t, lib, 180, 40).sees("message 7 of 20260103_090000_tip")
		d.keys("/").types("fork").keys("enter").sees("message 4 of 20260101_120000_fork").misses("20260103_090000_tip  ", "message 7 of")
		d.keys("g").sees("message 1 of 20260101_090000_root").misses("message 38 of")
		for range 60 {
			d.keys("shift+down")
		}
		d.sees("message 25 of 20260101_090000_root").misses("message 1 of 20260101_090000_root").selects("root")
		d.send(tea.WindowSizeMsg{Width: 100, Height: 30})
		d.misses("of 20260101_090000_root").keys("shift+down").sees("No transcript pane")
		d.send(tea.WindowSizeMsg{Width: 180, Height: 40})
		d.keys("j").sees("message 1 of 20260101_100000_read")
	})
}

// A tree that cannot be read says why; late answers change nothing after the
// screen is left.
func TestATreeThatCanNotBeRead(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		addFamily(lib)
		d := start(t, lib, 100, 30)
		lib.Set(func() { lib.Err = errors.New("read the sessions: disk I/O \x1b[31merror") })
		d.keys("ctrl+l").sees("This lineage could not be read", "disk I/O error", "f5 retries")
		lib.Set(func() { lib.Err = nil })
		d.keys("f5").misses("could not be read").sees("1 session")
		d.keys("f5")
		d.send(keyPress("q"))
		d.settle()
		d.keys("down")
	})
}

// What is pressed before the tree is there is done when it is.
func TestKeysBeforeTheTreeIsThere(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := openFamily(t, lib, 100, 30).keys("q")
		d.send(keyPress("ctrl+l"), keyPress("g"), keyPress("j"), keyPress("enter"))
		d.settle()
		d.sees("message 4 of 20260101_100000_read").keys("q").selects("read")
	})
}

// Enter pressed at once waits for where the session left, and a fault of that
// is told.
func TestOpeningFromATreeWaits(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := openFamily(t, lib, 100, 30)
		for _, r := range "/fork" {
			d.send(keyPress(string(r)))
		}
		d.send(keyPress("enter"), keyPress("g"))
		lib.Set(func() { lib.Err = errors.New("Torn page") })
		d.send(keyPress("n"), keyPress("enter"))
		d.settle()
		d.sees("Torn page").selects("fork")
		lib.Set(func() { lib.Err = nil })
		d.keys("g").send(keyPress("n"), keyPress("enter"))
		d.settle()
		d.sees("message 4 of 20260101_120000_fork").keys("q").selects("fork")
	})
}

// Random keys at every size: nothing panics, and nothing leaves the terminal.
func TestAStormOverATree(t *testing.T) {
	t.Parallel()
	keys := []string{
		"up", "down", "left", "right", "h", "l", "j", "k", "J", "K", "p", "*", "-", "g", "G", "pgup", "pgdown", "ctrl+u", "ctrl+d",
		"/", "n", "N", "a", "e", "enter", "esc", "o", "y", "q", "ctrl+l", "f5", "shift+up", "shift+down", "ctrl+x", "?", "space",
	}
	rng := rand.New(rand.NewPCG(9, 10))
	for range campaign.Length(4, 60) {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			d := openFamily(t, lib, 120, 40)
			for range 250 {
				if d.quit {
					break
				}
				switch rng.IntN(10) {
				case 0:
					d.send(tea.WindowSizeMsg{Width: 1 + rng.IntN(220), Height: 1 + rng.IntN(60)})
				case 1:
					d.wait(time.Duration(rng.IntN(300)) * time.Millisecond)
				case 2:
					d.send(tea.MouseClickMsg{Button: tea.MouseLeft, X: rng.IntN(200), Y: rng.IntN(50)})
				case 3:
					d.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp + tea.MouseButton(rng.IntN(2)), X: rng.IntN(200), Y: rng.IntN(50)})
				case 4:
					lib.Set(func() {
						lib.Version++
						if n := len(lib.Kin); n > 0 && rng.IntN(4) == 0 {
							i := rng.IntN(n)
							lib.Kin = append(lib.Kin[:i:i], lib.Kin[i+1:]...)
						}
					})
				default:
					d.send(keyPress(keys[rng.IntN(len(keys))]))
				}
			}
		})
	}
}

// Every size from nothing to wide shows the current session.
func TestATreeAtEverySize(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := openFamily(t, lib, 120, 40).keys("/").types("refunds").keys("enter")
		for w := 1; w <= 210; w += 1 + w/12 {
			for _, h := range []int{1, 2, 3, 4, 5, 8, 10, 12, 16, 24, 50} {
				d.send(tea.WindowSizeMsg{Width: w, Height: h})
				if w >= 20 && !strings.Contains(d.screen(), "Refun") {
					t.Fatalf("%dx%d:\n%s", w, h, d.screen())
				}
			}
		}
	})
}

// The whole program: transcript, tree, branch, back.
func TestLineageJourney(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		addFamily(lib)
		s := startProgram(t, lib, 120, 36)
		press := func(keys string, texts ...string) {
			t.Helper()
			io.WriteString(s.keys, keys)
			s.wait(time.Second)
			for _, text := range texts {
				if !strings.Contains(s.text(), text) {
					t.Fatalf("after %q no %q in\n%s", keys, text, s.text())
				}
			}
		}
		s.types("message 7 of 2026", 30*time.Millisecond)
		s.wait(time.Second)
		press("\x1b[C", "message 7 of 20260103_090000_tip")
		press("l", "Lineage", "§4 Move the shop", "the tip")
		press("/old one", "match 1 of 1")
		press("\r", "forked at")
		press("\r", "message 4 of 20260101_120000_fork")
		press("q", "Lineage", "forked at")
		press("q", "message 7 of 20260103_090000_tip")
		press("q", "▸", "message 7 of")
		s.leave()
	})
}

// What is typed after a slash while the tree is still being read is found when it has come,
// and no action is run by its letters.
func TestLineageFindIsTypedBeforeTheTreeIsRead(t *testing.T) {
	t.Parallel()
	for _, keys := range [][]string{{"/", "o", "l", "d"}, {"/", "o", "l", "d", "enter"}} {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			addFamily(lib)
			d := start(t, lib, 120, 30)
			for d.list().Current().ID != "20260103_090000_tip" {
				d.keys("down")
			}
			lib.Set(func() { lib.Delay = func(string) time.Duration { return 2 * time.Second } })
			d.send(keyPress("ctrl+l"))
			for _, k := range keys {
				d.send(keyPress(k))
			}
			d.wait(time.Second)
			d.misses("no matches")
			d.wait(10 * time.Second)
			d.sees("match 1 of ").selects("fork")
		})
	}
}

// To unfold is offered where something is folded, and says so where nothing is.
func TestUnfoldingWhatIsNotFolded(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := openFamily(t, lib, 120, 40).keys("ctrl+x").misses("unfold all").keys("esc", "*").sees("Nothing is folded")
		if before := d.keys("-").screen(); d.keys("*").misses("Nothing is folded").screen() == before {
			t.Error("nothing is unfolded")
		}
	})
}

// The fork point is offered where a session has a parent in the tree.
func TestNoForkPointWithoutAParent(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := openFamily(t, lib, 120, 40)
		d.keys("g").misses("o fork point").keys("o").sees("This session has no parent")
		d.keys("down").sees("o fork point")
	})
}

// What was deleted from the tree leaves it: a neighbor becomes current. Where nothing is
// left the list is back, and once that is undone the tree can be opened again.
func TestTheTreeGoesOnAfterADeletion(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keys []string
		on   string // the session that becomes current
	}{
		"the first segment":      {[]string{"home", "d", "s", "y"}, "two"},
		"a segment in between":   {[]string{"/", "#", "3", "enter", "d", "s", "y"}, "two"},
		"the newest segment":     {[]string{"d", "s", "y"}, "three"},
		"the whole conversation": {[]string{"d", "y"}, "bad"},
		"another segment":        {[]string{"d", "s", "[", "y"}, "tip"},
	} {
		t.Run(name, func(t *testing.T) {
			at(t, func(t *testing.T, lib *uitest.Fake) {
				d := openFamily(t, lib, 120, 40).keys(c.keys...).sees("Deleted ").selects(c.on)
				d.sees(" undo").misses("could not be read", "11 sessions")
				d.wait(4 * time.Second)
				d.selects(c.on).misses("could not be read").keys("u").sees("Restored")
				d.wait(4 * time.Second)
				d.selects(c.on).sees("11 sessions")
			})
		})
	}
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24).keys("ctrl+l").sees("Lineage").keys("d", "y").sees("Deleted “Kafka", "alt+z undo")
		if len(d.root.screens) != 1 {
			t.Fatalf("the list is not back:\n%s", d.screen())
		}
		d.keys("alt+z").sees("Restored")
		d.keys("home", "ctrl+l").misses("could not be read").sees("Kafka")
	})
}

// A conversation whose newest segment has no title is deleted under the name in the header.
func TestTheTreeNamesAConversationInDialogs(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := openFamily(t, lib, 120, 40)
		lib.Set(func() {
			for i := range lib.Kin {
				if lib.Kin[i].ID == "20260103_090000_tip" {
					lib.Kin[i].Title = ""
				}
			}
			lib.ByID("20260103_090000_tip").Title = ""
		})
		d.keys("f5").sees("the task of 20260103_090000_tip")
		for _, at := range []string{"g", "G"} {
			d.keys(at)
			if at == "G" {
				d.keys("k")
			}
			d.keys("d").sees("Delete “Move the shop to the new payment service”?").keys("n")
		}
	})
}
