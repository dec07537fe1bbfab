package query

import (
	"slices"
)

// Field is the name of a filter, as typed before the colon.
type Field string

// The fields, with examples in the package comment.
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

// Fields returns all fields, in the order in which the help lists them.
func Fields() []FieldInfo {
	return []FieldInfo{
		{FieldSource, "where it came from: cli, telegram, cron…", nil, true},
		{FieldModel, "part of the model's name", nil, true},
		{FieldTitle, "words in the title", nil, true},
		{FieldID, "the beginning of the ID", nil, true},
		{FieldRole, "who wrote the message", []string{"user", "assistant", "tool", "system"}, true},
		{FieldTool, "a tool that was called", nil, true},
		{FieldFailed, "a tool with a failed call", nil, true},
		{FieldFile, "a file that was read or written: go.mod, ui/*.go", nil, true},
		{FieldCWD, "a folder and its subfolders, or part of its name", nil, true},
		{FieldBranch, "part of the git branch's name", nil, true},
		{FieldAfter, "last active on or after this day", []string{"today", "yesterday", "7d", "2w", "3mo", "1y"}, true},
		{FieldBefore, "last active before this day", []string{"today", "yesterday", "7d", "2w", "3mo", "1y"}, true},
		{FieldStarted, "a session started in this period: 2026-05, 2026-05-04..2026-05-10", []string{"today", "yesterday", "7d", "2026-05", "2026-05-04..2026-05-10"}, true},
		{FieldMsgs, "number of messages: >50, <10, 10..50", []string{">10", ">50", ">100", "<10"}, true},
		{FieldTokens, "number of tokens: >100k, <2m", []string{">10k", ">100k", ">1m"}, true},
		{FieldCost, "US dollars: >1, <0.10, unknown", []string{">0.10", ">1", ">10", "unknown"}, true},
		{FieldIs, "its state or kind", []string{"pinned", "archived", "live", "new", "empty", "untitled", "branch", "sub", "error", "expiring"}, false},
		{FieldProfile, "the profile, when several are listed", nil, true},
		{FieldTag, "one of your tags", nil, true},
		{FieldHas, "what it contains", []string{"tool", "failed", "reasoning", "branch", "sub", "note", "bookmark"}, false},
	}
}

func fieldNamed(name string) (FieldInfo, bool) {
	fields := Fields()
	i := slices.IndexFunc(fields, func(f FieldInfo) bool { return string(f.Field) == name })
	if i < 0 {
		return FieldInfo{}, false
	}
	return fields[i], true
}

// FieldValue is a value of a field that occurs in a database.
type FieldValue struct {
	Value         string
	Conversations int // number of conversations with this value
}
