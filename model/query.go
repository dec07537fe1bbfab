package model

// Query is what a person typed into the search line, understood. There are no
// errors: whatever was typed means something. The zero value matches all.
type Query struct {
	Text   string  // as typed
	Groups []Group // alternatives (OR); a match satisfies at least one
}

// Group is one alternative: every term of All and no term of None.
type Group struct {
	All  []Term
	None []Term
}

// Term is a word or a phrase to look for.
type Term struct {
	Text   string // as typed, without quotes or star
	Prefix bool   // the last word may go on: a star, or still being typed
}

// Empty reports whether the query asks for nothing.
func (q Query) Empty() bool { return len(q.Groups) == 0 }
