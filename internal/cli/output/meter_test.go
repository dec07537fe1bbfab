package output

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

type log struct {
	mu sync.Mutex
	strings.Builder
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Builder.Write(p)
}

func messages(n int64) string { return fmt.Sprintf("%d messages", n) }

func TestAShortTaskShowsNothing(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var out log
			m := StartMeter(MeterOptions{Out: &out, Terminal: terminal, Width: func() int { return 80 }, Now: time.Now, Verb: "Deleting", Count: messages})
			m.Messages(5, 10)
			time.Sleep(900 * time.Millisecond)
			m.Stop()
			if out.String() != "" || m.Done() != "5 of 10 messages" {
				t.Errorf("%q, %q", out.String(), m.Done())
			}
		})
	}
}

func TestATerminalShowsABarThatGoesAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out log
		m := StartMeter(MeterOptions{Out: &out, Terminal: true, Width: func() int { return 80 }, Now: time.Now, Verb: "Deleting", Count: messages})
		m.Messages(250, 1000)
		time.Sleep(1100 * time.Millisecond)
		m.Stop()
		want := "\rDeleting █████░░░░░░░░░░░░░░░ 25% · 250 of 1000 messages · 250 messages/s · 3s left\x1b[K"
		if got := out.String(); !strings.HasPrefix(got, want[:60]) || !strings.HasSuffix(got, "\r\x1b[K") || len([]rune(strings.Split(got, "\x1b")[0])) > 80 {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

func TestAPipeGetsALineEveryTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out log
		m := StartMeter(MeterOptions{Out: &out, Now: time.Now, Verb: "Checking", Count: messages})
		time.Sleep(11 * time.Second)
		m.Messages(100, 400)
		time.Sleep(10 * time.Second)
		m.Stop()
		if want := "hermes-sessions: Checking… 10s\nhermes-sessions: Checking 25% · 100 of 400 messages · 5 messages/s · 1m0s left\n"; out.String() != want {
			t.Errorf("%q, want %q", out.String(), want)
		}
	})
}

// A step has its own counts, rate and time left.
func TestStepsCountForThemselves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out log
		m := StartMeter(MeterOptions{Out: &out, Now: time.Now, Verb: "Checking", Count: messages})
		m.Messages(400, 400)
		m.Begin(Step{Verb: "Copying"})
		m.Set(7, 9)
		time.Sleep(11 * time.Second)
		m.Begin(Step{Verb: "Indexing", Count: messages})
		m.Begin(Step{Verb: "Indexing", Count: messages})
		m.Messages(90, 180)
		time.Sleep(10 * time.Second)
		m.Stop()
		if want := "hermes-sessions: Copying… 10s\nhermes-sessions: Indexing 50% · 90 of 180 messages · 10 messages/s · 9s left\n"; out.String() != want || m.Done() != "90 of 180 messages" {
			t.Errorf("%q, want %q; %q", out.String(), want, m.Done())
		}
	})
}

func TestQuietShowsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out log
		m := StartMeter(MeterOptions{Out: &out, Quiet: true, Now: time.Now, Verb: "Checking", Count: messages})
		time.Sleep(time.Minute)
		m.Stop()
		if out.String() != "" {
			t.Errorf("%q", out.String())
		}
	})
}
