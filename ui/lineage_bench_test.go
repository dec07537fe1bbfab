package ui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/lineage"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/uitest"
)

// treeLibrary is a library with one tree.
type treeLibrary struct {
	*uitest.Fake
	sessions []model.Session
}

func (o treeLibrary) Lineage(context.Context, string) (*model.Node, error) {
	return model.BuildLineage(model.SessionSlice(o.sessions), true).Tree(0), nil
}

func (o treeLibrary) QuickLineage(ctx context.Context, id string) (*model.Node, bool, error) {
	root, err := o.Lineage(ctx, id)
	return root, false, err
}

// newTreeLibrary grows n sessions: a segment, eight subagents and a branch by
// turns.
func newTreeLibrary(n int) treeLibrary {
	o := treeLibrary{Fake: &uitest.Fake{}}
	for i := range n {
		s := model.Session{
			ID: fmt.Sprintf("s%05d", i), Title: fmt.Sprintf("session number %d of many", i), Source: "cli", Model: "hermes-4-405b",
			StartedAt: time.Unix(int64(1000+10*i), 0), VisibleMessages: 10, Usage: model.Usage{Input: 100, Cost: model.Cost{USD: 0.01, Known: true}},
		}
		switch i % 10 {
		case 0:
			if i > 0 {
				s.ParentID = fmt.Sprintf("s%05d", i-10)
			}
			s.EndReason, s.EndedAt = "compression", time.Unix(int64(1099+10*i), 0)
		case 9:
			s.ParentID, s.BranchedFrom = fmt.Sprintf("s%05d", i-9), "x"
		default:
			s.ParentID, s.DelegateFrom = fmt.Sprintf("s%05d", i-i%10), "x"
		}
		o.sessions = append(o.sessions, s)
	}
	return o
}

// openTree opens a tree on a terminal, up to its first frame.
func openTree(tb testing.TB, lib shell.Library, w, h int) (*Root, *lineage.Screen) {
	tb.Helper()
	r := New(tb.Context(), options(tb, lib))
	r.Update(tea.WindowSizeMsg{Width: w, Height: h})
	return r, pushTree(tb, r, lib)
}

// pushTree opens a tree over the list.
func pushTree(tb testing.TB, r *Root, lib shell.Library) *lineage.Screen {
	r.Do(shell.OpenLineage{ID: "s01234"})
	l := r.top().(*lineage.Screen)
	root, partial, err := lib.QuickLineage(tb.Context(), "s01234")
	if err != nil {
		tb.Fatal(err)
	}
	r.Update(kit.Answer[lineage.TreeQuery, lineage.TreeAnswer]{From: l.Read, Generation: l.Read.Generation, Query: lineage.TreeQuery{ID: "s01234"}, Value: lineage.TreeAnswer{Root: root, Partial: partial}})
	return l
}

// naiveTree draws every row of the tree and then takes those in sight.
func naiveTree(s *lineage.Screen) string {
	var all []string
	for i := range s.Shown {
		all = append(all, s.DrawRow(i, i == s.Rows.Selected))
	}
	return strings.Join(all[s.Rows.Top:min(s.Rows.Top+s.Rows.Height, len(all))], "\n")
}

// BenchmarkTreeOf2000 measures the first frame of a tree of 2,000 sessions
// from its answer on, one frame of the unfolded tree, and a step in it; and
// for comparison a frame for which every row is drawn.
func BenchmarkTreeOf2000(b *testing.B) {
	lib := newTreeLibrary(2000)
	r, l := openTree(b, lib, 120, 40)
	r.runAction(shell.ExpandAll)
	if text := ansi.Strip(r.View().Content); len(l.Shown) != 2000 || !strings.Contains(text, "session number 1234 of many") || !strings.Contains(text, "2,000 sessions") {
		b.Fatalf("%d rows:\n%s", len(l.Shown), text)
	}
	if naive := naiveTree(l); strings.Join(l.Rows.Visible(), "\n") != naive {
		b.Fatalf("another picture:\n%s\nwant\n%s", ansi.Strip(r.View().Content), ansi.Strip(naive))
	}
	b.Run("open", func(b *testing.B) {
		r := New(b.Context(), options(b, lib))
		r.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
		for b.Loop() {
			pushTree(b, r, lib)
			r.View()
			r.pop()
		}
	})
	b.Run("view", func(b *testing.B) {
		for b.Loop() {
			r.View()
		}
	})
	b.Run("naive", func(b *testing.B) {
		for b.Loop() {
			naiveTree(l)
		}
	})
	b.Run("step", func(b *testing.B) {
		down := true
		for b.Loop() {
			if l.Rows.Selected == l.Rows.Len-1 || l.Rows.Selected == 0 {
				down = l.Rows.Selected == 0
			}
			if down {
				r.Update(keyPress("j"))
			} else {
				r.Update(keyPress("k"))
			}
			r.View()
		}
	})
	b.Run("find", func(b *testing.B) {
		l.Find.Begin()
		for b.Loop() {
			l.Find.Seek(query.Parse("number 1999", true))
		}
		if len(l.Find.Hits) != 1 {
			b.Fatal(l.Find.Hits)
		}
	})
}
