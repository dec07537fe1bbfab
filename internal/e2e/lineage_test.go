//go:build !windows

package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"hermes-sessions/internal/fixtures"
)

// transcriptTreeBranchBack reads a conversation, goes to its family, finds the
// branch there, reads it where it left, and comes back the same way.
func transcriptTreeBranchBack(u user, k branchFixture) {
	u.Sees("conversations ·")
	u.Pastes(k.words)
	u.Sees("▸   " + k.first) // the first of the answer
	u.Press("Right")
	u.Sees(" fold")
	u.Types("l")
	u.Sees("Lineage")
	u.Sees(k.title)
	u.Types("/" + k.branch)
	u.Sees("match 1 of 1")
	u.Press("Enter")
	u.Sees("branch of")
	u.Sees("forked at")
	u.Press("Enter")
	u.Sees(" fold")
	u.Types("q")
	u.Sees("forked at")
	u.Types("q")
	u.Sees(" fold")
	u.Types("q")
	u.Sees("▸   " + k.first)
}

// Transcript, family, branch, back; and from the family the branch is resumed.
func TestLineageJourney(t *testing.T) {
	t.Parallel()
	k := findBranch(t, "", "--demo")
	s := open(t, 120, 32, nil, "--demo")
	transcriptTreeBranchBack(s, k)
	s.Press("Ctrl+L")
	s.Sees("Lineage")
	s.Types("/" + k.branch)
	s.Sees("match 1 of 1")
	s.Press("Enter")
	s.Sees("forked at")
	s.Types("r")
	if c := s.resumed(); !slices.Equal(c.Args, []string{"--resume", k.branch}) {
		t.Errorf("Hermes was called with %q, want %s", c.Args, k.branch)
	}
}

// sumsNode is what is added up of a node of lineage --json.
type sumsNode struct {
	ID       string
	Kind     string
	Segment  int
	Segments int
	Messages int `json:"message_count"`
	Usage    sums
	Total    struct {
		sums
		Sessions int
		Messages int `json:"message_count"`
	}
	Fork     *struct{ Number, Of int }
	Children []sumsNode
}

// sums are numbers that add up; an unknown cost is null.
type sums struct {
	Input int64    `json:"input_tokens"`
	Cost  *float64 `json:"cost_usd"`
}

// In the tree that scripts get, every total is the sum of what is below it, a
// cost is null only where nothing is known, and only branches say where they
// left. In the printed tree the columns are aligned.
func TestLineageAddsUp(t *testing.T) {
	t.Parallel()
	v11 := filepath.Join(t.TempDir(), "v11.db")
	fixtures.Unpack(t, "v11.db", v11)
	for _, args := range [][]string{{"--demo", "lineage", "my project"}, {"--demo", "lineage", "Rewrite the pantry app in Go"}, {"--db=" + v11, "lineage", "branch base"}, {"--db=" + v11, "lineage", "my project compressed"}} {
		var root sumsNode
		ask(t, &root, args...)
		ids := map[string]bool{}
		var add func(n sumsNode)
		add = func(n sumsNode) {
			ids[n.ID] = true
			sessions, messages, input, known := 1, n.Messages, n.Usage.Input, n.Usage.Cost != nil
			for _, c := range n.Children {
				add(c)
				sessions, messages, input, known = sessions+c.Total.Sessions, messages+c.Total.Messages, input+c.Total.Input, known || c.Total.Cost != nil
			}
			if n.Total.Sessions != sessions || n.Total.Messages != messages || n.Total.Input != input || (n.Total.Cost != nil) != known {
				t.Errorf("%q: %s says %+v, below it are %d sessions, %d messages, %d tokens", args, n.ID, n.Total, sessions, messages, input)
			}
			if (n.Fork != nil) != (n.Kind == "branch") || n.Segment < 1 || n.Segment > n.Segments || n.Kind == "segment" && n.Segment == 1 {
				t.Errorf("%q: %+v", args, n)
			}
		}
		add(root)
		if root.Kind != "root" || len(ids) < 3 {
			t.Errorf("%q: a %s with %d sessions", args, root.Kind, len(ids))
		}
		text := run(t, args...).stdout
		column := -1
		for id := range ids {
			for line := range strings.Lines(text) {
				before, _, ok := strings.Cut(line, id)
				if !ok {
					continue
				}
				if w := ansi.StringWidth(before); column >= 0 && w != column {
					t.Errorf("%q: the id of %s stands in column %d, others in %d\n%s", args, id, w, column, text)
				} else {
					column = w
				}
				delete(ids, id)
			}
		}
		if len(ids) > 0 {
			t.Errorf("%q: not drawn: %v\n%s", args, ids, text)
		}
	}
}
