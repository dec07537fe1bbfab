package search

import (
	"strings"

	"hermes-sessions/model/query"
	"hermes-sessions/store/internal/db"
	"hermes-sessions/store/internal/sessionroles"
)

// CannotFilter says why a file cannot answer a filter, "" where it can: an old schema
// lacks the column.
func CannotFilter(schema db.Schema, f query.Filter) string {
	missing := func(what string, columns ...string) string {
		for _, c := range columns {
			if table, column, _ := strings.Cut(c, "."); schema.Has(table, column) {
				return ""
			}
		}
		name := string(f.Field) + ":"
		if f.Field == query.FieldIs || f.Field == query.FieldHas {
			name += f.Value
		}
		return name + " matches nothing: this database does not keep " + what
	}
	if f.AsksKnown() && f.Known == nil {
		return string(f.Field) + ":" + f.Value + " matches nothing: notes and what you have read are not kept here"
	}
	switch f.Field {
	case query.FieldModel:
		return missing("models", "sessions.model")
	case query.FieldTitle:
		return missing("titles", "sessions.title")
	case query.FieldCWD:
		return missing("folders", "sessions.cwd")
	case query.FieldBranch:
		return missing("git branches", "sessions.git_branch")
	case query.FieldProfile:
		return missing("the profile of a conversation (--all-profiles lists several)", "sessions.profile_name")
	case query.FieldTool, query.FieldFailed:
		return missing("the names of tools", "messages.tool_name", "messages.tool_calls")
	case query.FieldFile:
		return missing("the arguments of tools", "messages.tool_calls")
	case query.FieldTokens:
		return missing("token counts", "sessions.input_tokens", "sessions.output_tokens")
	case query.FieldCost:
		return missing("costs", "sessions.estimated_cost_usd", "sessions.actual_cost_usd")
	case query.FieldIs:
		switch f.Value {
		case "pinned":
			return missing("pins", "sessions.pinned")
		case "archived":
			return missing("an archive", "sessions.archived", "sessions.hidden")
		}
	case query.FieldHas:
		switch f.Value {
		case "tool":
			return missing("tool calls", "sessions.tool_call_count", "messages.tool_calls", "messages.tool_name")
		case "reasoning":
			return missing("reasoning", append([]string{"sessions.reasoning_tokens"}, sessionroles.ReasoningColumns[:]...)...)
		}
	}
	return ""
}

// filterNeedsMessages reports whether messages must be read to answer a filter.
func filterNeedsMessages(schema db.Schema, f query.Filter) bool {
	return f.OnMessages() || f.Field == query.FieldFailed || f.Field == query.FieldHas &&
		(f.Value == "reasoning" || f.Value == "failed" || f.Value == "tool" && !schema.Has("sessions", "tool_call_count"))
}
