package redact

import (
	"slices"
	"strings"
)

// valueClass is what a name says about its value.
type valueClass uint8

const (
	ordinary valueClass = iota
	password
	secretToken
	secretKey
	secretValue
	authorization
	cookie
	signature // a name that is telling only as a parameter of a URL
)

// kinds are the kinds of mask of the classes.
var kinds = [...]string{password: "password", secretToken: "token", secretKey: "key", secretValue: "secret", authorization: "authorization header", cookie: "cookie", signature: "signature"}

// endings are the ends of telling names, without separators and in small letters
// (detect-secrets: keyword.py; gitleaks: generic-api-key).
var endings = []struct {
	ends  []string
	class valueClass
}{
	{[]string{"password", "passwd", "passphrase", "pwd", "passwort", "kennwort", "senha"}, password},
	{[]string{"token"}, secretToken},
	{[]string{"secret", "credential", "credentials"}, secretValue},
	{[]string{
		"apikey", "secretkey", "accesskey", "privatekey", "signingkey", "encryptionkey", "authkey", "masterkey", "accountkey", "sharedkey",
		"servicekey", "rolekey", "adminkey", "deploykey", "licensekey", "hmackey", "webhookkey", "subscriptionkey", "clientkey",
	}, secretKey},
	{[]string{"authorization"}, authorization},
	{[]string{"setcookie"}, cookie},
}

// ordinaryNames end as telling names do, but are not.
var ordinaryNames = []string{
	"nexttoken", "pagetoken", "continuationtoken", "synctoken", "padtoken", "eostoken", "bostoken", "unktoken", "septoken",
	"masktoken", "clstoken", "stoptoken", "starttoken", "endtoken", "specialtoken", "pertoken", "lasttoken", "firsttoken",
	"inputtoken", "outputtoken", "newtoken", "publickey", "oldpwd",
}

// publicKeys are the names of variables ending in _KEY whose values are no secrets.
var publicKeys = []string{
	"publickey", "primarykey", "foreignkey", "uniquekey", "sortkey", "partitionkey", "cachekey", "hostkey", "sessionkey",
	"registrykey", "routingkey", "hotkey", "compositekey", "groupkey", "lookupkey", "dedupkey", "idempotencykey",
}

// passwordWords mean password, and are not of the letters of identifiers.
var passwordWords = []string{"contraseña", "Contraseña", "mot de passe", "Mot de passe", "пароль", "Пароль", "密码", "密碼", "パスワード", "비밀번호"}

const (
	longestName  = 64
	longestValue = 4096
)

// name is what stands before a separator.
type name struct {
	text     string // as written
	quote    string // after it, with the backslashes of JSON in JSON
	variable bool   // of the environment: capitals, and an equals sign next to it
	colon    bool   // after it, without a quotation mark
	query    bool   // a parameter of a URL
	from     int
}

// nameBefore reads the name that ends at a separator.
func (sc *scanner) nameBefore(i int) (n name) {
	s, to := sc.s, i
	for to > 0 && strings.IndexByte("!:=?+", s[to-1]) >= 0 && i-to < 2 {
		if s[to-1] == '!' {
			return n
		}
		to--
	}
	for to > 0 && (s[to-1] == ' ' || s[to-1] == '\t') && i-to < 24 {
		to--
	}
	spaced := to < i
	if to > 0 && s[to-1] == ']' {
		to--
	}
	if s[i] == ':' {
		to = beforeRemark(s, to)
	}
	end := to
	for end > 0 && (s[end-1] == '"' || s[end-1] == '\'' || s[end-1] == '`') && to-end < 1 {
		end--
	}
	if end < to {
		for end > 0 && s[end-1] == '\\' && to-end < 16 {
			end--
		}
		n.quote = s[end:to]
	}
	if word := passwordWord(s[:end]); word != "" {
		return name{text: "password", quote: n.quote, colon: s[i] == ':' && n.quote == "", from: end - len(word)}
	}
	from := end
	for from > 0 && end-from < longestName && class[s[from-1]]&(urlSet|dot) != 0 {
		from--
	}
	n.from = sc.pastEscape(from)
	if n.from > end {
		return name{}
	}
	n.text = s[n.from:end]
	n.variable = !spaced && n.quote == "" && s[i] == '=' && n.text == strings.ToUpper(n.text)
	n.colon = s[i] == ':' && n.quote == ""
	return sc.completed(n, i)
}

// beforeRemark returns the end of the name before a remark that ends at to, as in
// Password (temporary): …, and to without one.
func beforeRemark(s string, to int) int {
	if to == 0 || s[to-1] != ')' {
		return to
	}
	from := max(0, to-longestName)
	if open := strings.LastIndexByte(s[from:to], '('); open > 0 && s[from+open-1] == ' ' {
		return from + open - 1
	}
	return to
}

// passwordWord returns the one of passwordWords that a text ends with, "" for none.
func passwordWord(s string) string {
	for _, w := range passwordWords {
		if strings.HasSuffix(s, w) {
			return w
		}
	}
	return ""
}

// completed returns the name that belongs to a value where its last word is not all of it.
func (sc *scanner) completed(n name, i int) name {
	s := sc.s
	switch n.text {
	case "str", "string", "String", "text", "SecretStr": // the type of a variable: token: str = "…"
		if before := strings.TrimRight(s[max(0, n.from-4):n.from], " "); strings.HasSuffix(before, ":") && s[i] == '=' {
			return sc.nameBefore(n.from - (len(s[max(0, n.from-4):n.from]) - len(before)) - 1)
		}
	case "value":
		if named := sc.namedBefore(n.from); named != "" {
			n.text = named
		}
	case "key", "Key", "KEY":
		for _, first := range []string{"api", "secret", "access", "private"} { // API key: …
			if at := n.from - 1 - len(first); at >= 0 && s[n.from-1] == ' ' && strings.EqualFold(s[at:n.from-1], first) {
				n.text = first + "key"
			}
		}
	}
	return n
}

// namedBefore returns the name that stands before the word value at i: name: NAME, value: …
// in YAML, and the same in JSON.
func (sc *scanner) namedBefore(i int) string {
	s := sc.s[max(0, i-longestName-32):i]
	at := strings.LastIndex(s, "name")
	if at < 0 {
		return ""
	}
	name := strings.Trim(s[at+len("name"):], "\"' :,\\\t\r\n")
	if strings.ContainsAny(name, "\"' :,\\\t\r\n") {
		return ""
	}
	return name
}

// classOf says what a name says about its value.
func (n name) classOf(query bool) valueClass {
	if len(n.text) < 3 {
		return ordinary
	}
	plain := strings.Map(func(r rune) rune {
		switch {
		case r == '_' || r == '-' || r == '.':
			return -1
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		}
		return r
	}, n.text)
	hasEnd := func(end string) bool { return strings.HasSuffix(plain, end) }
	if slices.ContainsFunc(ordinaryNames, hasEnd) {
		return ordinary
	}
	for _, e := range endings {
		if slices.ContainsFunc(e.ends, hasEnd) {
			return e.class
		}
	}
	last := plain
	if at := strings.LastIndexAny(n.text, "_-."); at >= 0 {
		last = strings.ToLower(n.text[at+1:])
	}
	switch {
	case last == "pass" && (!n.colon || plain != "pass") || n.variable && last == "pw":
		return password
	case plain == "cookie":
		return cookie
	case n.text == "_auth": // of .npmrc
		return secretValue
	case n.variable && last == "key" && len(plain) > 3:
		if slices.ContainsFunc(publicKeys, hasEnd) {
			return ordinary
		}
		return secretKey
	case query && (plain == "key" || plain == "sig" || plain == "auth" || plain == "code" || strings.HasSuffix(plain, "signature")):
		return signature
	}
	return ordinary
}

// assignment matches the value after a separator at i, where the name before it is
// telling: NAME=value, "name": "value", Header: value, <name>value, ?name=value.
func (sc *scanner) assignment(i int) found {
	s := sc.s
	if strings.HasPrefix(s[i:], "::") || i == 0 {
		return found{}
	}
	n := sc.nameBefore(i)
	escaped := escapedSign(s, i)
	if tag := s[:n.from]; (s[i] == '>' || escaped > 0) && !strings.HasSuffix(tag, "<") && !strings.HasSuffix(tag, `u003c`) && !strings.HasPrefix(n.text, "u003c") {
		return found{}
	}
	n.query = n.from > 0 && (s[n.from-1] == '?' || s[n.from-1] == '&' || strings.HasSuffix(s[:n.from], `\u0026`))
	if strings.HasSuffix(n.text, "auth") && !n.query && n.text != "_auth" {
		return sc.pair(i + 1)
	}
	c := n.classOf(n.query)
	if c == ordinary {
		return found{}
	}
	from := i + max(escaped, 1)
	for from < len(s) && from < i+3 && (s[from] == '=' || s[from] == '>') {
		from++
	}
	from += escapedSign(s, from)
	for from < len(s) && from < i+24 && (s[from] == ' ' || s[from] == '\t') {
		from++
	}
	return sc.value(from, c, n)
}

// pair matches the password of a pair at from, as Python's requests takes one:
// auth=('name', 'password'), auth=HTTPBasicAuth("name", "password").
func (sc *scanner) pair(from int) found {
	s := sc.s
	for from < len(s) && s[from] == ' ' {
		from++
	}
	for _, call := range [...]string{"HTTPBasicAuth", "HTTPDigestAuth"} {
		if strings.HasPrefix(s[from:], call) {
			from += len(call)
		}
	}
	if from >= len(s) || s[from] != '(' {
		return found{}
	}
	user := quoteAt(s, from+1)
	if user == "" {
		return found{}
	}
	end := sc.closing(from+1+len(user), user)
	if end < 0 {
		return found{}
	}
	next := end + len(user)
	for next < len(s) && next < end+24 && (s[next] == ',' || s[next] == ' ') {
		next++
	}
	if quoteAt(s, next) == "" {
		return found{}
	}
	return sc.value(next, password, name{})
}

// escapedSign returns the length of a > at i that JSON writes as \u003e, at any depth, 0 for none.
func escapedSign(s string, i int) int {
	k := i
	for k < len(s) && s[k] == '\\' && k < i+16 {
		k++
	}
	if k > i && strings.HasPrefix(s[k:], "u003e") {
		return k + 5 - i
	}
	return 0
}

// value matches the value of a telling name that begins at from.
func (sc *scanner) value(from int, c valueClass, n name) found {
	s := sc.s
	if from+1 < len(s) && strings.IndexByte("bfru", s[from]) >= 0 && (s[from+1] == '"' || s[from+1] == '\'') {
		from++ // a prefix of a Python string
	}
	quote := quoteAt(s, from)
	from += len(quote)
	to := -1
	if quote != "" {
		to = sc.closing(from, quote)
	}
	quoted := to >= 0
	if !quoted {
		to = sc.bareEnd(from, c, n)
	}
	if to <= from {
		return found{}
	}
	switch c {
	case authorization:
		from = pastScheme(s, from, to)
		if space := strings.IndexAny(s[from:to], " \t,"); space > 0 {
			to = from + space
		}
	case cookie:
		if !strings.Contains(s[from:to], "=") {
			return found{}
		}
	}
	if f := sc.tokenWithin(from, to); f.to > 0 {
		return f
	}
	if !secret(s[from:to], c, quoted, n) {
		return found{}
	}
	f := found{from: from, to: to, kind: kinds[c]}
	if !quoted && quote == "" && n.quote != "" {
		f.quote = n.quote // a number in JSON
	}
	return f
}

// tokenWithin matches a token that the whole value is, so that its mask has the better name.
func (sc *scanner) tokenWithin(from, to int) found {
	if from >= to || starts[sc.s[from]]&tokenStart == 0 {
		return found{}
	}
	if f := sc.token(from); f.to == to {
		return f
	}
	return found{}
}

// quoteAt returns the quotation mark at i, with the backslashes before it.
func quoteAt(s string, i int) string {
	k := i
	for k < len(s) && s[k] == '\\' && k < i+16 {
		k++
	}
	if k < len(s) && (s[k] == '"' || s[k] == '\'' || s[k] == '`') {
		return s[i : k+1]
	}
	return ""
}

// closing returns the position of the quotation mark that closes a value, -1 if the line
// ends before.
func (sc *scanner) closing(from int, quote string) int {
	s := sc.s[from:min(len(sc.s), from+longestValue)]
	mark := quote[len(quote)-1]
	for i := range len(s) {
		switch s[i] {
		case '\n':
			return -1
		case mark:
			slashes := 0
			for slashes < i && s[i-1-slashes] == '\\' {
				slashes++
			}
			if slashes == len(quote)-1 {
				return from + i - slashes
			}
			if slashes < len(quote)-1 { // a string of the text around it ends
				return -1
			}
		}
	}
	return -1
}

// bareEnd returns the end of a value without quotation marks.
func (sc *scanner) bareEnd(from int, c valueClass, n name) int {
	stops := " \t\r\n\"'`\\,;&<>(){}[]|"
	switch {
	case c == authorization, c == cookie:
		stops = "\r\n\"'`\\"
	case n.variable:
		stops = " \t\r\n\"'`\\&"
	case c == password && n.quote == "":
		stops = " \t\r\n\"'`\\,;&<>"
	}
	s := sc.s[from:min(len(sc.s), from+longestValue)]
	if n.query {
		stops += "#"
	}
	to := strings.IndexAny(s, stops)
	for to > 0 && s[to] == '&' && !n.query && partOfValue(s[to+1:]) {
		next := strings.IndexAny(s[to+1:], stops)
		if next < 0 {
			to = -1
			break
		}
		to += 1 + next
	}
	if to >= 0 {
		s = s[:to]
	}
	if n.variable {
		s = strings.TrimRight(s, ";") // the end of a command
	}
	return from + len(s)
}

// partOfValue reports whether an ampersand before a text is part of a value: no other
// parameter follows it, as in a URL, no other command, as in a shell, and it does not begin
// a character of HTML.
func partOfValue(after string) bool {
	for _, name := range [...]string{"quot;", "lt;", "gt;", "amp;", "nbsp;"} {
		if strings.HasPrefix(after, name) {
			return false
		}
	}
	end := 0
	for end < len(after) && class[after[end]]&(urlSet|dot) != 0 {
		end++
	}
	return end > 0 && (end == len(after) || after[end] != '=')
}

// pastScheme skips the scheme of an Authorization header.
func pastScheme(s string, from, to int) int {
	scheme, _, ok := strings.Cut(s[from:to], " ")
	if ok && len(scheme) <= 20 && digits(scheme) == 0 {
		return from + len(scheme) + 1
	}
	return from
}

// placeholders begin values that stand for a secret.
var placeholders = []string{"$", "{", "<", "%(", "%s", "*", "…", "...", "[", "xxx", "XXX", "your", "YOUR", "os.", "process.", "env.", "ENV[", "secrets.", "getenv", "config.", "settings.", "self.", "this.", "/", "./", "~/", "http:", "https:", "file:"}

// words are values that name a type, or say that there is none.
var words = " password passwd passphrase pwd pass secret token key apikey api_key string str text hidden required optional none null nil undefined true false yes no int bool bytes any object default example changeme redacted masked prompt basic bearer digest "

// secret reports whether the value of a telling name is a secret, and not a placeholder, a
// type or an expression of a program.
func secret(v string, c valueClass, quoted bool, n name) bool {
	if slices.ContainsFunc(placeholders, func(p string) bool { return strings.HasPrefix(v, p) }) {
		return false
	}
	if strings.Contains(words, " "+strings.ToLower(v)+" ") || strings.Contains(v, maskStart) || strings.Contains(v, "...") || strings.Contains(v, "…") {
		return false
	}
	if len(v) > 3 && strings.Count(v, v[:1]) == len(v) {
		return false
	}
	spaces := strings.ContainsAny(v, " \t")
	switch c {
	case password:
		return !spaces && isPassword(v, quoted, n)
	case authorization:
		return len(v) >= 8 && (digits(v) > 0 || mixed(v)) && !strings.ContainsAny(v, "(){}")
	case cookie:
		return len(v) >= 12
	case signature:
		return len(v) >= 16 && !spaces && looksRandom(v)
	}
	return len(v) >= 8 && !spaces && isToken(v, quoted, n)
}

// isPassword reports whether the value of a password is one.
func isPassword(v string, quoted bool, n name) bool {
	switch {
	case quoted:
		return len(v) >= 4
	case n.variable:
		return len(v) >= 4 && !strings.ContainsAny(v, "()")
	}
	return len(v) >= 5 && !expression(v)
}

// isToken reports whether the value of a key or a token is one.
func isToken(v string, quoted bool, n name) bool {
	switch {
	case n.variable:
		return digits(v) > 0 || mixed(v) || len(v) >= 16 && !strings.ContainsAny(v, "()")
	case digits(v) == len(v):
		return quoted && len(v) >= 12
	case quoted:
		return digits(v) > 0 || mixed(v) || len(v) >= 24 && !strings.ContainsAny(v, ".:/_-")
	}
	return !expression(v) && (looksRandom(v) || (n.query || len(v) >= 16) && digits(v) > 0)
}

// expression reports whether a value without quotation marks is a word, or a name or a call
// in a program.
func expression(v string) bool {
	special := false
	for i := range len(v) {
		switch c := class[v[i]]; {
		case c == digit:
			special = true
		case c&(word|dot) == 0:
			special = special || v[i] < 0x80 && v[i] != '(' && v[i] != ')' && v[i] != ':' && v[i] != '?'
		}
	}
	return !special || strings.Contains(v, "(") && strings.Contains(v, ".")
}
