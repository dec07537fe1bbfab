package list

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sessions/internal/cputime"
	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/uitest"
)

// longList is the screen with n conversations.
func longList(tb testing.TB, n int) *Screen {
	tb.Helper()
	f := uitest.History(noon())
	for i := range n - len(f.Convs) {
		c := f.Convs[i%12]
		c.ID = fmt.Sprint("many", i)
		c.LastActive = c.LastActive.Add(-time.Duration(i) * time.Minute)
		f.Convs = append(f.Convs, c)
	}
	l := open(tb, f)
	found, err := readList(tb.Context(), f, noon, everything())
	if err != nil || len(found.items) != n {
		tb.Fatal(len(found.items), err)
	}
	l.show(everything(), found)
	l.results.rows.Move(n / 2)
	return l
}

// naiveWindow lays out every row and takes what is in the window.
func naiveWindow(s *Screen) []string {
	var all []string
	r := &s.results
	for i := range r.found.items {
		all = append(all, s.drawRow(i, i == r.rows.Selected)...)
	}
	top := r.rows.Skip
	for i := range r.rows.Top {
		top += len(r.rows.Lines(i))
	}
	return all[top:min(len(all), top+r.rows.Height)]
}

// BenchmarkViewOf20000Rows compares a frame with laying out the whole list.
func BenchmarkViewOf20000Rows(b *testing.B) {
	l := longList(b, 20_000)
	if got, want := strings.Join(l.results.rows.Visible(), "\n"), strings.Join(naiveWindow(l), "\n"); got != want {
		b.Fatalf("the window shows\n%s\nwant\n%s", got, want)
	}
	var frames, naive time.Duration
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		began := time.Now()
		_ = strings.Join(l.Lines(), "\n")
		frames += time.Since(began)
		if n++; n%4000 == 1 { // alternating, as often as patience allows
			b.StopTimer()
			began = time.Now()
			naiveWindow(l)
			naive += time.Since(began)
			b.StartTimer()
		}
	}
	b.ReportMetric(float64(frames.Microseconds())/float64(n), "µs/frame")
	b.ReportMetric(float64(naive.Microseconds())/float64((n+3999)/4000), "µs/naive")
}

// A frame of 20,000 rows takes less than a millisecond.
func TestAFrameOf20000RowsIsQuick(t *testing.T) {
	l := longList(t, 20_000)
	least := time.Second
	for range 50 {
		least = min(least, cputime.Of(func() { _ = strings.Join(l.Lines(), "\n") }))
		l.results.step(7, false)
	}
	if least > time.Millisecond { // it is half of one
		t.Errorf("a frame takes %v", least)
	}
}

// BenchmarkStepOf20000Rows moves by a row and draws the frame.
func BenchmarkStepOf20000Rows(b *testing.B) {
	l := longList(b, 20_000)
	b.ReportAllocs()
	for b.Loop() {
		l.results.step(1, false)
		_ = strings.Join(l.Lines(), "\n")
	}
}

// Thirty-five thousand rows and five thousand marks: the keys stay quick.
func BenchmarkRowsLeave(b *testing.B) {
	items := make([]Item, 35_000)
	for i := range items {
		id := fmt.Sprint(i)
		items[i] = newItem(&model.Conversation{Session: model.Session{ID: id, Title: "title " + id}, RootID: id, Segments: []string{id}})
	}
	l := open(b, &uitest.Fake{})
	for b.Loop() {
		b.StopTimer()
		l.results.optimistic.hidden = nil
		l.show(l.rowsQuery(), rowsAnswer{items: slices.Clone(items), total: len(items)})
		var roots []string
		for i := range 5000 {
			roots = append(roots, items[i*7].RootID)
		}
		b.StartTimer()
		l.Remove(roots)
		_ = l.Lines()
	}
}

// The row of an undone deletion comes back among thirty-five thousand.
func BenchmarkRowsComeBack(b *testing.B) {
	l := longList(b, 35_000)
	r := &l.results
	for i := range r.found.items {
		r.found.items[i].RootID = r.found.items[i].ID
	}
	var roots []string
	for i := range 3 {
		roots = append(roots, r.found.items[i*9000+5].RootID)
	}
	for by := query.ByActivity; by <= query.ByRelevance; by++ {
		b.Run(by.String(), func(b *testing.B) {
			r.shown.List.Order = by
			for b.Loop() {
				b.StopTimer()
				gone := l.Remove(roots)
				if len(gone) != 3 || len(r.found.items) != 35_000-3 {
					b.Fatal(len(gone), len(r.found.items))
				}
				r.optimistic.hidden = nil
				b.StartTimer()
				l.Restore(gone)
				_ = l.Lines()
				if len(r.found.items) != 35_000 {
					b.Fatal(len(r.found.items))
				}
			}
		})
	}
}
