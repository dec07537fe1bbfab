package redact

import (
	"sort"
	"strings"
)

// Classes of bytes, and the sets of them that tokens consist of.
const (
	digit uint16 = 1 << iota
	lowerHex
	lowerRest
	upperHex
	upperRest
	underscore
	dash
	dot
	slash // and plus
	equals
	tilde
	percent
	dollar
	listComma
	colonSign

	hexDigits = digit | lowerHex
	lower     = lowerHex | lowerRest
	upper     = upperHex | upperRest
	alnum     = digit | lower | upper
	word      = alnum | underscore
	urlSet    = word | dash
	base64Set = alnum | slash
	token68   = urlSet | dot | slash | equals | tilde // of an Authorization header (RFC 9110)
)

// The colon and the opening quotation mark of Chinese and Japanese.
const (
	wideColon = "："
	wideQuote = "「"
)

// class has the class of each byte, 0 for most.
var class = func() (t [256]uint16) {
	for c := range t {
		switch c := byte(c); {
		case '0' <= c && c <= '9':
			t[c] = digit
		case 'a' <= c && c <= 'f':
			t[c] = lowerHex
		case 'g' <= c && c <= 'z':
			t[c] = lowerRest
		case 'A' <= c && c <= 'F':
			t[c] = upperHex
		case 'G' <= c && c <= 'Z':
			t[c] = upperRest
		}
	}
	t['_'], t['-'], t['.'], t['/'], t['+'], t['='], t['~'], t['%'], t['$'], t[','], t[':'] = underscore, dash, dot, slash, slash, equals, tilde, percent, dollar, listComma, colonSign
	return t
}()

// What can begin at a byte.
const (
	tokenStart uint16 = 1 << iota
	separator         // between a name and its value, and of URLs
	option
	email
	path
	data // of a data URL
	space
	comma
	paren
)

// starts says what can begin at each byte.
var starts = func() (t [256]uint16) {
	for _, k := range tokens {
		t[k.prefix[0]] |= tokenStart
	}
	for _, c := range "0123456789KLMNOBbe" { // keys of Bitcoin, tokens of bots of Telegram and Discord, Bearer, eyJ
		t[c] |= tokenStart
	}
	t[':'], t['='], t['>'] = separator, separator, separator
	t['-'] |= option
	t['@'] = email
	t['/'], t['\\'], t['~'] = path, path, path
	t[wideColon[0]], t[wideQuote[0]] = separator, separator
	t[';'], t[' '], t[','], t['('] = data, space, comma, paren
	return t
}()

// seconds has, for each byte that a token can begin with, a bit for each byte that can
// follow it.
var seconds = func() (t [128][2]uint64) {
	add := func(first, second byte) { t[first][second>>6&1] |= 1 << (second & 63) }
	for _, k := range tokens {
		add(k.prefix[0], k.prefix[1])
	}
	add('B', 'e')
	add('b', 'e')
	add('e', 'y')
	add('$', 'A') // of Ansible
	add('5', 'H') // of Bitcoin
	add('5', 'J')
	add('5', 'K')
	for c := range byte(128) {
		if class[c] == digit {
			for d := byte('0'); d <= '9'; d++ {
				add(d, c)
			}
		}
		if class[c]&alnum != 0 {
			for _, first := range []byte("2KLMNO") {
				add(first, c)
			}
		}
	}
	return t
}()

// canBegin reports whether a token can begin with two bytes.
func canBegin(first, second byte) bool {
	return seconds[first&127][second>>6&1]&(1<<(second&63)) != 0
}

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
	out    strings.Builder
	copied int // up to where the text is in out
	counts Counts
	runs   []run

	classes []valueClass // of the columns of an INSERT
	tuple   []column     // the secrets of its row
	rowEnd  int          // the bracket that closes it
	data    int          // the end of the data of a Secret of Kubernetes
}

// run is the run last measured of a set of bytes.
type run struct {
	set      uint16
	from, to int
}

// mask returns the text with masks.
func (r Rules) mask(s string, counts Counts) string {
	sc := scanner{rules: r, s: s, counts: counts}
	own := r.ownMatches(s)
	for i := 0; i < len(s); {
		if len(own) > 0 && i >= own[0].from {
			sc.replace(own[0])
			i, own = own[0].to, own[1:]
			continue
		}
		kind := starts[s[i]]
		if kind == 0 || kind == tokenStart && (i+1 == len(s) || !canBegin(s[i], s[i+1])) {
			i++
			continue
		}
		f, next := sc.at(i, kind)
		if f.to == 0 {
			i = next
			continue
		}
		for len(own) > 0 && own[0].from < f.to {
			f.to = max(f.to, own[0].to)
			own = own[1:]
		}
		sc.replace(f)
		i = f.to
	}
	if sc.copied == 0 {
		return s
	}
	sc.out.WriteString(s[sc.copied:])
	return sc.out.String()
}

// replace puts a mask in place of a match.
func (sc *scanner) replace(f found) {
	sc.out.WriteString(sc.s[sc.copied:f.from])
	sc.out.WriteString(f.quote + mask(f.kind) + f.quote)
	sc.copied = f.to
	sc.counts[f.kind]++
}

// at looks for a match where one can begin. Without one, it returns where to go on.
func (sc *scanner) at(i int, kind uint16) (f found, next int) {
	s := sc.s
	if kind&tokenStart != 0 && sc.boundary(i) {
		if f := sc.token(i); f.to > 0 {
			return f, 0
		}
		if to := sc.telegram(i); to > 0 {
			return found{from: i, to: to, kind: "Telegram bot token"}, 0
		}
	}
	switch {
	case s[i] >= 0x80 && !strings.HasPrefix(s[i:], wideColon) && !strings.HasPrefix(s[i:], wideQuote):
	case kind&separator != 0:
		if strings.HasPrefix(s[i:], "://") {
			f = sc.urlPassword(i + 3)
		}
		if f.to == 0 {
			f = sc.assignment(i)
		}
	case kind&option != 0:
		f = sc.dashes(i)
	case kind == space:
		if strings.HasPrefix(s[i+1:], "as ") {
			f = sc.asPassword(i)
		} else {
			f = sc.afterSpace(i)
		}
	case kind == comma:
		if f = sc.column(i); f.to == 0 {
			f = sc.argument(i)
		}
	case kind == paren:
		f = sc.call(i)
	case kind&email != 0:
		if f = sc.dataSource(i); f.to == 0 && sc.rules.Emails {
			f = sc.email(i)
		}
	case s[i] == '~':
		f = sc.azure(i)
	case s[i] == '\\' && escapedSign(s, i) > 0:
		f = sc.assignment(i)
	case kind&path != 0 && sc.rules.Paths:
		f = sc.homeFolder(i)
	case kind&data != 0 && strings.HasPrefix(s[i:], ";base64,"):
		return f, sc.run(base64Set|equals, i+8)
	}
	return f, i + 1
}

// dashes matches what follows dashes at i: a private key, an option of a command, the data
// center of a key of Mailchimp.
func (sc *scanner) dashes(i int) found {
	switch {
	case strings.HasPrefix(sc.s[i:], "-----BEGIN "):
		return sc.privateKey(i)
	case strings.HasPrefix(sc.s[i:], "-us"):
		if f := sc.mailchimp(i); f.to > 0 {
			return f
		}
	}
	return sc.option(i)
}

// run returns where the bytes of a set that begin at from end. It caches the last run of
// each set: without that, the time would be quadratic in the length of a run.
func (sc *scanner) run(set uint16, from int) int {
	var last *run
	for i := range sc.runs {
		if sc.runs[i].set == set {
			last = &sc.runs[i]
			if last.from <= from && from <= last.to {
				return last.to
			}
		}
	}
	to := min(from, len(sc.s))
	for to < len(sc.s) && class[sc.s[to]]&set != 0 {
		to++
	}
	if last == nil {
		sc.runs = append(sc.runs, run{set, from, to})
	} else {
		last.from, last.to = from, to
	}
	return to
}

// boundary reports whether a token can begin at i: not inside a word, except right behind an
// escape sequence, and not inside binary data in base64.
func (sc *scanner) boundary(i int) bool {
	if i == sc.copied {
		return true
	}
	s, before := sc.s, sc.s[i-1]
	if class[before]&word != 0 {
		return sc.afterEscape(i) || before == 't' && strings.HasSuffix(s[:i], "/bot") // of Telegram
	}
	if class[before] != slash {
		return true
	}
	const long = 64
	n := 0
	for n < long && i-1-n >= 0 && class[s[i-1-n]]&base64Set != 0 {
		n++
	}
	return n < long
}

// afterEscape reports whether an escape sequence ends before i: \n, \u001b, %3D, or the
// color of a terminal.
func (sc *scanner) afterEscape(i int) bool {
	s := sc.s[max(0, i-24):i]
	n := len(s)
	switch {
	case n >= 2 && s[n-2] == '\\' && strings.IndexByte("nrtbf", s[n-1]) >= 0:
		return true
	case n >= 6 && s[n-6] == '\\' && s[n-5] == 'u':
		return true
	case n >= 3 && s[n-3] == '%' && class[s[n-1]]&(hexDigits|upperHex) != 0 && class[s[n-2]]&(hexDigits|upperHex) != 0:
		return true
	case s[n-1] != 'm':
		return false
	}
	k := n - 2
	for k >= 0 && (class[s[k]] == digit || s[k] == ';') {
		k--
	}
	return k > 0 && s[k] == '[' && (s[k-1] == '\x1b' || strings.HasSuffix(strings.ToLower(s[:k]), `\u001b`))
}

// pastEscape returns the first position from i on that is not part of an escape sequence
// whose backslash is before i.
func (sc *scanner) pastEscape(i int) int {
	n := 0
	for n < i && sc.s[i-1-n] == '\\' {
		n++
	}
	switch {
	case n%2 == 0:
		return i
	case i < len(sc.s) && sc.s[i] == 'u':
		return min(i+5, len(sc.s))
	}
	return i + 1
}

// ownMatches returns what the user's patterns match, in order and without overlaps.
func (r Rules) ownMatches(s string) (out []found) {
	if len(r.Own) == 0 {
		return nil
	}
	var all []found
	for _, p := range r.Own {
		for _, at := range p.Expr.FindAllStringIndex(s, -1) {
			if at[0] < at[1] {
				all = append(all, found{from: at[0], to: at[1], kind: p.Name})
			}
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].from < all[j].from })
	for _, f := range all {
		if n := len(out); n > 0 && f.from < out[n-1].to {
			out[n-1].to = max(out[n-1].to, f.to)
			continue
		}
		out = append(out, f)
	}
	return out
}
