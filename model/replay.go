package model

// MessageDigest is enough of a stored message to tell whether another is a copy of it.
type MessageDigest struct {
	Role      string
	CallID    string // that a tool result answers
	Content   string // how it begins
	Size      int64  // of the whole, in bytes
	Calls     string // how the tool calls begin
	CallsSize int64
}

// isCopyOf reports whether p is a copy of q. The result of a tool is told by
// its call alone: compression shortens what tools answered.
func (p MessageDigest) isCopyOf(q MessageDigest) bool {
	if p.Role == "tool" && p.CallID != "" {
		return q.Role == "tool" && p.CallID == q.CallID
	}
	return p == q
}

// isSummary reports whether p is a summary of what was compressed.
func (p MessageDigest) isSummary() bool {
	_, _, ok := SplitSummary(p.Content)
	return ok
}

// FindReplays finds the messages that compression copied from one segment into the
// next. It keeps the beginning and the end of a conversation, with a summary
// between: so the copies are those that a segment begins with, first those of
// the beginning of the segment before, then those of its end. head and tail
// are the first and the last messages of that segment, which may overlap, and
// next the first of the new one. The results are how many of next copy head,
// from which on how many copy the end of tail.
func FindReplays(head, tail, next []MessageDigest) (first, from, last int) {
	for first < len(head) && first < len(next) && next[first].isCopyOf(head[first]) {
		first++
	}
	from = first
	for at := first; ; at++ {
		if n := countTailCopies(tail, next[at:]); n > last {
			from, last = at, n
		}
		// Of summaries the first is new; others may be copies themselves.
		if at == len(next) || !next[at].isSummary() {
			if last == 0 {
				from = at
			}
			return first, from, last
		}
	}
}

// countTailCopies gives how many of the last messages next begins with copies of.
func countTailCopies(tail, next []MessageDigest) int {
	for n := min(len(tail), len(next)); n > 0; n-- {
		same := true
		for k, p := range tail[len(tail)-n:] {
			if same = next[k].isCopyOf(p); !same {
				break
			}
		}
		if same {
			return n
		}
	}
	return 0
}
