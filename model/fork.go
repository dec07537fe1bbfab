package model

// Fork is the point in the parent at which a branch or a delegate started, or a
// segment continued.
type Fork struct {
	Parent         string // id of the parent
	LastShared     int64  // id of the parent's last message before the fork, 0 for none
	Position       int    // number of that message in the parent's conversation, from 1; 0 if it is not visible there
	ParentMessages int    // messages of the parent's conversation
	CopiedMessages int    // messages copied from the parent at the start of the session
	FirstOwn       int64  // id of the first message that is not a copy, 0 for none
}
