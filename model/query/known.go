package query

import "hermes-sessions/model"

// Known is what is known of conversations beside their database, such as how far they were
// read. A filter that asks for it has it as a value ([Resolve]); it does not change.
type Known struct {
	roots map[string]int64 // by root, what is known
}

// NewKnown makes a Known of a value for each root of a conversation.
func NewKnown(roots map[string]int64) *Known { return &Known{roots} }

// Renamed gives the same of the roots that rename gives; those for which it gives "" are
// left out.
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

// AsksKnown reports whether the filter asks for what only a [Known] says.
func (f Filter) AsksKnown() bool {
	return f.Field == FieldIs && f.Value == "new" || f.Field == FieldTag
}

// Resolve gives the filters with what known says for those that ask for it. known may
// give nil: such a filter matches nothing.
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

// holds tests a conversation by what is known of it.
func (f Filter) holds(c *model.Conversation) bool {
	if f.Known == nil {
		return false
	}
	v, ok := f.Known.roots[c.RootID]
	return ok && (f.Field != FieldIs || c.LastActive.UnixMicro() > v) // read until v
}
