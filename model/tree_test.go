package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// drawn returns a tree in one line per session, drawn as the screens draw it.
func drawn(root *Node, folded func(*Node) bool) []string {
	var out []string
	for _, r := range root.Rows(folded) {
		line := ""
		for i, more := range r.Continues {
			line += map[bool]string{true: "│", false: " "}[more]
			if i == len(r.Continues)-1 {
				line = strings.TrimSuffix(strings.TrimSuffix(line, "│"), " ") + map[bool]string{true: "├", false: "└"}[more]
			}
		}
		out = append(out, fmt.Sprintf("%s%s %s %d/%d Σ%d", line, r.Node.ID, r.Node.Link, r.Node.Segment, r.Node.SegmentCount, r.Node.Total.Messages))
	}
	return out
}

func unfolded(*Node) bool { return false }

// A conversation of four segments with a delegate in the first, one in the
// third, and a branch that left the second: segments are in line, what left
// them where it left, and every sum counts what is below.
func TestTreeHasSegmentsInLine(t *testing.T) {
	branch := with(talk("fork", "b", "", 21, 0), func(s *Session) { s.BranchedFrom = "b" })
	sub := func(id, parent string, from float64) Session {
		return with(talk(id, parent, "done", from, from+1), func(s *Session) { s.DelegateFrom = parent })
	}
	l := BuildLineage(SessionSlice{
		talk("d", "c", "", 30, 0), talk("c", "b", "compression", 20, 30), branch, sub("deep", "help", 3.5), sub("late", "c", 22),
		talk("a", "", "compression", 0, 10), talk("b", "a", "compression", 10, 20), sub("help", "a", 3), talk("other", "", "", 5, 0),
	}, true)
	want := []string{
		"a root 1/4 Σ16",
		"├help delegate 1/1 Σ4",
		"│└deep delegate 1/1 Σ2",
		"├b segment 2/4 Σ4",
		"│└fork branch 1/1 Σ2",
		"├c segment 3/4 Σ4",
		"│└late delegate 1/1 Σ2",
		"└d segment 4/4 Σ2",
	}
	for i := range l.Len() {
		if l.Session(i).ID == "other" {
			continue
		}
		root := l.Tree(i)
		if got := drawn(root, unfolded); !slices.Equal(got, want) {
			t.Fatalf("from %s:\n%s\nwant\n%s", l.Session(i).ID, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		root.Walk(func(n *Node, _ int) bool {
			tip := map[string]string{"a": "d", "b": "d", "c": "d", "d": "d"}[n.ID]
			if tip == "" {
				tip = n.ID
			}
			if n.Tip != tip {
				t.Errorf("the tip of %s is %s", n.ID, n.Tip)
			}
			return true
		})
	}
	if got := drawn(l.Tree(0), func(n *Node) bool { return n.ID == "help" || n.ID == "c" }); len(got) != 6 {
		t.Errorf("folded: %q", got)
	}
	if got := drawn(l.Tree(8), unfolded); !slices.Equal(got, []string{"other root 1/1 Σ2"}) {
		t.Errorf("%q", got)
	}
}

// A clock that stepped back in the middle does not turn the order of segments
// round.
func TestTreeKeepsTheOrderOfSegments(t *testing.T) {
	l := BuildLineage(SessionSlice{
		talk("a", "", "compression", 50, 60), talk("z", "a", "compression", 7, 9), talk("b", "z", "", 7, 0),
		with(talk("fork", "a", "", 55, 0), func(s *Session) { s.BranchedFrom = "a" }),
	}, true)
	want := []string{"a root 1/3 Σ8", "├z segment 2/3 Σ2", "├b segment 3/3 Σ2", "└fork branch 1/1 Σ2"}
	if got := drawn(l.Tree(3), unfolded); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A tree as deep as a history costs no more than its sessions.
func TestDeepTree(t *testing.T) {
	const n = 20_000
	sessions := make([]Session, n)
	for i := range sessions {
		sessions[i] = Session{ID: fmt.Sprint("s", i), StartedAt: at(float64(i)), DelegateFrom: "x", VisibleMessages: 1}
		if i > 0 {
			sessions[i].ParentID = fmt.Sprint("s", i-1)
		}
	}
	root := BuildLineage(SessionSlice(sessions), true).Tree(n - 1)
	rows := root.Rows(unfolded)
	if len(rows) != n || root.Total.Messages != n || rows[n-1].Depth != n-1 || len(rows[n-1].Continues) > maxRails {
		t.Errorf("%d rows, %d messages, depth %d, %d rails", len(rows), root.Total.Messages, rows[n-1].Depth, len(rows[n-1].Continues))
	}
}
