package redact

import (
	"math"
	"regexp"
	"strings"
	"sync"
)

// The parts of the rule of names and values. Texts are often JSON in JSON, so a quotation mark may
// have backslashes before it, and a line may end in an escape sequence.
const (
	lineEnd = `(?:\r?\n|(?:\\+r)?\\+n)`
	greater = `(?:>|\\+u003e)`

	// What may stand between a name and the sign behind it: its closing quotation mark, the brackets
	// of an array, a remark, the word value in a list of names and values, a type.
	closed = `(` + quote + `)?(?:\[\]|[\])*]){0,3}(?: \([^()\n"'\x60]{1,40}\))?(?: \{ get; set; \})?` +
		`(?:,?(?:\s|\\+[nrt]){1,24}(?:` + quote + `)?(?:[vV]alue|ParameterValue)(?:` + quote + `)?)?` +
		`(?:: ?&?(?:'static )?(?:str|[sS]tring|SecretStr)| string)?`

	// What may stand before a value: bold, an anchor, a tag or a block of YAML, a wrapper and the opening
	// quotation mark or marks.
	opened = `(?:\*\* ?|!!\w+ |(?:&|\\+u0026)\w+ |(?:` + greater + `|\|)[+-]?` + lineEnd + ` *|「)?` +
		`(?:(?:[brufNE@&]|\[\]byte\(|Some\(|String::from\(|string\(|SecretStr\(|\[)?(` + quote + `)(?:(?:` + quote + `){2}(?:` + lineEnd + `)?)?)?`
)

// links are what stands between a name and its value. The groups are the quotation marks behind the name
// and before the value.
var links = sync.OnceValue(func() []link {
	return []link{
		// NAME=value, "name": "value", name := value, <name>value, name -> value.
		{regexp.MustCompile(`^` + closed + `(?:[ \t]{0,24}(?:[:?+]?={1,3}` + greater + `?|：|:| [-]` + greater + ` | → )|` + greater + `)(?:\*\*)?[ \t]{0,24}` + opened), certain, false},
		// The password is value, 密码为「value」.
		{regexp.MustCompile(`^(` + quote + `)?(?:(?: is now| is| was| ist| lautet| est| es| has been (?:re)?set to):? |是：?|为：?)` + opened), likely, false},
		// define("NAME", "value"), setName("value"), NAME || "value", PASSWORD 'value'.
		{regexp.MustCompile(`^(` + quote + `),\s{0,24}(?:default=)?(?:[brufNE@]|\[\]byte\()?(` + quote + `)`), loosely, true},
		{regexp.MustCompile(`^(` + quote + `)?\)?(?:\(|(?: or| \|\|| \?\?)? )(?:[brufNE@]|\[\]byte\()?(` + quote + `)`), loosely, true},
		// name  value, | name | value |, name: at the end of a line.
		{regexp.MustCompile(`^(` + quote + `)?\*{0,2}(?:\s{0,24}\|\s{0,24}| {2,24}|\t| (?:(?:to|set to|->|→|-|–|—|<<<) )?|:\*{0,2} ?` + lineEnd + `)(` + quote + `)?`), loosely, false},
	}
})

type link struct {
	re     *regexp.Regexp
	sure   howSure
	quoted bool // the value must be
}

// What ends a value without quotation marks; a password may have brackets.
const (
	endOfPassword = " \t\r\n\"'`\\,;<>()，。；、「」"
	endOfToken    = endOfPassword + "{}[]|&"
)

// parameter is the next parameter of a URL, the next command of a shell, or a character of HTML.
var parameter = compiled(`&(?:&|$|[\w.-]*=|quot|lt|gt|amp|nbsp)`)

// ordinary names end as telling names do, but are not.
var ordinary = compiled(`(?i)(?:next|page|continuation|sync|pad|eos|bos|unk|sep|mask|cls|stop|start|end|special|per|last|first|input|output|new)[_.-]?token$` +
	`|(?:public|primary|foreign|unique|sort|partition|cache|host|session|registry|routing|hot|composite|group|lookup|dedup|idempotency|user\.?signing)[_-]?key$|oldpwd$`)

// reading is the name of a call that returns a secret, and is given what it is called.
var reading = compiled(`(?i)(?:^|\.)(?:get|find|load|read|fetch|lookup|del)\w*$`)

// howSure is how much the text before a value says about it.
type howSure int

const (
	loosely  howSure = iota // a space or a comma
	likely                  // a sentence, an option
	certain                 // a sign
	constant                // VARIABLE=value, ?parameter=value
)

// named matches the value of a telling name that is from i to end.
func (sc *scanner) named(m *matcher, i, end int) found {
	s := sc.s
	if m.ready(); end < len(s) && isWord(s[end]) || m.lead != nil && !m.lead.MatchString(s[max(sc.copied, i-24):i]) {
		return found{}
	}
	from := max(sc.copied, i-64)
	from += len(strings.TrimRightFunc(s[from:i], func(r rune) bool { return r < 0x80 && isWord(byte(r)) || r == '-' || r == '.' }))
	from = min(i, sc.pastEscape(from))
	name, rest := s[from:end], s[end:min(len(s), end+192)]
	if ordinary().MatchString(name) || strings.HasPrefix(rest, "::") || name == "PASS" && !strings.HasPrefix(rest, "=") { // of a test
		return found{}
	}
	variable := name == strings.ToUpper(name)
	v := value{matcher: m, parameter: from > 0 && (s[from-1] == '?' || s[from-1] == '&')}
	for _, link := range links() {
		at := link.re.FindStringSubmatch(rest)
		if at == nil || link.quoted && reading().MatchString(name) && rest[0] == '(' {
			continue
		}
		v.from = end + len(at[0])
		v.sure = link.sure
		v.nameQuote = at[1]
		v.quote = at[2]
		switch {
		case v.sure == certain && (variable && rest[0] == '=' || v.parameter):
			v.sure = constant
		case v.sure == loosely && (name[0] == '-' || !link.quoted && (variable || strings.HasPrefix(rest[len(v.nameQuote):], "  "))):
			v.sure = likely
		}
		if f := sc.value(v); f.to > 0 || link.sure != certain {
			return f
		}
	}
	return found{}
}

// value is where the value of a name begins, and what stands before it.
type value struct {
	*matcher
	from      int
	sure      howSure
	parameter bool   // of a URL
	nameQuote string // the quotation mark behind the name, "" for none
	quote     string // before the value
}

// value matches a value.
func (sc *scanner) value(v value) found {
	const enough = 128 // to tell what it is
	s := sc.s
	from := v.from
	to := -1
	if v.quote != "" {
		to = closing(s, from, v.quote)
	}
	quoted := to >= 0
	stops := endOfToken
	if v.kind == password && v.nameQuote == "" {
		stops = endOfPassword
	}
	if v.parameter {
		stops += "#"
	}
	if !quoted {
		if to = from + bareEnd(s[from:min(len(s), from+enough)], stops); to < len(s) && (s[to] == '(' || s[to] == '[') { // a call
			return found{}
		}
	}
	text := strings.TrimRight(s[from:to], ".")
	if text == "" || !quoted && (v.quote != "" && !isWord(text[0]) || v.sure < constant && expression().MatchString(text)) ||
		!secret(text[:min(len(text), enough)], v.kind, quoted, v.sure) {
		return found{}
	}
	if !quoted && to == from+enough {
		to = from + bareEnd(s[from:min(len(s), from+behind)], stops)
	}
	f := found{from: from, to: to, kind: v.kind}
	if v.quote == "" && only(text, "0123456789") {
		f.quote = v.nameQuote // a number in JSON
	}
	return sc.better(f)
}

// bareEnd returns the length of the value without quotation marks that a text begins with.
func bareEnd(s, stops string) int {
	if stop := strings.IndexAny(s, stops); stop >= 0 {
		s = s[:stop]
	}
	if strings.Contains(s, "&") {
		if at := parameter().FindStringIndex(s); at != nil {
			return at[0]
		}
	}
	return len(s)
}

// closing returns the position of the quotation mark that closes a value, -1 if the line
// ends before, or a string of the text around it.
func closing(s string, from int, quote string) int {
	line, _, _ := strings.Cut(s[from:min(len(s), from+behind)], "\n")
	for at := 0; ; at++ {
		next := strings.IndexByte(line[at:], quote[len(quote)-1])
		if next < 0 {
			return -1
		}
		at += next
		slashes := at - len(strings.TrimRight(line[:at], `\`))
		if slashes == len(quote)-1 {
			return from + at - slashes
		}
		if slashes < len(quote)-1 {
			return -1
		}
	}
}

// The values that stand for a secret, and those that name a type or say that there is none.
var (
	placeholder = compiled(`^(?:[$<{\[@/~&:=]|#\{|%[(s]|\*(?:\D*|[a-z]\w*\.?\w*)$|\*\*|\./|(?i:x{3}|your|os\.|process\.|env\.|env\[|secrets\.|getenv|config\.|settings\.|self\.|this\.|https?:|file:)|!(?:vault|secret|ref)|ENC\[)|\[redacted|…|\.\.\.|^%.*%$`)
	unfilled    = compiled(`x{8}|X{8}|EXAMPLE$|your[-_]`)
	expression  = compiled(`^[a-z]\w*(?:\.[A-Za-z_]\w*)+$`)
	words       = compiled(`(?i)^(?:passwor[dt]|contraseña|senha|passwd|passphrase|pwd|pass|secret|token|(?:api_?)?key|str|text|string|hidden|required|optional|none|null|nil|undefined|true|false|yes|no|int|bool|bytes|any|object|default|example|changeme|redacted|masked|prompt|basic|bearer|digest)$`)
)

// secret reports whether the value of a telling name is a secret, and not a placeholder, a type or
// an expression of a program.
func secret(v, kind string, quoted bool, sure howSure) bool {
	if len(v) < 4 || placeholder().MatchString(v) || unfilled().MatchString(v) || words().MatchString(v) || entropy(v) == 0 {
		return false
	}
	spaces := strings.ContainsAny(v, " \t")
	if sure == loosely {
		return !spaces && mixed(v) && (diverse(v) || len(v) >= 12 || quoted && len(v) >= 8)
	}
	if kind == password {
		switch {
		case spaces:
			return quoted && len(v) <= 128 && strings.ContainsAny(v, digits) && !message().MatchString(v)
		case sure == likely:
			return len(v) >= 6 && mixed(v)
		case quoted, sure == constant:
			return !strings.ContainsAny(v, "()")
		}
		return len(v) >= 5 && (strings.ContainsAny(v, digits+"!#$%&*+^~=|") || mixed(v))
	}
	switch {
	case spaces, len(v) < 8, only(v, digits) && !(quoted && len(v) >= 12):
		return false
	case sure == likely:
		return mixed(v) && (len(v) >= 12 || quoted)
	case sure == constant:
		return mixed(v) || len(v) >= 16
	case quoted:
		return mixed(v) || len(v) >= 24 && !strings.ContainsAny(v, ".:/_-")
	}
	return mixed(v) && len(v) >= 12 || diverse(v) && strings.ContainsAny(v, signs)
}

// message has words of what programs say about passwords.
var message = compiled(`(?i)\b(?:a|an|the|is|are|be|to|of|for|in|must|with|your|you|enter|please|required|invalid|wrong|characters|password|field|not|no)\b`)

// entropy returns Shannon's entropy of a text in bits per byte.
func entropy(s string) (bits float64) {
	var n [256]float64
	for i := range len(s) {
		n[s[i]]++
	}
	for _, k := range n {
		if k > 0 {
			bits -= k / float64(len(s)) * math.Log2(k/float64(len(s)))
		}
	}
	return bits
}

// The characters that passwords have to have some of.
const (
	small    = "abcdefghijklmnopqrstuvwxyz"
	capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits   = "0123456789"
	signs    = "!\"#$%&'()*,;<=>?@[]^`{|}~"
)

// only reports whether a text has no characters but those of a set.
func only(s, set string) bool { return strings.Trim(s, set) == "" }

// diverse reports whether a text has characters of three of the four kinds.
func diverse(s string) bool {
	kinds := 0
	for _, set := range []string{small, capitals, digits, signs} {
		if strings.ContainsAny(s, set) {
			kinds++
		}
	}
	return len(s) >= 8 && kinds >= 3
}

// mixed reports whether a text has letters and digits, or letters whose case changes as in no name.
func mixed(s string) bool {
	return strings.ContainsAny(s, digits) && strings.ContainsAny(s, small+capitals) ||
		len(s) >= 12 && only(s, small+capitals+"=") && changes(s) >= 0.35 && acronym().MatchString(s)
}

// changes returns how often small letters, capitals and digits change, per byte. By chance it is 0.6.
func changes(s string) float64 { return float64(len(runs().FindAllString(s, -1))) / float64(len(s)) }

var (
	runs    = compiled(`[a-z]+|[A-Z]+|[0-9]+`)
	acronym = compiled(`[A-Z]{2}`)
)
