package query

import "hermes-sessions/model"

// Known is what is known of conversations that their database does not store: how far they
// were read, or which have a tag or a note. [Resolve] gives it to the filters that ask for it. It does
// not change.
type Known struct {
	roots map[string]int64 // by the root of a conversation
}

// NewKnown makes a Known of a value for each root of a conversation: the time until which it
// was read, in microseconds since 1970; for what is noted any value.
func NewKnown(roots map[string]int64) *Known { return &Known{roots} }

// Renamed returns a Known with the ids of roots that rename gives for those of k. Roots for
// which rename gives "" are left out.
func (k *Known) Renamed(rename func(root string) string) *Known {
	if k == nil {
		return nil
	}
	roots := make(map[string]int64, len(k.roots))
	for root, v := range k.roots {
		if root = rename(root); root != "" {
			roots[root] = v
		}
	}
	return &Known{roots}
}

// Missing counts the roots of k for which exists is false.
func (k *Known) Missing(exists func(root string) bool) (n int) {
	if k == nil {
		return 0
	}
	for root := range k.roots {
		if !exists(root) {
			n++
		}
	}
	return n
}

// AsksKnown reports whether the filter needs a [Known]: is:new does, and those on notes.
func (f Filter) AsksKnown() bool {
	return f.Field == FieldIs && f.Value == "new" || f.OnNotes()
}

// OnNotes reports whether the filter tests what the user has noted: tag:, has:note and
// has:bookmark.
func (f Filter) OnNotes() bool {
	return f.Field == FieldTag || f.Field == FieldHas && (f.Value == "note" || f.Value == "bookmark")
}

// Resolve returns a copy of filters in which those that need a [Known] have the one that known
// gives; with nil such a filter matches nothing.
func Resolve(fs []Filter, known func(Filter) *Known) []Filter {
	var out []Filter
	for i, f := range fs {
		if !f.AsksKnown() {
			continue
		}
		if out == nil {
			out = append(out, fs...)
		}
		out[i].Known = known(f)
	}
	if out == nil {
		return fs
	}
	return out
}

// matchesKnown reports whether a conversation passes a filter that needs a [Known].
func (f Filter) matchesKnown(c *model.Conversation) bool {
	if f.Known == nil {
		return false
	}
	v, ok := f.Known.roots[c.RootID]
	return ok && (f.Field != FieldIs || c.LastActive.UnixMicro() > v) // read until v
}
