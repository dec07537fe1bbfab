package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/query"
	"hermes-sessions/ui/list"
	"hermes-sessions/ui/uitest"
)

// longList is the browser with n conversations on the screen.
func longList(tb testing.TB, n int) (*Root, *list.Screen) {
	tb.Helper()
	f := uitest.History(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))
	for i := range n - len(f.Convs) {
		c := f.Convs[i%12]
		c.ID = fmt.Sprint("many", i)
		c.LastActive = c.LastActive.Add(-time.Duration(i) * time.Minute)
		f.Convs = append(f.Convs, c)
	}
	opt := options(tb, f)
	opt.Clock = func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }
	r := New(tb.Context(), opt)
	r.w, r.h = 200, 50
	l := list.New(r, nil)
	r.push(l)
	a := list.ListQuery{List: query.ListOptions{Scope: model.ScopeAll}}
	found, err := list.ReadList(tb.Context(), l.Env.Library, l.Env.Clock, a)
	if err != nil || len(found.Items) != n {
		tb.Fatal(len(found.Items), err)
	}
	l.Show(a, found)
	l.Rows.Move(n / 2)
	return r, l
}

// naive lays out every row and takes what is in the window.
func naiveList(l *list.Screen) []string {
	var all []string
	for i := range l.Found.Items {
		it := &l.Found.Items[i]
		all = append(all, list.RowLines(l.Sh.Styles(), l.Layout.Row, it, l.Shown.Searching(), i == l.Rows.Selected, model.Age(l.Now, it.LastActive))...)
	}
	top := l.Rows.Skip
	for i := range l.Rows.Top {
		top += len(l.Rows.Lines(i))
	}
	return all[top:min(len(all), top+l.Rows.Height)]
}

// BenchmarkViewOf20000Rows compares a frame with laying out the whole list.
func BenchmarkViewOf20000Rows(b *testing.B) {
	r, l := longList(b, 20_000)
	if got, want := strings.Join(l.Rows.Visible(), "\n"), strings.Join(naiveList(l), "\n"); got != want {
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
		l.Step(1)
		r.View()
	}
}
