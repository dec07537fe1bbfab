//go:build !windows

package e2e

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hermes-sessions/internal/fixtures"
)

// kin is a conversation with a branch: its title and how that begins, the
// branch and its title.
type kin struct{ words, first, branch, title string }

// findBranch picks a branch that was forked from a conversation of the list.
func findBranch(t *testing.T, args ...string) kin {
	t.Helper()
	var list struct {
		Sessions []struct {
			ID       string
			Title    string
			Branches int
		}
	}
	ask(t, &list, append(args, "list", "--limit", "0")...)
	for _, s := range list.Sessions {
		if s.Branches == 0 {
			continue
		}
		var tree struct {
			Title    string
			Children []struct{ ID, Kind, Title string }
		}
		ask(t, &tree, append(args, "lineage", s.ID)...)
		for _, c := range tree.Children {
			if c.Kind == "branch" && c.Title != "" {
				return kin{tree.Title, strings.Join(strings.Fields(tree.Title)[:2], " "), c.ID, c.Title}
			}
		}
	}
	t.Fatal("there is no branch")
	return kin{}
}

// transcriptTreeBranchBack reads a conversation, goes to its family, finds the
// branch there, reads it where it left, and comes back the same way.
func transcriptTreeBranchBack(u user, k kin) {
	u.Sees("conversations")
	u.Pastes(k.words)
	u.Sees("▸ ✓ " + k.first) // the first of the answer
	u.Press("Right")
	u.Sees(" fold")
	u.Types("l")
	u.Sees("Lineage")
	u.Sees(k.title)
	u.Types("/" + k.branch)
	u.Sees("hit 1 / 1")
	u.Press("Enter")
	u.Sees("branch of")
	u.Sees("left at message")
	u.Press("Enter")
	u.Sees(" fold")
	u.Types("q")
	u.Sees("left at message")
	u.Types("q")
	u.Sees(" fold")
	u.Types("q")
	u.Sees("▸ ✓ " + k.first)
}

// Transcript, family, branch, back; and from the family the branch is resumed.
func TestLineageJourney(t *testing.T) {
	k := findBranch(t, "--demo")
	s := open(t, 120, 32, nil, "--demo")
	transcriptTreeBranchBack(s, k)
	s.Press("Ctrl+L")
	s.Sees("Lineage")
	s.Types("/" + k.branch)
	s.Sees("hit 1 / 1")
	s.Press("Enter")
	s.Sees("left at message")
	s.Types("r")
	if c := s.resumed(); !slices.Equal(c.Args, []string{"--resume", k.branch}) {
		t.Errorf("Hermes was called with %q, want %s", c.Args, k.branch)
	}
}

// A hit, its transcript, with n on into the next conversations of the answer,
// from there to the family, to a branch, and back the same way.
func TestReadingJourney(t *testing.T) {
	k := findBranch(t, "--demo")
	s := open(t, 120, 32, nil, "--demo")
	s.Sees("conversations")
	s.Pastes("bakery")
	s.Sees("▸ ✓ Name for the bakery app")
	s.Press("Right")
	s.Sees("hit 1 / 1")
	for n := 2; !strings.Contains(s.text(), " "+k.title+" "); n++ {
		s.Types("n")
		s.Sees("result " + strconv.Itoa(n) + " of ")
		s.Sees("hit 1 / ") // before, there is nothing to go on from
		if n > 9 {
			t.Fatalf("%q is never reached:\n%s", k.title, s.text())
		}
	}
	s.Sees("hit 1 / 1")
	s.Types("l")
	s.Sees("Lineage")
	s.Types("/" + k.branch)
	s.Sees("hit 1 / 1")
	s.Press("Enter")
	s.Sees("left at message")
	s.Press("Enter")
	s.Sees(" fold")
	s.Types("q")
	s.Sees("left at message")
	s.Types("q")
	s.Sees(" fold")
	s.Types("q")
	s.Sees("▸ bakery")
}

// Rings, foundlings and hostile text in every field of a tree are drawn, and
// nothing of it acts on the terminal.
func TestOddTreesAreHarmless(t *testing.T) {
	for name, ids := range map[string][]string{
		"v11.db": nil, filepath.Join("bad", "cycle.db"): {"20260302_040001_cyc002", "20260302_050000_selfed", "20260302_060001_plain2"},
		filepath.Join("bad", "orphan-parent.db"): nil, filepath.Join("bad", "invalid-utf8-title.db"): nil,
	} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			db := filepath.Join(t.TempDir(), filepath.Base(name))
			fixtures.Unpack(t, name, db)
			var list struct{ Sessions []struct{ ID string } }
			ask(t, &list, "--db", db, "list", "--all", "--limit", "0")
			for _, id := range ids {
				if r := run(t, "--db", db, "lineage", id); r.code != 0 || !strings.Contains(r.stdout, id) {
					t.Errorf("%s: %+v", id, r)
				}
			}
			for _, s := range list.Sessions {
				r := run(t, "--db", db, "lineage", "--ascii", s.ID)
				if r.code != 0 || strings.ContainsFunc(r.stdout, func(r rune) bool { return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || r == '\u202e' }) {
					t.Errorf("%s: exit code %d: %q", s.ID, r.code, r.stdout)
				}
				if len(list.Sessions) > 30 {
					break // enough processes; the screen goes through all
				}
			}
			c := openConsole(t, 120, 40, environment(t), program, "--db", db, "--scope", "all")
			c.Sees(" in all")
			for range 12 {
				c.Press("Ctrl+L")
				c.Sees("tokens · ") // it has been read
				c.Types("*G")
				c.Press("Enter")
				c.Loses("Lineage")
				c.Types("q")
				c.Sees("Lineage")
				c.Types("q")
				c.Sees(" in all")
				c.Press("Down", "Down", "Down")
			}
			c.Press("Ctrl+C")
			c.exits(130)
			c.restored()
			for _, bad := range []string{"\u009b", "\u202e", "\x1b]52", "\x1b]0;pwned"} {
				if strings.Contains(c.bytes(), bad) {
					t.Errorf("%q reached the terminal", bad)
				}
			}
		})
	}
}
