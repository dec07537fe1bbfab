package lineage

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/kit"
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

// openTree opens a tree in w columns and h lines, up to its first frame.
func openTree(tb testing.TB, lib shell.Library, w, h int) (*uitest.BareShell, *Screen) {
	tb.Helper()
	sh := uitest.NewShell(shell.Env{Context: tb.Context(), Library: lib, Keys: uitest.Keys(tb), Clock: uitest.Now})
	s := New(sh, "s01234", 0, nil)
	s.Resize(w, h)
	root, partial, err := lib.QuickLineage(tb.Context(), "s01234")
	if err != nil {
		tb.Fatal(err)
	}
	s.Update(kit.Answer[treeQuery, treeAnswer]{From: s.read, Generation: s.read.Generation, Query: treeQuery{id: "s01234"}, Value: treeAnswer{root: root, partial: partial}})
	return sh, s
}

// view draws the screen as the terminal gets it.
func (s *Screen) view() string { return strings.Join(s.Lines(), "\n") }

// naiveTree draws every row of the tree and then takes those in sight.
func naiveTree(s *Screen) string {
	var all []string
	for i := range s.shown {
		all = append(all, s.drawRow(i, i == s.rows.Selected))
	}
	return strings.Join(all[s.rows.Top:min(s.rows.Top+s.rows.Height, len(all))], "\n")
}

// BenchmarkTreeOf2000 measures the first frame of a tree of 2,000 sessions
// from its answer on, one frame of the unfolded tree, and a step in it; and
// for comparison a frame for which every row is drawn.
func BenchmarkTreeOf2000(b *testing.B) {
	lib := newTreeLibrary(2000)
	sh, l := openTree(b, lib, 120, 39)
	for _, h := range l.Handlers() {
		if h.Action == shell.UnfoldAll {
			h.Do()
		}
	}
	if text := ansi.Strip(l.view()); len(l.shown) != 2000 || !strings.Contains(text, "session number 1234 of many") || !strings.Contains(text, "2,000 sessions") {
		b.Fatalf("%d rows:\n%s", len(l.shown), text)
	}
	if naive := naiveTree(l); strings.Join(l.rows.Visible(), "\n") != naive {
		b.Fatalf("another picture:\n%s\nwant\n%s", ansi.Strip(l.view()), ansi.Strip(naive))
	}
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			_, l := openTree(b, lib, 120, 39)
			l.view()
		}
	})
	b.Run("view", func(b *testing.B) {
		for b.Loop() {
			l.view()
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
			if l.rows.Selected == l.rows.Len-1 || l.rows.Selected == 0 {
				down = l.rows.Selected == 0
			}
			if down {
				sh.Press(l, "j")
			} else {
				sh.Press(l, "k")
			}
			l.view()
		}
	})
	b.Run("find", func(b *testing.B) {
		l.find.begin()
		for b.Loop() {
			l.find.seek(query.Parse("number 1999", true))
		}
		if len(l.find.hits) != 1 {
			b.Fatal(l.find.hits)
		}
	})
}
