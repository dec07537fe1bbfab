package ui

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/uitest"
)

// withQueries opens the browser with named queries, which can be edited in memory.
func withQueries(all ...query.Named) func(*Options) {
	return func(o *Options) {
		o.Queries = slices.Clone(all)
		o.Outside.EditQuery = func(was string, n *query.Named) ([]query.Named, error) {
			if n != nil && n.Name == "full" {
				return nil, errors.New("settings config.toml is read-only; add it by hand")
			}
			i := slices.IndexFunc(all, func(q query.Named) bool { return q.Name == was })
			switch {
			case n == nil:
				all = slices.Delete(all, i, i+1)
			case i < 0:
				all = append(all, *n)
			default:
				all[i] = *n
			}
			return slices.Clone(all), nil
		}
	}
}

func TestNamedQueriesAreTabs(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		cost := query.ByCost
		queries := withQueries(query.Named{Name: "work", Text: "kafka"}, query.Named{Name: "bots", Scope: model.ScopeAutomation, Order: &cost})
		d := start(t, lib, 80, 24, queries).sees("1 work", "2 bots")
		if d.keys("alt+1"); d.query() != "@work " || d.root.list.Listing().Scope != model.ScopeConversations {
			t.Errorf("query %q", d.query())
		}
		d.sees("▸1 work", "best first")
		d.keys("alt+2").sees("by cost", "in automation")
		if got := d.root.list.Listing(); got.Scope != model.ScopeConversations || got.Order != query.ByActivity {
			t.Errorf("a named query is remembered as the listing: %+v", got)
		}
		if d.keys("alt+0"); d.query() != "" {
			t.Errorf("query %q", d.query())
		}
		d.sees("12 conversations", "recent first")
		if d.keys("alt+3").sees("No named query 3"); d.query() != "" {
			t.Errorf("query %q", d.query())
		}
		line := strings.Split(d.screen(), "\n")[1]
		d.send(tea.MouseClickMsg{X: strings.Index(line, "bots"), Y: 1, Button: tea.MouseLeft})
		if d.settle(); d.query() != "@bots " {
			t.Errorf("after a click the query is %q", d.query())
		}
		d.keys("esc").sees("12 conversations")
		if d.types("@w").sees("@work  kafka"); len(lib.Asked) == 0 {
			t.Error("nothing was asked")
		}
		if d.keys("tab"); d.query() != "@work " {
			t.Errorf("completed to %q", d.query())
		}
		d.send(tea.WindowSizeMsg{Width: 30, Height: 8})
		d.settle()
		d.sees("@work").misses("2 bots")
	})
}

func TestAQueryIsSavedRenamedAndRemoved(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 80, 24, withQueries()).keys("ctrl+x", "Q").sees("type a query first").keys("esc")
		d.types("kafka").keys("ctrl+x", "Q").sees("type a name", "─ esc close ─").types("ax").sees("enter choose · esc close").keys("esc", "esc")
		d.types("kafka").keys("ctrl+x", "Q").types("a b").sees("a name has letters").keys("backspace", "backspace").types("x").keys("enter")
		d.sees("Saved as @ax, alt+1", "▸1 ax").keys("ctrl+x", "Q").sees("keep @ax").keys("backspace").types("b").sees("rename @ax to @ab").keys("enter")
		d.sees("▸1 ab").types("source:cli").keys("ctrl+x", "Q").sees("replace @ab", "kafka source:cli").keys("enter")
		if d.query() != "@ab " {
			t.Errorf("the query is %q", d.query())
		}
		d.keys("ctrl+x", "Q").sees("kafka source:cli", "keep @ab").keys("esc")
		d.keys("ctrl+x", "Q", "backspace", "backspace").types("full").keys("down", "enter").sees("read-only").keys("ctrl+x", "Q", "up", "enter")
		d.sees("Removed @ab").misses("1 ab")
	})
}

// The counts of tabs follow the database, at most every five seconds.
func TestCountsOfNamedQueriesAreLive(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		d := start(t, lib, 100, 24, withQueries(query.Named{Name: "all"}, query.Named{Name: "work", Text: "kafka"}))
		d.wait(time.Second)
		d.sees("1 all 12", "2 work 2")
		addConversation(lib, nil, uitest.Said("user", "one more"))
		lib.Set(func() { lib.Version++ })
		d.wait(10 * time.Second)
		d.sees("1 all 13", "2 work 2")
	})
}

// The count of a query on tags is that of the list, and follows a tag that is given.
func TestCountsOfNamedQueriesKnowTags(t *testing.T) {
	t.Parallel()
	at(t, func(t *testing.T, lib *uitest.Fake) {
		book := &notebook{all: map[string]map[int64]shell.Annotation{}}
		d := start(t, lib, 100, 24, withQueries(query.Named{Name: "mine", Text: "tag:later"}), func(o *Options) { o.Annotations = book })
		d.wait(time.Second)
		d.sees("1 mine 0").keys("down", "ctrl+x", "T").types("later").keys("enter").wait(10 * time.Second)
		d.sees("1 mine 1")
	})
}
