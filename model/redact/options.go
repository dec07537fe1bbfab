package redact

import (
	"slices"
	"strings"
)

// Short options before a password, and before name:password, with the commands that have them.
var (
	passwordOptions = map[string][]string{"-p": {"sshpass", "docker login"}, "-a": {"redis-cli"}, "-w": {"ldap"}, "-P": {"zip "}, "--body": {"gh secret set"}, "-b": {"gh secret set"}}
	pairOptions     = map[string][]string{"-a": {"http ", "https "}, "-passin": {"openssl"}, "-passout": {"openssl"}}
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
	if !strings.HasPrefix(option, "--") || option == "--user" || option == "--body" {
		return sc.shortOption(i, option, from)
	}
	if from == end {
		return found{}
	}
	n := name{text: option[2:]}
	if c := n.classOf(false); c != ordinary && c != authorization && c != cookie {
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
		if f := sc.afterColon(from); f.to > 0 && (sc.commandBefore(i, "curl") || looksRandom(s[f.from:f.to])) {
			return f
		}
		return found{}
	case spaced && sc.commandBefore(i, pairOptions[option]...):
		return sc.afterColon(from)
	case spaced && sc.commandBefore(i, passwordOptions[option]...), option == "-p" && !spaced && sc.commandBefore(i, "mysql"):
		return sc.value(from, password, name{variable: true})
	case strings.HasPrefix(option, "-p") && len(option) > 2 && sc.commandBefore(i, "mysql"):
		return sc.value(i+2, password, name{variable: true})
	}
	return found{}
}

// afterSpace matches the value that only a space, or a space and "is", divide from a telling
// name: the token is value, ENV NAME value, password value in a line of .netrc.
func (sc *scanner) afterSpace(i int) found {
	s := sc.s
	if !telling(s[:i]) {
		return found{}
	}
	from := i + 1
	is := strings.HasPrefix(s[from:], "is ")
	if is {
		from += len("is ")
	}
	if from >= len(s) || class[s[from]]&alnum == 0 && quoteAt(s, from) == "" {
		return found{}
	}
	n := sc.nameBefore(i)
	n.variable = n.text == strings.ToUpper(n.text)
	c := n.classOf(false)
	if c == ordinary {
		return found{}
	}
	f := sc.value(from, c, n)
	if f.to == 0 {
		return f
	}
	known := is || sc.commandBefore(i, "login ", "set", "ENV ")
	if v := s[f.from:f.to]; looksRandom(v) || c == password && known && len(v) >= 6 && mixed(v) {
		return f
	}
	return found{}
}

// telling reports whether a text ends as telling names do.
func telling(s string) bool {
	if len(s) < 4 {
		return false
	}
	end := s[len(s)-4:]
	switch end[3] | 0x20 {
	case 'n':
		return strings.EqualFold(end, "oken")
	case 'd':
		return strings.EqualFold(end, "word") || strings.EqualFold(end[1:], "pwd")
	case 's':
		return strings.EqualFold(end, "pass")
	case 't':
		return strings.EqualFold(end, "cret")
	case 'y':
		return strings.EqualFold(end[1:], "key")
	case 'e':
		return strings.EqualFold(end, "rase")
	}
	return false
}

// commandBefore reports whether one of some commands stands before i on its line.
func (sc *scanner) commandBefore(i int, commands ...string) bool {
	if len(commands) == 0 {
		return false
	}
	line := sc.s[max(sc.copied, i-160, 0):i]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	return slices.ContainsFunc(commands, func(c string) bool { return strings.Contains(line, c) })
}

// afterColon matches the password of name:password.
func (sc *scanner) afterColon(from int) found {
	from += len(quoteAt(sc.s, from))
	to := sc.bareEnd(from, password, name{variable: true})
	colon := strings.IndexByte(sc.s[from:to], ':')
	if colon < 0 || !secret(sc.s[from+colon+1:to], password, true, name{}) {
		return found{}
	}
	return found{from: from + colon + 1, to: to, kind: kinds[password]}
}
