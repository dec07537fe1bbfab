package list

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
	"hermes-sessions/theme"
	"hermes-sessions/theme/cells"
	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/uitest"
)

func TestNumbersFitTheirColumn(t *testing.T) {
	for _, c := range []struct {
		n, w int
		want string
	}{{0, 4, "0"}, {999, 3, "999"}, {1204, 5, "1,204"}, {1204, 4, "1.2k"}, {12345, 5, "12.3k"}, {12345, 4, "12k"}, {999999, 5, "1000k"}, {1234567, 4, "1.2M"}} {
		if got := kit.ShortCount(c.n, c.w); got != c.want {
			t.Errorf("%d in %d columns: %q, want %q", c.n, c.w, got, c.want)
		}
	}
}

func TestCounts(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1204: "1,204", 1234567: "1,234,567", -1204: "-1,204"} {
		if got := kit.Count(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

// Columns are aligned only if every line is exactly as wide as the others,
// whatever is in it.
func TestEveryLineOfARowIsExactlyAsWideAsTheList(t *testing.T) {
	f := uitest.History(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))
	q := query.Parse("the kafka 日本", true)
	mark := match.NewMatcher(q.Groups).Mark
	var items []Item
	for _, c := range f.Convs[:8] {
		it := newItem(&c)
		it.Heading = "Today"
		it.TitleSpans = mark(kit.SpanText(it.TitleSpans))
		it.Hits = 1204
		for _, m := range f.Messages[c.ID][:1] {
			sn, _ := match.NewMatcher(q.Groups).Snippet(m.Content.Text, 120)
			hit := kit.CleanHit(model.Hit{Role: m.Role, Snippet: sn, Kind: model.HitAgent})
			it.found = &model.Match{Best: hit}
			items = append(items, it)
		}
		it.found = &model.Match{Best: model.Hit{Kind: model.HitTool, ToolName: strings.Repeat("a_very_long_tool_name", 4), Snippet: match.Snippet{{Text: "x", Hit: true}}}}
		items = append(items, it)
	}
	for w := 1; w < 260; w += 1 + w/12 {
		for _, s := range []*theme.Styles{theme.New(theme.Dark, false), theme.New(theme.Mono, true)} {
			shape := newRowShape(w, kit.Area{X: 0, Y: 0, W: w, H: 40}, false, query.ByActivity)
			for i := range items {
				for _, mode := range []struct{ searching, selected bool }{{false, false}, {false, true}, {true, false}, {true, true}} {
					for _, l := range rowLines(s, shape, &items[i], mode.searching, mode.selected, "23mo", "") {
						if got := cells.ByCodePoint.StringWidth(l); got != w {
							t.Fatalf("%d columns instead of %d: %q", got, w, ansi.Strip(l))
						}
					}
				}
			}
			if got := cells.ByCodePoint.StringWidth(columnTitles(s, shape)); got != w {
				t.Fatalf("titles of %d columns over a list of %d", got, w)
			}
		}
	}
}

func TestColumnsGoInTheirOrder(t *testing.T) {
	last := 8
	for w := 250; w >= 20; w-- {
		r := newRowShape(w, kit.Area{X: 0, Y: 0, W: w, H: 40}, false, query.ByActivity)
		n := 0
		for i, c := range []int{r.age, r.msgs, r.source, r.cost, r.llm, r.folder, r.id} {
			if c > 0 && n < i {
				t.Fatalf("at %d columns a column outlives one that matters more: %+v", w, r)
			}
			if c > 0 {
				n++
			}
		}
		if n > last {
			t.Fatalf("at %d columns there are more than at %d", w, w+1)
		}
		last = n
	}
	for w, want := range map[int]int{30: 1, 59: 1, 60: 2, 79: 2, 80: 3} {
		r, n := newRowShape(w, kit.Area{X: 0, Y: 0, W: w, H: 40}, false, query.ByActivity), 0
		for _, c := range []int{r.age, r.msgs, r.source, r.cost, r.llm, r.folder, r.id} {
			if c > 0 {
				n++
			}
		}
		if n != want {
			t.Errorf("%d columns show %d facts, want %d", w, n, want)
		}
	}
}

// Where a mark is cut off altogether, the ellipsis is none.
func TestAnEllipsisIsNoHit(t *testing.T) {
	s := theme.New(theme.Dark, false)
	got := kit.Spans(cells.ByCodePoint, []match.Span{{Text: "the words "}, {Text: "sought", Hit: true}, {Text: " here"}}, 11, s.Text, s.Hit, "…")
	if ansi.Strip(got) != "the words …" || strings.Contains(got, s.Hit.Render("…")) {
		t.Errorf("%q", got)
	}
}

// A long name of a tool is cut before the space behind it.
func TestALongSpeakerStandsApart(t *testing.T) {
	s := theme.New(theme.Mono, false)
	found := &model.Match{Best: model.Hit{MessageID: 1, Kind: model.HitTool, CallName: "execute_everything", Snippet: match.Snippet{{Text: "sought", Hit: true}}}}
	it := &Item{Conversation: &found.Conversation, found: found, Hits: 1}
	if got := ansi.Strip(snippetLine(s, rowShape{w: 30, bare: true}, it, false, "")); !strings.Contains(got, "… sought") {
		t.Errorf("%q", got)
	}
}

func TestASnippetShowsItsFirstMark(t *testing.T) {
	sn := []match.Span{{Text: "a long way before the word that was "}, {Text: "sought", Hit: true}, {Text: " and after"}}
	for w, want := range map[int]string{
		80: "a long way before the word that was sought and after",
		40: "…the word that was sought and after",
		16: "…was sought and…",
	} {
		s := theme.New(theme.Mono, false)
		got := strings.TrimRight(ansi.Strip(kit.Spans(cells.ByCodePoint, around(cells.ByCodePoint, sn, w, "…"), w, s.Text, s.Hit, "…")), " ")
		if got != want {
			t.Errorf("in %d columns: %q, want %q", w, got, want)
		}
	}
}

// Columns of the user's own are in their order; those named first stay longest, and every row is
// as wide as the list.
func TestOwnColumns(t *testing.T) {
	s, it := theme.New(theme.Dark, false), &Item{Conversation: &model.Conversation{}}
	last := 0
	for w := 60; w < 260; w++ {
		own := []string{"id", "profile", "cost", "age"}
		shape := newRowShape(w, kit.Area{W: w, H: 40}, false, query.ByMessages).choose(own, false)
		if got := cells.ByCodePoint.StringWidth(rowLine(s, shape, it, false, "3h")); got != w {
			t.Fatalf("%d columns instead of %d", got, w)
		}
		if got := cells.ByCodePoint.StringWidth(columnTitles(s, shape)); got != w {
			t.Fatalf("titles of %d columns over a list of %d", got, w)
		}
		titles := strings.Join(strings.Fields(ansi.Strip(columnTitles(s, shape))), " ")
		want := []string{"Title", "Title Msgs", "Title Msgs ID", "Title Msgs ID Cost", "Title Msgs ID Cost Age"}
		i := slices.Index(want, titles)
		if i < last {
			t.Fatalf("at %d columns: %s", w, titles)
		}
		last = i
	}
	if last != 4 {
		t.Errorf("not all of the columns are ever shown: %d", last)
	}
}
