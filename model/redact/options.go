package redact

import "strings"

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
	switch {
	case from > end && (option == "-u" || option == "--user") && sc.commandBefore(i, "curl"):
		return sc.afterColon(from)
	case from > end && option == "-p" && sc.commandBefore(i, "sshpass"), option == "-p" && from == end && sc.commandBefore(i, "mysql"):
		return sc.value(from, password, name{variable: true})
	case strings.HasPrefix(option, "-p") && len(option) > 2 && sc.commandBefore(i, "mysql"):
		return sc.value(i+2, password, name{variable: true})
	case from == end || !strings.HasPrefix(option, "--"):
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

// commandBefore reports whether a command stands before i on its line.
func (sc *scanner) commandBefore(i int, command string) bool {
	line := sc.s[max(sc.copied, i-160, 0):i]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	return strings.Contains(line, command)
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
