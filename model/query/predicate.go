package query

import (
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
)

// Predicate compiles filters to a test of conversations, with relative dates
// resolved at now. lacks reports that the database has no data for a filter; such
// a filter matches nothing. hasMessage reports whether a session has a message that
// passes a filter on messages; with nil, these filters are ignored. The test
// caches results and must not be used by several goroutines at once.
func Predicate(fs []Filter, now time.Time, lacks func(Filter) bool, hasMessage func(session string, f Filter) bool) func(*model.Conversation) bool {
	tests := make([]func(*model.Conversation) bool, len(fs)) // nil for a filter that is ignored
	for i, f := range fs {
		f.Not = false
		switch {
		case hasMessage == nil && f.OnMessages():
		case lacks(f):
			tests[i] = func(*model.Conversation) bool { return false }
		default:
			tests[i] = f.predicate(asked{now, hasMessage})
		}
	}
	return func(c *model.Conversation) bool {
		return combineVerdicts(fs, func(i int) (bool, bool) { return tests[i] != nil && tests[i](c), tests[i] != nil })
	}
}

// predicate returns the test of one filter, without its negation.
func (f Filter) predicate(a asked) conversationTest {
	switch {
	case f.AsksKnown():
		return f.matchesKnown
	case f.Field == FieldText: // a search answers it, see [ListOptions.ExcludedTerms]
		return func(*model.Conversation) bool { return false }
	}
	return f.row().test(f, a)
}

// MessagePasses reports whether a message with this role and these tools passes
// the filters on messages. Other filters are ignored.
func MessagePasses(fs []Filter, role string, tools []string) bool {
	return combineVerdicts(fs, func(i int) (bool, bool) {
		passes := fs[i].row().message
		return passes != nil && passes(fs[i], role, tools), passes != nil
	})
}

// combineVerdicts combines the results of single filters. No negated filter may
// match. Of the filters on one single-valued field, such as source, at least one
// must match; all other filters must match. verdict gives, for the filter at a
// position, whether it matches and whether it applies at all.
func combineVerdicts(fs []Filter, verdict func(i int) (matches, applies bool)) bool {
	var wanted, matched uint // bits of single-valued fields
	for i := range fs {
		matches, applies := verdict(i)
		bit := fs[i].alternativeBit()
		switch {
		case !applies:
		case fs[i].Not && matches, !fs[i].Not && !matches && bit == 0:
			return false
		case !fs[i].Not:
			wanted |= bit
			if matches {
				matched |= bit
			}
		}
	}
	return wanted == matched
}

// alternativeBit returns one bit per single-valued field, whose filters are
// alternatives of each other, and 0 for the other fields.
func (f *Filter) alternativeBit() uint {
	if i, ok := fieldIndex[f.Field]; ok && fieldRows[i].one {
		return 1 << i
	}
	return 0
}

// Matches reports whether a name equals the filter's value, or starts with it
// if the filter matches prefixes. Case and diacritics are folded.
func (f Filter) Matches(name string) bool {
	name, value := foldText(name), foldText(f.Value)
	return name == value || f.Prefix && strings.HasPrefix(name, value)
}

// foldText folds case and diacritics.
func foldText(s string) string { return strings.Map(match.Fold, s) }

// memoize caches the results of f: few sources, models and folders are shared by
// many conversations.
func memoize(f func(string) bool) func(string) bool {
	cache := map[string]bool{}
	return func(text string) bool {
		result, ok := cache[text]
		if !ok {
			result = f(text)
			cache[text] = result
		}
		return result
	}
}

// hasState tests the filter is: with a value.
func hasState(c *model.Conversation, value string, now time.Time) bool {
	switch value {
	case "pinned":
		return c.Pinned
	case "archived":
		return c.Scope == model.ScopeArchived
	case "live":
		return model.StateOf(c, "", now) == model.StateRunning
	case "empty":
		return c.Messages == 0
	case "expiring":
		return c.Expiring(now)
	case "untitled":
		return c.Title == ""
	case "branch":
		return c.Link == model.LinkBranch
	case "sub":
		return c.Link == model.LinkDelegate || c.Scope == model.ScopeSubagents
	}
	return model.StateOf(c, "", now) == model.StateFailed
}

// isRooted reports whether a value of cwd: is a path from the root, the home
// folder or a drive, and not a part of a name.
func isRooted(path string) bool {
	return strings.HasPrefix(path, "/") || path == "~" || strings.HasPrefix(path, "~/") || strings.HasPrefix(path, `~\`) ||
		len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
}

// inFolder reports whether a path is a folder or below it; both are case-folded.
// The database does not say whose home folder ~ is, so ~ matches that of any user.
func inFolder(path, folder string) bool {
	if rest, ok := strings.CutPrefix(folder, "~"); ok {
		if strings.HasPrefix(path, "~") {
			path = path[1:]
		} else if path, ok = cutHome(path); !ok {
			return false
		}
		folder = rest
		if folder == "" {
			return true
		}
	}
	folder = strings.TrimRight(folder, `/\`)
	rest, ok := strings.CutPrefix(path, folder)
	return ok && path != "" && (rest == "" || rest[0] == '/' || rest[0] == '\\')
}

// cutHome removes the home folder from the front of a case-folded path.
func cutHome(path string) (string, bool) {
	for _, homes := range []string{"/home/", "/users/", `c:\users\`} {
		if rest, ok := strings.CutPrefix(path, homes); ok {
			if i := strings.IndexAny(rest, `/\`); i >= 0 {
				return rest[i:], true
			}
			return "", true
		}
	}
	rest, ok := strings.CutPrefix(path, "/root")
	return rest, ok && (rest == "" || rest[0] == '/')
}
