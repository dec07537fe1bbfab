//go:build !windows

package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// The group of what runs shows what another process writes, leads to a conversation that is
// followed, and asks before it resumes one that works.
func TestTheRunningGroup(t *testing.T) {
	t.Parallel()
	db := runningSessions(t, "")
	write := otherWriter(t, db)
	now := float64(today.Unix())
	s := open(t, 100, 30, nil, "--db", db)
	s.until("the session works", func(text string) bool {
		_, group, ok := strings.Cut(text, "\n Running")
		return ok && strings.Contains(group, "● Turbine blades") && strings.Contains(group, " silent ")
	})

	begun := time.Now()
	write(`INSERT INTO messages (session_id, role, tool_calls, timestamp) VALUES ('busy-one', 'assistant', '[{"id":"1","function":{"name":"terminal","arguments":"{\"command\":\"make blades\"}"}}]', ?)`, now-5)
	s.Sees("terminal make blades")
	if took := time.Since(begun); took > 30*time.Second {
		t.Errorf("what another process wrote was shown after %v", took)
	}
	write(`INSERT INTO sessions (id, source, title, started_at) VALUES ('new-one', 'telegram', 'Balance the rotor', ?)`, now-60)
	write(`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('new-one', 'user', 'rotor', ?), ('new-one', 'assistant', 'Which one?', ?)`, now-60, now-50)
	s.until("another one waits", func(text string) bool {
		_, group, ok := strings.Cut(text, "  Balance the rotor")
		return ok && strings.Contains(group, "waiting for you") && strings.Contains(group, "telegram")
	})

	s.Press("Ctrl+X")
	s.Sees("running")
	s.Types("w")
	s.Press("Right")
	s.Sees("make blades")
	s.Types("f")
	s.Sees("following")
	write(`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('busy-one', 'assistant', 'The blades are made.', ?)`, now-1)
	s.Sees("The blades are made.")
	s.Types("q")
	s.until("both wait", func(text string) bool { return strings.Count(text, "waiting for you") == 2 })

	s.Press("Enter")
	s.Sees("It may still be running")
	s.Types("y")
	if c := s.resumed(); !slices.Equal(c.Args, []string{"--resume", "busy-one"}) {
		t.Errorf("Hermes was called with %q", c.Args)
	}
}

// While another process writes to several sessions without a pause, the group keeps showing
// what was written last, and every key is taken.
func TestTheRunningGroupBesideAWriter(t *testing.T) {
	t.Parallel()
	db := runningSessions(t, "")
	write := otherWriter(t, db)
	now := float64(today.Unix())
	for _, id := range []string{"new-one", "new-two"} {
		write(`INSERT INTO sessions (id, source, title, started_at) VALUES (?, 'cli', ?, ?)`, id, id, now-60)
	}
	var last atomic.Int64
	done := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		pace := time.NewTicker(20 * time.Millisecond)
		defer pace.Stop()
		for n := int64(1000); ; n++ {
			id := []string{"busy-one", "new-one", "new-two"}[n%3]
			call := fmt.Sprintf(`[{"id":"%d","function":{"name":"terminal","arguments":"{\"command\":\"make step-%d\"}"}}]`, n, n)
			write(`INSERT INTO messages (session_id, role, tool_calls, timestamp) VALUES (?, 'assistant', ?, ?)`, id, call, now-1)
			last.Store(n)
			select {
			case <-done:
				return
			case <-pace.C:
			}
		}
	}()
	defer func() { close(done); <-ended }()

	s := open(t, 100, 30, nil, "--db", db)
	s.Sees("Turbine blades")
	step := regexp.MustCompile(`make step-(\d+)`)
	newest := func(text string) (n int64) {
		for _, found := range step.FindAllStringSubmatch(text, -1) {
			if k, err := strconv.ParseInt(found[1], 10, 64); err == nil {
				n = max(n, k)
			}
		}
		return n
	}
	for range 4 {
		written, begun := last.Load(), time.Now()
		s.until("what was written last", func(text string) bool {
			return strings.Count(text, "● ") >= 3 && newest(text) >= written
		})
		t.Logf("shown after %v", time.Since(begun).Truncate(time.Millisecond))
		s.Press("Down")
	}
	s.Press("Ctrl+X")
	s.Sees("running")
	s.Types("w")
	s.Press("Right")
	s.Types("f")
	s.Sees("following")
	s.Types("q")
	s.Sees("\n Running")
	s.Press("Ctrl+C")
	s.ends()
}

// Over several databases what runs comes first, whatever is pinned, and Hermes is resumed with
// its profile.
func TestTheRunningGroupOfAllProfiles(t *testing.T) {
	t.Parallel()
	home, _, work := profiles(t)
	otherWriter(t, work)(`INSERT INTO sessions (id, source, title, started_at) VALUES ('rotor', 'cli', 'Balance the rotor', ?)`, float64(today.Unix()-200))
	otherWriter(t, work)(`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('rotor', 'user', 'rotor', ?)`, float64(today.Unix()-100))
	s := open(t, 100, 30, nil, "--home", home, "--all-profiles")
	s.until("the session of the profile", func(text string) bool {
		_, group, ok := strings.Cut(text, "\n Running")
		return ok && strings.Contains(group, "▸ ● Balance the rotor") && strings.Contains(group, " work ") && strings.Contains(group, "working")
	})
	s.Press("Enter")
	s.Sees("It may still be running")
	s.Types("y")
	if c := s.resumed(); !slices.Equal(c.Args, []string{"-p", "work", "--resume", "rotor"}) || c.Home != home {
		t.Errorf("Hermes was called with %q at home %q", c.Args, c.Home)
	}
}
