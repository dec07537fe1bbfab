package upkeep

import (
	"strings"
	"testing"

	"hermes-sessions/store/internal/db"
)

// Storage 2 and 3 are recognized by the version in state_meta, or by their tables.
func TestFTSLayoutNames(t *testing.T) {
	t.Parallel()
	const external = "CREATE VIRTUAL TABLE messages_fts USING fts5(content, tool_name, tool_calls, content='messages', content_rowid='id')"
	for _, c := range []struct{ words, trigrams, stated, want string }{
		{"CREATE VIRTUAL TABLE messages_fts USING fts5(content)", "", "", "inline"},
		{"CREATE VIRTUAL TABLE messages_fts USING fts5( content, content=messages, content_rowid=id )", "", "", "external"},
		{external, "fts5(content, tool_name, tool_calls, content='v')", "", "storage 1"},
		{external, "fts5(content, tool_name, content='v')", "", "storage 2"},
		{external, "fts5(content, tool_name, content='v')", "3", "storage 3"},
		{strings.Replace(external, "'messages'", "'messages_fts_src'", 1), "", "", "storage 3"},
	} {
		d := db.New("")
		d.Schema = db.Schema{Tables: map[string]string{"messages_fts": c.words, "messages_fts_trigram": c.trigrams}}
		if got := (&Upkeep{db: d}).ftsLayout(c.stated); got != c.want {
			t.Errorf("%s: %q, want %q", c.words, got, c.want)
		}
	}
}

// What is looked up of a text ends with a whole word, and holds plain ASCII alone.
func TestWholeWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                       "",
		"one":                    "one",
		"one two, three":         "one two, three",
		"one two three four fiv": "one two three four",
		"one two thr\nee":        "one two",
		"one na\u00efve":         "one",
		"*** ###":                "",
		"ABCDEFGHIJKLMNOPQRSTUV": "",
	} {
		if got := wholeWords(text, 22); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
