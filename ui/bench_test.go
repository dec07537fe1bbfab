package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
)

// longList is the browser with n conversations on the screen.
func longList(tb testing.TB, n int) (*Root, *list) {
	tb.Helper()
	f := history(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))
	for i := range n - len(f.convs) {
		c := f.convs[i%12]
		c.ID = fmt.Sprint("many", i)
		c.LastActive = c.LastActive.Add(-time.Duration(i) * time.Minute)
		f.convs = append(f.convs, c)
	}
	opt := options(tb, f)
	opt.Clock = func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }
	r := New(tb.Context(), opt)
	r.w, r.h = 200, 50
	l := newList(r, nil)
	r.push(l)
	a := asked{list: query.ListOptions{Scope: model.ScopeAll}}
	found, err := readList(tb.Context(), l.env.Library, l.env.Clock, a)
	if err != nil || len(found.items) != n {
		tb.Fatal(len(found.items), err)
	}
	l.show(a, found)
	l.rows.move(n / 2)
	return r, l
}

// naive lays out every row and takes what is in the window.
func naiveList(l *list) []string {
	var all []string
	for i := range l.found.items {
		it := &l.found.items[i]
		all = append(all, rowLines(l.sh.Styles(), l.layout.row, it, l.shown.searching(), i == l.rows.sel, model.Age(l.now, it.LastActive))...)
	}
	top := l.rows.skip
	for i := range l.rows.top {
		top += len(l.rows.lines(i))
	}
	return all[top:min(len(all), top+l.rows.h)]
}

// BenchmarkViewOf20000Rows compares a frame with laying out the whole list.
func BenchmarkViewOf20000Rows(b *testing.B) {
	r, l := longList(b, 20_000)
	if got, want := strings.Join(l.rows.view(), "\n"), strings.Join(naiveList(l), "\n"); got != want {
		b.Fatalf("the window shows\n%s\nwant\n%s", got, want)
	}
	var frames, naive time.Duration
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		began := time.Now()
		r.View()
		frames += time.Since(began)
		if n++; n%4000 == 1 { // alternating, as often as patience allows
			b.StopTimer()
			began = time.Now()
			naiveList(l)
			naive += time.Since(began)
			b.StartTimer()
		}
	}
	b.ReportMetric(float64(frames.Microseconds())/float64(n), "µs/frame")
	b.ReportMetric(float64(naive.Microseconds())/float64((n+3999)/4000), "µs/naive")
}

// BenchmarkStepOf20000Rows moves by a row and draws the frame.
func BenchmarkStepOf20000Rows(b *testing.B) {
	r, l := longList(b, 20_000)
	b.ReportAllocs()
	for b.Loop() {
		l.step(1)
		r.View()
	}
}
