package query

import (
	"slices"

	"hermes-sessions/model/match"
)

// Parse parses what was typed by the grammar in the package comment.
// typing says that the last word may not be finished. There is no invalid
// input: an operator without its word is passed over, a query of nothing but
// operators, minuses or punctuation looks for these themselves, and what only
// looks like a filter is text.
func Parse(text string, typing bool) Query {
	l := lexer{typing: typing, query: Query{Text: text}}
	l.lex(blankIllegible(text))
	items := l.operands
	if !slices.ContainsFunc(items, func(it operand) bool { return it.operator == noOperator && !it.excluded && !it.punctuation }) {
		for _, it := range items {
			if p := &l.query.Tokens[it.token]; it.excluded && p.Kind == TokenExcluded {
				p.Kind = TokenWord
				p.Hint = "there is nothing to leave it out of: " + text[p.Start:p.End] + " is looked for as it stands"
			}
		}
		items = asLiterals(items)
	}
	items = slices.DeleteFunc(items, func(it operand) bool { return it.punctuation })
	l.query.Groups = combine(items)
	return l.query
}

// asLiterals makes text of items that hold no word to look for: there is nothing
// to exclude from or to combine.
func asLiterals(items []operand) []operand {
	terms := slices.ContainsFunc(items, func(it operand) bool { return it.operator == noOperator })
	var out []operand
	for _, it := range items {
		if it.operator != noOperator && terms {
			continue
		}
		if it.excluded {
			it.term.Text = "-" + it.term.Text
		}
		out = append(out, operand{term: it.term})
	}
	return out
}

// combine combines the items into groups.
func combine(items []operand) []match.Group {
	isOp := func(it operand) bool { return it.operator != noOperator }
	for len(items) > 0 && isOp(items[0]) {
		items = items[1:]
	}
	for len(items) > 0 && isOp(items[len(items)-1]) {
		items = items[:len(items)-1]
	}
	var any []match.Group // OR
	var all []match.Group // AND
	op, first := opOr, true
	for i := 0; i < len(items); {
		end := i
		list := match.Group{}
		for ; end < len(items) && !isOp(items[end]); end++ {
			if it := items[end]; it.excluded {
				list.Not = addTerm(list.Not, it.term)
			} else {
				list.All = addTerm(list.All, it.term)
			}
		}
		switch {
		case first:
			all = []match.Group{list}
		case op == opOr:
			any = append(any, all...)
			all = []match.Group{list}
		case op == opAnd:
			all = conjunction(all, []match.Group{list})
		case op == opNot:
			all = conjunction(all, negation(list))
		}
		first, op = false, opAnd
		for ; end < len(items) && isOp(items[end]); end++ {
			op = max(op, items[end].operator) // of several operators NOT says most, then OR
		}
		i = end
	}
	any = append(any, all...)
	out := any[:0]
	for _, g := range any {
		same := func(o match.Group) bool { return slices.Equal(o.All, g.All) && slices.Equal(o.Not, g.Not) }
		if len(g.All) > 0 && len(out) < maxGroups && !slices.ContainsFunc(out, same) {
			out = append(out, g)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// conjunction gives every combination of two sets of alternatives.
func conjunction(a, b []match.Group) []match.Group {
	var out []match.Group
	for _, x := range a {
		for _, y := range b {
			if len(out) == 4*maxGroups {
				return out
			}
			g := match.Group{All: slices.Clone(x.All), Not: slices.Clone(x.Not)}
			for _, t := range y.All {
				g.All = addTerm(g.All, t)
			}
			for _, t := range y.Not {
				g.Not = addTerm(g.Not, t)
			}
			out = append(out, g)
		}
	}
	return out
}

// negation gives what is not g.
func negation(g match.Group) []match.Group {
	var out []match.Group
	for _, t := range g.All {
		out = append(out, match.Group{Not: []match.Term{t}})
	}
	for _, t := range g.Not {
		out = append(out, match.Group{All: []match.Term{t}})
	}
	return out
}

func addTerm(ts []match.Term, t match.Term) []match.Term {
	if slices.Contains(ts, t) {
		return ts
	}
	return append(ts, t)
}
