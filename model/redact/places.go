package redact

import "strings"

// urlPassword matches the password in the authority of a URL, which begins at from.
func (sc *scanner) urlPassword(from int) found {
	s := sc.s[from:min(len(sc.s), from+512)]
	if end := strings.IndexAny(s, " \t\r\n\"'`\\/?<>"); end >= 0 {
		s = s[:end]
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
	case !ok || pass == "" || strings.ContainsAny(pass[:1], "$<{*[%") && !strings.HasPrefix(pass, "%") || strings.HasPrefix(pass, "%s"):
		return found{}
	}
	start := from + len(user) + 1
	if f := sc.tokenWithin(start, from+at); f.to > 0 {
		return f
	}
	return found{from: start, to: from + at, kind: "password in URL"}
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
