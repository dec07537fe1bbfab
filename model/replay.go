package model

// MessageDigest is the part of a stored message that is compared to find copies.
type MessageDigest struct {
	Role      string
	CallID    string // of a tool result: the id of its call
	Content   string // the beginning
	Size      int64  // of the whole content, in bytes
	Calls     string // the beginning of the tool calls
	CallsSize int64  // of all tool calls, in bytes
}

// isCopyOf reports whether d is a copy of q. Tool results are compared by the id of
// the call alone, because compression shortens them.
func (d MessageDigest) isCopyOf(q MessageDigest) bool {
	if d.Role == "tool" && d.CallID != "" {
		return q.Role == "tool" && d.CallID == q.CallID
	}
	return d == q
}

// isSummary reports whether the message is the summary that compression writes.
func (d MessageDigest) isSummary() bool {
	_, _, ok := SplitSummary(d.Content)
	return ok
}

// FindReplays finds the messages that compression copied from one segment into the
// next. Compression keeps the beginning and the end of a segment and puts a summary
// between them:
//
//	old segment:  head … … … … tail
//	new segment:  head summary tail, new messages
//
// head and tail are the first and last messages of the old segment, which may
// overlap; next are the first messages of the new one. The copies in next are
// next[:first], which repeat head, and next[from:from+last], which repeat the end
// of tail.
func FindReplays(head, tail, next []MessageDigest) (first, from, last int) {
	for first < len(head) && first < len(next) && next[first].isCopyOf(head[first]) {
		first++
	}
	from = first
	for at := first; ; at++ {
		if n := countTailCopies(tail, next[at:]); n > last {
			from, last = at, n
		}
		// The first summary is new; the ones after it may be copies themselves.
		if at == len(next) || !next[at].isSummary() {
			if last == 0 {
				from = at
			}
			return first, from, last
		}
	}
}

// countTailCopies returns the largest n for which next begins with copies of the last
// n messages of tail.
func countTailCopies(tail, next []MessageDigest) int {
	for n := min(len(tail), len(next)); n > 0; n-- {
		same := true
		for k, d := range tail[len(tail)-n:] {
			if same = next[k].isCopyOf(d); !same {
				break
			}
		}
		if same {
			return n
		}
	}
	return 0
}
