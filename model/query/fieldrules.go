package query

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
)

// parseName takes a name, which a final star makes a beginning.
func parseName(f *Filter, typing bool) bool {
	if short := strings.TrimRight(f.Value, "*"); short != f.Value || typing {
		f.Value, f.Prefix = short, true
	}
	return f.Value != ""
}

// parsePart takes what is always matched by a part.
func parsePart(f *Filter, _ bool) bool {
	f.Value = strings.TrimRight(f.Value, "*")
	return f.Value != ""
}

// parseFile takes a path: the stars of its value are wildcards.
func parseFile(f *Filter, typing bool) bool {
	f.Prefix = typing && !strings.HasSuffix(f.Value, "*")
	return strings.Trim(f.Value, `/\.`) != "" && (!typing || f.Value == "*" || utf8.RuneCountInString(f.Value) > 1)
}

func parseDay(f *Filter, typing bool) bool {
	return f.cutToValid(typing, func(v string) bool { _, ok := parseDate(v); return ok })
}

func parsePeriod(f *Filter, typing bool) bool {
	return f.cutToValid(typing, func(v string) bool { _, ok := parseSpan(v); return ok })
}

func parseNumber(f *Filter, typing bool) bool {
	return f.cutToValid(typing, func(v string) bool { _, ok := parseAmount(f.Field, v); return ok })
}

// nameTest compares a name of a conversation.
func nameTest(of func(*model.Conversation) string) func(Filter, asked) conversationTest {
	return func(f Filter, _ asked) conversationTest {
		matches := memoize(f.Matches)
		return func(c *model.Conversation) bool { return matches(of(c)) }
	}
}

// partTest looks for a part of a text of a conversation.
func partTest(of func(*model.Conversation) string) func(Filter, asked) conversationTest {
	return func(f Filter, _ asked) conversationTest {
		value := foldText(f.Value)
		contains := memoize(func(text string) bool { return text != "" && strings.Contains(foldText(text), value) })
		return func(c *model.Conversation) bool { return contains(of(c)) }
	}
}

func titleTest(f Filter, _ asked) conversationTest {
	m := match.NewMatcher([]match.Group{{All: []match.Term{f.term()}}})
	return func(c *model.Conversation) bool { return c.Title != "" && m.Match(c.Title) }
}

func idTest(f Filter, _ asked) conversationTest {
	value := foldText(f.Value)
	return func(c *model.Conversation) bool {
		return slices.ContainsFunc(c.Segments, func(id string) bool { return strings.HasPrefix(foldText(id), value) })
	}
}

// messageTest asks whether any segment has a message that passes.
func messageTest(f Filter, a asked) conversationTest {
	return func(c *model.Conversation) bool {
		return a.hasMessage != nil && slices.ContainsFunc(c.Segments, func(id string) bool { return a.hasMessage(id, f) })
	}
}

func roleMatches(f Filter, role string, _ []string) bool {
	return f.Matches(role) || role == "assistant" && f.Matches("agent")
}

func toolMatches(f Filter, _ string, tools []string) bool {
	return slices.ContainsFunc(tools, f.Matches)
}

func folderTest(f Filter, a asked) conversationTest {
	folder := func(c *model.Conversation) string { return c.CWD }
	if !isRooted(f.Value) {
		return partTest(folder)(f, a)
	}
	value := foldText(f.Value)
	in := memoize(func(path string) bool { return inFolder(foldText(path), value) })
	return func(c *model.Conversation) bool { return in(folder(c)) }
}

func dayTest(f Filter, a asked) conversationTest {
	d, _ := parseDate(f.Value)
	at, after := d.startTime(a.now), f.Field == FieldAfter
	return func(c *model.Conversation) bool { return c.LastActive.Before(at) != after }
}

func periodTest(f Filter, a asked) conversationTest {
	s, _ := parseSpan(f.Value)
	return s.predicate(a.now)
}

func numberTest(in func(amount, *model.Conversation) bool) func(Filter, asked) conversationTest {
	return func(f Filter, _ asked) conversationTest {
		a, _ := parseAmount(f.Field, f.Value)
		return func(c *model.Conversation) bool { return in(a, c) }
	}
}

func stateTest(f Filter, a asked) conversationTest {
	return func(c *model.Conversation) bool { return hasState(c, f.Value, a.now) }
}

func contentTest(f Filter, a asked) conversationTest {
	said := messageTest(f, a)
	return func(c *model.Conversation) bool {
		switch f.Value {
		case "tool":
			return c.Calls > 0 || said(c)
		case "failed":
			return said(c)
		case "reasoning":
			return c.Total.Reasoning > 0 || said(c)
		case "branch":
			return c.Branches > 0
		}
		return c.Delegates > 0
	}
}

// enclosed describes a value between two texts, after "not" where it is negated.
func enclosed(before, behind string) func(Filter, string, time.Time) string {
	return func(f Filter, shown string, _ time.Time) string { return f.not() + before + shown + behind }
}

func prefixed(text string) func(Filter, string, time.Time) string { return enclosed(text, "") }

// with describes what a conversation has.
func with(what func(value, shown string) string) func(Filter, string, time.Time) string {
	return func(f Filter, shown string, _ time.Time) string {
		if f.Not {
			return "without " + what(f.Value, shown)
		}
		return "with " + what(f.Value, shown)
	}
}

func (f Filter) not() string {
	if f.Not {
		return "not "
	}
	return ""
}

// describeRole names a role as the screens name the speaker.
func describeRole(f Filter, shown string, _ time.Time) string {
	switch f.Value {
	case "user":
		shown = "you"
	case "assistant", "agent":
		shown = "hermes"
	}
	return f.not() + "said by " + shown
}

func describeFolder(f Filter, shown string, _ time.Time) string {
	if isRooted(shown) {
		return f.not() + "in " + shown
	}
	return f.not() + "folder …" + shown + "…"
}

func describeDay(f Filter, _ string, now time.Time) string {
	d, _ := parseDate(f.Value)
	at := d.startTime(now)
	text := at.Format(time.DateOnly)
	if h, m, _ := at.Clock(); h+m > 0 {
		text = at.Format("2006-01-02 15:04")
	}
	if (f.Field == FieldAfter) != f.Not {
		return "active since " + text
	}
	return "not active since " + text
}

func describePeriod(f Filter, _ string, now time.Time) string {
	s, _ := parseSpan(f.Value)
	return f.not() + s.describe(now)
}

func describeNumber(f Filter, _ string, _ time.Time) string {
	a, _ := parseAmount(f.Field, f.Value)
	return f.not() + a.describe(f.Field)
}

func describeState(f Filter, _ string, _ time.Time) string {
	return f.not() + cmp.Or(map[string]string{
		"live": "running now", "new": "with messages that you have not read", "branch": "a branch",
		"sub": "a subagent's work", "error": "ended with an error",
		"expiring": "expiring within " + strconv.Itoa(int(model.ExpiringWindow/(24*time.Hour))) + " days",
	}[f.Value], f.Value)
}

// contents names the values of has:.
var contents = map[string]string{
	"tool": "tool calls", "failed": "failed tool calls", "reasoning": "reasoning", "branch": "branches",
	"sub": "subagents", "note": "notes", "bookmark": "bookmarks",
}
