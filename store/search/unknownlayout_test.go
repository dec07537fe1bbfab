package search

import "testing"

func TestUnknownLayout(t *testing.T) {
	for _, one := range []struct {
		table, made string
		known       bool
	}{
		{"messages_fts", "CREATE VIRTUAL TABLE messages_fts USING fts5(\n    content\n)", true},
		{"messages_fts", "CREATE VIRTUAL TABLE messages_fts USING fts5(content, content=messages, content_rowid=id)", true},
		{"messages_fts", "CREATE VIRTUAL TABLE messages_fts USING fts5(content, tool_name, tool_calls, content='messages', tokenize='unicode61')", true},
		{"messages_fts", "CREATE VIRTUAL TABLE messages_fts USING fts5(content, tokenize='porter unicode61')", false},
		{"messages_fts", "CREATE VIRTUAL TABLE messages_fts USING fts5(content, tokenize = \"unicode61 tokenchars ',-'\")", false},
		{"messages_fts", "CREATE VIRTUAL TABLE messages_fts USING fts5(summary, content='messages')", false},
		{"messages_fts", "CREATE VIRTUAL TABLE messages_fts USING fts5(content UNINDEXED, tool_name)", false},
		{"messages_fts_trigram", "CREATE VIRTUAL TABLE messages_fts_trigram USING fts5(content, tokenize='trigram')", true},
		{"messages_fts_trigram", "CREATE VIRTUAL TABLE messages_fts_trigram USING fts5(content, tokenize='trigram case_sensitive 1')", false},
	} {
		if got := unknownLayout(one.table, one.made); (got == "") != one.known {
			t.Errorf("%s: %q", one.made, got)
		}
	}
}
