package fts

import (
	"fmt"
	"strings"
)

// UnsupportedError says that an index is of a kind that this package does not read,
// or is not what it should be. FTS5 itself may still be able to answer.
type UnsupportedError struct {
	Table  string
	Reason string
}

func (e *UnsupportedError) Error() string { return e.Table + ": " + e.Reason }

func (x *Index) unsupported(format string, args ...any) error {
	return &UnsupportedError{Table: x.table, Reason: fmt.Sprintf(format, args...)}
}

// corrupt is what every rule that a page breaks is reported as.
func (x *Index) corrupt(format string, args ...any) error {
	return x.unsupported("its pages can not be read: "+format, args...)
}

// parseDDL takes what it needs from the statement that made the table.
func (x *Index) parseDDL(ddl string) error {
	x.tokenizer.removeDiacritics = 1
	start := strings.IndexByte(ddl, '(')
	end := strings.LastIndexByte(ddl, ')')
	if start < 0 || end < start {
		return x.unsupported("it was made by an unknown statement")
	}
	for _, arg := range splitArguments(ddl[start+1 : end]) {
		key, value, option := splitOption(arg)
		if !option {
			continue // a column
		}
		switch key {
		case "content", "content_rowid", "columnsize", "prefix", "contentless_delete":
			// Where the text is kept does not change how it is indexed, and
			// what else is there stands apart from the main index.
		case "detail":
			if !strings.EqualFold(value, "full") {
				return x.unsupported("it was made with detail=%s", value)
			}
		case "tokenize":
			if err := x.parseTokenize(value); err != nil {
				return err
			}
		default:
			return x.unsupported("it was made with the option %s", key)
		}
	}
	if x.tokenizer.trigram && !x.diacriticsSet {
		x.tokenizer.removeDiacritics = 0
	}
	return nil
}

func (x *Index) parseTokenize(value string) error {
	words := dequote(value)
	if len(words) == 0 {
		return x.unsupported("it names no tokenizer")
	}
	switch strings.ToLower(words[0]) {
	case "unicode61":
	case "trigram":
		x.tokenizer.trigram = true
	default:
		return x.unsupported("its tokenizer is %s", words[0])
	}
	if len(words)%2 == 0 {
		return x.unsupported("its tokenizer has an option without a value")
	}
	for i := 1; i < len(words); i += 2 {
		name, value := strings.ToLower(words[i]), words[i+1]
		number := -1
		if len(value) == 1 && value[0] >= '0' && value[0] <= '2' {
			number = int(value[0] - '0')
		}
		switch {
		case name == "remove_diacritics" && number >= 0:
			x.tokenizer.removeDiacritics, x.diacriticsSet = number, true
			if x.tokenizer.trigram && number > 0 {
				x.tokenizer.removeDiacritics = 2 // there, 1 means all of them
			}
		case name == "tokenchars" && !x.tokenizer.trigram:
			x.tokenizer.tokenchars += value
		case name == "separators" && !x.tokenizer.trigram:
			x.tokenizer.separators += value
		case name == "case_sensitive" && x.tokenizer.trigram && number >= 0 && number < 2:
			x.tokenizer.caseSensitive = number == 1
		default:
			return x.unsupported("its tokenizer has the option %s %s", name, value)
		}
	}
	return nil
}

// splitArguments parts the arguments of a statement at the commas outside quotes.
func splitArguments(s string) (args []string) {
	var quote byte
	from := 0
	for i := range len(s) {
		switch c := s[i]; {
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

// splitOption parts "key = value"; the value loses its quotes.
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

// dequote parts words at spaces; single quotes hold one together.
func dequote(s string) (words []string) {
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
