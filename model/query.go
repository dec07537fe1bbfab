package model

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Query is what a person typed into the search line, understood. There are no
// errors: whatever was typed means something. The zero value matches all.
type Query struct {
	Text   string  // as typed
	Groups []Group // alternatives (OR); a match satisfies at least one
}

// Group is one alternative: every term of All and no term of None. All is
// never empty.
type Group struct {
	All  []Term
	None []Term
}

// Term is a word or a phrase to look for.
//
// Its words must follow one another as FTS5's tokenizer sees them; symbols
// before the first and after the last (.env, C#, --flag) must stand there too,
// symbols between words only part them. A term without words (🚀), or in a
// script without spaces, is looked for anywhere in the text.
type Term struct {
	Text   string // as typed, without quotes, star and sentence punctuation
	Prefix bool   // the last word may go on: a star, or still being typed
}

// Empty reports whether the query asks for nothing.
func (q Query) Empty() bool { return len(q.Groups) == 0 }

// Terms gives the terms to mark in what was found, each once.
func (q Query) Terms() []Term {
	var ts []Term
	for _, g := range q.Groups {
		for _, t := range g.All {
			if !slices.Contains(ts, t) {
				ts = append(ts, t)
			}
		}
	}
	return ts
}

// String prints how the query was understood, in the query language: parsed
// again, it gives the same groups.
func (q Query) String() string {
	var b strings.Builder
	for i, g := range q.Groups {
		if i > 0 {
			b.WriteString(" OR ")
		}
		for j, t := range g.All {
			if j > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(t.String())
		}
		for _, t := range g.None {
			b.WriteString(" -" + t.String())
		}
	}
	return b.String()
}

// String prints the term in the query language.
func (t Term) String() string {
	s := t.Text
	plain := trimWord(s) == s && operator(s) == term && (s[0] != '-' || strings.HasPrefix(s, "--")) && !strings.ContainsFunc(s, unicode.IsSpace)
	if !plain {
		s = `"` + s + `"`
	}
	if t.Prefix {
		s += "*"
	}
	return s
}

// What is longer or has more parts than anybody types is a paste: its
// beginning is looked for. The limits keep a query within what FTS5 parses.
const (
	maxQuery  = 2048 // bytes
	maxTerms  = 48
	maxGroups = 32
)

type operation int

const (
	term operation = iota
	and
	or
	not
)

// item is a piece of the typed text.
type item struct {
	op    operation
	term  Term
	minus bool // -word
	weak  bool // only punctuation: noise beside words
}

// ParseQuery understands what was typed: words (all must match), "phrases" (an
// open quote ends with the text), -word, prefix*, and AND, OR and NOT in upper
// case with FTS5's precedence: words that stand together bind most, then NOT,
// AND, OR. typing says that the last word may not be finished. There is no
// invalid input: an operator without its word is passed over, a query of
// nothing but operators, minuses or punctuation looks for these themselves.
func ParseQuery(text string, typing bool) Query {
	items := lex(text, typing)
	if !slices.ContainsFunc(items, func(it item) bool { return it.op == term && !it.minus && !it.weak }) {
		items = literal(items)
	}
	items = slices.DeleteFunc(items, func(it item) bool { return it.weak })
	return Query{Text: text, Groups: alternatives(items)}
}

// lex splits text into terms and operators.
func lex(text string, typing bool) []item {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || invisible(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, " "))
	if len(text) > maxQuery {
		text = strings.ToValidUTF8(text[:maxQuery], "")
	}
	var items []item
	terms := 0
	for {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		if text == "" || terms == maxTerms {
			return items
		}
		var it item
		rest := text
		if rest[0] == '-' && len(rest) > 1 && rest[1] != '-' && rest[1] != '>' {
			it.minus, rest = true, rest[1:]
		}
		if rest[0] == '"' {
			s, after, closed := strings.Cut(rest[1:], `"`)
			it.term = Term{Text: strings.TrimSpace(s), Prefix: typing && !closed && !it.minus}
			if strings.HasPrefix(after, "*") {
				it.term.Prefix, after = true, strings.TrimLeft(after, "*")
			}
			text = after
			if it.term.Text == "" {
				continue
			}
		} else {
			end := strings.IndexFunc(rest, func(r rune) bool { return unicode.IsSpace(r) || r == '"' })
			if end < 0 {
				end = len(rest)
			}
			word, last := rest[:end], end == len(rest)
			text = rest[end:]
			it.op = operator(word)
			it.term = Term{Text: trimWord(word), Prefix: typing && last}
			if strings.HasSuffix(word, "*") {
				it.term.Prefix = true
			}
			switch {
			case it.minus && (it.op != term || it.term.Text == ""): // "-", "-OR": a dash
				it = item{term: Term{Text: "-" + word}, weak: it.op == term}
			case it.minus && last && typing:
				it.term.Prefix = strings.HasSuffix(word, "*") // excluding all that begins so would flicker
			case it.op != term:
				it.term = Term{Text: word, Prefix: it.term.Prefix}
			case it.term.Text == "":
				if strings.Trim(word, "*") == "" || typing && last && word == "-" {
					continue // a star or a minus on its way to a word
				}
				it.term, it.weak = Term{Text: strings.ReplaceAll(word, "*", "")}, true
			}
		}
		if f := it.term.form(); f.anywhere || f.trail != "" {
			it.term.Prefix = false // no word to go on
		}
		if it.op == term {
			terms++
		}
		items = append(items, it)
	}
}

// invisible reports whether r is a mark that a paste brings along and nobody
// means: zero-width spaces and direction marks. The joiners of emoji are not.
func invisible(r rune) bool {
	switch {
	case r == 0xfeff, r == 0x200b, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x2069:
		return true
	}
	return false
}

func operator(word string) operation {
	switch word {
	case "AND":
		return and
	case "OR":
		return or
	case "NOT":
		return not
	}
	return term
}

// trimWord takes away the punctuation of sentences, brackets and quotes around
// a word and leaves symbols that are part of what is meant: .env, C#, $HOME,
// --flag, 100%, ~/x. It gives "" for nothing but ASCII or Unicode punctuation.
func trimWord(w string) string {
	const around = "\"'`,;:!?()[]{}<>|=*^_“”„‘’«»‹›…、。，．；：！？（）「」『』【】《》〈〉・¿¡"
	w = strings.TrimLeft(w, around)
	w = strings.TrimRight(w, around+`./\`)
	if !strings.ContainsFunc(w, func(r rune) bool { return isWord(r) || r >= utf8.RuneSelf && !unicode.IsPunct(r) }) {
		return ""
	}
	return w
}

// literal makes text of items that hold no word to look for: there is nothing
// to exclude from or to combine.
func literal(items []item) []item {
	terms := slices.ContainsFunc(items, func(it item) bool { return it.op == term })
	var out []item
	for _, it := range items {
		if it.op != term && terms {
			continue
		}
		if it.minus {
			it.term.Text = "-" + it.term.Text
		}
		out = append(out, item{term: it.term})
	}
	return out
}

// alternatives combines the items into groups.
func alternatives(items []item) []Group {
	isOp := func(it item) bool { return it.op != term }
	for len(items) > 0 && isOp(items[0]) {
		items = items[1:]
	}
	for len(items) > 0 && isOp(items[len(items)-1]) {
		items = items[:len(items)-1]
	}
	var any []Group // OR
	var all []Group // AND
	op, first := or, true
	for i := 0; i < len(items); {
		end := i
		list := Group{}
		for ; end < len(items) && !isOp(items[end]); end++ {
			if it := items[end]; it.minus {
				list.None = addTerm(list.None, it.term)
			} else {
				list.All = addTerm(list.All, it.term)
			}
		}
		switch {
		case first:
			all = []Group{list}
		case op == or:
			any = append(any, all...)
			all = []Group{list}
		case op == and:
			all = both(all, []Group{list})
		case op == not:
			all = both(all, negated(list))
		}
		first, op = false, and
		for ; end < len(items) && isOp(items[end]); end++ {
			op = max(op, items[end].op) // of several operators NOT says most, then OR
		}
		i = end
	}
	any = append(any, all...)
	out := any[:0]
	for _, g := range any {
		same := func(o Group) bool { return slices.Equal(o.All, g.All) && slices.Equal(o.None, g.None) }
		if len(g.All) > 0 && len(out) < maxGroups && !slices.ContainsFunc(out, same) {
			out = append(out, g)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// both gives every combination of two sets of alternatives.
func both(a, b []Group) []Group {
	var out []Group
	for _, x := range a {
		for _, y := range b {
			if len(out) == 4*maxGroups {
				return out
			}
			g := Group{All: slices.Clone(x.All), None: slices.Clone(x.None)}
			for _, t := range y.All {
				g.All = addTerm(g.All, t)
			}
			for _, t := range y.None {
				g.None = addTerm(g.None, t)
			}
			out = append(out, g)
		}
	}
	return out
}

// negated gives what is not g.
func negated(g Group) []Group {
	var out []Group
	for _, t := range g.All {
		out = append(out, Group{None: []Term{t}})
	}
	for _, t := range g.None {
		out = append(out, Group{All: []Term{t}})
	}
	return out
}

func addTerm(ts []Term, t Term) []Term {
	if slices.Contains(ts, t) {
		return ts
	}
	return append(ts, t)
}
