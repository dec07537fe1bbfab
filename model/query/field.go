package query

import (
	"time"

	"hermes-sessions/model"
)

// Field is the name of a filter, as typed before the colon.
type Field string

// The fields, each with its row in fieldRows and examples in the package comment.
const (
	FieldSource  Field = "source"
	FieldModel   Field = "model"
	FieldTitle   Field = "title"
	FieldID      Field = "id"
	FieldRole    Field = "role"
	FieldTool    Field = "tool"
	FieldFailed  Field = "failed"
	FieldFile    Field = "file"
	FieldCWD     Field = "cwd"
	FieldBranch  Field = "branch"
	FieldAfter   Field = "after"
	FieldBefore  Field = "before"
	FieldStarted Field = "started"
	FieldMsgs    Field = "msgs"
	FieldTokens  Field = "tokens"
	FieldCost    Field = "cost"
	FieldIs      Field = "is"
	FieldHas     Field = "has"
	FieldProfile Field = "profile"
	FieldTag     Field = "tag"
)

// FieldText is the field of an exclusion that is no part of a search: -docker alone.
// Such a filter is always negated: it keeps the conversations that a search for its
// value does not find. It cannot be typed with a name and is not among [Fields].
const FieldText Field = "text"

// FieldInfo describes a field for help and completion.
type FieldInfo struct {
	Field     Field
	Help      string   // what the filter tests, in a few words
	Values    []string // all valid values, or examples of them
	OpenEnded bool     // Values are only examples
}

// fieldRow is a field with all that the language knows of it.
type fieldRow struct {
	FieldInfo
	one bool // a conversation has one value: filters on it are alternatives

	// parse reports whether a value is valid; while it is typed, it is cut. needs says which are.
	parse func(f *Filter, typing bool) bool
	needs string

	test     func(Filter, asked) conversationTest             // made without the negation
	message  func(f Filter, role string, tools []string) bool // of a filter on messages
	describe func(f Filter, shown string, now time.Time) string
}

type conversationTest = func(*model.Conversation) bool

// asked is what a test is made for.
type asked struct {
	now        time.Time
	hasMessage func(session string, f Filter) bool
}

var days = []string{"today", "yesterday", "7d", "2w", "3mo", "1y"}

// fieldRows are in the order in which the help lists them.
var fieldRows = []fieldRow{
	{
		FieldInfo: FieldInfo{FieldSource, "where it came from: cli, telegram, cron…", nil, true},
		one:       true, parse: parseName, test: nameTest(func(c *model.Conversation) string { return c.Source }),
		describe: prefixed("source "),
	},
	{
		FieldInfo: FieldInfo{FieldModel, "part of the model's name", nil, true},
		one:       true, parse: parsePart, test: partTest(func(c *model.Conversation) string { return c.Model }),
		describe: prefixed("model "),
	},
	{
		FieldInfo: FieldInfo{FieldTitle, "words in the title", nil, true},
		parse:     parseName, test: titleTest, describe: enclosed("titled “", "”"),
	},
	{
		FieldInfo: FieldInfo{FieldID, "the beginning of the ID", nil, true},
		one:       true, parse: parsePart, test: idTest, describe: enclosed("ID ", "…"),
	},
	{
		FieldInfo: FieldInfo{
			FieldRole, "who wrote the message",
			[]string{"user", "assistant", "tool", "system"}, true,
		},
		one: true, parse: parseName, test: messageTest, message: roleMatches, describe: describeRole,
	},
	{
		FieldInfo: FieldInfo{FieldTool, "a tool that was called", nil, true},
		one:       true, parse: parseName, test: messageTest, message: toolMatches, describe: prefixed("tool "),
	},
	{
		FieldInfo: FieldInfo{FieldFailed, "a tool with a failed call", nil, true},
		parse:     parseName, test: messageTest,
		describe: with(func(_, shown string) string { return "failed calls of " + shown }),
	},
	{
		FieldInfo: FieldInfo{FieldFile, "a file that was read or written: go.mod, ui/*.go", nil, true},
		parse:     parseFile, test: messageTest, describe: prefixed("file "),
	},
	{
		FieldInfo: FieldInfo{FieldCWD, "a folder and its subfolders, or part of its name", nil, true},
		one:       true, parse: parsePart, test: folderTest, describe: describeFolder,
	},
	{
		FieldInfo: FieldInfo{FieldBranch, "part of the git branch's name", nil, true},
		one:       true, parse: parsePart, test: partTest(func(c *model.Conversation) string { return c.GitBranch }),
		describe: enclosed("git branch …", "…"),
	},
	{
		FieldInfo: FieldInfo{FieldAfter, "last active on or after this day", days, true},
		parse:     parseDay, needs: "a day: today, yesterday, 7d, 2w, 2026-05, 2026-05-03", test: dayTest,
		describe: describeDay,
	},
	{
		FieldInfo: FieldInfo{FieldBefore, "last active before this day", days, true},
		parse:     parseDay, needs: "a day: today, yesterday, 7d, 2w, 2026-05, 2026-05-03", test: dayTest,
		describe: describeDay,
	},
	{
		FieldInfo: FieldInfo{
			FieldStarted, "a session started in this period: 2026-05, 2026-05-04..2026-05-10",
			[]string{"today", "yesterday", "7d", "2026-05", "2026-05-04..2026-05-10"}, true,
		},
		parse: parsePeriod, needs: "a time: today, 7d, 2026-05, 2026-05-03, 2026-05-04..2026-05-10",
		test: periodTest, describe: describePeriod,
	},
	{
		FieldInfo: FieldInfo{
			FieldMsgs, "number of messages: >50, <10, 10..50",
			[]string{">10", ">50", ">100", "<10"}, true,
		},
		parse: parseNumber, needs: "a number: >100, <10, 10..50, >100k", describe: describeNumber,
		test: numberTest(func(a amount, c *model.Conversation) bool { return a.contains(float64(c.Messages)) }),
	},
	{
		FieldInfo: FieldInfo{
			FieldTokens, "number of tokens: >100k, <2m",
			[]string{">10k", ">100k", ">1m"}, true,
		},
		parse: parseNumber, needs: "a number: >100, <10, 10..50, >100k", describe: describeNumber,
		test: numberTest(func(a amount, c *model.Conversation) bool { return a.contains(float64(c.Total.Tokens())) }),
	},
	{
		FieldInfo: FieldInfo{
			FieldCost, "US dollars: >1, <0.10, unknown",
			[]string{">0.10", ">1", ">10", "unknown"}, true,
		},
		parse: parseNumber, needs: "a dollar amount: >1, <0.10, 1..5, unknown", describe: describeNumber,
		test: numberTest(func(a amount, c *model.Conversation) bool { return a.containsCost(c.Total.Cost) }),
	},
	{
		FieldInfo: FieldInfo{
			FieldIs, "its state or kind",
			[]string{"pinned", "archived", "live", "new", "empty", "untitled", "branch", "sub", "error", "expiring"}, false,
		},
		test: stateTest, describe: describeState,
	},
	{
		FieldInfo: FieldInfo{FieldProfile, "the profile, when several are listed", nil, true},
		one:       true, parse: parseName, test: nameTest(func(c *model.Conversation) string { return c.Profile }),
		describe: prefixed("profile "),
	},
	{
		FieldInfo: FieldInfo{FieldTag, "one of your tags", nil, true},
		parse:     parseName, describe: prefixed("tagged "), // see [Filter.AsksKnown]
	},
	{
		FieldInfo: FieldInfo{
			FieldHas, "what it contains",
			[]string{"tool", "failed", "reasoning", "branch", "sub", "note", "bookmark"}, false,
		},
		test: contentTest, describe: with(func(value, _ string) string { return contents[value] }),
	},
}

// fieldIndex has the positions of fieldRows by their fields.
var fieldIndex = func() map[Field]int {
	at := map[Field]int{}
	for i, r := range fieldRows {
		at[r.Field] = i
	}
	return at
}()

// row returns the row of the filter's field, an empty one for [FieldText].
func (f *Filter) row() *fieldRow {
	if i, ok := fieldIndex[f.Field]; ok {
		return &fieldRows[i]
	}
	return &fieldRow{}
}

// Fields returns all fields, in the order in which the help lists them.
func Fields() []FieldInfo {
	all := make([]FieldInfo, len(fieldRows))
	for i, r := range fieldRows {
		all[i] = r.FieldInfo
	}
	return all
}

func fieldNamed(name string) (FieldInfo, bool) {
	i, ok := fieldIndex[Field(name)]
	if !ok {
		return FieldInfo{}, false
	}
	return fieldRows[i].FieldInfo, true
}

// FieldValue is a value of a field that occurs in a database.
type FieldValue struct {
	Value         string
	Conversations int // number of conversations with this value
}
