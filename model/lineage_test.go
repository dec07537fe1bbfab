package model

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"
)

// at is a time, in minutes.
func at(minutes float64) time.Time {
	return time.Unix(1_770_000_000, 0).Add(time.Duration(minutes * float64(time.Minute)))
}

// talk makes a session with two messages that ran from one minute to another;
// to 0 leaves it open.
func talk(id, parent, reason string, from, to float64) Session {
	s := Session{ID: id, ParentID: parent, Source: "cli", EndReason: reason, StartedAt: at(from), LastMessageAt: at(from + 1), VisibleMessages: 2}
	if to != 0 {
		s.EndedAt, s.LastMessageAt = at(to), at(to)
	}
	return s
}

// conversations makes all conversations and says for every session which one
// it belongs to.
func conversations(sessions []Session, marked bool, now time.Time) (conv []Conversation, of []int) {
	l := BuildLineage(SessionSlice(sessions), marked)
	numbers := map[int32]int{}
	for i, root := range l.Root {
		if int(root) == i {
			numbers[root] = len(conv)
			conv = append(conv, l.Conversation(i, now))
		}
	}
	for _, root := range l.Root {
		of = append(of, numbers[root])
	}
	return conv, of
}

func with(s Session, change func(*Session)) Session { change(&s); return s }

// Which sessions make which conversations, for the shapes that real
// histories have had. Numbers such as Q9 are faults of store/README.md#known-faults.
func TestConversationsOfShapes(t *testing.T) {
	for name, c := range map[string]struct {
		sessions []Session
		marked   bool
		want     map[string][]string // tip → segments
		scope    map[string]Scope    // tip → scope, where not the default
	}{
		"a chain": {
			sessions: []Session{talk("a", "", "compression", 0, 10), talk("b", "a", "compression", 10, 20), talk("c", "b", "", 20, 0)},
			want:     map[string][]string{"c": {"a", "b", "c"}},
		},
		"a continuation that started before its parent's end (Q9)": {
			sessions: []Session{talk("a", "", "compression", 0, 10), talk("b", "a", "", 9.999, 0)},
			want:     map[string][]string{"b": {"a", "b"}},
		},
		"a tool child that started later is no tip (Q9)": {
			sessions: []Session{talk("a", "", "compression", 0, 10), talk("b", "a", "", 10, 0), with(talk("t", "a", "", 12, 0), func(s *Session) { s.Source = "tool" })},
			want:     map[string][]string{"b": {"a", "b"}, "t": {"t"}},
			scope:    map[string]Scope{"t": ScopeSubagents},
		},
		"an unmarked delegate of a session compressed later": {
			sessions: []Session{talk("a", "", "compression", 0, 10), talk("d", "a", "delegate_complete", 3, 5), talk("b", "a", "", 10, 0)},
			want:     map[string][]string{"b": {"a", "b"}, "d": {"d"}},
			scope:    map[string]Scope{"d": ScopeSubagents},
		},
		"no time test where delegates are marked": {
			sessions: []Session{talk("a", "", "compression", 0, 10), talk("b", "a", "", 4, 0)},
			marked:   true,
			want:     map[string][]string{"b": {"a", "b"}},
		},
		"of two continuations the compressed one goes on; the other is not lost": {
			sessions: []Session{talk("a", "", "compression", 0, 10), talk("b", "a", "compression", 10, 20), talk("x", "a", "", 11, 0), talk("c", "b", "", 20, 0)},
			want:     map[string][]string{"c": {"a", "b", "c"}, "x": {"x"}},
		},
		"a reset sibling is no tip": {
			sessions: []Session{talk("a", "", "compression", 0, 10), talk("b", "a", "", 10, 0), with(talk("r", "a", "", 15, 0), func(s *Session) { s.ResetFrom = "a" })},
			want:     map[string][]string{"b": {"a", "b"}, "r": {"r"}},
		},
		"a chat that was reset goes on in a conversation of its own": {
			sessions: []Session{
				with(talk("a", "", "session_reset", 0, 10), func(s *Session) { s.SessionKey = "k" }),
				with(talk("b", "a", "idle", 10, 20), func(s *Session) { s.SessionKey = "k" }),
				with(talk("c", "b", "", 20, 0), func(s *Session) { s.SessionKey = "k" }),
				with(talk("d", "b", "", 20, 0), func(s *Session) { s.SessionKey = "other" }),
				with(talk("t", "b", "", 20, 0), func(s *Session) { s.SessionKey, s.Source = "k", "tool" }),
			},
			marked: true,
			want:   map[string][]string{"a": {"a"}, "b": {"b"}, "c": {"c"}, "d": {"d"}, "t": {"t"}},
			scope:  map[string]Scope{"d": ScopeSubagents, "t": ScopeSubagents},
		},
		"an empty ended sibling is no tip": {
			sessions: []Session{talk("a", "", "compression", 0, 10), with(talk("e", "a", "ws_orphan_reap", 15, 16), func(s *Session) { s.VisibleMessages, s.LastMessageAt = 0, time.Time{} }), talk("b", "a", "user_exit", 10, 12)},
			want:     map[string][]string{"b": {"a", "b"}, "e": {"e"}},
			scope:    map[string]Scope{"e": ScopeAll},
		},
		"a branch keeps its place when its parent is reopened (Q8)": {
			sessions: []Session{talk("a", "", "", 0, 0), with(talk("b", "a", "", 5, 0), func(s *Session) { s.BranchedFrom = "a" })},
			want:     map[string][]string{"a": {"a"}, "b": {"b"}},
		},
		"an unmarked branch of a parent that ended anew has a title (Q8)": {
			sessions: []Session{talk("a", "", "user_exit", 0, 50), with(talk("b", "a", "", 5, 0), func(s *Session) { s.Title = "a #2" })},
			want:     map[string][]string{"a": {"a"}, "b": {"b"}},
		},
		"an unmarked branch": {
			sessions: []Session{talk("a", "", "branched", 0, 5), talk("b", "a", "", 5, 0)},
			want:     map[string][]string{"a": {"a"}, "b": {"b"}},
		},
		"a reopened root keeps its tip (Q7)": {
			sessions: []Session{with(talk("a", "", "", 0, 0), func(s *Session) { s.LastMessageAt = at(10) }), talk("b", "a", "", 10, 0)},
			want:     map[string][]string{"b": {"a", "b"}},
		},
		"a reopened root that was written to is next to its former tip (Q7)": {
			sessions: []Session{with(talk("a", "", "", 0, 0), func(s *Session) { s.LastMessageAt = at(30) }), with(talk("b", "a", "", 10, 0), func(s *Session) { s.LastMessageAt = at(40) })},
			want:     map[string][]string{"a": {"a"}, "b": {"b"}},
		},
		"an archived root hides nothing": {
			sessions: []Session{with(talk("a", "", "compression", 0, 10), func(s *Session) { s.Archived = true }), talk("b", "a", "", 10, 0)},
			want:     map[string][]string{"b": {"a", "b"}},
		},
		"an archived tip hides the whole": {
			sessions: []Session{talk("a", "", "compression", 0, 10), with(talk("b", "a", "", 10, 0), func(s *Session) { s.Archived = true })},
			want:     map[string][]string{"b": {"a", "b"}},
			scope:    map[string]Scope{"b": ScopeArchived},
		},
		"an orphan is a root; an orphaned delegate stays one": {
			sessions: []Session{talk("a", "gone", "", 0, 0), with(talk("d", "", "", 0, 0), func(s *Session) { s.DelegateFrom = "__orphaned__" })},
			want:     map[string][]string{"a": {"a"}, "d": {"d"}},
			scope:    map[string]Scope{"d": ScopeSubagents},
		},
		"a ring of compressions is cut above its oldest (Q18)": {
			sessions: []Session{talk("a", "b", "compression", 0, 5), talk("b", "a", "compression", 6, 8)},
			marked:   true,
			want:     map[string][]string{"b": {"a", "b"}},
		},
		"a session that is its own parent": {
			sessions: []Session{talk("a", "a", "compression", 0, 5)},
			want:     map[string][]string{"a": {"a"}},
		},
		"sources that run by themselves": {
			sessions: []Session{with(talk("a", "", "", 0, 0), func(s *Session) { s.Source = "cron" }), with(talk("w", "", "", 0, 0), func(s *Session) { s.Source = "webhook_github" })},
			want:     map[string][]string{"a": {"a"}, "w": {"w"}},
			scope:    map[string]Scope{"a": ScopeAutomation, "w": ScopeAutomation},
		},
	} {
		t.Run(name, func(t *testing.T) {
			// Whatever order the rows come in, the answer is the same.
			for range c.sessions {
				c.sessions = append(c.sessions[1:], c.sessions[0])
				conv, of := conversations(c.sessions, c.marked, at(1000))
				got := map[string][]string{}
				for _, v := range conv {
					got[v.ID] = v.Segments
					if v.Scope != c.scope[v.ID] {
						t.Errorf("%s has scope %d, want %d", v.ID, v.Scope, c.scope[v.ID])
					}
				}
				if len(got) != len(c.want) {
					t.Errorf("conversations %v, want %v", got, c.want)
				}
				for tip, segments := range c.want {
					if !slices.Equal(got[tip], segments) {
						t.Errorf("tip %s: %v, want %v", tip, got[tip], segments)
					}
				}
				for i, at := range of {
					if at < 0 || !slices.Contains(conv[at].Segments, c.sessions[i].ID) {
						t.Errorf("%s is not in its conversation", c.sessions[i].ID)
					}
				}
			}
		})
	}
}

// Whatever ended a chat's session, the one that replaces it is a conversation of its own, also
// where nothing but the key of the chat says so; after compression it goes on.
func TestEveryReasonForAReset(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]int{
		"session_reset": 2, "session_switch": 2, "idle": 2, "daily": 2, "suspended": 2, "resume_pending_expired": 2, "compression": 1,
	} {
		chat := func(s *Session) { s.SessionKey = "k" }
		conv, _ := conversations([]Session{with(talk("a", "", reason, 0, 10), chat), with(talk("b", "a", "", 10, 0), chat)}, true, at(1000))
		if len(conv) != want {
			t.Errorf("%s: %d conversations, want %d", reason, len(conv), want)
		}
		for _, c := range conv {
			if c.Scope != ScopeConversations {
				t.Errorf("%s: %s is in scope %v", reason, c.ID, c.Scope)
			}
		}
	}
}

// Branches are counted at the segment's conversation, delegates to any depth;
// sums run over the segments.
func TestConversationSums(t *testing.T) {
	spent := func(s *Session) { s.Usage = Usage{Input: 10, Cost: Cost{USD: 1, Known: true}} }
	delegate := func(s *Session) { s.Source = "subagent"; spent(s) }
	sessions := []Session{
		with(talk("a", "", "compression", 0, 10), spent),
		with(talk("b", "a", "", 10, 0), spent),
		with(talk("d1", "a", "", 2, 3), delegate),
		with(talk("d2", "d1", "", 2, 3), delegate),
		with(talk("d3", "b", "", 12, 13), delegate),
		with(talk("f", "b", "", 20, 0), func(s *Session) { s.BranchedFrom = "b" }),
	}
	conv, of := conversations(sessions, true, at(100))
	c := conv[of[0]]
	if c.ID != "b" || c.Branches != 1 || c.Delegates != 3 || c.Messages != 4 || c.Total.Input != 20 || c.Total.Cost.USD != 2 {
		t.Errorf("%+v", c)
	}
	if !c.RootStartedAt.Equal(at(0)) || !c.LastActive.Equal(at(11)) {
		t.Errorf("from %v to %v", c.RootStartedAt, c.LastActive)
	}
}

// A lineage that takes in what changed is the one of the sessions as they are,
// whatever came, went, or hangs on another now.
func TestUpdatedLineageEqualsANewOne(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for round := range 400 {
		const places = 40
		all := make(SessionSlice, places)
		there := make([]bool, places)
		invent := func(i int) {
			from := float64(r.IntN(60))
			s := talk(fmt.Sprint("s", i), "", []string{"", "done", "compression", "compression", "branched"}[r.IntN(5)], from, []float64{0, from + 9}[r.IntN(2)])
			if r.IntN(4) > 0 {
				s.ParentID = fmt.Sprint("s", r.IntN(places))
			}
			s.Source = []string{"cli", "cli", "cli", "subagent"}[r.IntN(4)]
			s.VisibleMessages = r.IntN(3)
			all[i], there[i] = s, true
		}
		find := func(id string) (int, bool) {
			for i := range all {
				if there[i] && all[i].ID == id {
					return i, true
				}
			}
			return 0, false
		}
		n := 1 + r.IntN(places/2)
		for i := range n {
			invent(i)
		}
		marked := round%2 == 0
		l := BuildLineage(slices.Clone(all[:n]), marked)
		for range 6 {
			changed := map[int32]bool{}
			for range r.IntN(4) {
				i := r.IntN(min(n+2, places))
				n = max(n, i+1)
				for k := range n { // all that have a number are there at first
					if all[k].ID == "" {
						invent(k)
						changed[int32(k)] = true
					}
				}
				changed[int32(i)] = true
				if there[i] = r.IntN(4) > 0; there[i] {
					invent(i)
				}
			}
			for i := range n {
				if p, ok := find(all[i].ParentID); there[i] && ok && changed[int32(p)] {
					changed[int32(i)] = true
				}
			}
			now := slices.Clone(all[:n])
			var families []int32
			l, families = l.Updated(now, slices.Collect(maps.Keys(changed)), find)
			var left SessionSlice
			for i := range now {
				if there[i] {
					left = append(left, now[i])
				}
			}
			want := map[string]Conversation{}
			conv, _ := conversations(left, marked, at(100))
			for _, c := range conv {
				want[c.RootID] = c
			}
			got := map[string]Conversation{}
			for i, root := range l.Root {
				if int(root) == i {
					c := l.Conversation(i, at(100))
					got[c.RootID] = c
				}
				if (root >= 0) != there[i] {
					t.Fatalf("round %d: s%d is there: %v, its root %d", round, i, there[i], root)
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("round %d:\n got %+v\nwant %+v", round, got, want)
			}
			for i := range changed {
				if there[i] && !slices.Contains(families, i) {
					t.Fatalf("round %d: s%d is of no family that changed", round, i)
				}
			}
		}
	}
}

// A chain of any length neither recurses nor takes quadratic time.
func TestDeepLineage(t *testing.T) {
	const n = 50_000
	var sessions []Session
	parent := ""
	for i := range n {
		id := string(rune('a'+i%26)) + time.Duration(i).String()
		sessions = append(sessions, with(talk(id, parent, "", float64(i), float64(i)+1), func(s *Session) { s.Source = "subagent" }))
		parent = id
	}
	conv, of := conversations(sessions, true, at(0))
	if conv[of[0]].Delegates != n-1 {
		t.Errorf("%d delegates, want %d", conv[of[0]].Delegates, n-1)
	}
}

func TestStates(t *testing.T) {
	open := Conversation{Session: Session{ID: "a"}, Messages: 2, LastActive: at(0)}
	ended := open
	ended.EndedAt, ended.EndReason = at(1), "user_exit"
	failed := ended
	failed.EndReason = "agent_error"
	empty := open
	empty.Messages = 0
	for _, c := range []struct {
		conv Conversation
		role string
		now  float64
		want State
	}{
		{open, "user", 1, StateRunning},
		{open, "assistant", 60, StateInterrupted}, // an empty ended_at alone is not running
		{ended, "assistant", 60, StateDone},
		{ended, "tool", 60, StateInterrupted},
		{failed, "assistant", 60, StateFailed},
		{empty, "", 1, StateEmpty},
	} {
		if got := StateOf(&c.conv, c.role, at(c.now)); got != c.want {
			t.Errorf("%s by %s at %v: state %d, want %d", c.conv.EndReason, c.role, c.now, got, c.want)
		}
	}
}
