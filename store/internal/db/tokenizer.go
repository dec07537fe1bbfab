package db

import (
	"slices"
	"strings"
)

// knownTokenizers are the tokenizers of which it is known what an index made with them
// finds, by the kind of the index.
var knownTokenizers = map[string][]string{
	"messages_fts":         {"", "unicode61", "unicode61 remove_diacritics 1"},
	"messages_fts_trigram": {"trigram", "trigram case_sensitive 0", "trigram remove_diacritics 0", "trigram remove_diacritics 1"},
}

// UnknownLayout says what about a full-text table is not known, so that it must not be
// relied on: its tokenizer, or that it does not index the text. It returns "" where the
// table is of a known kind. made is the statement that made it.
func UnknownLayout(table, made string) string {
	_, list, _ := strings.Cut(made, "(")
	list = strings.TrimSpace(list)
	tokenizer, texts := "", false
	for _, argument := range splitArguments(strings.TrimSuffix(list, ")")) {
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

// splitArguments splits the arguments of a virtual table at the commas outside of quotes.
func splitArguments(list string) (arguments []string) {
	quote, begin := byte(0), 0
	for i := range len(list) {
		switch c := list[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case c == ',':
			arguments, begin = append(arguments, list[begin:i]), i+1
		}
	}
	return append(arguments, list[begin:])
}
