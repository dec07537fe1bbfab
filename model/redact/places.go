package redact

import "strings"

// urlPassword matches the password in the authority of a URL, which begins at from.
func (sc *scanner) urlPassword(from int) found {
	s := sc.s[from:min(len(sc.s), from+512)]
	if end := strings.IndexAny(s, " \t\r\n\"'`\\?<>"); end >= 0 {
		s = s[:end]
	}
	if slash := strings.IndexByte(s, '/'); slash >= 0 && !slashInPassword(s[:slash], s[slash:]) {
		s = s[:slash]
	}
	at := strings.LastIndexByte(s, '@')
	if at < 1 {
		return found{}
	}
	user, pass, ok := strings.Cut(s[:at], ":")
	switch {
	case !ok && len(user) >= 20 && looksRandom(user):
		if f := sc.tokenWithin(from, from+at); f.to > 0 {
			return f
		}
		return found{from: from, to: from + at, kind: "token in URL"}
	case !ok || pass == "" || strings.Trim(pass, "*") == "" || strings.ContainsAny(pass[:1], "$<{[%") && !strings.HasPrefix(pass, "%") || strings.HasPrefix(pass, "%s"), isWord(pass):
		return found{}
	}
	start := from + len(user) + 1
	if f := sc.tokenWithin(start, from+at); f.to > 0 {
		return f
	}
	return found{from: start, to: from + at, kind: "password in URL"}
}

// slashInPassword reports whether the first slash of a URL is in its password, and not behind
// a host with a port: a colon and more than digits before it, and after it the at sign.
func slashInPassword(before, after string) bool {
	_, pass, ok := strings.Cut(before, ":")
	at := strings.IndexByte(after, '@')
	return ok && !strings.Contains(before, "@") && digits(pass) < len(pass) && at > 0 && at < 48 && !strings.Contains(after[1:at], "/")
}

// dataSource matches the password before an at sign in a data source name of Go's drivers:
// name:password@tcp(host).
func (sc *scanner) dataSource(at int) found {
	s := sc.s
	if rest := s[at+1:]; !strings.HasPrefix(rest, "tcp(") && !strings.HasPrefix(rest, "unix(") {
		return found{}
	}
	from := max(sc.copied, at-96)
	from += strings.LastIndexAny(s[from:at], " \t\r\n\"'`=/") + 1
	_, pass, ok := strings.Cut(s[from:at], ":")
	if !ok || !secret(pass, password, true, name{}) {
		return found{}
	}
	return found{from: at - len(pass), to: at, kind: kinds[password]}
}

// email matches an address around an at sign.
func (sc *scanner) email(at int) found {
	s := sc.s
	from := at
	for from > sc.copied && at-from < 64 && (class[s[from-1]]&(urlSet|dot|percent) != 0 || s[from-1] == '+') {
		from--
	}
	from = sc.pastEscape(from)
	for from < at && s[from] == '.' {
		from++
	}
	to, lastDot := at+1, 0
	for to < len(s) && to-at < 255 && class[s[to]]&(alnum|dash|dot) != 0 {
		if s[to] == '.' {
			lastDot = to
		}
		to++
	}
	for to > at && class[s[to-1]]&(dot|dash) != 0 { // the end of a sentence
		to--
	}
	if lastDot >= to {
		lastDot = strings.LastIndexByte(s[:to], '.')
	}
	if from >= at || lastDot <= at+1 || s[from:at] == "git" {
		return found{}
	}
	top := s[lastDot+1 : to]
	if len(top) < 2 || digits(top) > 0 || strings.Contains(" png jpg jpeg gif svg webp service socket timer ", " "+strings.ToLower(top)+" ") {
		return found{}
	}
	return found{from: from, to: to, kind: "e-mail address"}
}

// homeFolder matches the home folder at the start of a path: /home/ada, /Users/ada,
// C:\Users\ada.
func (sc *scanner) homeFolder(i int) found {
	s, from := sc.s, i
	var rest int
	switch {
	case s[i] == '\\':
		if i < 2 || s[i-1] != ':' || class[s[i-2]]&(lower|upper) == 0 || i-2 < sc.copied {
			return found{}
		}
		from = i - 2
		slashes := i
		for slashes < len(s) && s[slashes] == '\\' {
			slashes++
		}
		between := s[i:slashes]
		if !strings.HasPrefix(s[slashes:], "Users"+between) {
			return found{}
		}
		rest = slashes + len("Users") + len(between)
	case strings.HasPrefix(s[i:], "/home/"):
		rest = i + len("/home/")
	case strings.HasPrefix(s[i:], "/Users/"):
		rest = i + len("/Users/")
	default:
		return found{}
	}
	if from > sc.copied && s[i] == '/' && class[s[i-1]]&(urlSet|dot) != 0 && !sc.afterEscape(i) {
		drive := i >= 2 && s[i-2] == '/' && class[s[i-1]]&(lower|upper) != 0 // /c/Users, /mnt/c/Users
		if !drive {
			return found{}
		}
	}
	to := rest
	for to < len(s) && to-rest < 64 && class[s[to]]&(urlSet|dot) != 0 {
		to++
	}
	for to > rest && s[to-1] == '.' {
		to--
	}
	if to == rest || s[rest:to] == "Shared" || s[rest:to] == "Public" {
		return found{}
	}
	return found{from: from, to: to, kind: "home folder"}
}
