package dialog

import (
	"slices"
	"strconv"

	"hermes-sessions/ui/kit"
	"hermes-sessions/ui/shell"
)

// segment is the choice to delete one segment of a conversation alone. The segments after
// it then become a conversation of their own, as after Hermes's own delete; undoing the
// deletion joins them again.
type segment struct {
	all  []string // ids, root first
	at   int      // the one that is to go, -1 for the whole conversation
	here int      // where the choice begins: the segment at hand, else the newest
}

func newSegment(of shell.Subjects) segment {
	s := segment{at: -1}
	if len(of.Conversations) == 1 {
		s.all = of.Conversations[0].Segments
	}
	if s.here = slices.Index(s.all, of.Segment); s.here < 0 {
		s.here = len(s.all) - 1
	}
	return s
}

// offered reports whether there is anything to choose.
func (s *segment) offered() bool { return len(s.all) > 1 }

// alone reports whether one is to go, and not the whole conversation.
func (s *segment) alone() bool { return s.at >= 0 }

// only returns the id of the one that is to go, "" for the whole conversation.
func (s *segment) only() string {
	if s.alone() {
		return s.all[s.at]
	}
	return ""
}

// turn goes from all to one and back.
func (s *segment) turn() {
	if s.alone() {
		s.at = -1
	} else {
		s.at = s.here
	}
}

// move goes to the segment before or after.
func (s *segment) move(by int) bool {
	to := s.at + by
	if !s.alone() || to < 0 || to >= len(s.all) {
		return false
	}
	s.at, s.here = to, to
	return true
}

// name tells which one is meant, or would be.
func (s *segment) name() string {
	if s.here == len(s.all)-1 {
		return "the newest segment"
	}
	return "segment " + strconv.Itoa(s.here+1) + " of " + strconv.Itoa(len(s.all))
}

// becomes says what becomes of the others. stay are all sessions that lose
// their parent.
func (s *segment) becomes(stay []string) (lines []string) {
	n, k := len(s.all), s.at+1
	span := func(from, to int) string {
		if from == to {
			return "segment " + strconv.Itoa(from)
		}
		return "segments " + strconv.Itoa(from) + " to " + strconv.Itoa(to)
	}
	switch k {
	case 1:
		lines = append(lines, "The conversation will begin with segment 2.")
	case n:
		lines = append(lines, "The conversation will end with segment "+strconv.Itoa(n-1)+"; resume continues from there.")
	default:
		lines = append(lines, "The conversation will be split in two: "+span(1, k-1)+" and "+span(k+1, n)+".")
	}
	branches := len(stay)
	if k < n && slices.Contains(stay, s.all[k]) {
		branches--
	}
	if branches > 0 {
		lines = append(lines, "Its branches stay ("+kit.Plural(branches, "session", "sessions")+").")
	}
	return lines
}
