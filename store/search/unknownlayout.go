package search

import (
	"slices"
	"strings"

	"hermes-sessions/store/search/fts"
)

// knownTokenizers are the tokenizers whose indexes this package can rely on, by table.
var knownTokenizers = map[string][]string{
	"messages_fts":         {"", "unicode61", "unicode61 remove_diacritics 1"},
	"messages_fts_trigram": {"trigram", "trigram case_sensitive 0", "trigram remove_diacritics 0", "trigram remove_diacritics 1"},
}

// unknownLayout says why a full-text table must not be relied on: its tokenizer is not known,
// or it does not index the text. It returns "" for a table of a known kind. ddl is the
// statement that created it.
func unknownLayout(table, ddl string) string {
	_, list, _ := strings.Cut(ddl, "(")
	list = strings.TrimSpace(list)
	tokenizer, texts := "", false
	for _, argument := range fts.SplitArguments(strings.TrimSuffix(list, ")")) {
		name, value, option := strings.Cut(argument, "=")
		name = strings.ToLower(strings.TrimSpace(name))
		if option && name == "tokenize" {
			tokenizer = strings.Join(strings.Fields(strings.Trim(strings.TrimSpace(value), `'"`)), " ")
		} else if !option && strings.Trim(name, `"'`) == "content" {
			texts = true
		}
	}
	switch {
	case !slices.Contains(knownTokenizers[table], strings.ToLower(tokenizer)):
		return "its tokenizer is " + tokenizer
	case !texts:
		return "it does not index the text"
	}
	return ""
}
