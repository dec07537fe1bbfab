//go:build !windows

package e2e

import (
	"strings"
	"testing"

	"hermes-sessions/internal/campaign"
)

// --print-id gives a script the id, also where its output is captured, and
// tells choosing, leaving and cancelling apart.
func TestPrintID(t *testing.T) {
	t.Parallel()
	to := lookFor(t, "--demo")
	s := open(t, 80, 24, nil, "--demo", "--print-id")
	find(s, to)
	s.Press("Enter")
	s.exits(0)
	s.Sees(to.id)
	s.restored()

	c := openConsole(t, 80, 24, environment(t, "PROGRAM="+program, "QUERY="+to.words), "/bin/sh", "-c",
		`id=$("$PROGRAM" --demo --print-id $QUERY); echo "exit=$? $id"`)
	c.Sees(one)
	c.Sees(to.title)
	c.Press("Enter")
	c.Sees("exit=0 " + to.id)
	c.exits(0)
	c.restored()

	for key, code := range map[string]int{"Esc": 1, "Ctrl+C": 130} {
		s := open(t, 80, 24, nil, "--demo", "--print-id")
		s.Sees(to.other)
		s.Press(key)
		s.exits(code)
		s.restored()
	}
}

// A script gets the marked ids, one a line and nothing else, also where both
// its input and its output are elsewhere; leaving gives 1, cancelling 130.
func TestPickersGiveIDsToScripts(t *testing.T) {
	t.Parallel()
	to, top, script := lookFor(t, "--demo"), topOfDemo(t), `"$PROGRAM" --demo $FLAGS </dev/null >"$OUT"; echo "exit=$?"`
	for i, c := range []struct {
		flags string
		keys  []string
		code  string
		ids   int
		end   string
	}{
		{"--multi", []string{"Tab", "Tab", "Enter"}, "exit=0", 2, "\n"},
		{"--multi --print0 --height=9", []string{"Tab", "Tab", "Tab", "Enter"}, "exit=0", 3, "\x00"},
		{"--multi", []string{"Enter"}, "exit=0", 1, "\n"},
		{"--print-id", []string{"Enter"}, "exit=0", 1, "\n"},
		{"--print0 --height=9", []string{"Enter"}, "exit=0", 1, "\x00"},
		{"--multi --height=9", []string{"Tab", "Ctrl+C"}, "exit=130", 0, ""},
		{"--print-id", []string{"Esc"}, "exit=1", 0, ""},
	} {
		if !campaign.On() && i%2 == 1 {
			continue
		}
		t.Run(c.flags+" "+strings.Join(c.keys, " "), func(t *testing.T) {
			t.Parallel()
			out := t.TempDir() + "/out"
			s := openConsole(t, 100, 30, environment(t, "PROGRAM="+program, "FLAGS="+c.flags, "OUT="+out), "/bin/sh", "-c", script)
			s.Sees(to.other)
			for i, k := range c.keys {
				s.Press(k)
				if k == "Tab" {
					s.Sees(jsonText(t, i+1) + " selected")
				}
			}
			s.Sees(c.code)
			s.exits(0)
			s.restored()
			want := ""
			for _, id := range top[:c.ids] {
				want += id + c.end
			}
			if got := contents(t, out); got != want {
				t.Errorf("standard output is %q, want %q", got, want)
			}
			if strings.Contains(c.flags, "--height") && strings.Contains(s.bytes(), "\x1b[?1049h") {
				t.Error("the whole screen was taken")
			}
		})
	}
}

// With --height the browser leaves the text above it as it was, and no trace of
// itself.
func TestHeightKeepsTheTerminal(t *testing.T) {
	t.Parallel()
	to := lookFor(t, "--demo")
	s := openConsole(t, 100, 30, environment(t, "PROGRAM="+program), "/bin/sh", "-c",
		`echo above; "$PROGRAM" --demo --print-id --height=12; echo below`)
	s.Sees(to.other)
	s.Sees("above")
	s.resize(90, 30)
	s.Sees(to.other)
	s.Press("Right")
	s.Sees(" fold")
	s.Sees("above")
	s.Press("Esc")
	s.Loses(" fold")
	s.Press("Enter")
	s.Sees("below")
	s.exits(0)
	s.Loses(to.other)
	s.Sees("above")
	s.restored()
	if r := run(t, "--demo", "--height=2"); r.code != 2 || !strings.Contains(r.stderr, "--height needs") {
		t.Errorf("%+v", r)
	}
}
