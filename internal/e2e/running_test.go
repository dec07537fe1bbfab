//go:build !windows

package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// The running board shows what another process writes, leads to the end of a conversation,
// which it follows, and asks before it resumes one that works.
func TestTheRunningBoard(t *testing.T) {
	t.Parallel()
	db := runningSessions(t, "")
	write := otherWriter(t, db)
	now := float64(today.Unix())
	s := open(t, 100, 30, nil, "--db", db)
	s.Sees("Turbine blades")
	s.Press("Ctrl+X")
	s.Sees("running")
	s.Types("w")
	s.until("the session works", func(text string) bool {
		return strings.Contains(text, "Running · 1 working") && strings.Contains(text, "Turbine blades") && !strings.Contains(text, "Quarry survey")
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
		return strings.Contains(text, "1 working, 1 waiting for you") && strings.Contains(text, "Balance the rotor") && strings.Contains(text, "telegram")
	})

	s.Press("Enter")
	s.Sees("following")
	write(`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('busy-one', 'assistant', 'The blades are made.', ?)`, now-1)
	s.Sees("The blades are made.")
	s.Types("q")
	s.Sees("Running · 2 waiting for you")

	s.Types("r")
	s.Sees("It may still be running")
	s.Types("y")
	if c := s.resumed(); !slices.Equal(c.Args, []string{"--resume", "busy-one"}) {
		t.Errorf("Hermes was called with %q", c.Args)
	}
}

// Over several databases the board names the profile, and Hermes is resumed with it.
func TestTheRunningBoardOfAllProfiles(t *testing.T) {
	t.Parallel()
	home, _, work := profiles(t)
	otherWriter(t, work)(`INSERT INTO sessions (id, source, title, started_at) VALUES ('rotor', 'cli', 'Balance the rotor', ?)`, float64(today.Unix()-900))
	otherWriter(t, work)(`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('rotor', 'user', 'rotor', ?)`, float64(today.Unix()-800))
	s := open(t, 100, 30, nil, "--home", home, "--all-profiles")
	s.Sees("Profile")
	s.Press("Ctrl+X")
	s.Sees("running")
	s.Types("w")
	s.until("the session of the profile", func(text string) bool {
		return strings.Contains(text, "Running · 1 silent") && strings.Contains(text, "Balance the rotor") && strings.Contains(text, "cli · work")
	})
	s.Types("r")
	if c := s.resumed(); !slices.Equal(c.Args, []string{"-p", "work", "--resume", "rotor"}) || c.Home != home {
		t.Errorf("Hermes was called with %q at home %q", c.Args, c.Home)
	}
}
