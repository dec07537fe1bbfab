package query

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"hermes-sessions/model/match"
)

// Filter is a condition on conversations or on messages ([Filter.OnMessages]). A
// relative date is stored as typed, so that "today" is resolved each time the
// filter is applied.
type Filter struct {
	Field  Field
	Not    bool
	Value  string // as typed, without quotes and the final star
	Prefix bool   // matches any continuation of Value: a final star, or still being typed
	Known  *Known // of a filter that [Filter.AsksKnown]; nil before [Resolve]
}

// String returns the filter in the syntax of the query language.
func (f Filter) String() string {
	if f.Field == FieldText {
		return "-" + formatExcluded(f.term())
	}
	s := f.Value
	if strings.ContainsFunc(s, unicode.IsSpace) || strings.HasSuffix(s, "*") {
		s = `"` + s + `"`
	}
	if f.Prefix {
		s += "*"
	}
	if f.Not {
		return "-" + string(f.Field) + ":" + s
	}
	return string(f.Field) + ":" + s
}

func (f Filter) term() match.Term { return match.Term{Text: f.Value, Prefix: f.Prefix} }

// OnMessages reports whether the filter tests messages (role: and tool:). In a
// query with search terms, the message that contains the terms must pass it.
func (f Filter) OnMessages() bool { return f.row().message != nil }

// newFilter makes a filter of a field and a value. If the value is not valid, ok
// is false and hint says which values are. While the value is being typed, its
// longest valid prefix is used.
func newFilter(info FieldInfo, value string, typing bool) (f Filter, hint string, ok bool) {
	f = Filter{Field: info.Field, Value: value}
	row := f.row()
	switch {
	case row.parse == nil && slices.Contains(info.Values, value), row.parse != nil && row.parse(&f, typing):
		return f, "", true
	case row.parse == nil:
		return f, "needs one of " + strings.Join(info.Values, ", "), false
	case row.needs == "":
		return f, "", false
	}
	return f, "needs " + row.needs, false
}

// cutToValid reports whether the value is valid. While it is being typed, it is cut to its
// longest valid beginning; without one it stays.
func (f *Filter) cutToValid(typing bool, valid func(string) bool) bool {
	for v := f.Value; v != ""; v = v[:len(v)-1] {
		if valid(v) {
			f.Value = v
			return true
		}
		if !typing {
			break
		}
	}
	return false
}

// Describe returns the condition in words: "active since 2026-11-07". Relative dates
// are resolved at now. The result contains the value as typed.
func (f Filter) Describe(now time.Time) string {
	v := f.Value
	if f.Prefix {
		v += "…"
	}
	if f.Field == FieldText {
		return "without " + v
	}
	return f.row().describe(f, v, now)
}
