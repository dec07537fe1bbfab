package snapshot

// What the tests outside of the package see of its inside.

// Unmapped is what is said of a message whose session is not known.
const Unmapped = unmapped

// Refreshed reports whether a snapshot is an older one that was brought up to date.
func Refreshed(c *Snapshot) bool { return c.stale }

// CompareFirstPages is for databases that only the packages above make.
var CompareFirstPages = compareFirstPages
