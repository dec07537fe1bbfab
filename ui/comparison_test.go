package ui

import (
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"hermes-sessions/model"
	"hermes-sessions/theme/cells"
	"hermes-sessions/ui/uitest"
)

// parting gives the first two conversations of the list three messages that are the same,
// and then others.
func parting(lib *uitest.Fake) {
	at := uitest.Now().Add(-time.Hour)
	say := func(id string, first int64, texts ...string) {
		var all []model.Message
		for i, text := range append([]string{"Why does the consumer retry?", "The broker is down.", "Restart it."}, texts...) {
			m := model.Message{ID: first + int64(i), SessionID: id, Role: []string{"user", "assistant"}[i%2], Content: model.Content{Text: text}, At: at.Add(time.Duration(i) * time.Minute)}
			if text == "" {
				m.Calls = []model.ToolCall{{ID: "1", Name: "write_file", Arguments: `{"path":"broker.yaml"}`}, {ID: "2", Name: "terminal", Arguments: `{"command":"make"}`}}
			}
			all = append(all, m)
		}
		lib.Messages[id] = all
	}
	var ids []string
	for _, c := range lib.Convs {
		if c.Scope == model.ScopeConversations && len(ids) < 2 && c.Title != "House rules for code review" {
			ids = append(ids, c.ID)
		}
	}
	say(ids[0], 1000, "Restarted, it **works**.", "thanks", "", "and now?", "All consumers are connected.")
	say(ids[1], 2000, "I cannot: the host is gone.", "use the other one")
}

// Two marked conversations are compared: where they diverge, and what each did then; Enter
// reads that side at that message.
func TestCompareTwoMarkedConversations(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Set(func() { parting(lib) })
		d := start(t, lib, 120, 40).keys("ctrl+x", "C").sees("Select two conversations to compare them").keys("esc")
		d.keys("tab", "down", "tab", "ctrl+x", "C").sees("Compare · The first 3 messages are the same.", "Last common message: Restart it.", "A  Kafka consumer retries #3", "Prompts 2", "Tool calls 2", "broker.yaml", "All consumers are connected.", "I cannot: the host is gone.")
		lib.Set(func() { lib.Convs[1].Total.Cost = model.Cost{} })
		d.keys("f5").sees("0 tokens, cost ? in total").keys("tab").sees("▸ I cannot").keys("enter").sees("I cannot: the host is gone.").misses("Compare ·").keys("q").sees("Compare ·")
		d.keys("down").sees("▸ ● use the other one").keys("left", "down", "down").sees("▸ ● and now?").keys("q").sees("2 selected")
	})
}

// A branch is compared with the conversation that it left; any other row says that it is
// none; what cannot be compared is told.
func TestCompareFromTheLineage(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := openFamily(t, lib, 120, 40).keys("g").selects("root").keys("c").sees("Not a branch", "Lineage")
		d.keys("/").types("old one").keys("enter").selects("fork").keys("c").sees("Compare ·").keys("q").selects("fork")
		lib.Set(func() { lib.Err = errors.New("it was deleted meanwhile") })
		d.keys("c").sees("it was deleted meanwhile").keys("enter").sees("The conversations could not be compared").keys("q").sees("Lineage")
	})
}

func TestCompareAtEverySize(t *testing.T) {
	t.Parallel()
	for name, size := range map[string][2]int{"200x50": {200, 50}, "120x40": {120, 40}, "80x24": {80, 24}, "30x8": {30, 8}} {
		t.Run(name, func(t *testing.T) {
			at(t, func(t *testing.T, lib *uitest.Fake) {
				lib.Set(func() { parting(lib) })
				golden.RequireEqual(t, start(t, lib, size[0], size[1]).keys("tab", "down", "tab", "ctrl+x", "C", "down").screen())
			})
		})
	}
}

// Text keeps one column from the edge of the screen, and from the line between the sides.
func TestComparedTextKeepsOffTheEdge(t *testing.T) {
	t.Parallel()
	for _, w := range []int{30, 80, 120} {
		at(t, func(t *testing.T, lib *uitest.Fake) {
			lib.Set(func() {
				parting(lib)
				for _, said := range lib.Messages {
					for i := range said {
						said[i].Content.Text = strings.Repeat("a long prompt ", 20)
					}
				}
			})
			d := start(t, lib, w, 40).keys("tab", "down", "tab", "ctrl+x", "C").sees("…")
			for _, l := range strings.Split(d.screen(), "\n") {
				if left, _, beside := strings.Cut(l, "│"); cells.ByCodePoint.StringWidth(l) >= w || beside && !strings.HasSuffix(left, " ") {
					t.Errorf("at %d columns: %q", w, l)
				}
			}
		})
	}
}

// A long prompt has several lines, which are current together and lead to one message. It stays
// current where another width breaks it otherwise.
func TestComparedPromptsWrap(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		lib.Set(func() {
			parting(lib)
			for _, said := range lib.Messages {
				for i := range said {
					if said[i].Content.Text == "thanks" {
						said[i].Content.Text = "thanks, " + strings.Repeat("and again ", 12) + "for the last time"
					}
				}
			}
		})
		d := start(t, lib, 120, 40).keys("tab", "down", "tab", "ctrl+x", "C", "down").sees("▸ ● thanks, and again", "    again and again and again", "for the last time")
		d.keys("down").sees("▸ ● and now?")
		d.clickOn("for the last time").sees("▸ ● thanks, and again")
		d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		d.sees("▸ ● thanks, and again").keys("down").sees("▸ ● and now?")
		d.send(tea.WindowSizeMsg{Width: 200, Height: 50})
		d.sees("▸ ● and now?")
	})
}
