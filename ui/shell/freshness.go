package shell

import "time"

// Freshness tells a screen when to read again because another process has changed the
// database, which the list polls for.
type Freshness struct {
	version int64         // of the database, when it was last read; 0 for not known
	askedAt time.Time     // when it was asked last
	took    time.Duration // by the last answer
}

// NewFreshness begins with the version of the database that is read first, 0 if unknown.
func NewFreshness(version int64) Freshness { return Freshness{version: version} }

// Asked notes that a request was made.
func (f *Freshness) Asked(now time.Time) { f.askedAt = now }

// Answered notes how long the request took.
func (f *Freshness) Answered(now time.Time) { f.took = now.Sub(f.askedAt) }

// Outdated takes a version of the database and reports whether to read again. Beside a busy
// writer the pause grows with the cost of a read. Where no version was known, the first one
// may be newer than what was read.
func (f *Freshness) Outdated(msg Polled, settled bool, now time.Time) bool {
	if msg.Err != nil || !settled || msg.Version == f.version || now.Sub(f.askedAt) < RefreshPause*f.took {
		return false
	}
	f.version = msg.Version
	return true
}
