package query

import (
	"cmp"
	"hermes-sessions/model"
	"hermes-sessions/model/match"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Field is a filter word of the query language, as typed before the colon.
type Field string

// The filter words.
const (
	FieldSource Field = "source"
	FieldModel  Field = "model"
	FieldTitle  Field = "title"
	FieldID     Field = "id"
	FieldRole   Field = "role"
	FieldTool   Field = "tool"
	FieldCWD    Field = "cwd"
	FieldBranch Field = "branch"
	FieldAfter  Field = "after"
	FieldBefore Field = "before"
	FieldMsgs   Field = "msgs"
	FieldTokens Field = "tokens"
	FieldCost   Field = "cost"
	FieldIs     Field = "is"
	FieldHas    Field = "has"
)

// FieldInfo tells people about a filter word.
type FieldInfo struct {
	Field     Field
	Help      string   // what it asks for, in a few words
	Values    []string // all there are, or examples of them
	OpenEnded bool     // there are others than Values
}

// Fields gives all filter words in the order in which they are taught.
func Fields() []FieldInfo {
	return []FieldInfo{
		{FieldSource, "where it was said: cli, telegram, cron…", nil, true},
		{FieldModel, "a part of the model's name", nil, true},
		{FieldTitle, "words of the title", nil, true},
		{FieldID, "the beginning of an id", nil, true},
		{FieldRole, "who said the words", []string{"user", "assistant", "tool", "system"}, true},
		{FieldTool, "the tool that was called", nil, true},
		{FieldCWD, "a folder and those below it, or a part of its name", nil, true},
		{FieldBranch, "a part of the git branch's name", nil, true},
		{FieldAfter, "last active from this day on", []string{"today", "yesterday", "7d", "2w", "3mo", "1y"}, true},
		{FieldBefore, "last active before this day", []string{"today", "yesterday", "7d", "2w", "3mo", "1y"}, true},
		{FieldMsgs, "how many messages: >50, <10, 10..50", []string{">10", ">50", ">100", "<10"}, true},
		{FieldTokens, "how many tokens: >100k, <2m", []string{">10k", ">100k", ">1m"}, true},
		{FieldCost, "US dollars: >1, <0.10, unknown", []string{">0.10", ">1", ">10", "unknown"}, true},
		{FieldIs, "what it is", []string{"pinned", "archived", "live", "empty", "untitled", "branch", "sub", "error"}, false},
		{FieldHas, "what is in it", []string{"tool", "reasoning", "branch", "sub"}, false},
	}
}

// fieldNamed gives the filter word of that name.
func fieldNamed(name string) (FieldInfo, bool) {
	words := Fields()
	i := slices.IndexFunc(words, func(w FieldInfo) bool { return string(w.Field) == name })
	if i < 0 {
		return FieldInfo{}, false
	}
	return words[i], true
}

// Filter is a condition on conversations, or on the messages in which words
// are looked for ([Filter.OnMessages]). Dates are kept as typed, so that
// "today" goes on meaning today.
type Filter struct {
	Field  Field
	Not    bool
	Value  string // as typed, without quotes and star
	Prefix bool   // the value may go on: a star, or still being typed
}

// String prints the filter in the query language.
func (f Filter) String() string {
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

// OnMessages reports whether the filter asks about messages: beside words, it
// is about those that hold the words.
func (f Filter) OnMessages() bool { return f.Field == FieldRole || f.Field == FieldTool }

// newFilter makes a filter of a word and its value. The hint says what a value
// would have to be that can not be understood. While it is typed, the sensible
// beginning of a value stands for it, and ok is false where there is none yet.
func newFilter(word FieldInfo, value string, typing bool) (f Filter, hint string, ok bool) {
	f = Filter{Field: word.Field, Value: value}
	switch word.Field {
	case FieldSource, FieldRole, FieldTool, FieldTitle:
		if short := strings.TrimRight(value, "*"); short != value || typing {
			f.Value, f.Prefix = short, true
		}
		return f, "", f.Value != ""
	case FieldModel, FieldID, FieldCWD, FieldBranch: // these may go on anyway
		f.Value = strings.TrimRight(value, "*")
		return f, "", f.Value != ""
	case FieldAfter, FieldBefore:
		for v := value; v != ""; v = v[:len(v)-1] {
			if _, ok := parseDate(v); ok {
				f.Value = v
				return f, "", true
			}
			if !typing {
				break
			}
		}
		return f, "wants a day: today, yesterday, 7d, 2w, 2026-05, 2026-05-03", false
	case FieldMsgs, FieldTokens, FieldCost:
		for v := value; v != ""; v = v[:len(v)-1] {
			if _, ok := parseAmount(word.Field, v); ok {
				f.Value = v
				return f, "", true
			}
			if !typing {
				break
			}
		}
		if word.Field == FieldCost {
			return f, "wants dollars: >1, <0.10, 1..5, unknown", false
		}
		return f, "wants a number: >100, <10, 10..50, >100k", false
	}
	if slices.Contains(word.Values, value) {
		return f, "", true
	}
	return f, "is one of " + strings.Join(word.Values, ", "), false
}

// Describe says what the filter asks for at a moment, in words: "last active
// since 2026-11-07". Its text comes from the filter's value.
func (f Filter) Describe(now time.Time) string {
	not, v := "", f.Value
	if f.Not {
		not = "not "
	}
	if f.Prefix {
		v += "…"
	}
	switch f.Field {
	case FieldSource, FieldModel:
		return not + string(f.Field) + " " + v
	case FieldTitle:
		return not + "titled “" + v + "”"
	case FieldID:
		return not + "id " + v + "…"
	case FieldRole:
		return not + "said by " + describeRole(f.Value, v)
	case FieldTool:
		return not + "tool " + v
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
	case FieldMsgs, FieldTokens, FieldCost:
		a, _ := parseAmount(f.Field, f.Value)
		return not + a.describe(f.Field)
	case FieldIs:
		return not + cmp.Or(map[string]string{
			"live": "running now", "branch": "a branch", "sub": "a subagent's work", "error": "ended by an error",
		}[f.Value], f.Value)
	}
	with := "with "
	if f.Not {
		with = "without "
	}
	return with + map[string]string{"tool": "tool calls", "reasoning": "reasoning", "branch": "branches", "sub": "subagents"}[f.Value]
}

// describeRole gives the shown name of a role.
func describeRole(value, shown string) string {
	if value == "assistant" || value == "agent" {
		return "the agent"
	}
	return shown
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

// FieldValue is a value that a filter word has in a database.
type FieldValue struct {
	Value         string
	Conversations int // that have it
}
