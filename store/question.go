package store

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hermes-sessions/model"
	"hermes-sessions/store/ftsindex"
)

// question is what a full-text table is asked, whoever answers it: FTS5 in its
// own language, or the reader of its pages.
type question struct {
	op     string // "" for text, else AND, OR, NOT (the first, none of the others) INSIDE, FIRST or AFTER
	text   string
	prefix bool // the last word may go on
	fits   func(three []byte) bool
	signs  []rune // one of these stands next to the text
	of     []question
}

func quoted(text string, prefix bool) question { return question{text: text, prefix: prefix} }

// inside asks an index of trigrams for a text with another character behind it,
// if the last three together fit, which only the reader of its pages can
// answer. It misses what stands at the very end of a row: of a tool's name or
// its arguments, which end in JSON's brackets.
func inside(text string, fits func(three []byte) bool) question {
	return question{op: "INSIDE", text: text, fits: fits}
}

// first asks an index of trigrams for the rows that begin with a text of up to
// three characters, which only the reader of its pages can answer. It may find
// others, messages that are gone among them.
func first(text string) question { return question{op: "FIRST", text: text} }

// after asks an index of trigrams for a text of two characters or more behind one
// of some, which only the reader of its pages can answer quickly.
func after(characters []rune, text string) question {
	if utf8.RuneCountInString(text) > 2 {
		return question{op: "AFTER", text: text, signs: characters}
	}
	var of []question
	for _, c := range characters {
		of = append(of, quoted(string(c)+text, false))
	}
	return anyOf(of...)
}

func join(op string, of []question) question {
	if op != "NOT" {
		of = once(of)
	}
	if len(of) == 1 {
		return of[0]
	}
	return question{op: op, of: of}
}

// once leaves out texts that are asked for already.
func once(of []question) []question {
	type asked struct {
		text   string
		prefix bool
	}
	seen := make(map[asked]bool, len(of))
	return slices.DeleteFunc(slices.Clone(of), func(q question) bool {
		if q.op != "" {
			return false
		}
		was := seen[asked{q.text, q.prefix}]
		seen[asked{q.text, q.prefix}] = true
		return was
	})
}

func allOf(of ...question) question { return join("AND", of) }
func anyOf(of ...question) question { return join("OR", of) }

// sql spells the question for MATCH, every text in quotes so that nothing in
// it is syntax.
func (q question) sql() string {
	if q.op == "" {
		s := `"` + strings.ReplaceAll(q.text, `"`, `""`) + `"`
		if q.prefix {
			s += " *"
		}
		return s
	}
	parts := make([]string, len(q.of))
	for i, o := range q.of {
		parts[i] = o.sql()
		if o.op != "" {
			parts[i] = "(" + parts[i] + ")"
		}
	}
	if q.op == "NOT" && len(parts) > 2 {
		return parts[0] + " NOT (" + strings.Join(parts[1:], " OR ") + ")"
	}
	return strings.Join(parts, " "+q.op+" ")
}

// expr spells the question for the reader of an index; ok is false where only
// FTS5 can read a text of it.
func (q question) expr(x *ftsindex.Index) (e ftsindex.Expr, ok bool) {
	switch q.op {
	case "":
		return x.Phrase(q.text, q.prefix)
	case "INSIDE":
		return x.Inside(q.text, q.fits)
	case "FIRST":
		return x.First(q.text)
	case "AFTER":
		return x.After(q.signs, q.text)
	}
	of := make([]ftsindex.Expr, len(q.of))
	for i, o := range q.of {
		if of[i], ok = o.expr(x); !ok {
			return e, false
		}
	}
	switch q.op {
	case "AND":
		return ftsindex.And(of...), true
	case "OR":
		return ftsindex.Or(of...), true
	}
	return ftsindex.Not(of[0], of[1:]...), true
}

func conjunction(words []model.Term) question {
	all := make([]question, len(words))
	for i, t := range words {
		all[i] = spoken(t)
	}
	return allOf(all...)
}

// butNot excludes terms. Those with symbols are looked at later: excluding
// every c for the sake of C# would be too much.
func butNot(q question, without []model.Term) question {
	of := []question{q}
	for _, t := range without {
		if !t.Symbols() {
			of = append(of, spoken(t))
		}
	}
	return join("NOT", of)
}

// spoken asks for a term of words, with the form that JSON gives it.
func spoken(t model.Term) question {
	forms := []question{quoted(t.Text, t.Prefix)}
	if lower := strings.ToLower(t.Text); escaped(lower) != lower {
		// FTS5 folds letters, not their escapes.
		r, size := utf8.DecodeRuneInString(lower)
		title := string(unicode.ToTitle(r)) + lower[size:]
		for _, s := range []string{t.Text, lower, title, strings.ToUpper(lower)} {
			form := quoted(escaped(s), t.Prefix)
			if !slices.ContainsFunc(forms, func(f question) bool { return f.text == form.text }) {
				forms = append(forms, form)
			}
		}
	}
	return anyOf(forms...)
}
