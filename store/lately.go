package store

import "sync"

// lately has the passages from which the last search cut its snippets: with one
// letter more, most of them are found again.
type lately struct {
	mu      sync.Mutex
	version int64 // DataVersion; 0 for none
	kept    keeping
}

// keeping is some passages of one moment, by message.
type keeping struct {
	was, now map[int64]passage // of the search before, and of this one
	bytes    int               // of now
}

// mostKept is how many bytes of text are kept, of all passages together.
const mostKept = 1 << 20

// take gives what is kept of a moment. Another search meanwhile finds nothing.
func (l *lately) take(version int64) *keeping {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := keeping{now: map[int64]passage{}}
	if l.version == version && version != 0 {
		p.was = l.kept.now
	}
	l.version, l.kept = 0, keeping{}
	return &p
}

// put keeps what a search has read or found again.
func (l *lately) put(version int64, p *keeping) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.version, l.kept = version, keeping{now: p.now}
}

// again gives a passage if the search before had it.
func (p *keeping) again(id int64) (passage, bool) {
	found, ok := p.was[id]
	if ok {
		p.keep(found)
	}
	return found, ok
}

// keep keeps a passage for the next search, if there is room.
func (p *keeping) keep(it passage) {
	if n := len(it.said) + len(it.calls); p.bytes+n <= mostKept {
		p.now[it.hit.MessageID] = it
		p.bytes += n
	}
}
