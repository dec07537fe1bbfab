package query

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"hermes-sessions/model"
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
func (f Filter) OnMessages() bool { return f.Field == FieldRole || f.Field == FieldTool }

// newFilter makes a filter of a field and a value. If the value is not valid, ok
// is false and hint says which values are. While the value is being typed, its
// longest valid prefix is used.
func newFilter(info FieldInfo, value string, typing bool) (f Filter, hint string, ok bool) {
	f = Filter{Field: info.Field, Value: value}
	switch info.Field {
	case FieldFile: // the stars of its value are wildcards
		f.Prefix = typing && !strings.HasSuffix(value, "*")
		return f, "", strings.Trim(value, `/\.`) != "" && (!typing || value == "*" || utf8.RuneCountInString(value) > 1)
	case FieldSource, FieldRole, FieldTool, FieldFailed, FieldTitle, FieldProfile, FieldTag:
		if short := strings.TrimRight(value, "*"); short != value || typing {
			f.Value, f.Prefix = short, true
		}
		return f, "", f.Value != ""
	case FieldModel, FieldID, FieldCWD, FieldBranch: // always matched by a part
		f.Value = strings.TrimRight(value, "*")
		return f, "", f.Value != ""
	case FieldAfter, FieldBefore:
		if f.cutToValid(typing, func(v string) bool { _, ok := parseDate(v); return ok }) {
			return f, "", true
		}
		return f, "needs a day: today, yesterday, 7d, 2w, 2026-05, 2026-05-03", false
	case FieldStarted:
		if f.cutToValid(typing, func(v string) bool { _, ok := parseSpan(v); return ok }) {
			return f, "", true
		}
		return f, "needs a time: today, 7d, 2026-05, 2026-05-03, 2026-05-04..2026-05-10", false
	case FieldMsgs, FieldTokens, FieldCost:
		if f.cutToValid(typing, func(v string) bool { _, ok := parseAmount(info.Field, v); return ok }) {
			return f, "", true
		}
		if info.Field == FieldCost {
			return f, "needs a dollar amount: >1, <0.10, 1..5, unknown", false
		}
		return f, "needs a number: >100, <10, 10..50, >100k", false
	}
	if slices.Contains(info.Values, value) {
		return f, "", true
	}
	return f, "needs one of " + strings.Join(info.Values, ", "), false
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
	not, v := "", f.Value
	if f.Not {
		not = "not "
	}
	if f.Prefix {
		v += "…"
	}
	switch f.Field {
	case FieldText:
		return "without " + v
	case FieldSource, FieldModel, FieldProfile:
		return not + string(f.Field) + " " + v
	case FieldTag:
		return not + "tagged " + v
	case FieldTitle:
		return not + "titled “" + v + "”"
	case FieldID:
		return not + "ID " + v + "…"
	case FieldRole:
		return not + "said by " + describeRole(f.Value, v)
	case FieldTool:
		return not + "tool " + v
	case FieldFailed:
		if f.Not {
			return "without failed calls of " + v
		}
		return "with failed calls of " + v
	case FieldFile:
		return not + "file " + v
	case FieldCWD:
		if isRooted(v) {
			return not + "in " + v
		}
		return not + "folder …" + v + "…"
	case FieldBranch:
		return not + "git branch …" + v + "…"
	case FieldAfter, FieldBefore:
		d, _ := parseDate(f.Value)
		since := (f.Field == FieldAfter) != f.Not
		at := d.startTime(now)
		text := at.Format(time.DateOnly)
		if h, m, _ := at.Clock(); h+m > 0 {
			text = at.Format("2006-01-02 15:04")
		}
		if since {
			return "active since " + text
		}
		return "not active since " + text
	case FieldStarted:
		s, _ := parseSpan(f.Value)
		return not + s.describe(now)
	case FieldMsgs, FieldTokens, FieldCost:
		a, _ := parseAmount(f.Field, f.Value)
		return not + a.describe(f.Field)
	case FieldIs:
		return not + cmp.Or(map[string]string{
			"live": "running now", "new": "with messages that you have not read", "branch": "a branch", "sub": "a subagent's work", "error": "ended with an error",
			"expiring": "expiring within " + strconv.Itoa(int(model.ExpiringWindow/(24*time.Hour))) + " days",
		}[f.Value], f.Value)
	}
	with := "with "
	if f.Not {
		with = "without "
	}
	return with + map[string]string{"tool": "tool calls", "failed": "failed tool calls", "reasoning": "reasoning", "branch": "branches", "sub": "subagents", "note": "notes", "bookmark": "bookmarks"}[f.Value]
}

// describeRole names a role as the screens name the speaker.
func describeRole(value, shown string) string {
	switch value {
	case "user":
		return "you"
	case "assistant", "agent":
		return "hermes"
	}
	return shown
}
