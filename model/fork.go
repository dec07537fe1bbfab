package model

// Fork is the place where a session left the one above it, or went on from it.
type Fork struct {
	Parent         string // the session above
	LastShared     int64  // the last message there that it knew, 0 for none
	Position       int    // where that stands in the parent's conversation as it is read, from 1
	ParentMessages int    // messages of the parent's conversation
	CopiedMessages int    // messages of the parent that it begins with
	FirstOwn       int64  // its first own message, 0 while it has none
}
