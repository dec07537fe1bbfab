package redact

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// How far a rule looks around its keyword. As RE2 never goes back, the time is linear in the length
// of the text.
const (
	before = 96
	behind = 4096
	ofKey  = 1 << 16 // the lines of a private key
)

// found is a match: what to replace, and by what kind of mask.
type found struct {
	from, to int
	kind     string
	quote    string // to put around the mask
}

// scanner masks one text.
type scanner struct {
	rules  Rules
	s      string
	index  *index
	out    strings.Builder
	copied int // up to where the text is in out
	counts Counts
	inside bool             // within better, which must not call itself
	barren map[*matcher]int // the end of what last looked like a token and was none
}

// mask returns the text with masks.
func (r Rules) mask(s string, counts Counts) string {
	sc := scanner{rules: r, s: s, index: keywords(), counts: counts, barren: map[*matcher]int{}}
	own := r.ownMatches(s)
	for i := 0; i < len(s); {
		f := found{}
		if len(own) > 0 && i >= own[0].from {
			f, own = own[0], own[1:]
		} else if f = sc.at(i); f.to == 0 {
			i++
			continue
		}
		for len(own) > 0 && own[0].from < f.to {
			f.from, f.to = min(f.from, own[0].from), max(f.to, own[0].to)
			own = own[1:]
		}
		sc.out.WriteString(s[sc.copied:f.from] + f.quote + mask(f.kind) + f.quote)
		sc.copied, i = f.to, f.to
		counts[f.kind]++
	}
	if sc.copied == 0 {
		return s
	}
	return sc.out.String() + s[sc.copied:]
}

// matcher is a rule that is compiled when its keyword is first seen.
type matcher struct {
	rule
	compile sync.Once
	lead    *regexp.Regexp // nil for none
	body    *regexp.Regexp // nil for a name
}

func (m *matcher) ready() {
	m.compile.Do(func() {
		if m.before != "" {
			m.lead = regexp.MustCompile(`(?:` + m.before + `)$`)
		}
		if m.re != named {
			m.body = regexp.MustCompile(`^(?:` + m.re + `)`)
		}
	})
}

// keyword is a word that a rule begins with.
type keyword struct {
	text string
	fold bool // in small or capital letters
	*matcher
}

// index has the keywords by their first two bytes, the longest first. Small and capital letters are
// one, as are some signs.
type index [1 << 16][]keyword

func (x *index) of(first, second byte) *[]keyword { return &x[int(first|0x20)<<8|int(second|0x20)] }

// keywords returns the index of all rules.
var keywords = sync.OnceValue(func() *index {
	x := &index{}
	add := func(k keyword, second byte) {
		list := x.of(k.text[0], second)
		*list = append(*list, k)
		slices.SortStableFunc(*list, func(a, b keyword) int { return len(b.text) - len(a.text) })
	}
	for _, r := range rules {
		m := &matcher{rule: r}
		words, fold := strings.CutPrefix(r.keyword, "(?i)")
		for word := range strings.FieldsSeq(words) {
			if len(word) > 1 {
				add(keyword{word, fold, m}, word[1])
				continue
			}
			for second := range 0x100 {
				if second&0x20 != 0 {
					add(keyword{word, fold, m}, byte(second))
				}
			}
		}
	}
	return x
})

// at looks for a match whose keyword is at i.
func (sc *scanner) at(i int) (f found) {
	if i+1 >= len(sc.s) {
		return f
	}
	for _, k := range *sc.index.of(sc.s[i], sc.s[i+1]) {
		end := i + len(k.text)
		if end > len(sc.s) || sc.s[i:end] != k.text && !(k.fold && strings.EqualFold(sc.s[i:end], k.text)) {
			continue
		}
		if k.re == named {
			f = sc.named(k.matcher, i, end)
		} else {
			f = sc.match(k.matcher, i, end)
		}
		if f.to > 0 {
			return f
		}
	}
	return found{}
}

// match applies a rule whose keyword is from i to end.
func (sc *scanner) match(m *matcher, i, end int) found {
	s := sc.s
	switch {
	case m.kind == email && !sc.rules.Emails, m.kind == homeFolder && !sc.rules.Paths, i < sc.barren[m],
		m.kind == random && !sc.unnamed(i, end), m.before == "" && !sc.boundary(i):
		return found{}
	}
	m.ready()
	reach := behind
	if m.kind == privateKey {
		reach = ofKey
	}
	at := m.body.FindStringSubmatchIndex(s[end:min(len(s), end+reach)])
	if at == nil {
		return found{}
	}
	f := found{from: i, to: end + at[1], kind: m.kind}
	body := s[end:f.to]
	if m.lead != nil {
		from := max(sc.copied, i-before)
		lead := m.lead.FindStringSubmatchIndex(s[from:i])
		if lead == nil {
			return found{}
		}
		if len(lead) > 2 {
			if f.from = sc.pastEscape(from + lead[2]); m.re == "" {
				f.to = from + lead[3]
			}
			body = s[f.from:max(f.from, f.to)]
		}
	}
	token := len(at) == 2
	if !token {
		f.from, f.to = end+at[2], end+at[3]
		body = s[f.from:f.to]
	}
	longer := token && m.re != "" && f.to < len(s) && isWord(s[f.to-1]) && isWord(s[f.to]) // than its kind
	f.to = f.from + len(strings.TrimRight(s[f.from:max(f.from, f.to)], "."))               // the end of a sentence
	switch {
	case f.from < f.to && !longer && m.convincing(strings.TrimRight(body, "."), token):
		if !token {
			f = sc.better(f)
		}
		return f
	case token && m.lead == nil: // else a long run would be read again at each keyword in it
		sc.barren[m] = f.to
	}
	return found{}
}

// better returns a match with the kind of the token that it is, if it is one.
func (sc *scanner) better(f found) found {
	if sc.inside {
		return f
	}
	sc.inside = true
	if token := sc.at(f.from); token.from == f.from && token.to == f.to {
		f.kind = token.kind
	}
	sc.inside = false
	return f
}

// unnamed reports whether a quotation mark from i to end is before a long run of base64, and not behind
// the name of an identifier.
func (sc *scanner) unnamed(i, end int) bool {
	for n := range 32 {
		if end+n >= len(sc.s) || !isBase64(sc.s[end+n]) {
			return false
		}
	}
	return !identifier().MatchString(sc.s[max(sc.copied, i-32):i])
}

// isWord reports whether a byte is in names of programs.
func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

// isBase64 reports whether a byte is in base64, of URLs too.
func isBase64(c byte) bool { return isWord(c) || c == '+' || c == '/' || c == '-' }

// escape is the end of a text that ends in an escape sequence: \n, \u001b, %3D, or the color of
// a terminal.
var escape = compiled(`(?:\\[nrtbf]|\\u[0-9a-fA-F]{4}|%[0-9a-fA-F]{2}|(?:\x1b|\\u001[bB])\[[\d;]*m)$`)

// boundary reports whether a keyword can begin at i: not inside a word, except right behind an
// escape sequence, and not inside binary data in base64.
func (sc *scanner) boundary(i int) bool {
	if i == sc.copied || !isWord(sc.s[i]) {
		return true
	}
	c, s := sc.s[i-1], sc.s[max(0, i-64):i]
	switch {
	case isWord(c):
		s = s[max(0, len(s)-24):]
		return strings.ContainsAny(s, "\\%\x1b") && escape().MatchString(s)
	case c == '-':
		return i < 2 || !isWord(sc.s[i-2])
	case c == '/' || c == '+':
		return len(s) < 64 || strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 || !isBase64(byte(r)) })
	}
	return true
}

// escaped is an escape sequence at the beginning of a text.
var escaped = compiled(`^\\(?:u[0-9a-fA-F]{4}|.)`)

// pastEscape returns the end of the escape sequence whose backslash is before i, and i without one.
func (sc *scanner) pastEscape(i int) int {
	return max(i, i-1+len(escaped().FindString(sc.s[max(0, i-1):min(len(sc.s), i+5)])))
}

// ownMatches returns what the user's patterns match, in order.
func (r Rules) ownMatches(s string) (all []found) {
	for _, p := range r.Own {
		for _, at := range p.Expr.FindAllStringIndex(s, -1) {
			if at[0] < at[1] {
				all = append(all, found{from: at[0], to: at[1], kind: p.Name})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return a.from - b.from })
	return all
}

// compiled returns an expression that is compiled when it is first used: most processes
// mask nothing.
func compiled(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
