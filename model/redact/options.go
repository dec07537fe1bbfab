package redact

import (
	"math/bits"
	"slices"
	"strings"
)

// Short options before a password, and before name:password, with the commands that have them.
var (
	passwordOptions = map[string][]string{
		"-p": {"sshpass", "docker login", "podman login", "az login", "useradd", "mongo", "cqlsh", "oc login"}, "-a": {"redis-cli"}, "-w": {"ldap", "security "},
		"-P": {"zip ", "sqlcmd", "bcp "}, "-k": {"openssl enc"}, "--body": {"gh secret set"}, "-b": {"gh secret set", "oathtool"}, "--value": {"SecureString"},
		"-storepass": {"keytool", "jarsigner"}, "-keypass": {"keytool", "jarsigner"}, "-pw": {"plink", "pscp", "putty"},
	}
	attachedOptions = map[string][]string{"-p": {"mysql", "mariadb", "sshpass", "7z ", "7za "}} // before a password, without a space
	pairOptions     = map[string][]string{"-a": {"http ", "https "}, "-passin": {"openssl"}, "-passout": {"openssl"}}
	userOptions     = map[string][]string{"-U": {"smbclient", "rpcclient"}} // before name%password
)

// option matches what follows an option of a command line at i: --password value,
// curl -u name:password, mysql -ppassword, sshpass -p password.
func (sc *scanner) option(i int) found {
	s := sc.s
	if i > 0 && class[s[i-1]]&(word|dash) != 0 && !sc.afterEscape(i) || i+2 >= len(s) {
		return found{}
	}
	end := i
	for end < len(s) && end < i+longestName && class[s[end]]&urlSet != 0 {
		end++
	}
	from := end
	for from < len(s) && from < end+4 && s[from] == ' ' {
		from++
	}
	option := s[i:end]
	if !strings.HasPrefix(option, "--") || option == "--user" || option == "--body" || option == "--value" {
		return sc.shortOption(i, option, from)
	}
	if from == end {
		return found{}
	}
	n := name{text: option[2:]}
	c := n.classOf(false)
	if option == "--auth" || option == "--bearer" || option == "--oauth2-bearer" {
		if f := sc.value(from, secretToken, name{variable: true}); f.to > 0 && looksRandom(s[f.from:f.to]) {
			return f
		}
		return found{}
	}
	if c != ordinary && c != authorization && c != cookie {
		n.variable = from < len(s) && s[from] != '-'
		if n.variable {
			return sc.value(from, c, n)
		}
	}
	return found{}
}

// shortOption matches what follows an option at i that is telling after its command only, up to from.
func (sc *scanner) shortOption(i int, option string, from int) found {
	s, spaced := sc.s, from > i+len(option)
	switch {
	case spaced && (option == "-u" || option == "--user"):
		if f := sc.afterSign(from, ':'); f.to > 0 && (sc.commandBefore(i, "curl") || looksRandom(s[f.from:f.to])) {
			return f
		}
		return found{}
	case spaced && sc.commandBefore(i, pairOptions[option]...):
		return sc.afterSign(from, ':')
	case spaced && sc.commandBefore(i, userOptions[option]...):
		return sc.afterSign(from, '%')
	case spaced && option == "-b" && sc.commandBefore(i, "curl"):
		return sc.value(from, cookie, name{})
	case spaced && sc.commandBefore(i, passwordOptions[option]...):
		return sc.value(from, password, name{variable: true})
	case (!spaced || len(option) > 2) && len(option) >= 2 && sc.commandBefore(i, attachedOptions[option[:2]]...):
		if f := sc.value(i+2, password, name{variable: true}); digits(s[f.from:f.to]) < f.to-f.from { // no port
			return f
		}
	}
	return found{}
}

// links are what may stand between a telling name and its value, instead of a colon.
var links = []string{"is: ", "is now ", "is ", "was ", "to ", "has been reset to ", "has been set to ", "has been changed to ", "set to ", "should be ", "ist ", "lautet ", "est ", "es ", "-> ", `-\u003e `, "→ ", "<- ", "- ", "| ", "– ", "— ", "<<< "}

// afterSpace matches the value that only a space, or a space and a link, divide from a telling
// name: the token is value, ENV NAME value, password value in a line of .netrc.
func (sc *scanner) afterSpace(i int) found {
	s := sc.s
	if !telling(s[:i]) {
		return found{}
	}
	from, link := sc.link(i)
	if from >= len(s) || class[s[from]]&alnum == 0 && quoteAt(s, from) == "" {
		return found{}
	}
	if f, ok := sc.afterCommand(i, from); ok {
		return f
	}
	n := sc.nameBefore(i)
	if n.text == "pw" {
		n.text = "password"
	}
	known := link == "is " || link == "is: " || link == "is now " || sc.commandBefore(i, "login ", "set", "ENV ", "wifi connect", "#define ") || sc.beginsLine(n.from)
	n.variable = n.text == strings.ToUpper(n.text) || known && link == ""
	c := n.classOf(false)
	if c == ordinary {
		return found{}
	}
	f := sc.value(from, c, n)
	v := s[f.from:f.to]
	if f.to == 0 || strings.Contains(v, "(") && quoteAt(s, from) == "" { // a type or a call
		return found{}
	}
	quoted := quoteAt(s, from) != ""
	switch {
	case c == phrase, looksRandom(v), link != "" && diverse(v),
		known && len(v) >= 6 && mixed(v) && (c == password || link == "" && len(v) >= 8),
		c == password && quoted && link != "" && len(v) >= 6 && class[v[0]]&alnum != 0 && strings.ContainsAny(v, "-_!#%&*+@0123456789"):
		return f
	}
	return found{}
}

// link returns where the value begins behind a space at i, and the link before it.
func (sc *scanner) link(i int) (from int, link string) {
	s := sc.s
	from = i + 1
	for from < len(s) && from < i+24 && s[from] == ' ' {
		from++
	}
	if from > i+1 && s[min(from, len(s)-1)] != '|' { // not a column of a table
		from = i + 1
	}
	for _, l := range links {
		if strings.HasPrefix(s[from:], l) {
			link = l
			from += len(l)
			break
		}
	}
	for link == "| " && from < len(s) && s[from] == ' ' { // a column of a table
		from++
	}
	return from, link
}

// beginsLine reports whether only spaces are before i on its line, of a string of JSON too.
func (sc *scanner) beginsLine(i int) bool {
	for i > 0 && sc.s[i-1] == ' ' {
		i--
	}
	return i == 0 || sc.s[i-1] == '\n' || sc.afterEscape(i)
}

// afterCommand matches the quoted or last word of a command or a statement that has a
// password without an option: echo password | sudo -S, vault login token, IDENTIFIED BY 'password'.
func (sc *scanner) afterCommand(i, from int) (f found, ok bool) {
	s := sc.s
	switch before := s[max(0, i-24):i]; {
	case strings.HasSuffix(before, "echo"):
		f = sc.value(from, password, name{variable: true})
		rest := s[max(f.to, from):min(len(s), max(f.to, from)+80)]
		rest = rest[:strings.IndexByte(rest+"\n", '\n')]
		_, target, piped := strings.Cut(rest, "|")
		if !piped || !slices.ContainsFunc([]string{"stdin", "sudo -S", "chpasswd", "passwd "}, func(c string) bool { return strings.Contains(target, c) }) {
			return found{}, true
		}
		if name, _, pair := strings.Cut(s[max(f.from, from):max(f.to, from)], ":"); pair && strings.Contains(target, "chpasswd") {
			f.from += len(name) + 1
		}
		return f, true
	case strings.HasSuffix(before, "vault login"):
		return sc.value(from, secretToken, name{variable: true}), true
	case strings.HasSuffix(before, "SecureString"):
		return sc.value(from, password, name{}), true
	case strings.EqualFold(before[max(0, len(before)-3):], " by"):
		if quoteAt(s, from) != "" && strings.Contains(strings.ToUpper(s[max(0, i-48):i]), "IDENTIFIED") {
			return sc.value(from, password, name{}), true
		}
		return found{}, true
	case strings.HasSuffix(before, "PASSWORD") && quoteAt(s, from) != "": // of SQL
		return sc.value(from, password, name{}), true
	}
	return found{}, false
}

// asPassword matches the word before i, which as tells to be a password: use … as the password.
func (sc *scanner) asPassword(i int) found {
	s := sc.s
	what := strings.TrimPrefix(strings.TrimPrefix(s[i+len(" as "):min(len(s), i+24)], "the "), "your ")
	if !strings.HasPrefix(what, "password") && !strings.HasPrefix(what, "passphrase") && !strings.HasPrefix(what, "token") && !strings.HasPrefix(what, "API key") {
		return found{}
	}
	from, to := i, i
	for from > max(sc.copied, i-longestName) && strings.IndexByte(" \t\r\n\"'`\\,;", s[from-1]) < 0 || from == i && from > sc.copied && strings.IndexByte("\"'`", s[from-1]) >= 0 {
		from--
		if from == i-1 && strings.IndexByte("\"'`", s[from]) >= 0 {
			to = from
			for from > max(sc.copied, i-longestName) && strings.IndexByte(" \t\r\n\"'`\\", s[from-1]) < 0 {
				from--
			}
			break
		}
	}
	if v := s[from:to]; len(v) < 6 || !secret(v, password, true, name{}) || !mixed(v) || strings.ContainsAny(v, "()/") {
		return found{}
	}
	return found{from: from, to: to, kind: kinds[password]}
}

// diverse reports whether a text has characters of three kinds, as passwords have to:
// small letters, capitals, digits and signs.
func diverse(v string) bool {
	var kinds uint16
	for i := range len(v) {
		switch c := class[v[i]]; {
		case c&lower != 0:
			kinds |= 1
		case c&upper != 0:
			kinds |= 2
		case c == digit:
			kinds |= 4
		}
	}
	if signs(v) > 0 {
		kinds |= 8
	}
	return len(v) >= 8 && bits.OnesCount16(kinds) >= 3
}

// telling reports whether a text ends as telling names do.
func telling(s string) bool {
	if len(s) < 4 {
		return strings.EqualFold(s, "pwd")
	}
	end := s[len(s)-4:]
	switch end[3] | 0x20 {
	case 'n':
		return strings.EqualFold(end, "oken") || end == "ogin" // vault login
	case 'w':
		return end[1:] == " pw"
	case 'o':
		return end == "echo"
	case 'g':
		return end == "ring" // ConvertTo-SecureString
	case 'd':
		return strings.EqualFold(end, "word") || strings.EqualFold(end[1:], "pwd")
	case 's':
		return strings.EqualFold(end, "pass")
	case 'k':
		return strings.EqualFold(end, " psk")
	case 't':
		return strings.EqualFold(end, "cret") || strings.EqualFold(end, "wort")
	case 'y':
		return strings.EqualFold(end[1:], "key") || strings.EqualFold(end[1:], " by") // IDENTIFIED BY
	case 'e':
		return strings.EqualFold(end, "rase") || end == "asse" && passwordWord(s) != ""
	}
	return (end[3] >= 0x80 || end[2] >= 0x80) && passwordWord(s) != ""
}

// commandBefore reports whether one of some commands stands before i on its line.
func (sc *scanner) commandBefore(i int, commands ...string) bool {
	if len(commands) == 0 {
		return false
	}
	line := sc.s[min(i, max(sc.copied, i-160)):i]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	return slices.ContainsFunc(commands, func(c string) bool { return strings.Contains(line, c) })
}

// afterSign matches the password of name:password, or what else is between the two.
func (sc *scanner) afterSign(from int, sign byte) found {
	from += len(quoteAt(sc.s, from))
	to := sc.bareEnd(from, longestPassword, password, name{variable: true})
	colon := strings.IndexByte(sc.s[from:to], sign)
	if colon < 0 || !secret(sc.s[from+colon+1:to], password, true, name{}) {
		return found{}
	}
	return found{from: from + colon + 1, to: to, kind: kinds[password]}
}
