package search

import (
	"slices"
	"strings"

	"hermes-sessions/store/search/fts"
)

// knownTokenizers are the tokenizers of which it is known what an index made with them
// finds, by the kind of the index.
var knownTokenizers = map[string][]string{
	"messages_fts":         {"", "unicode61", "unicode61 remove_diacritics 1"},
	"messages_fts_trigram": {"trigram", "trigram case_sensitive 0", "trigram remove_diacritics 0", "trigram remove_diacritics 1"},
}

// unknownLayout says what about a full-text table is not known, so that it must not be
// relied on: its tokenizer, or that it does not index the text. It returns "" where the
// table is of a known kind. made is the statement that made it.
func unknownLayout(table, made string) string {
	_, list, _ := strings.Cut(made, "(")
	list = strings.TrimSpace(list)
	tokenizer, texts := "", false
	for _, argument := range fts.SplitArguments(strings.TrimSuffix(list, ")")) {
		name, value, option := strings.Cut(argument, "=")
		switch name = strings.ToLower(strings.TrimSpace(name)); {
		case option && name == "tokenize":
			tokenizer = strings.Join(strings.Fields(strings.Trim(strings.TrimSpace(value), `'"`)), " ")
		case !option && strings.Trim(name, `"'`) == "content":
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
