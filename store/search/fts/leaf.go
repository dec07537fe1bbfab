package fts

// leafPage is a leaf page whose header was checked. See the picture in doc.go.
type leafPage struct {
	content       []byte
	firstRowidPos int    // offset of the first rowid of the doclist that began on an earlier page; 0 for none
	size          int    // szLeaf: where the page index begins
	pageIndex     []byte // the part of the page index that was not read yet
}

// parseLeaf checks the header of a leaf page. ok is false for a damaged one.
func parseLeaf(b []byte) (l leafPage, ok bool) {
	if len(b) < 4 {
		return leafPage{}, false
	}
	l = leafPage{content: b, firstRowidPos: int(b[0])<<8 | int(b[1]), size: int(b[2])<<8 | int(b[3])}
	if l.size < 4 || l.size > len(b) || l.firstRowidPos != 0 && (l.firstRowidPos < 4 || l.firstRowidPos >= l.size) {
		return leafPage{}, false
	}
	l.pageIndex = b[l.size:]
	return l, true
}

// nextTermPos takes the next entry of the page index and returns where that
// term is, given the position of the term before it, 0 for the first. more
// is false at the end of the page index; pos is then the end of the terms.
func (l *leafPage) nextTermPos(last int) (pos int, more, ok bool) {
	if len(l.pageIndex) == 0 {
		return l.size, false, true
	}
	v, n := varint1(l.pageIndex)
	if n == 0 || v > uint64(l.size) {
		return 0, false, false
	}
	l.pageIndex = l.pageIndex[n:]
	pos = last + int(v)
	return pos, true, pos >= 4 && pos > last && pos < l.size
}

// parseTerm decodes the term at a position: how many bytes it shares with the
// term before it, and the position and size of its other bytes. The first term
// of a page shares none.
func (l *leafPage) parseTerm(at int, first bool) (shared, size, pos int, ok bool) {
	b := l.content[:l.size]
	if !first {
		v, n := varint1(b[at:])
		if n == 0 || v > uint64(len(b)) {
			return 0, 0, 0, false
		}
		shared, at = int(v), at+n
	}
	v, n := varint1(b[at:])
	if n == 0 || v > uint64(len(b)-at-n) {
		return 0, 0, 0, false
	}
	return shared, int(v), at + n, true
}

// parseContinuation parses a page on which a doclist continues. It returns where the
// first rowid of that doclist is, 0 for none, and where the doclist ends on this page.
func parseContinuation(b []byte) (l leafPage, firstRowid, end int, ok bool) {
	if l, ok = parseLeaf(b); !ok {
		return l, 0, 0, false
	}
	if end, _, ok = l.nextTermPos(0); !ok {
		return l, 0, 0, false
	}
	if firstRowid = l.firstRowidPos; firstRowid >= end {
		firstRowid = 0
	}
	return l, firstRowid, end, true
}
