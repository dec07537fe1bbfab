package model

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"
)

// FilterField is a filter word of the query language, as typed before the colon.
type FilterField string

// The filter words.
const (
	FilterSource FilterField = "source"
	FilterModel  FilterField = "model"
	FilterTitle  FilterField = "title"
	FilterID     FilterField = "id"
	FilterRole   FilterField = "role"
	FilterTool   FilterField = "tool"
	FilterCWD    FilterField = "cwd"
	FilterBranch FilterField = "branch"
	FilterAfter  FilterField = "after"
	FilterBefore FilterField = "before"
	FilterMsgs   FilterField = "msgs"
	FilterTokens FilterField = "tokens"
	FilterCost   FilterField = "cost"
	FilterIs     FilterField = "is"
	FilterHas    FilterField = "has"
)

// FilterWord tells people about a filter word.
type FilterWord struct {
	Field  FilterField
	Help   string   // what it asks for, in a few words
	Values []string // all there are, or examples of them
	Open   bool     // there are others than Values
}

// FilterWords gives all filter words in the order in which they are taught.
func FilterWords() []FilterWord {
	return []FilterWord{
		{FilterSource, "where it was said: cli, telegram, cron…", nil, true},
		{FilterModel, "a part of the model's name", nil, true},
		{FilterTitle, "words of the title", nil, true},
		{FilterID, "the beginning of an id", nil, true},
		{FilterRole, "who said the words", []string{"user", "assistant", "tool", "system"}, true},
		{FilterTool, "the tool that was called", nil, true},
		{FilterCWD, "a folder and those below it, or a part of its name", nil, true},
		{FilterBranch, "a part of the git branch's name", nil, true},
		{FilterAfter, "last active from this day on", []string{"today", "yesterday", "7d", "2w", "3mo", "1y"}, true},
		{FilterBefore, "last active before this day", []string{"today", "yesterday", "7d", "2w", "3mo", "1y"}, true},
		{FilterMsgs, "how many messages: >50, <10, 10..50", []string{">10", ">50", ">100", "<10"}, true},
		{FilterTokens, "how many tokens: >100k, <2m", []string{">10k", ">100k", ">1m"}, true},
		{FilterCost, "US dollars: >1, <0.10, unknown", []string{">0.10", ">1", ">10", "unknown"}, true},
		{FilterIs, "what it is", []string{"pinned", "archived", "live", "empty", "untitled", "branch", "sub", "error"}, false},
		{FilterHas, "what is in it", []string{"tool", "reasoning", "branch", "sub"}, false},
	}
}

// wordOf gives the filter word of that name.
func wordOf(name string) (FilterWord, bool) {
	words := FilterWords()
	i := slices.IndexFunc(words, func(w FilterWord) bool { return string(w.Field) == name })
	if i < 0 {
		return FilterWord{}, false
	}
	return words[i], true
}

// Filter is a condition on conversations, or on the messages in which words
// are looked for ([Filter.OfMessages]). Dates are kept as typed, so that
// "today" goes on meaning today.
type Filter struct {
	Field  FilterField
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

// OfMessages reports whether the filter asks about messages: beside words, it
// is about those that hold the words.
func (f Filter) OfMessages() bool { return f.Field == FilterRole || f.Field == FilterTool }

// newFilter makes a filter of a word and its value. The hint says what a value
// would have to be that can not be understood. While it is typed, the sensible
// beginning of a value stands for it, and ok is false where there is none yet.
func newFilter(word FilterWord, value string, typing bool) (f Filter, hint string, ok bool) {
	f = Filter{Field: word.Field, Value: value}
	switch word.Field {
	case FilterSource, FilterRole, FilterTool, FilterTitle:
		if short := strings.TrimRight(value, "*"); short != value || typing {
			f.Value, f.Prefix = short, true
		}
		return f, "", f.Value != ""
	case FilterModel, FilterID, FilterCWD, FilterBranch: // these may go on anyway
		f.Value = strings.TrimRight(value, "*")
		return f, "", f.Value != ""
	case FilterAfter, FilterBefore:
		for v := value; v != ""; v = v[:len(v)-1] {
			if _, ok := parseDay(v); ok {
				f.Value = v
				return f, "", true
			}
			if !typing {
				break
			}
		}
		return f, "wants a day: today, yesterday, 7d, 2w, 2026-05, 2026-05-03", false
	case FilterMsgs, FilterTokens, FilterCost:
		for v := value; v != ""; v = v[:len(v)-1] {
			if _, ok := parseAmount(word.Field, v); ok {
				f.Value = v
				return f, "", true
			}
			if !typing {
				break
			}
		}
		if word.Field == FilterCost {
			return f, "wants dollars: >1, <0.10, 1..5, unknown", false
		}
		return f, "wants a number: >100, <10, 10..50, >100k", false
	}
	if slices.Contains(word.Values, value) {
		return f, "", true
	}
	return f, "is one of " + strings.Join(word.Values, ", "), false
}

// Meaning says what the filter asks for at a moment, in words: "last active
// since 2026-11-07". Its text comes from the filter's value.
func (f Filter) Meaning(now time.Time) string {
	not, v := "", f.Value
	if f.Not {
		not = "not "
	}
	if f.Prefix {
		v += "…"
	}
	switch f.Field {
	case FilterSource, FilterModel:
		return not + string(f.Field) + " " + v
	case FilterTitle:
		return not + "titled “" + v + "”"
	case FilterID:
		return not + "id " + v + "…"
	case FilterRole:
		return not + "said by " + roleNamed(f.Value, v)
	case FilterTool:
		return not + "tool " + v
	case FilterCWD:
		if rooted(v) {
			return not + "in " + v
		}
		return not + "folder …" + v + "…"
	case FilterBranch:
		return not + "git branch …" + v + "…"
	case FilterAfter, FilterBefore:
		d, _ := parseDay(f.Value)
		since := (f.Field == FilterAfter) != f.Not
		at := d.begin(now)
		text := at.Format(time.DateOnly)
		if h, m, _ := at.Clock(); h+m > 0 {
			text = at.Format("2006-01-02 15:04")
		}
		if since {
			return "active since " + text
		}
		return "not active since " + text
	case FilterMsgs, FilterTokens, FilterCost:
		a, _ := parseAmount(f.Field, f.Value)
		return not + a.text(f.Field)
	case FilterIs:
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

// roleNamed gives the shown name of a role.
func roleNamed(value, shown string) string {
	if value == "assistant" || value == "agent" {
		return "the agent"
	}
	return shown
}

// Only reports whether a message of a role and of these tools passes the
// filters on messages.
func Only(fs []Filter, role string, tools []string) bool {
	return passes(fs, func(i int) (bool, bool) {
		f := fs[i]
		switch f.Field {
		case FilterRole:
			return f.names(role) || role == "assistant" && f.names("agent"), true
		case FilterTool:
			return slices.ContainsFunc(tools, f.names), true
		}
		return false, false
	})
}

// passes judges by filters: none that is negated may be true. Of several for
// what there can only be one of, such as a source, one must be, of the others
// all. judge says of the filter at a position whether it is true and whether it
// counts at all.
func passes(fs []Filter, judge func(i int) (is, counts bool)) bool {
	var asked, had uint // bits of fields
	for i := range fs {
		is, counts := judge(i)
		either := fs[i].either()
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

// either gives a bit of its own to each field several filters of which mean any
// of them, 0 to the others.
func (f *Filter) either() uint {
	switch f.Field {
	case FilterSource:
		return 1
	case FilterModel:
		return 2
	case FilterID:
		return 4
	case FilterRole:
		return 8
	case FilterTool:
		return 16
	case FilterCWD:
		return 32
	case FilterBranch:
		return 64
	}
	return 0
}

// names reports whether a name is the filter's value, or begins with it.
func (f Filter) names(name string) bool {
	name, value := folded(name), folded(f.Value)
	return name == value || f.Prefix && strings.HasPrefix(name, value)
}

// folded gives a text in the form in which texts are compared.
func folded(s string) string { return strings.Map(fold, s) }

// Keep gives the judgement of filters over conversations at a moment. lacks
// says that the database has nothing that could answer a filter: it then
// matches nothing. said tells whether any message of a session is by a role or
// a tool; nil leaves filters on messages out. The judgement is for one
// goroutine.
func Keep(fs []Filter, now time.Time, lacks func(Filter) bool, said func(session string, f Filter) bool) func(*Conversation) bool {
	judges := make([]func(*Conversation) bool, len(fs)) // nil for what does not count
	for i, f := range fs {
		f.Not = false
		switch {
		case said == nil && f.OfMessages():
		case lacks(f):
			judges[i] = func(*Conversation) bool { return false }
		default:
			judges[i] = f.judge(now, said)
		}
	}
	return func(c *Conversation) bool {
		return passes(fs, func(i int) (bool, bool) { return judges[i] != nil && judges[i](c), judges[i] != nil })
	}
}

// judge gives the test of one filter that is not negated.
func (f Filter) judge(now time.Time, said func(string, Filter) bool) func(*Conversation) bool {
	value := folded(f.Value)
	holds := remembering(func(text string) bool { return text != "" && strings.Contains(folded(text), value) })
	anySaid := func(c *Conversation) bool {
		return said != nil && slices.ContainsFunc(c.Segments, func(id string) bool { return said(id, f) })
	}
	switch f.Field {
	case FilterSource:
		is := remembering(f.names)
		return func(c *Conversation) bool { return is(c.Source) }
	case FilterModel:
		return func(c *Conversation) bool { return holds(c.Model) }
	case FilterTitle:
		m := NewMatcher([]Group{{All: []Term{{Text: f.Value, Prefix: f.Prefix}}}})
		return func(c *Conversation) bool { return c.Title != "" && m.Match(c.Title) }
	case FilterID:
		return func(c *Conversation) bool {
			return slices.ContainsFunc(c.Segments, func(id string) bool { return strings.HasPrefix(folded(id), value) })
		}
	case FilterRole, FilterTool:
		return anySaid
	case FilterCWD:
		if rooted(f.Value) {
			in := remembering(func(path string) bool { return within(folded(path), value) })
			return func(c *Conversation) bool { return in(c.CWD) }
		}
		return func(c *Conversation) bool { return holds(c.CWD) }
	case FilterBranch:
		return func(c *Conversation) bool { return holds(c.GitBranch) }
	case FilterAfter, FilterBefore:
		d, _ := parseDay(f.Value)
		at, after := d.begin(now), f.Field == FilterAfter
		return func(c *Conversation) bool { return c.LastActive.Before(at) != after }
	case FilterMsgs, FilterTokens, FilterCost:
		a, _ := parseAmount(f.Field, f.Value)
		return func(c *Conversation) bool {
			switch f.Field {
			case FilterMsgs:
				return a.has(float64(c.Messages))
			case FilterTokens:
				return a.has(float64(c.Total.Tokens()))
			}
			return a.costs(c.Total.Cost)
		}
	case FilterHas:
		return func(c *Conversation) bool {
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
	return func(c *Conversation) bool { return hasState(c, f.Value, now) }
}

// remembering keeps the answers about texts that many share.
func remembering(f func(string) bool) func(string) bool {
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
func hasState(c *Conversation, value string, now time.Time) bool {
	switch value {
	case "pinned":
		return c.Pinned
	case "archived":
		return c.Scope == Archived
	case "live":
		return StateOf(c, "", now) == Running
	case "empty":
		return c.Messages == 0
	case "untitled":
		return c.Title == ""
	case "branch":
		return c.Link == LinkBranch
	case "sub":
		return c.Link == LinkDelegate || c.Scope == Subagents
	}
	return StateOf(c, "", now) == Failed
}

// rooted reports whether a folder is given from its beginning, and not by a
// part of its name.
func rooted(path string) bool {
	return strings.HasPrefix(path, "/") || path == "~" || strings.HasPrefix(path, "~/") || strings.HasPrefix(path, `~\`) ||
		len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
}

// within reports whether a path is a folder or below it, both folded. Whose
// home ~ is, the database does not tell: it is anybody's.
func within(path, folder string) bool {
	if rest, ok := strings.CutPrefix(folder, "~"); ok {
		if strings.HasPrefix(path, "~") {
			path = path[1:]
		} else if path, ok = belowHome(path); !ok {
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

// belowHome cuts the home folder off a folded path.
func belowHome(path string) (string, bool) {
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

// Value is a value that a filter word has in a database.
type Value struct {
	Text          string
	Conversations int // that have it
}
