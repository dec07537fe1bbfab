package query

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"hermes-sessions/model"
	"hermes-sessions/model/match"
)

// Named is a query that was saved under a name. In a text, @name stands for it.
type Named struct {
	Name  string
	Text  string
	Scope model.Scope // that its conversations are looked for in
	Order *Order      // of its conversations, nil for the usual one
}

// MaxName is the length of the longest name of a query, in characters.
const MaxName = 32

// WhyNoName says why a text cannot be the name of a query, "" where it can.
func WhyNoName(name string) string {
	switch {
	case name == "":
		return "a name is needed"
	case utf8.RuneCountInString(name) > MaxName:
		return "a name has at most 32 characters"
	case strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
	}):
		return "a name has letters, digits, - and _"
	}
	return ""
}

// FindNamed returns the query of a name, nil where there is none.
func FindNamed(all []Named, name string) *Named {
	i := slices.IndexFunc(all, func(n Named) bool { return n.Name == name })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// ParseNamed parses a text as [Parse] does, in which @name stands for a query of that
// name. Words and filters beside it must hold as well. While a name is typed, the
// beginning of one is ignored; a text that is not being typed and begins with a name that
// no query has is read as a word, with a hint.
func ParseNamed(text string, typing bool, all []Named) Query {
	q := Parse(text, typing)
	if !strings.Contains(text, "@") {
		return q
	}
	var used []*Named
	var tokens []Token
	rest := []byte(text)
	for i, t := range q.Tokens {
		name, ok := strings.CutPrefix(text[t.Start:t.End], "@")
		if !ok || t.Kind != TokenWord && t.Kind != TokenIgnored {
			continue
		}
		n := FindNamed(all, name)
		begun := typing && t.End == len(text) && slices.ContainsFunc(all, func(n Named) bool { return strings.HasPrefix(n.Name, name) })
		switch {
		case n != nil:
			if !slices.Contains(used, n) {
				used = append(used, n)
			}
			tokens = append(tokens, Token{Start: t.Start, End: t.End, Kind: TokenNamed})
		case begun:
			tokens = append(tokens, Token{Start: t.Start, End: t.End, Kind: TokenIgnored})
		default:
			if !typing && t.Start == 0 && WhyNoName(name) == "" {
				q.Tokens[i].Hint = "no query is named " + name + ": @" + name + " is searched for as a word"
			}
			continue
		}
		copy(rest[t.Start:t.End], strings.Repeat(" ", t.End-t.Start))
	}
	if len(tokens) == 0 {
		return q
	}
	q = Parse(string(rest), typing)
	for _, n := range used {
		q = q.and(Parse(n.Text, false))
	}
	if len(used) > 0 {
		q.Named = used[0]
	}
	q.Text, q.Tokens = text, append(q.Tokens, tokens...)
	sort.Slice(q.Tokens, func(i, j int) bool { return q.Tokens[i].Start < q.Tokens[j].Start })
	return q
}

// and returns the query of what matches both. A list of exclusions is part of a search
// where the other has terms.
func (q Query) and(o Query) Query {
	switch {
	case len(q.Groups) == 0:
		q.Groups = o.Groups
	case len(o.Groups) > 0:
		q.Groups = conjunction(q.Groups, o.Groups)
		q.Groups = q.Groups[:min(len(q.Groups), maxGroups)]
	}
	filters := q.Filters
	q.Filters = nil
	for _, f := range append(slices.Clone(filters), o.Filters...) {
		switch {
		case f.Field == FieldText && len(q.Groups) > 0:
			q.Groups = conjunction(q.Groups, []match.Group{{Not: []match.Term{f.term()}}})
		case !slices.Contains(q.Filters, f):
			q.Filters = append(q.Filters, f)
		}
	}
	return q
}
