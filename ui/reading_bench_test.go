package ui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/internal/testing/corpus"
	"hermes-sessions/store"
	"hermes-sessions/store/federation"
	"hermes-sessions/store/live"
	"hermes-sessions/theme"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/uitest"
)

// longConversation makes a database with one conversation of n messages and
// returns its path.
func longConversation(tb testing.TB, n int) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "state.db")
	if err := corpus.LongConversation(tb.Context(), path, n); err != nil {
		tb.Fatal(err)
	}
	return path
}

// storeDriver runs the browser over a real store without a terminal. Keys and the
// frames after them are timed; work in the background is not.
type storeDriver struct {
	tb   testing.TB
	root *Root
	msgs chan tea.Msg
}

func newStoreDriver(tb testing.TB, s *store.Store) *storeDriver {
	tb.Helper()
	d := &storeDriver{tb: tb, msgs: make(chan tea.Msg, 4096), root: New(tb.Context(), Options{
		Env:   shell.Env{Library: federation.Only(live.New(tb.Context(), s, nil)), Keys: uitest.Keys(tb), Clock: time.Now, Command: func(id string) string { return id }},
		Theme: theme.Setup{Theme: "dark"},
	})}
	d.run(d.root.Init())
	d.send(tea.WindowSizeMsg{Width: 100, Height: 45})
	d.until("A long life")
	return d
}

func (d *storeDriver) run(c tea.Cmd) {
	if c == nil {
		return
	}
	go func() {
		switch m := c().(type) {
		case nil:
		case tea.BatchMsg:
			for _, c := range m {
				d.run(c)
			}
		default:
			select {
			case d.msgs <- m:
			case <-d.tb.Context().Done():
			}
		}
	}()
}

func (d *storeDriver) send(m tea.Msg) {
	_, c := d.root.Update(m)
	d.run(c)
}

// until lets answers in until a text is on the screen, and returns the screen.
func (d *storeDriver) until(text string) string {
	d.tb.Helper()
	give := time.After(5 * time.Minute)
	for {
		if s := ansi.Strip(d.root.View().Content); strings.Contains(s, text) {
			return s
		}
		select {
		case m := <-d.msgs:
			d.send(m)
		case <-give:
			d.tb.Fatalf("no %q on the screen:\n%s", text, ansi.Strip(d.root.View().Content))
		}
	}
}

// rest lets in what comes until nothing has for a while.
func (d *storeDriver) rest() {
	for {
		select {
		case m := <-d.msgs:
			d.send(m)
		case <-time.After(12 * time.Millisecond):
			return
		}
	}
}

// press presses a key and returns the time until its frame.
func (d *storeDriver) press(key string) time.Duration {
	m := tea.KeyPressMsg{}
	switch key {
	case "right":
		m.Code = tea.KeyRight
	case "esc":
		m.Code = tea.KeyEscape
	case "enter":
		m.Code = tea.KeyEnter
	case "ctrl+x":
		m.Code, m.Mod = 'x', tea.ModCtrl
	case "tab":
		m.Code = tea.KeyTab
	case "pgup":
		m.Code = tea.KeyPgUp
	default:
		m.Code, m.Text = []rune(key)[0], key
	}
	from := time.Now()
	d.send(m)
	_ = d.root.View()
	return time.Since(from)
}

// quantile returns a time in milliseconds below which a part of all lie.
func quantile(times []time.Duration, q float64) float64 {
	slices.Sort(times)
	return float64(times[min(int(float64(len(times))*q), len(times)-1)].Microseconds()) / 1000
}

// BenchmarkReading measures the transcript of a 20,000-message conversation
// over a real store: the times that a user waits. For comparison it measures
// loading all messages, which is the naive way to the first frame.
func BenchmarkReading(b *testing.B) {
	path := longConversation(b, 20000)
	s, err := store.Open(context.Background(), path)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	d := newStoreDriver(b, s)
	report := func(b *testing.B, times []time.Duration) {
		b.ReportMetric(quantile(times, 0.5), "p50-ms")
		b.ReportMetric(quantile(times, 0.95), "p95-ms")
		b.ReportMetric(0, "ns/op")
	}
	b.Run("first-picture-all-loaded", func(b *testing.B) {
		var times []time.Duration
		for b.Loop() {
			from := time.Now()
			o, err := s.Outline(b.Context(), "epic4")
			if err != nil {
				b.Fatal(err)
			}
			all, err := s.MessagesByID(b.Context(), o.MessageIDs)
			if err != nil || len(all) != 20000 {
				b.Fatal(len(all), err)
			}
			times = append(times, time.Since(from))
		}
		report(b, times)
	})
	first := func(name, text string) {
		b.Run(name, func(b *testing.B) {
			var times []time.Duration
			for b.Loop() {
				from := time.Now()
				d.press("right")
				d.until(text)
				times = append(times, time.Since(from))
				d.rest()
				d.press("q")
				d.rest()
			}
			report(b, times)
		})
	}
	first("first-picture-at-end", "Step 19999")
	for _, r := range "question 10408" {
		d.press(string(r))
	}
	d.until("Question 10408")
	d.rest()
	first("first-picture-at-hit", "Step 10407")
	d.press("esc")
	d.until("A long life")
	d.rest()
	d.press("right")
	d.until("Step 19999")
	d.rest()
	b.Run("outline", func(b *testing.B) {
		var times []time.Duration
		for b.Loop() {
			from := time.Now()
			if _, err := s.Outline(b.Context(), "epic4"); err != nil {
				b.Fatal(err)
			}
			times = append(times, time.Since(from))
		}
		report(b, times)
	})
	for name, key := range map[string]string{"page": "pgup", "line": "k", "prompt": "[", "message": "K", "fold-all": "O"} {
		b.Run(name, func(b *testing.B) {
			var times []time.Duration
			for range 60 {
				times = append(times, d.press(key))
				d.rest()
			}
			report(b, times)
		})
	}
	b.Run("page-in-a-hurry", func(b *testing.B) {
		var times []time.Duration
		for range 200 {
			times = append(times, d.press("pgup"))
			for more := true; more; {
				select {
				case m := <-d.msgs:
					d.send(m)
				default:
					more = false
				}
			}
		}
		report(b, times)
		d.rest()
	})
	b.Run("resize", func(b *testing.B) {
		var times []time.Duration
		for i := range 60 {
			from := time.Now()
			d.send(tea.WindowSizeMsg{Width: 72 + i%38, Height: 45})
			_ = d.root.View()
			times = append(times, time.Since(from))
			d.rest()
		}
		report(b, times)
	})
	b.Run("find", func(b *testing.B) {
		var first, all, keys []time.Duration
		for range 8 {
			d.press("g")
			d.rest()
			d.press("/")
			for _, r := range "walru" {
				d.press(string(r))
			}
			d.until("1 / 50 ")
			d.rest()
			d.press("esc")
			d.rest()
			d.press("/")
			from := time.Now()
			d.press("w") // the whole text is looked through for it
			d.until("match 1")
			first = append(first, time.Since(from))
			for !strings.Contains(ansi.Strip(d.root.View().Content), "/ 7") {
				select {
				case m := <-d.msgs:
					at := time.Now()
					d.send(m)
					_ = d.root.View()
					keys = append(keys, time.Since(at))
				case <-time.After(5 * time.Second):
					b.Fatal(ansi.Strip(d.root.View().Content))
				}
			}
			all = append(all, time.Since(from))
			d.rest()
			d.press("esc")
			d.rest()
		}
		b.ReportMetric(quantile(first, 0.5), "first-ms")
		b.ReportMetric(quantile(all, 0.5), "all-ms")
		b.ReportMetric(quantile(keys, 1), "longest-ms")
		b.ReportMetric(0, "ns/op")
	})
	b.Run("memory", func(b *testing.B) {
		d.press("G")
		d.press("t")
		d.rest()
		for range 6000 {
			d.press("pgup")
			for more := true; more; {
				select {
				case m := <-d.msgs:
					d.send(m)
				case <-time.After(time.Millisecond):
					more = false
				}
			}
		}
		runtime.GC()
		b.ReportMetric(float64(rss(b))/1e6, "RSS-MB")
		b.ReportMetric(0, "ns/op")
	})
}

// rss is the memory of the process, in bytes, where the system tells.
func rss(tb testing.TB) int {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		tb.Skip("the memory of a process is read from /proc/self/statm")
	}
	var size, resident int
	fmt.Sscan(string(text), &size, &resident)
	return resident * os.Getpagesize()
}
