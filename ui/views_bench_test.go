package ui

import (
	"os"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/store"
	"hermes-sessions/store/federation"
	"hermes-sessions/store/live"
	"hermes-sessions/theme"
	"hermes-sessions/ui/shell"
	"hermes-sessions/ui/uitest"
)

// TestFirstPictures prints when each view of a large file has its first picture, with its
// name, and when it has changed last. The environment names the file:
//
//	HERMES_SESSIONS_VIEWS_DB=FILE go test -run FirstPictures -v ./ui
func TestFirstPictures(t *testing.T) {
	path := os.Getenv("HERMES_SESSIONS_VIEWS_DB")
	if path == "" {
		t.Skip("HERMES_SESSIONS_VIEWS_DB names no file")
	}
	s, err := store.Open(t.Context(), path, store.ReadOnly())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // nothing was written
	if err := s.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	book := &notebook{all: map[string]map[int64]shell.Annotation{}}
	for _, v := range []struct {
		name  string
		keys  []string
		first string // what is on the first picture
	}{
		{"usage", []string{"ctrl+x", "U"}, "Usage"},
		{"expiring", []string{"ctrl+x", "X"}, "Expiring"},
		{"compare", []string{"tab", "down", "tab", "ctrl+x", "C"}, "Compare"},
		{"space", []string{"ctrl+x", "S"}, "Space"},
		{"details with files", []string{"ctrl+x", "i"}, "Details of"},
		{"note", []string{"ctrl+x", "N"}, "Note on"},
		{"has:failed", []string{"h", "a", "s", ":", "f", "a", "i", "l", "e", "d"}, "with failed tool calls"},
	} {
		d := newViewDriver(t, s, book)
		var frames []time.Duration
		for _, k := range v.keys {
			frames = append(frames, d.press(k))
		}
		last := frames[len(frames)-1]
		began := time.Now()
		d.until(v.first)
		first := last + time.Since(began)
		filled := last + d.settle(began)
		t.Logf("%-20s key to frame %5.1f ms, first picture %5.1f ms, filled %7.1f ms", v.name, ms(last), ms(first), ms(filled))
	}
}

// settle lets answers in until the screen has not changed for a while, and gives when it
// changed last, from a time on.
func (d *storeDriver) settle(from time.Time) time.Duration {
	const while = 5 * time.Second
	frame, changed := "", time.Now()
	for time.Since(changed) < while {
		if now := d.root.View().Content; now != frame {
			frame, changed = now, time.Now()
		}
		select {
		case m := <-d.msgs:
			d.send(m)
		case <-time.After(while / 10):
		}
	}
	return changed.Sub(from)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// newViewDriver opens the browser on a store that has been prepared.
func newViewDriver(t *testing.T, s *store.Store, book shell.Annotations) *storeDriver {
	t.Helper()
	d := &storeDriver{tb: t, msgs: make(chan tea.Msg, 4096), root: New(t.Context(), Options{
		Env:   shell.Env{Library: federation.Only(live.New(t.Context(), s, nil)), Keys: uitest.Keys(t), Clock: time.Now, Command: func(id string) string { return id }, Annotations: book},
		Theme: theme.Setup{Theme: "dark"},
	})}
	d.run(d.root.Init())
	d.send(tea.WindowSizeMsg{Width: 120, Height: 40})
	d.until(" conversations")
	d.rest()
	return d
}
