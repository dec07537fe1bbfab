//go:build !windows

package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/internal/bench/corpus"
	"hermes-sessions/internal/fixtures"
)

// histories are what the journeys are made on.
func histories(t *testing.T, journey func(t *testing.T, args ...string)) {
	t.Run("demo", func(t *testing.T) { journey(t, "--demo") })
	t.Run("made", func(t *testing.T) {
		db := filepath.Join(t.TempDir(), "state.db")
		if err := corpus.Make(t.Context(), db, corpus.Config{Messages: 3000, Seed: 5}); err != nil {
			t.Fatal(err)
		}
		journey(t, "--db="+db)
	})
}

// target is a conversation that a journey looks for.
type target struct {
	title string // as far as every layout shows it
	words string // that its first message begins with, and no other has
	first string // of these words; several conversations have it
	id    string // of its tip
	other string // a title at the top of the list that must go away
}

// lookFor picks a conversation that the beginning of its first message finds
// alone, from what the command line says. Nothing of a history is written
// down here.
func lookFor(t *testing.T, args ...string) target {
	t.Helper()
	var list struct {
		Sessions []struct{ ID, Title, Preview string }
	}
	ask(t, &list, append(args, "list", "--limit", "0")...)
	word := regexp.MustCompile(`[A-Za-z]{4,}`)
	top := strings.Join(strings.Fields(list.Sessions[0].Title)[:2], " ")
	for _, s := range list.Sessions[3:] {
		said, title := word.FindAllString(s.Preview, 3), strings.Fields(s.Title)
		if len(said) < 3 || len(title) < 2 || len(title[0]) < 4 {
			continue
		}
		query := strings.ToLower(strings.Join(said, " "))
		first, _, _ := strings.Cut(query, " ")
		var few, many struct {
			Conversations []struct {
				ID   string
				Hits int
			}
		}
		ask(t, &few, append(args, "search", query+"*")...) // a word that is being typed may go on
		ask(t, &many, append(args, "search", first+"*")...)
		if c := few.Conversations; len(c) == 1 && c[0].ID == s.ID && c[0].Hits > 0 && len(many.Conversations) > 1 {
			return target{title: strings.Join(title[:2], " "), words: query, first: first, id: s.ID, other: top}
		}
	}
	t.Fatal("no conversation is found alone")
	return target{}
}

// ask runs a command for its JSON.
func ask(t *testing.T, into any, args ...string) {
	t.Helper()
	r := run(t, append(args, "--json")...)
	if err := json.Unmarshal([]byte(r.stdout), into); err != nil && r.code != 1 {
		t.Fatalf("%q: %v\n%s%s", args, err, r.stdout, r.stderr)
	}
}

// one is what the screen counts when one conversation is left.
const one = " 1 conversation ·"

// find types the words that find the target alone. All but the first come in
// one piece: each letter is a search of its own, and only the answer to the
// last can be acted upon.
func find(u user, to target) {
	u.Sees(to.other)
	u.Types(to.first + " ")
	u.Sees(to.first)
	u.Pastes(strings.TrimPrefix(to.words, to.first+" "))
	u.Sees(to.words)
	u.Sees(one)
	u.Sees(to.title)
	u.Loses(to.other)
}

// searchReadResume is the journey that the program is for.
func searchReadResume(u user, to target) {
	find(u, to)
	u.Press("Right")
	u.Sees("hit ") // the header tells which
	u.Press("Esc")
	u.Sees(to.words)
	u.Press("Enter")
}

// Search, read at the hit, come back to the same list, resume: Hermes gets
// the tip, a terminal in order, and a closed database.
func TestSearchReadResume(t *testing.T) {
	histories(t, func(t *testing.T, args ...string) {
		to := lookFor(t, args...)
		s := open(t, 100, 30, nil, args...)
		searchReadResume(s, to)
		c := s.resumed()
		if want := []string{"--resume", to.id}; !slices.Equal(c.Args, want) {
			t.Errorf("Hermes was called with %q, want %q", c.Args, want)
		}
		for _, f := range c.Files {
			if !strings.HasSuffix(f, ".db") {
				t.Errorf("when Hermes began there was %s: the database was open", f)
			}
		}
	})
}

// Hermes is told the profile and the home that the history came from.
func TestResumeKeepsTheProfile(t *testing.T) {
	home := t.TempDir()
	db := filepath.Join(home, "profiles", "work", "state.db")
	if err := os.MkdirAll(filepath.Dir(db), 0o700); err != nil {
		t.Fatal(err)
	}
	fixtures.Unpack(t, "v11.db", db)
	s := open(t, 160, 30, []string{"HERMES_HOME=/somewhere/else"}, "--home", home, "-p", "work")
	s.until("the list is there", func(text string) bool { return s.onScreen() && strings.Contains(text, "Docker networking") })
	s.Press("Ctrl+Y")
	s.Sees("-p work --resume ") // and for copying
	s.Press("Esc")
	s.Loses("-p work --resume ")
	s.Press("Enter")
	c := s.resumed()
	if len(c.Args) != 4 || c.Args[0] != "-p" || c.Args[1] != "work" || c.Args[2] != "--resume" || c.Home != home {
		t.Errorf("Hermes was called with %q at home %q", c.Args, c.Home)
	}
}

// Without a Hermes the command is printed, on a terminal that is in order.
func TestResumeWithoutHermes(t *testing.T) {
	s := open(t, 120, 30, []string{"HERMES_BIN=no-such-hermes"}, "--demo", "--hermes=")
	s.until("the list is there", func(string) bool { return s.onScreen() })
	to := lookFor(t, "--demo")
	find(s, to)
	s.Press("Enter")
	s.Sees("no-such-hermes --resume " + to.id)
	s.exits(0) // on the demo that is all there is to do
	s.restored()

	db := filepath.Join(t.TempDir(), "v11.db")
	fixtures.Unpack(t, "v11.db", db)
	r := runIn(t, environment(t, "HERMES_BIN=no-such-hermes"), "--db", db, "resume", "my project")
	if r.code != 1 || !strings.Contains(r.stdout, "no-such-hermes --resume ") || !strings.Contains(r.stderr, "no-such-hermes was not found") {
		t.Errorf("%+v", r)
	}
}

// --print-id gives a script the id, also where its output is captured, and
// tells choosing, leaving and cancelling apart.
func TestPrintID(t *testing.T) {
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

// Esc leaves with nothing chosen: that is a success.
func TestEscClearsThenQuits(t *testing.T) {
	to := lookFor(t, "--demo")
	s := open(t, 80, 24, nil, "--demo")
	find(s, to)
	s.Press("Esc")
	s.Sees(to.other)
	s.Press("Esc")
	s.exits(0)
	s.restored()
}

// What is in titles and messages can not act on the terminal.
func TestHostileTextIsHarmless(t *testing.T) {
	for _, name := range []string{"v11.db", filepath.Join("bad", "invalid-utf8-title.db"), filepath.Join("bad", "invalid-utf8.db")} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			db := filepath.Join(t.TempDir(), filepath.Base(name))
			fixtures.Unpack(t, name, db)
			var list struct {
				Sessions []struct{ Title, Preview string }
			}
			ask(t, &list, "--db", db, "list", "--scope", "all", "--limit", "0")
			c := openConsole(t, 120, 40, environment(t), program, "--db", db, "--scope", "all")
			c.until("the list is there", func(string) bool { return c.onScreen() })
			c.Sees(fmt.Sprintf("%d in all", len(list.Sessions)))
			for range 1 + len(list.Sessions)/30 {
				c.Press("PgDn")
			}
			c.Press("End")
			// Rows further down are read when they are wanted.
			last := list.Sessions[len(list.Sessions)-1]
			if name := cmp.Or(last.Title, last.Preview); regexp.MustCompile(`^[ -~]{12}`).MatchString(name) {
				c.Sees("▸ ✓ " + name[:12])
			}
			c.Press("Right")
			c.Sees(" fold")
			c.Press("Ctrl+C")
			c.exits(130)
			c.restored()
			raw := c.bytes()
			for _, bad := range []string{"\u009b", "\u202e", "\x1b]52", "\x1b]0;pwned", "\x1b[2J\x1b[1;31m"} {
				if strings.Contains(raw, bad) {
					t.Errorf("%q reached the terminal", bad)
				}
			}
			for i, r := range raw {
				if r >= 0x80 && r < 0xa0 {
					t.Errorf("%U reached the terminal: %q", r, raw[max(0, i-20):i+2])
					break
				}
			}
		})
	}
}
