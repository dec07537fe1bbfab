package snapshot

// Inner names for the tests of package snapshot_test.

// Unmapped is the value of a message that the map does not have.
const Unmapped = unmapped

// Refreshed reports whether a snapshot is an older one that was brought up to date.
func Refreshed(snap *Snapshot) bool { return snap.stale }

// CompareFirstPages is for databases that only the packages above make.
var CompareFirstPages = compareFirstPages
