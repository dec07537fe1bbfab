package fts

import "strings"

// parseDDL reads the options of the statement that created the table. Options that may
// change the main index and are not understood are an error.
func (ix *Index) parseDDL(ddl string) error {
	ix.tokenizer.removeDiacritics = 1
	start := strings.IndexByte(ddl, '(')
	end := strings.LastIndexByte(ddl, ')')
	if start < 0 || end < start {
		return ix.unsupported("it was made by an unknown statement")
	}
	for _, arg := range SplitArguments(ddl[start+1 : end]) {
		key, value, option := splitOption(arg)
		if !option {
			continue // a column
		}
		switch key {
		case "content", "content_rowid", "columnsize", "prefix", "contentless_delete":
			// Where the text is stored does not change the main index, and the
			// indexes of prefix= are separate from it.
		case "detail":
			if !strings.EqualFold(value, "full") {
				return ix.unsupported("it was made with detail=%s", value)
			}
		case "tokenize":
			if err := ix.parseTokenize(value); err != nil {
				return err
			}
		default:
			return ix.unsupported("it was made with the option %s", key)
		}
	}
	return nil
}

// parseTokenize reads the tokenize= option.
func (ix *Index) parseTokenize(value string) error {
	words := splitWords(value)
	if len(words) == 0 {
		return ix.unsupported("it names no tokenizer")
	}
	switch strings.ToLower(words[0]) {
	case "unicode61":
	case "trigram":
		ix.tokenizer.trigram, ix.tokenizer.removeDiacritics = true, 0 // its own default
	default:
		return ix.unsupported("its tokenizer is %s", words[0])
	}
	if len(words)%2 == 0 {
		return ix.unsupported("its tokenizer has an option without a value")
	}
	for i := 1; i < len(words); i += 2 {
		name, value := strings.ToLower(words[i]), words[i+1]
		number := -1
		if len(value) == 1 && value[0] >= '0' && value[0] <= '2' {
			number = int(value[0] - '0')
		}
		switch {
		case name == "remove_diacritics" && number >= 0:
			ix.tokenizer.removeDiacritics = number
			if ix.tokenizer.trigram && number > 0 {
				ix.tokenizer.removeDiacritics = 2 // of the trigram tokenizer, 1 means all of them
			}
		case name == "tokenchars" && !ix.tokenizer.trigram:
			ix.tokenizer.tokenchars += value
		case name == "separators" && !ix.tokenizer.trigram:
			ix.tokenizer.separators += value
		case name == "case_sensitive" && ix.tokenizer.trigram && number >= 0 && number < 2:
			ix.tokenizer.caseSensitive = number == 1
		default:
			return ix.unsupported("its tokenizer has the option %s %s", name, value)
		}
	}
	return nil
}

// SplitArguments splits the arguments of CREATE VIRTUAL TABLE at the commas
// outside quotes.
func SplitArguments(s string) (args []string) {
	var quote byte
	from := 0
	for i := range len(s) {
		c := s[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case c == '[':
			quote = ']'
		case c == ',':
			args, from = append(args, s[from:i]), i+1
		}
	}
	return append(args, s[from:])
}

// splitOption splits "key = value" and unquotes the value. ok is false for a
// column.
func splitOption(arg string) (key, value string, ok bool) {
	arg = strings.TrimSpace(arg)
	key, value, ok = strings.Cut(arg, "=")
	key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
	if !ok || strings.ContainsAny(key, "'\"`[ \t\n") {
		return "", "", false
	}
	if n := len(value); n >= 2 && value[0] == value[n-1] && strings.IndexByte(`'"`+"`", value[0]) >= 0 {
		q := value[:1]
		value = strings.ReplaceAll(value[1:n-1], q+q, q)
	}
	return key, value, true
}

// splitWords splits the value of tokenize= at spaces and unquotes its words.
func splitWords(s string) (words []string) {
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		if s[0] != '\'' && s[0] != '"' {
			n := strings.IndexAny(s, " \t\n")
			if n < 0 {
				n = len(s)
			}
			words, s = append(words, s[:n]), s[n:]
			continue
		}
		q := s[0]
		var b strings.Builder
		i := 1
		for ; i < len(s); i++ {
			if s[i] == q {
				if i+1 < len(s) && s[i+1] == q {
					i++
				} else {
					break
				}
			}
			b.WriteByte(s[i])
		}
		words, s = append(words, b.String()), s[min(i+1, len(s)):]
	}
	return words
}
