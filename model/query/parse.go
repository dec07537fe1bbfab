package query

import (
	"slices"
	"strings"
	"unicode"

	"hermes-sessions/model/match"
)

// Parse parses a text by the grammar in the package comment. typing says that the
// last word may be unfinished; it then matches every continuation. No text is
// invalid: an operator without an operand is dropped, a query of operators or
// punctuation alone searches for them as text, and a filter with an unknown name or
// value is text.
func Parse(text string, typing bool) Query {
	l := lexer{typing: typing, query: Query{Text: text}}
	legible := ""
	for _, p := range condense(text, maxBytes) {
		l.typing = typing && p.end == len(text)
		legible = blankIllegible(text[p.start:p.end])
		l.lex(legible, p.start)
	}
	l.dropCommon()
	l.readOptions()
	operands := l.operands
	if !slices.ContainsFunc(operands, operand.isRequired) {
		if excluded := slices.DeleteFunc(slices.Clone(operands), func(o operand) bool { return !o.excluded }); len(excluded) > 0 {
			l.addExclusionFilters(excluded)
			return l.query
		}
		operands = asLiterals(operands)
	}
	operands = slices.DeleteFunc(operands, func(it operand) bool { return it.punctuation })
	if n := len(operands); l.typing && n > 0 && (operands[n-1].operator != noOperator || strings.TrimRightFunc(legible, unicode.IsSpace) == legible) {
		l.openAlternatives(operands)
	}
	l.query.Groups = combine(operands)
	return l.query
}

// ParseForMessages parses a text as [Parse] does for a search that gives messages
// and not conversations. There a query of exclusions alone searches for them as
// text: most messages do not have the words.
func ParseForMessages(text string) Query {
	q := Parse(text, false)
	if !slices.ContainsFunc(q.Filters, func(f Filter) bool { return f.Field == FieldText }) {
		return q
	}
	var all match.Group
	q.Filters = slices.DeleteFunc(q.Filters, func(f Filter) bool {
		if f.Field == FieldText {
			all.All = addTerm(all.All, match.Term{Text: "-" + f.Value, Prefix: f.Prefix})
		}
		return f.Field == FieldText
	})
	q.Groups = []match.Group{all}
	return q
}

// isRequired reports whether the operand is a term that must occur.
func (o operand) isRequired() bool {
	return o.operator == noOperator && !o.excluded && !o.punctuation
}

// readOptions turns exclusions that look like options of a command, or stand in an error
// message, into text, by the rules in the package comment, and says so in a hint. Behind
// two words an exclusion may be an option all the same (go test -race), and so may a short
// one that is alone, so a hint says what it does.
func (l *lexer) readOptions() {
	var single, long bool // there is an exclusion of one character, of more than two
	for _, it := range l.operands {
		n := optionLength(it.term.Text)
		if it.excluded && it.option {
			single, long = single || n == 1, long || n == 0
		} else if strings.HasPrefix(it.term.Text, "-") { // '-s in the quotes of a shell
			single = single || l.isWord(it) && optionLength(it.term.Text[1:]) == 1
		}
	}
	alone := !slices.ContainsFunc(l.operands, func(it operand) bool { // -1 is a number
		return it.isRequired() || it.excluded && it.term.Text[0] <= '9'
	})
	single = (single || l.isCommand()) && !alone
	message := !single && l.isErrorMessage()
	kind := "a command"
	if message {
		kind = "an error message"
	}
	hint, words := "", 0
	for i, it := range l.operands {
		if it.isRequired() {
			words++
		}
		if !it.excluded || !it.option {
			continue
		}
		typed := "-" + it.term.Text
		length := optionLength(it.term.Text)
		if !single && !message && (alone || long || length != 2) {
			if words >= 2 || alone && length > 0 {
				l.query.Tokens[it.token].Hint = typed + " excludes " + it.term.Text + "; \"" + typed + "\" in quotes searches for it"
			}
			continue
		}
		if hint == "" {
			hint = typed + " is searched as text, as in " + kind + "; NOT " + it.term.Text + " excludes it"
		}
		t := match.Term{Text: typed, Prefix: it.term.Prefix || it.unfinished}
		t.Prefix = t.Prefix && t.Extensible()
		l.operands[i] = operand{term: t, token: it.token}
		token := &l.query.Tokens[it.token]
		token.Kind, token.Hint = TokenWord, hint
	}
}

// commands are commands of a shell that hardly anything else is called, and which have
// options of several letters.
var commands = []string{"chmod", "chown", "cp", "curl", "df", "du", "grep", "ln", "ls", "mv", "netstat", "ps", "rm", "rsync", "ss", "tar", "wget"}

// topics are commands that people also write about (java -spring), and topicOptions the
// options of several letters that they are usually given, up to the first character that
// is no letter: Xmx of -Xmx2g.
var (
	topics = []string{"clang", "ffmpeg", "find", "g++", "gcc", "go", "java", "javac", "mvn", "openssl", "powershell", "pwsh", "terraform", "xcodebuild"}

	topicOptions = []string{
		"Command", "DskipTests", "ExecutionPolicy", "File", "NoProfile", "Wall", "Werror", "Wextra", "Wno", "Wpedantic", "XX", "Xms", "Xmx", "Xss",
		"acodec", "auto", "bench", "benchmem", "benchtime", "classpath", "connect", "count", "cover", "coverprofile", "cpuprofile", "crf", "days", "delete",
		"destination", "empty", "exec", "fPIC", "fsanitize", "gcflags", "iname", "jar", "keyout", "ldflags", "march", "maxdepth", "mindepth", "mod", "mtime", "name", "newer",
		"newkey", "nodes", "noout", "not", "out", "path", "perm", "preset", "print", "pthread", "race", "run", "scheme", "server", "shared", "short", "size", "static",
		"std", "subj", "tags", "target", "test", "text", "timeout", "trimpath", "type", "user", "var", "vcodec", "version", "workspace",
	}
)

// isOption reports whether an exclusion is an option of the command that the words begin
// with, or may become one.
func (l *lexer) isOption(command string, o operand) bool {
	if !o.excluded || !o.option {
		return false
	}
	name := o.term.Text
	if end := strings.IndexFunc(name, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
		name = name[:end]
	}
	return slices.Contains(topics, command) && slices.ContainsFunc(topicOptions, func(option string) bool {
		return option == name || o.unfinished && strings.HasPrefix(option, name)
	})
}

// isCommand reports whether the words read like a command of a shell: one of commands and
// then an exclusion come first, or one of topics and somewhere an option of it; an exclusion
// has an equals sign; or one stands between two words, and there is a path, an option of two
// minuses, a variable or an operator.
func (l *lexer) isCommand() bool {
	if o := l.operands; len(o) > 1 && o[0].isRequired() && l.isWord(o[0]) {
		first := o[0].term.Text
		if slices.Contains(commands, first) && o[1].excluded && o[1].option ||
			slices.ContainsFunc(o[1:], func(it operand) bool { return l.isOption(first, it) }) {
			return true
		}
	}
	var sign, begun, excluded, between bool
	for _, it := range l.operands {
		token := l.query.Tokens[it.token]
		text, isSign := l.query.Text[token.Start:token.End], false
		switch {
		case it.excluded && it.option && strings.Contains(text, "="): // -field=value
			return true
		case it.punctuation && !it.excluded || it.isRequired() && l.isWord(it):
			isSign = slices.Contains([]string{".", "|", "||", "&&", ">", "<", "{}", `\;`}, text) ||
				slices.ContainsFunc([]string{"/", "./", "../", "~/", "--", "$"}, func(begin string) bool { return strings.HasPrefix(text, begin) })
		}
		begun, excluded = begun || it.isRequired(), excluded || begun && it.excluded
		between, sign = between || excluded && (it.isRequired() || isSign), sign || isSign
	}
	return sign && between
}

// isErrorMessage reports whether the words read like an error message: there are five
// beside the exclusions, one of which ends in a colon or semicolon.
func (l *lexer) isErrorMessage() bool {
	words, ends := 0, false
	for _, it := range l.operands {
		if it.isRequired() && l.isWord(it) {
			words++
			end := l.query.Text[l.query.Tokens[it.token].End-1]
			ends = ends || end == ':' || end == ';'
		}
	}
	return ends && words >= 5
}

// isWord reports whether the operand is a word without quotes.
func (l *lexer) isWord(o operand) bool {
	return l.query.Tokens[o.token].Kind == TokenWord
}

// optionLength returns the length of a word that may be an option of a command behind
// one minus: one or two letters or digits of ASCII. It is 0 for all others.
func optionLength(word string) int {
	if len(word) > 2 || strings.ContainsFunc(word, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) {
		return 0
	}
	return len(word)
}

// addExclusionFilters makes filters of exclusions that are all of a query.
func (l *lexer) addExclusionFilters(excluded []operand) {
	for _, it := range excluded {
		f := Filter{Field: FieldText, Not: true, Value: it.term.Text, Prefix: it.term.Prefix}
		if !slices.Contains(l.query.Filters, f) {
			l.query.Filters = append(l.query.Filters, f)
		}
	}
}

// openAlternatives makes the word before each OR a prefix, as it was when it was the
// last one typed: while the other alternative is typed, no result of this one is lost.
func (l *lexer) openAlternatives(operands []operand) {
	for i := range operands[1:] {
		if it := &operands[i]; operands[i+1].operator == opOr && it.isRequired() && l.query.Tokens[it.token].Kind == TokenWord {
			it.term.Prefix = it.term.Extensible()
		}
	}
}

// asLiterals turns operators into text. It is used when a query has no term: there
// is nothing to combine.
func asLiterals(operands []operand) []operand {
	terms := slices.ContainsFunc(operands, func(o operand) bool { return o.operator == noOperator })
	var out []operand
	for _, it := range operands {
		if it.operator == noOperator || !terms {
			out = append(out, operand{term: it.term, token: it.token})
		}
	}
	return out
}

// combine applies the operators and returns the disjunction of groups.
func combine(operands []operand) []match.Group {
	isOp := func(o operand) bool { return o.operator != noOperator }
	for len(operands) > 0 && isOp(operands[0]) {
		operands = operands[1:]
	}
	for len(operands) > 0 && isOp(operands[len(operands)-1]) {
		operands = operands[:len(operands)-1]
	}
	var alternatives []match.Group // complete, joined by OR
	var current []match.Group      // of the alternative that is being read
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
			current = []match.Group{group}
		case op == opOr:
			alternatives = append(alternatives, current...)
			current = []match.Group{group}
		case op == opAnd:
			current = conjunction(current, []match.Group{group})
		case op == opNot:
			current = conjunction(current, negation(group))
		}
		first, op = false, opAnd
		for ; end < len(operands) && isOp(operands[end]); end++ {
			op = max(op, operands[end].operator) // of several in a row NOT wins, then OR
		}
		i = end
	}
	alternatives = append(alternatives, current...)
	out := alternatives[:0]
	for _, g := range alternatives {
		same := func(other match.Group) bool { return slices.Equal(other.All, g.All) && slices.Equal(other.Not, g.Not) }
		if len(g.All) > 0 && len(out) < maxGroups && !slices.ContainsFunc(out, same) {
			out = append(out, g)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// conjunction returns the alternatives of a AND b: every pair of one of each.
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

// negation returns the alternatives of NOT g.
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
