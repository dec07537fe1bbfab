package redact

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"
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
	phrase    // several words
	signature // a name that is telling only as a parameter of a URL
)

// kinds are the kinds of mask of the classes.
var kinds = [...]string{password: "password", secretToken: "token", secretKey: "key", secretValue: "secret", authorization: "authorization header", cookie: "cookie", phrase: "recovery phrase", signature: "signature"}

// nameEnding is what telling names of a class end in.
type nameEnding struct {
	ends  []string
	class valueClass
}

// endings are the ends of telling names, without separators and in small letters
// (detect-secrets: keyword.py; gitleaks: generic-api-key).
var endings = []nameEnding{
	{[]string{"password", "passwd", "passphrase", "pwd", "passcode", "storepass", "keypass", "psk", "requirepass", "masterauth", "pepper", "passwort", "kennwort", "wachtwoord", "senha", "parola", "losenord", "adgangskode"}, password},
	{[]string{"mnemonic", "seed", "seedphrase", "recoveryphrase", "seedwords", "backupphrase"}, phrase},
	{[]string{"token"}, secretToken},
	{[]string{"secret", "credential", "credentials", "geheimnis"}, secretValue},
	{[]string{
		"apikey", "secretkey", "accesskey", "privatekey", "signingkey", "encryptionkey", "authkey", "masterkey", "accountkey", "sharedkey",
		"servicekey", "rolekey", "adminkey", "deploykey", "licensekey", "hmackey", "webhookkey", "subscriptionkey", "clientkey",
		"applicationkey", "appkey", "fastlykey", "storagekey", "integrationkey", "cryptokey", "keydata", "secretkeybase", "authsalt", "noncesalt", "insalt",
	}, secretKey},
	{[]string{"authorization"}, authorization},
	{[]string{"setcookie"}, cookie},
}

// endingsBy has the endings, one by one, by their last byte.
var endingsBy = func() (by [128][]nameEnding) {
	for _, e := range endings {
		for _, end := range e.ends {
			one := e
			one.ends = []string{end}
			by[end[len(end)-1]&127] = append(by[end[len(end)-1]&127], one)
		}
	}
	return by
}()

// ordinaryNames end as telling names do, but are not.
var ordinaryNames = []string{
	"nexttoken", "pagetoken", "continuationtoken", "synctoken", "padtoken", "eostoken", "bostoken", "unktoken", "septoken",
	"masktoken", "clstoken", "stoptoken", "starttoken", "endtoken", "specialtoken", "pertoken", "lasttoken", "firsttoken",
	"inputtoken", "outputtoken", "newtoken", "publickey", "usersigningkey", "oldpwd",
}

// publicKeys are the names of variables ending in _KEY whose values are no secrets.
var publicKeys = []string{
	"publickey", "primarykey", "foreignkey", "uniquekey", "sortkey", "partitionkey", "cachekey", "hostkey", "sessionkey",
	"registrykey", "routingkey", "hotkey", "compositekey", "groupkey", "lookupkey", "dedupkey", "idempotencykey",
}

// foreignNames are telling names that are not of the letters of identifiers.
var foreignNames = []struct{ names, means string }{
	{"contraseña Contraseña mot+de+passe Mot+de+passe пароль Пароль パスワード 비밀번호 hasło Hasło şifre lösenord", "password"},
	{"密码 密碼 口令", "password"},
	{"密钥 密鑰 API-Schlüssel API+Schlüssel", "apikey"},
	{"令牌", "token"},
	{"助记词 助記詞", "seedphrase"},
}

// foreign has the names one by one by their last byte, the Chinese ones with the verbs behind them too.
var foreign = func() (by [256][]struct{ name, means string }) {
	for _, f := range foreignNames {
		for name := range strings.FieldsSeq(f.names) {
			name = strings.ReplaceAll(name, "+", " ")
			for _, verb := range [...]string{"", "是", "为", "為", "改成", "改为"} {
				if one := name + verb; verb == "" || name[0] >= 0xe3 {
					by[one[len(one)-1]] = append(by[one[len(one)-1]], struct{ name, means string }{one, f.means})
				}
			}
		}
	}
	return by
}()

const (
	longestName     = 64
	longestPassword = 256 // that is looked at first
	longestPhrase   = 512
	longestValue    = 4096
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

// nameEnd returns the end of the name before a separator at i, and whether a space follows it.
func (sc *scanner) nameEnd(i int) (to int, spaced bool) {
	s := sc.s
	to = i
	for to > 1 && s[to-1] == '*' && i-to < 2 { // **bold**
		to--
	}
	for to > 0 && strings.IndexByte("!:=?+", s[to-1]) >= 0 && i-to < 2 {
		if s[to-1] == '!' {
			return 0, false
		}
		to--
	}
	for to > 0 && (s[to-1] == ' ' || s[to-1] == '\t') && i-to < 24 {
		to--
	}
	spaced = to < i
	if spaced && to > 0 && s[to-1] == '}' { // a property of C#
		if at := strings.LastIndex(s[max(0, to-32):to], " { get;"); at >= 0 {
			to = max(0, to-32) + at
		}
	}
	if to > 0 && s[to-1] == ']' {
		to--
		if to > 0 && s[to-1] == '[' { // an array of C
			to--
		}
	}
	if s[i] == ':' {
		to = beforeRemark(s, to)
	}
	return to, spaced
}

// nameBefore reads the name that ends at a separator.
func (sc *scanner) nameBefore(i int) (n name) {
	s := sc.s
	to, spaced := sc.nameEnd(i)
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
	if end == 0 {
		return name{}
	}
	if word, means := foreignName(s[:end]); word != "" {
		return name{text: means, quote: n.quote, colon: n.quote == "" && (s[i] == ':' || s[i] >= 0x80), from: end - len(word)}
	}
	from := end
	for from > 0 && end-from < longestName && class[s[from-1]]&(urlSet|dot) != 0 {
		from--
	}
	n.from = sc.pastEscape(from)
	if n.from > end {
		return name{}
	}
	if n.from > 0 && n.from < end && s[n.from-1] == '\\' && strings.IndexByte("nrt", s[n.from]) >= 0 { // \\n of JSON in JSON
		n.from++
	}
	n.text = s[n.from:end]
	n.variable = !spaced && n.quote == "" && s[i] == '=' && (n.text == strings.ToUpper(n.text) || strings.HasPrefix(n.text, "--"))
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

// foreignName returns the one of foreignNames that a text ends with and what it means, "" for none.
func foreignName(s string) (name, means string) {
	for _, f := range foreign[s[len(s)-1]] {
		if strings.HasSuffix(s, f.name) {
			return f.name, f.means
		}
	}
	return "", ""
}

// completed returns the name that belongs to a value where its last word is not all of it.
func (sc *scanner) completed(n name, i int) name {
	s := sc.s
	switch n.text {
	case "str", "string", "String", "text", "SecretStr": // the type of a variable: token: str = "…"
		window := s[max(0, n.from-12):n.from]
		switch before := strings.TrimRight(window, " &'acist"); { // &'static of Rust, too
		case s[i] != '=':
		case strings.HasSuffix(before, ":"):
			return sc.nameBefore(n.from - (len(window) - len(before)) - 1)
		case len(window) > 2 && n.text == "string" && window[len(window)-1] == ' ' && class[window[len(window)-2]]&word != 0: // Go
			return sc.nameBefore(n.from - 1)
		}
	case "value", "Value", "ParameterValue", "default":
		if named := sc.namedBefore(n.from); named != "" {
			n.text = named
		} else if n.text == "default" {
			n.text = variableBefore(s, n.from)
		}
	case "is", "was", "are": // the password of the server is: …
		if toldBefore(sc.s, n.from) {
			n.text = "password"
		}
	case "phrase", "words":
		for _, first := range []string{"seed", "recovery", "mnemonic", "secret", "backup"} {
			if at := n.from - 1 - len(first); at >= 0 && s[n.from-1] == ' ' && strings.EqualFold(s[at:n.from-1], first) {
				n.text = "seedphrase"
			}
		}
	case "response":
		if sc.commandBefore(n.from, "Digest ", "digest ") {
			n.text = "responsetoken"
		}
	case "P", "p", "d":
		n.text = sc.letter(n)
	case "key", "Key", "KEY":
		for _, first := range []string{"api", "secret", "access", "private", "master", "encryption", "signing", "license", "auth", "account", "wallet", "pragma"} { // API key: …
			if at := n.from - 1 - len(first); at >= 0 && s[n.from-1] == ' ' && strings.EqualFold(s[at:n.from-1], first) {
				n.text = "secretkey"
			}
		}
	}
	return n
}

// escapedSpace leaves out the space of JSON.
var escapedSpace = strings.NewReplacer(`\n`, "", `\r`, "", `\t`, "")

// namedBefore returns the name that stands before the word value at i: name: NAME, value: …
// in YAML, and the same in JSON.
func (sc *scanner) namedBefore(i int) string {
	s := sc.s[max(0, i-longestName-32):i]
	at, length := -1, 0
	for _, before := range []string{"name", "Name", "key", "Key", "ParameterKey", "label", "variable"} {
		k := strings.LastIndex(s, before)
		for k > 0 && class[s[k-1]]&urlSet != 0 { // the end of the name itself
			k = strings.LastIndex(s[:k], before)
		}
		if k > at {
			at, length = k, len(before)
		}
	}
	if at < 0 {
		return ""
	}
	name := strings.TrimLeft(s[at+length:], "\"' :,=\\\t\r\n")
	end := 0
	for end < len(name) && class[name[end]]&(urlSet|dot) != 0 {
		end++
	}
	rest := escapedSpace.Replace(name[end:])
	if strings.IndexFunc(rest, func(r rune) bool { return !strings.ContainsRune("\"' :,=\\\t\r\n{", r) }) >= 0 {
		return ""
	}
	return name[:end]
}

// variableBefore returns the name of the variable of Terraform whose block i is in.
func variableBefore(s string, i int) string {
	s = s[max(0, i-256):i]
	_, block, ok := strings.Cut(s[strings.LastIndexByte(s, '}')+1:], "variable ")
	if name := strings.TrimLeft(block, `\"`); ok && name != block {
		return name[:max(0, strings.IndexAny(name, `\"`))]
	}
	return "default"
}

// toldBefore reports whether the sentence before i has a word for password.
func toldBefore(s string, i int) bool {
	s = s[max(0, i-64):i]
	if !strings.Contains(s, "ass") && !strings.Contains(s, "enn") && !strings.Contains(s, "ASS") {
		return false
	}
	s = strings.ToLower(s[strings.LastIndexAny(s, ".,;:!?\n\"`\\")+1:])
	return slices.ContainsFunc([]string{"password", "passphrase", "passcode", "passwort", "kennwort"}, func(word string) bool { return strings.Contains(s, word) })
}

// letter returns the name that is meant by one letter: P: in the text of a QR code for WiFi,
// /p: of a remote desktop's client, "d" in a private JSON Web Key.
func (sc *scanner) letter(n name) string {
	before := sc.s[max(0, n.from-640):n.from]
	switch {
	case n.text == "P" && strings.HasSuffix(before, ";") && sc.commandBefore(n.from, "WIFI:"),
		n.text == "p" && strings.HasSuffix(before, " /"):
		return "password"
	case n.text == "d" && n.quote != "" && strings.Contains(before, "kty"):
		return "privatekey"
	}
	return n.text
}

// classOf says what a name says about its value.
func (n name) classOf(query bool) valueClass {
	if len(n.text) < 2 {
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
	if plain == "" {
		return ordinary
	}
	hasEnd := func(end string) bool { return strings.HasSuffix(plain, end) }
	for _, e := range endingsBy[plain[len(plain)-1]&127] {
		if hasEnd(e.ends[0]) {
			if slices.ContainsFunc(ordinaryNames, hasEnd) {
				return ordinary
			}
			return e.class
		}
	}
	last := plain
	if at := strings.LastIndexAny(n.text, "_-."); at >= 0 {
		last = strings.ToLower(n.text[at+1:])
	}
	switch {
	case last == "pass", strings.HasSuffix(n.text, "Pass"), last == "pw":
		return password
	case plain == "cookie":
		return cookie
	case n.text == "_auth", n.variable && last == "auth": // of .npmrc
		return secretValue
	case n.variable && last == "key" && len(plain) > 3:
		if slices.ContainsFunc(publicKeys, hasEnd) {
			return ordinary
		}
		return secretKey
	case query && (plain == "key" || plain == "sig" || plain == "auth" || plain == "code" || plain == "jwt" || plain == "hmac" || plain == "sid" || strings.HasSuffix(plain, "signature")), n.text == "Signature":
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
	if n.text == "Private-Lines" { // of PuTTY
		return sc.linesOfKey(i + 1)
	}
	if (s[i] == '>' || escaped > 0) && !sc.inTag(i, escaped, &n) {
		return found{}
	}
	n.query = n.parameter(s, i)
	if strings.HasSuffix(n.text, "auth") && !n.query && n.text != "_auth" {
		if f := sc.pair(i + 1); f.to > 0 || n.quote == "" {
			return f
		}
		n.text = "_auth"
	}
	c := n.classOf(n.query)
	if c == secretValue && n.colon && i+2 < len(s) {
		if f := sc.told(i+2, n); f.to > 0 {
			return f
		}
	}
	if c == ordinary || s[i] == '>' && strings.HasPrefix(s[i+1:], "@") { // user:<password>@host
		return sc.unnamed(i, n)
	}
	n.variable = n.variable || sc.argumentOf(i, n)
	from := sc.valueStart(i, escaped)
	if n.colon && c == password && from < len(s) && pastMarks(s, from) == from && (s[from] == '\n' || s[from] == '\\' && quoteAt(s, from) == "") {
		return sc.onNextLine(from, n)
	}
	return sc.value(from, c, n)
}

// parameter reports whether a name before i is one of a URL.
func (n name) parameter(s string, i int) bool {
	if n.from > 0 && (s[n.from-1] == '?' || s[n.from-1] == '&' || strings.HasSuffix(s[:n.from], `\u0026`)) {
		return true
	}
	return s[i] == '=' && i+1 < len(s) && s[i+1] != '=' && s[i+1] != ' ' && (n.text == "sig" || strings.HasSuffix(n.text, "Signature"))
}

// argumentOf reports whether a name before an equals sign at i is in an argument of a command,
// where = is none of a program.
func (sc *scanner) argumentOf(i int, n name) bool {
	return n.quote == "" && sc.s[i] == '=' && sc.s[i-1] != ' ' && !strings.HasPrefix(sc.s[i:], "= ") && sc.commandBefore(n.from, argumentCommands...)
}

// valueStart returns where the value begins after a separator at i, which JSON may have escaped.
func (sc *scanner) valueStart(i, escaped int) int {
	s := sc.s
	width := 1
	if s[i] >= 0x80 {
		width = len(wideColon)
	}
	from := i + max(escaped, width)
	for from < len(s) && from < i+3 && width == 1 && (s[from] == '=' || s[from] == '>') {
		from++
	}
	from += escapedSign(s, from)
	for from < len(s) && from < i+24 && (s[from] == ' ' || s[from] == '\t') {
		from++
	}
	return from
}

// inTag reports whether the sign at i closes a tag that tells the name of what follows, and
// sets the name where it stands in an attribute or before attributes.
func (sc *scanner) inTag(i, escaped int, n *name) bool {
	s := sc.s
	if escaped == 0 && n.quote != "" {
		tag := tagBefore(sc.s, i)
		if tag.classOf(false) == ordinary && attribute(s[:max(0, n.from-len(n.quote))]) {
			n.quote = ""
			return true
		}
		*n = tag
	}
	before := s[:n.from]
	return strings.HasSuffix(before, "<") || strings.HasSuffix(before, `u003c`) || strings.HasPrefix(n.text, "u003c")
}

// attribute reports whether a text ends as the attribute that names what a tag has.
func attribute(s string) bool { return strings.HasSuffix(s, "name=") || strings.HasSuffix(s, "key=") }

// unnamed matches the password after a colon at i whose word is not telling: password for
// the server: …, and the last field of a line of .pgpass.
func (sc *scanner) unnamed(i int, n name) found {
	s := sc.s
	switch {
	case i+8 >= len(s):
		return found{}
	case strings.HasSuffix(n.text, "s") && strings.HasPrefix(strings.TrimLeft(s[i+1:i+8], " "), "["):
		return sc.firstOf(i, n)
	case s[i] == '=':
		return sc.constant(i, n)
	case !n.colon:
		return found{}
	case i < sc.data:
		return sc.value(sc.valueStart(i, 0), secretValue, name{variable: true})
	case n.text == "data" || n.text == "stringData":
		sc.data = secretData(s, i, n)
		return found{}
	case s[i+1] == ' ':
		return sc.told(i+2, n)
	}
	for _, port := range [...]string{"5432:", "5433:", "6432:", "*:"} {
		if !strings.HasPrefix(s[i+1:], port) || port == "*:" && s[i-1] != '*' {
			continue
		}
		from := i + 1 + len(port)
		line := s[from:min(len(s), from+longestName*2)]
		if end := strings.IndexAny(line, " \t\r\n\"'\\/"); end >= 0 {
			line = line[:end]
		}
		fields := strings.SplitN(line, ":", 3)
		if len(fields) == 3 && secret(fields[2], password, true, name{}) {
			from += len(fields[0]) + len(fields[1]) + 2
			return found{from: from, to: from + len(fields[2]), kind: kinds[password]}
		}
	}
	return found{}
}

// constant matches the quoted value of a constant whose name ends in _KEY: OTHER_KEY = "…".
func (sc *scanner) constant(i int, n name) found {
	from := sc.valueStart(i, 0)
	n.variable = true
	if n.quote != "" || !strings.HasSuffix(n.text, "_KEY") || n.classOf(false) != secretKey || quoteAt(sc.s, from) == "" {
		return found{}
	}
	if f := sc.value(from, secretKey, n); f.to-f.from >= 20 && looksRandom(sc.s[f.from:f.to]) {
		return f
	}
	return found{}
}

// firstOf matches the first value of a list whose name is telling without its s: tokens = ["…"].
func (sc *scanner) firstOf(i int, n name) found {
	n.text = strings.TrimSuffix(n.text, "s")
	c := n.classOf(false)
	if f := sc.value(sc.valueStart(i, 0), c, n); c != ordinary && f.to > 0 && looksRandom(sc.s[f.from:f.to]) {
		return f
	}
	return found{}
}

// told matches the password at from behind a colon, where the words before it tell of one: a
// password for name, credentials.
func (sc *scanner) told(from int, n name) found {
	switch login := strings.ToLower(n.text); {
	case slices.Contains(logins, login):
		if from = afterLogin(sc.s, from); from == 0 {
			return found{}
		}
	case n.from < 8 || sc.s[n.from-1] != ' ' && sc.s[n.from-1] != '@' || !toldBefore(sc.s, n.from):
		return found{}
	}
	if f := sc.value(from, password, n); f.to > 0 && diverse(sc.s[f.from:f.to]) {
		return f
	}
	return found{}
}

// logins are names whose value is a name and a password.
var logins = []string{"credentials", "creds", "login", "zugangsdaten", "anmeldedaten"}

// afterLogin returns where the password of name / password or name:password begins, 0 without one.
func afterLogin(s string, from int) int {
	to := from
	for to < len(s) && to < from+longestName && (class[s[to]]&(urlSet|dot) != 0 || s[to] == '@') {
		to++
	}
	for _, sign := range [...]string{" / ", "/", ":"} {
		if to > from && strings.HasPrefix(s[to:], sign) {
			return to + len(sign)
		}
	}
	return 0
}

// secretData returns the end of the data of a Secret of Kubernetes in YAML whose colon is at i,
// 0 for what is none.
func secretData(s string, i int, n name) int {
	indent := 0
	for n.from > indent && s[n.from-1-indent] == ' ' {
		indent++
	}
	text := s[:min(len(s), i+longestValue)]
	end := nextLine(text, i+1)
	if end == 0 || strings.Trim(text[i+1:end], ` \nr`+"\r\n") != "" {
		return 0
	}
	first := end
	for end < len(text) {
		from := end
		for from < len(text) && text[from] == ' ' {
			from++
		}
		next := nextLine(text, from)
		if from-end <= indent {
			break
		}
		if end = next; next == 0 {
			end = len(text)
		}
	}
	around := s[max(0, i-1024):min(len(s), end+512)]
	kind := strings.Index(around, "kind: Secret")
	if end == first || n.text != "stringData" && (kind < 0 || strings.HasPrefix(around[kind:], "kind: SecretP")) {
		return 0
	}
	return end
}

// nextLine returns where the line behind the one at i begins, in a string of JSON too, 0 for the last.
func nextLine(s string, i int) int {
	for i < len(s) {
		stop := strings.IndexAny(s[i:], "\n\\")
		if stop < 0 {
			return 0
		}
		if i += stop; s[i] == '\n' {
			return i + 1
		}
		for i < len(s) && s[i] == '\\' {
			i++
		}
		if i < len(s) && s[i] == 'n' {
			return i + 1
		}
	}
	return 0
}

// onNextLine matches the password on the line after Password:, where it is all of that line.
func (sc *scanner) onNextLine(from int, n name) found {
	s := sc.s
	if s[from] == '\n' {
		from++
	} else {
		from = pastEscapes(sc.s, from)
	}
	f := sc.value(from, password, n)
	if f.from != from || !diverse(s[f.from:f.to]) || f.to < len(s) && strings.IndexByte("\r\n\\\"", s[f.to]) < 0 {
		return found{}
	}
	return f
}

// tagBefore returns the name of the tag with attributes that ends at i: <password type="text">.
func tagBefore(s string, i int) (n name) {
	from := max(0, i-96)
	from += strings.LastIndexByte(s[from:i], '<') + 1
	to := from
	for to < i && class[s[to]]&(urlSet|dot) != 0 {
		to++
	}
	return name{text: s[from:to], from: from}
}

// linesOfKey matches the lines of base64 after the line that from is on.
func (sc *scanner) linesOfKey(from int) found {
	for from < len(sc.s) && class[sc.s[from]] == digit || from < len(sc.s) && sc.s[from] == ' ' {
		from++
	}
	if to := sc.pastLines(from); to > from {
		return found{from: from, to: to, kind: "private key"}
	}
	return found{}
}

// argument matches the quoted value after a quoted telling name that is the first argument of
// a call, and a comma at i: define('NAME', 'value'), header.Set("Name", "value").
func (sc *scanner) argument(i int) found {
	s := sc.s
	if i == 0 || s[i-1] != '"' && s[i-1] != '\'' && s[i-1] != '`' {
		return found{}
	}
	n, from := sc.nameBefore(i), i+1
	for from < len(s) && from < i+24 && s[from] == ' ' {
		from++
	}
	if strings.HasPrefix(s[from:], "default=") { // of argparse
		from += len("default=")
	}
	before := strings.TrimRight(s[max(0, n.from-len(n.quote)-2):max(0, n.from-len(n.quote))], " ")
	if (n.text == "-u" || n.text == "--user") && sc.commandBefore(i, "curl") {
		return sc.afterSign(from, ':')
	}
	c := n.classOf(false)
	if c == ordinary || n.quote == "" || quoteAt(s, from) == "" || !strings.HasSuffix(before, "(") && !strings.HasPrefix(n.text, "--") && !selector(s[:n.from]) {
		return found{}
	}
	f := sc.value(from, c, n)
	if v := s[f.from:f.to]; f.to > 0 && (len(v) < 8 || !mixed(v) && !diverse(v)) {
		return found{}
	}
	return f
}

// selector reports whether a text ends as the start of a selector that is an argument: fill("#.
func selector(s string) bool { return strings.HasSuffix(s, `"#`) || strings.HasSuffix(s, `'#`) }

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
	end := closing(sc.s, from+1+len(user), user)
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
	if from = pastMarks(s, from); c == phrase {
		for from < len(s) && s[from] == '\n' {
			from++
		}
	}
	quote := quoteAt(s, from)
	from += len(quote)
	to := -1
	if quote != "" {
		to = closing(sc.s, from, quote)
	}
	quoted := to >= 0
	if !quoted {
		to = sc.bareEnd(from, longestPassword, c, n)
		if to == from+longestPassword && !unfilled(s[from:to]) && (c != password || !expression(s[from:to])) {
			to = sc.bareEnd(from, longestValue, c, n)
		}
	}
	if !quoted && quote == "" && c != cookie && c != authorization {
		if at := fallback(s, to); at > 0 {
			return sc.value(at, c, n)
		}
	}
	if to <= from || !quoted && to < len(s) && s[to] == '(' { // a call
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
	case phrase:
		if !quoted {
			to = from + phraseEnd(s[from:min(len(s), from+longestPhrase)])
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

// fallback returns where the literal behind an expression begins that stands in for it:
// name() or "…", name || "…", name ?? "…". It is 0 without one on the line.
func fallback(s string, to int) int {
	line := s[to:min(len(s), to+96)]
	quote := strings.IndexAny(line, "\"'`\n;")
	if quote < 4 {
		return 0
	}
	switch before := strings.TrimRight(line[:quote], `\`); {
	case quoteAt(line, len(before)) == "":
	case strings.HasSuffix(before, " or "), strings.HasSuffix(before, " || "), strings.HasSuffix(before, " ?? "):
		return to + len(before)
	}
	return 0
}

// wrappers may stand before the quotation mark of a literal.
var wrappers = []string{"b", "f", "r", "u", "@", "N", "E", "[]byte(", "Some(", "String::from(", "string(", "SecretStr(", "[", "&"}

// pastMarks returns where a value begins behind the marks of a language at from: what wraps a
// literal, the quotation marks of several lines, an anchor, a tag or the sign of a block in
// YAML, the end of bold in Markdown.
func pastMarks(text string, from int) int {
	s := text[min(len(text), from):min(len(text), from+48)]
	switch {
	case len(s) < 2:
		return from
	case strings.HasPrefix(s, "** "):
		return from + 3
	case strings.HasPrefix(s, "!!"), s[0] == '&' && class[s[1]]&alnum != 0, s[0] == '\\' && strings.HasPrefix(strings.TrimLeft(s, `\`), "u0026"):
		if space := strings.IndexByte(s, ' '); space > 0 && !strings.ContainsAny(s[:space], "\n{(") {
			return from + space + 1
		}
	case s[0] == '>' || s[0] == '|':
		n := 1
		if s[n] == '-' || s[n] == '+' {
			n++
		}
		end := n
		if strings.HasPrefix(s[n:], "\n") {
			end = n + 1
		} else if strings.HasPrefix(s[n:], `\`) {
			for end < len(s) && s[end] == '\\' {
				end++
			}
			end = min(end+1, len(s))
		}
		if rest := strings.TrimLeft(s[min(end, len(s)):], " "); end > n && len(rest) > 0 {
			return from + len(s) - len(rest)
		}
	}
	if quote := quoteAt(s, 0); quote != "" && strings.HasPrefix(s[len(quote):], quote+quote) { // of several lines
		at := from + 3*len(quote)
		if at < len(text) && text[at] == '\\' {
			return pastEscapes(text, at)
		}
		return at + len(text[at:]) - len(strings.TrimLeft(text[at:], "\n"))
	}
	for _, w := range wrappers {
		if strings.HasPrefix(s, w) && quoteAt(s, len(w)) != "" {
			return from + len(w)
		}
	}
	return from
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
func closing(s string, from int, quote string) int {
	s = s[from:min(len(s), from+longestValue)]
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
func (sc *scanner) bareEnd(from, longest int, c valueClass, n name) int {
	stops := " \t\r\n\"'`\\,;&<>(){}[]|"
	switch {
	case c == authorization, c == cookie:
		stops = "\r\n\"'`\\"
	case n.variable:
		stops = " \t\r\n\"'`\\&"
	case c == password && n.quote == "":
		stops = " \t\r\n\"'`\\,;&<>"
	}
	s := sc.s[from:min(len(sc.s), from+longest)]
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
	if strings.Contains(s, "\xe3\x80") || strings.Contains(s, "\xef\xbc") { // the signs of Chinese
		if to := strings.IndexAny(s, "」，。；"); to >= 0 {
			s = s[:to]
		}
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
var placeholders = []string{"$", "{", "#{", "<", "%(", "%s", "**", "…", "...", "[", "xxx", "XXX", "your", "YOUR", "os.", "process.", "env.", "ENV[", "secrets.", "getenv", "config.", "settings.", "self.", "this.", "/", "./", "~/", "http:", "https:", "file:", "!vault", "!secret", "!ref", "ENC["}

// isPlaceholder reports whether a value begins as one, or is an alias of YAML or *args.
func isPlaceholder(v string, n name) bool {
	return strings.HasPrefix(v, "*") && (n.colon || digits(v) == 0) ||
		slices.ContainsFunc(placeholders, func(p string) bool { return strings.HasPrefix(v, p) })
}

// words are values that name a type, or say that there is none.
var words = " password passwort contraseña senha passwd passphrase pwd pass secret token key apikey api_key string str text hidden required optional none null nil undefined true false yes no int bool bytes any object default example changeme redacted masked prompt basic bearer digest "

// secret reports whether the value of a telling name is a secret, and not a placeholder, a
// type or an expression of a program.
func secret(v string, c valueClass, quoted bool, n name) bool {
	if isPlaceholder(v, n) {
		return false
	}
	if isWord(v) || strings.Contains(v, maskStart) || strings.Contains(v, "...") || strings.Contains(v, "…") {
		return false
	}
	if len(v) > 3 && strings.Count(v, v[:1]) == len(v) || unfilled(v) {
		return false
	}
	spaces := strings.ContainsAny(v, " \t")
	switch c {
	case password:
		return isPassword(v, quoted, n) && (!spaces || quoted && isPassphrase(v))
	case authorization:
		return len(v) >= 8 && (digits(v) > 0 || mixed(v)) && !strings.ContainsAny(v, "(){}")
	case cookie:
		return slices.ContainsFunc(strings.Split(v, ";"), func(pair string) bool {
			_, value, _ := strings.Cut(pair, "=")
			return len(value) >= 8 && mixed(value)
		})
	case phrase:
		n := phraseWords(v)
		return n >= 12 && n <= 24 && n%3 == 0
	case signature:
		return len(v) >= 16 && !spaces && looksRandom(v)
	}
	if n.text == "_auth" {
		return isBasic(v)
	}
	return len(v) >= 8 && (!spaces || quoted && len(v) >= 48 && signs(v) >= 8) && isToken(v, quoted, n)
}

// isWord reports whether a value is one of words.
func isWord(v string) bool {
	return len(v) <= 24 && strings.Contains(words, " "+strings.ToLower(v)+" ")
}

// unfilled reports whether a value has a part to be filled in, or is the example of documents.
func unfilled(v string) bool {
	return strings.Contains(v, "xxxxxxxx") || strings.Contains(v, "XXXXXXXX") || strings.HasSuffix(v, "EXAMPLE") || strings.Contains(v, "your-") || strings.Contains(v, "your_") || len(v) > 2 && v[0] == '%' && v[len(v)-1] == '%'
}

// isBasic reports whether a value is a name and a password, as HTTP and Docker have them.
func isBasic(v string) bool {
	plain, err := base64.StdEncoding.DecodeString(v)
	return err == nil && len(v) >= 8 && strings.Contains(string(plain), ":") && utf8.Valid(plain)
}

// signs counts the signs that are not in names, numbers or paths.
func signs(v string) (n int) {
	for i := range len(v) {
		if v[i] > ' ' && v[i] < 0x7f && class[v[i]]&(urlSet|dot|slash) == 0 && v[i] != ':' {
			n++
		}
	}
	return n
}

// phraseWords counts the words of a recovery phrase (BIP 39), of three to eight letters each,
// which may be numbered; it is 0 for a text that is none.
func phraseWords(s string) (n int) {
	for word := range strings.FieldsSeq(strings.ReplaceAll(s[:phraseEnd(s)], ",", " ")) {
		if class[word[0]] == digit {
			continue
		}
		if len(word) < 3 || len(word) > 8 || strings.Contains(" the and for are was has have this that with your you not ", " "+word+" ") {
			return 0
		}
		n++
	}
	return n
}

// phraseEnd returns where the words of small letters that a text begins with end, which
// commas may divide, and lines if they are numbered.
func phraseEnd(s string) int {
	numbered := s != "" && class[s[0]] == digit
	end, last := 0, byte(0)
	for i := range len(s) {
		switch c := s[i]; {
		case class[c]&lower != 0:
			end = i + 1
		case numbered && (class[c] == digit || c == '\n' || c == '.' || c == ')'), c == ' ' && (numbered || last != ' '), c == ',':
		default:
			return end
		}
		last = s[i]
	}
	return end
}

// messageWords are in what programs say about passwords, and not in passphrases.
var messageWords = " a an the is are be to of for in on at by and or no not must with your you my new old enter please required invalid wrong too short long weak strong minimum characters chars field password passwort passphrase secret reset change show hide forgot confirm repeat failed error missing empty string user login log de la das ist bitte contraseña passe "

// isPassphrase reports whether a quoted value of several words is a passphrase, and not a
// message or a label of a program.
func isPassphrase(v string) bool {
	if len(v) > 128 {
		return false
	}
	plain := true // all in small letters
	for word := range strings.FieldsSeq(v) {
		plain = plain && word == strings.ToLower(word) && word[0] < 0x80
		if strings.Contains(messageWords, " "+strings.ToLower(strings.Trim(word, ".,:;!?"))+" ") {
			return false
		}
	}
	return plain && signs(v) <= 2 || digits(v) > 0
}

// isPassword reports whether the value of a password is one.
func isPassword(v string, quoted bool, n name) bool {
	switch {
	case quoted:
		return len(v) >= 4
	case n.variable:
		return len(v) >= 4 && !strings.ContainsAny(v, "()")
	}
	if n.colon && strings.EqualFold(n.text, "pass") { // of a test, too
		return diverse(v)
	}
	return len(v) >= 5 && (!expression(v) || scrambled(v))
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
	return scrambled(v) || !expression(v) && (looksRandom(v) || signs(v) > 0 && diverse(v) || (n.query || len(v) >= 16) && digits(v) > 0)
}

// scrambled reports whether a text is of letters whose case changes more often than in names
// of programs.
func scrambled(v string) bool {
	changes, run, longest := 0, 0, 0
	for i := range len(v) {
		c := class[v[i]]
		if c&(lower|upper) == 0 {
			return false
		}
		if run++; c&upper == 0 {
			run = 0
		}
		longest = max(longest, run)
		if i > 0 && (c&upper == 0) != (class[v[i-1]]&upper == 0) {
			changes++
		}
	}
	return len(v) >= 12 && longest >= 2 && changes*5 >= len(v)*2
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
			special = special || v[i] < 0x80 && strings.IndexByte("()[]:?", v[i]) < 0
		}
	}
	before, _, call := strings.Cut(v, "(")
	return !special || call && (strings.Contains(v, ".") || digits(before) == 0 && signs(before) == 0 && before != "")
}
