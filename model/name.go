package model

// NameKind says by what a name identifies sessions.
type NameKind int

// The kinds, in the order in which they are tried.
const (
	NameUnknown NameKind = iota // no session has the name; those given are similar
	NameID                      // the id, or its beginning
	NameSeries                  // the newest of a series of titles, "name #…"
	NameTitle                   // the whole title, in any case
	NamePart                    // a part of the title
)

// Whole reports whether a name was meant as one, and not as a part of a title or a guess.
func (k NameKind) Whole() bool { return k == NameID || k == NameSeries || k == NameTitle }

// NamedSession is a session that a name may mean.
type NamedSession struct{ ID, Title string }

// NameMatch says which sessions a name may mean. One session is the one that is
// meant, unless By is NameUnknown; several make the name ambiguous.
type NameMatch struct {
	By       NameKind
	Sessions []NamedSession // newest first, those of NameUnknown most similar first
}
