package query

import (
	"slices"

	"hermes-sessions/model/match"
)

// Parse parses a text by the grammar in the package comment. typing says that the
// last word may be unfinished; it then matches every continuation. No text is
// invalid: an operator without an operand is dropped, a query of operators,
// minuses or punctuation alone searches for them as text, and a filter with an
// unknown name or value is text.
func Parse(text string, typing bool) Query {
	l := lexer{typing: typing, query: Query{Text: text}}
	l.lex(blankIllegible(text))
	operands := l.operands
	if !slices.ContainsFunc(operands, func(it operand) bool { return it.operator == noOperator && !it.excluded && !it.punctuation }) {
		for _, it := range operands {
			if p := &l.query.Tokens[it.token]; it.excluded && p.Kind == TokenExcluded {
				p.Kind = TokenWord
				p.Hint = "there is nothing to leave it out of: " + text[p.Start:p.End] + " is looked for as it stands"
			}
		}
		operands = asLiterals(operands)
	}
	operands = slices.DeleteFunc(operands, func(it operand) bool { return it.punctuation })
	l.query.Groups = combine(operands)
	return l.query
}

// asLiterals turns operators and exclusions into text. It is used when a query has
// no other term: there is nothing to combine or to exclude from.
func asLiterals(operands []operand) []operand {
	terms := slices.ContainsFunc(operands, func(it operand) bool { return it.operator == noOperator })
	var out []operand
	for _, it := range operands {
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

// combine applies the operators and gives the disjunction of groups.
func combine(operands []operand) []match.Group {
	isOp := func(it operand) bool { return it.operator != noOperator }
	for len(operands) > 0 && isOp(operands[0]) {
		operands = operands[1:]
	}
	for len(operands) > 0 && isOp(operands[len(operands)-1]) {
		operands = operands[:len(operands)-1]
	}
	var any []match.Group // OR
	var all []match.Group // AND
	op, first := opOr, true
	for i := 0; i < len(operands); {
		end := i
		group := match.Group{}
		for ; end < len(operands) && !isOp(operands[end]); end++ {
			if it := operands[end]; it.excluded {
				group.Not = addTerm(group.Not, it.term)
			} else {
				group.All = addTerm(group.All, it.term)
			}
		}
		switch {
		case first:
			all = []match.Group{group}
		case op == opOr:
			any = append(any, all...)
			all = []match.Group{group}
		case op == opAnd:
			all = conjunction(all, []match.Group{group})
		case op == opNot:
			all = conjunction(all, negation(group))
		}
		first, op = false, opAnd
		for ; end < len(operands) && isOp(operands[end]); end++ {
			op = max(op, operands[end].operator) // of several in a row NOT wins, then OR
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

// conjunction gives the alternatives of a AND b: every pair of one of each.
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

// negation gives the alternatives of NOT g.
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
