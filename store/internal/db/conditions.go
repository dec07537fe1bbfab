package db

// ColumnOrNull names a column of a table under its alias, or NULL where the file
// does not have it.
func (s Schema) ColumnOrNull(table, alias, column string) string {
	if !s.Has(table, column) {
		return "NULL"
	}
	return alias + "." + Quote(column)
}

// VisibleRows is the condition for a message to be in the transcript
// (store/README.md#hidden-rows).
func (s Schema) VisibleRows(alias string) string {
	return s.ActiveRows(alias) + s.AndNotHidden(alias) + " AND " + alias + ".role <> 'session_meta'"
}

// ActiveRows is the condition for a message not to be rewound or compacted away.
func (s Schema) ActiveRows(alias string) string {
	if !s.Has("messages", "active") {
		return "1"
	}
	return "coalesce(" + alias + ".active, 1) = 1"
}

// NotRewoundRows is the condition for a message not to be rewound: it is active, or
// archived by in-place compaction, but not rewound.
func (s Schema) NotRewoundRows(alias string) string {
	if !s.Has("messages", "active") || !s.Has("messages", "compacted") {
		return s.ActiveRows(alias)
	}
	return "(coalesce(" + alias + ".active, 1) = 1 OR " + alias + ".compacted = 1)"
}

// AndNotHidden is the rest of a condition, with its AND, that leaves out messages
// that Hermes hides from people; "" where the file cannot mark them.
func (s Schema) AndNotHidden(alias string) string {
	if !s.Has("messages", "display_kind") {
		return ""
	}
	return " AND coalesce(" + alias + ".display_kind, '') <> 'hidden'"
}

// ToolCallsOf is the condition for a message to call tools. It reads only the header of
// the row: the texts before the calls may be long.
func (s Schema) ToolCallsOf(alias string) string {
	return "coalesce(octet_length(" + s.ColumnOrNull("messages", alias, "tool_calls") + ") > 2, 0)"
}

// NotIndexedCondition is the condition for a message m to have no row in a
// full-text table.
func NotIndexedCondition(table string) string {
	return "NOT EXISTS (SELECT 1 FROM " + table + "_docsize d WHERE d.id = m.id)"
}

// NoModelCalls is the condition for a row of sessions to have made no call of a
// model; always true where the file does not count them.
func (s Schema) NoModelCalls() string {
	if !s.Has("sessions", "api_call_count") {
		return "1"
	}
	return "coalesce(api_call_count, 0) = 0"
}
