package query

import (
	"slices"
	"strings"
	"time"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
)

// Predicate gives the judgement of filters over conversations at a moment. lacks
// says that the database has nothing that could answer a filter: it then
// matches nothing. said tells whether any message of a session is by a role or
// a tool; nil leaves filters on messages out. The judgement is for one
// goroutine.
func Predicate(fs []Filter, now time.Time, lacks func(Filter) bool, said func(session string, f Filter) bool) func(*model.Conversation) bool {
	judges := make([]func(*model.Conversation) bool, len(fs)) // nil for what does not count
	for i, f := range fs {
		f.Not = false
		switch {
		case said == nil && f.OnMessages():
		case lacks(f):
			judges[i] = func(*model.Conversation) bool { return false }
		default:
			judges[i] = f.predicate(now, said)
		}
	}
	return func(c *model.Conversation) bool {
		return combineVerdicts(fs, func(i int) (bool, bool) { return judges[i] != nil && judges[i](c), judges[i] != nil })
	}
}

// predicate gives the test of one filter that is not negated.
func (f Filter) predicate(now time.Time, said func(string, Filter) bool) func(*model.Conversation) bool {
	value := foldText(f.Value)
	holds := memoize(func(text string) bool { return text != "" && strings.Contains(foldText(text), value) })
	anySaid := func(c *model.Conversation) bool {
		return said != nil && slices.ContainsFunc(c.Segments, func(id string) bool { return said(id, f) })
	}
	switch f.Field {
	case FieldSource:
		is := memoize(f.matchesName)
		return func(c *model.Conversation) bool { return is(c.Source) }
	case FieldModel:
		return func(c *model.Conversation) bool { return holds(c.Model) }
	case FieldTitle:
		m := match.NewMatcher([]match.Group{{All: []match.Term{{Text: f.Value, Prefix: f.Prefix}}}})
		return func(c *model.Conversation) bool { return c.Title != "" && m.Match(c.Title) }
	case FieldID:
		return func(c *model.Conversation) bool {
			return slices.ContainsFunc(c.Segments, func(id string) bool { return strings.HasPrefix(foldText(id), value) })
		}
	case FieldRole, FieldTool:
		return anySaid
	case FieldCWD:
		if isRooted(f.Value) {
			in := memoize(func(path string) bool { return inFolder(foldText(path), value) })
			return func(c *model.Conversation) bool { return in(c.CWD) }
		}
		return func(c *model.Conversation) bool { return holds(c.CWD) }
	case FieldBranch:
		return func(c *model.Conversation) bool { return holds(c.GitBranch) }
	case FieldAfter, FieldBefore:
		d, _ := parseDate(f.Value)
		at, after := d.startTime(now), f.Field == FieldAfter
		return func(c *model.Conversation) bool { return c.LastActive.Before(at) != after }
	case FieldMsgs, FieldTokens, FieldCost:
		a, _ := parseAmount(f.Field, f.Value)
		return func(c *model.Conversation) bool {
			switch f.Field {
			case FieldMsgs:
				return a.contains(float64(c.Messages))
			case FieldTokens:
				return a.contains(float64(c.Total.Tokens()))
			}
			return a.containsCost(c.Total.Cost)
		}
	case FieldHas:
		return func(c *model.Conversation) bool {
			switch f.Value {
			case "tool":
				return c.Calls > 0 || anySaid(c)
			case "reasoning":
				return c.Total.Reasoning > 0 || anySaid(c)
			case "branch":
				return c.Branches > 0
			}
			return c.Delegates > 0
		}
	}
	return func(c *model.Conversation) bool { return hasState(c, f.Value, now) }
}

// MessagePasses reports whether a message of a role and of these tools passes the
// filters on messages.
func MessagePasses(fs []Filter, role string, tools []string) bool {
	return combineVerdicts(fs, func(i int) (bool, bool) {
		f := fs[i]
		switch f.Field {
		case FieldRole:
			return f.matchesName(role) || role == "assistant" && f.matchesName("agent"), true
		case FieldTool:
			return slices.ContainsFunc(tools, f.matchesName), true
		}
		return false, false
	})
}

// combineVerdicts judges by filters: none that is negated may be true. Of several for
// what there can only be one of, such as a source, one must be, of the others
// all. judge says of the filter at a position whether it is true and whether it
// counts at all.
func combineVerdicts(fs []Filter, judge func(i int) (is, counts bool)) bool {
	var asked, had uint // bits of fields
	for i := range fs {
		is, counts := judge(i)
		either := fs[i].alternativeBit()
		switch {
		case !counts:
		case fs[i].Not && is, !fs[i].Not && !is && either == 0:
			return false
		case !fs[i].Not:
			asked |= either
			if is {
				had |= either
			}
		}
	}
	return asked == had
}

// alternativeBit gives a bit of its own to each field several filters of which mean any
// of them, 0 to the others.
func (f *Filter) alternativeBit() uint {
	switch f.Field {
	case FieldSource:
		return 1
	case FieldModel:
		return 2
	case FieldID:
		return 4
	case FieldRole:
		return 8
	case FieldTool:
		return 16
	case FieldCWD:
		return 32
	case FieldBranch:
		return 64
	}
	return 0
}

// matchesName reports whether a name is the filter's value, or begins with it.
func (f Filter) matchesName(name string) bool {
	name, value := foldText(name), foldText(f.Value)
	return name == value || f.Prefix && strings.HasPrefix(name, value)
}

// foldText gives a text in the form in which texts are compared.
func foldText(s string) string { return strings.Map(match.Fold, s) }

// memoize keeps the answers about texts that many share.
func memoize(f func(string) bool) func(string) bool {
	known := map[string]bool{}
	return func(text string) bool {
		is, ok := known[text]
		if !ok {
			is = f(text)
			known[text] = is
		}
		return is
	}
}

// hasState answers the filter is: with a value.
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
	case "untitled":
		return c.Title == ""
	case "branch":
		return c.Link == model.LinkBranch
	case "sub":
		return c.Link == model.LinkDelegate || c.Scope == model.ScopeSubagents
	}
	return model.StateOf(c, "", now) == model.StateFailed
}

// isRooted reports whether a folder is given from its beginning, and not by a
// part of its name.
func isRooted(path string) bool {
	return strings.HasPrefix(path, "/") || path == "~" || strings.HasPrefix(path, "~/") || strings.HasPrefix(path, `~\`) ||
		len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
}

// inFolder reports whether a path is a folder or below it, both folded. Whose
// home ~ is, the database does not tell: it is anybody's.
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

// cutHome cuts the home folder off a folded path.
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
