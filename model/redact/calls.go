package redact

import "strings"

// arguments say which argument of a call is a secret.
var arguments = map[string]int{
	"SetBasicAuth": 2, "basic_auth": 2, "basicAuth": 2, "BasicAuth": 2, "HTTPBasicAuth": 2, "bearer_auth": 1, "bearerAuth": 1,
	"NetworkCredential": 2, "UsernamePasswordCredentials": 2, "PasswordAuthentication": 2, "NewStaticCredentials": 2, "BasicAWSCredentials": 2, "NewStaticCredentialsProvider": 2,
	"getConnection": 3, "mysqli": 3, "mysqli_connect": 3, "PDO": 3, "Wallet": 1, "fromPhrase": 1, "fromMnemonic": 1,
	"jwt.sign": 2, "jwt.verify": 2, "jwt.encode": 2, "jwt.decode": 2, "hmac.new": 1, "createHmac": 2,
	"WiFi.begin": 2, "smtp.login": 2, "server.login": 2, "SMTP.login": 2, "client.login": 2,
}

// column is a value of a row in SQL, behind the comma or the bracket at a position.
type column struct {
	at    int
	class valueClass
}

// call matches the secret among the arguments of a call whose bracket is at i, or the first
// value of a row that SQL inserts.
func (sc *scanner) call(i int) found {
	s := sc.s
	to := i
	for to > 0 && s[to-1] == ' ' && i-to < 2 {
		to--
	}
	from := to
	for from > 0 && to-from < longestName && class[s[from-1]]&(word|dot) != 0 {
		from--
	}
	name := name{text: s[from:to]}
	if strings.EqualFold(name.text, "values") {
		sc.insert(from, i)
		return sc.column(i)
	}
	if name.text == "" || to < i {
		return sc.nextTuple(i)
	}
	last := strings.LastIndexByte(name.text, '.')
	short := name.text[strings.LastIndexByte(name.text[:max(last, 0)], '.')+1:]
	n := arguments[short]
	if n == 0 {
		short = name.text[last+1:]
		n = arguments[short]
	}
	c := password
	if n == 0 {
		if c = name.classOf(false); c == ordinary || c == authorization || c == cookie || reads(short) {
			return found{}
		}
		n = 1
	}
	at := sc.argumentAt(i, n)
	if at < 0 {
		return found{}
	}
	if c == password && n == 1 && strings.Contains(short, "hrase") || short == "Wallet" && phraseWords(s[min(len(s), at+1):min(len(s), at+512)]) >= 12 {
		c = phrase
	}
	f := sc.value(at, c, name)
	switch v := s[f.from:f.to]; {
	case f.to == 0, c == phrase, c == password && len(v) >= 8 && (mixed(v) || diverse(v)), looksRandom(v):
		return f
	}
	return found{}
}

// reads reports whether a call of a name returns a secret, and is given what it is called.
func reads(call string) bool {
	call = strings.ToLower(call)
	for _, verb := range [...]string{"get", "find", "load", "read", "fetch", "lookup", "delete", "del"} {
		if strings.HasPrefix(call, verb) {
			return true
		}
	}
	return false
}

// argumentAt returns where the quoted n-th argument behind a bracket begins, -1 without one.
func (sc *scanner) argumentAt(open, n int) int {
	s := sc.s[:min(len(sc.s), open+512)]
	at := open + 1
	for {
		for at < len(s) && strings.IndexByte(" \t\n", s[at]) >= 0 {
			at++
		}
		quote := quoteAt(s, at)
		if n == 1 {
			if quote == "" && pastMarks(s, at) == at {
				return -1
			}
			return at
		}
		if quote != "" {
			if at = closing(sc.s, at+len(quote), quote); at < 0 {
				return -1
			}
		}
		comma := strings.IndexAny(s[min(at, len(s)):], ",);")
		if comma < 0 || s[at+comma] != ',' {
			return -1
		}
		at += comma + 1
		n--
	}
}

// insert remembers which values of the row at open are secrets, by the names of the columns
// that stand before VALUES.
func (sc *scanner) insert(before, open int) {
	s := strings.TrimRight(sc.s[max(0, before-1024):before], " \t\r\n\\")
	sc.classes = sc.classes[:0]
	if !strings.HasSuffix(s, ")") {
		if s = strings.TrimSuffix(strings.TrimSuffix(s, `\n`), `\r`); !strings.HasSuffix(s, ")") {
			return
		}
	}
	names := s[strings.LastIndexByte(s, '(')+1 : len(s)-1]
	for column := range strings.SplitSeq(names, ",") {
		sc.classes = append(sc.classes, name{text: strings.Trim(column, " \t\r\n\\\"'`[]")}.classOf(false))
	}
	sc.row(open)
}

// nextTuple goes on with the next row of an INSERT.
func (sc *scanner) nextTuple(i int) found {
	if len(sc.classes) > 0 && sc.rowEnd > 0 && i-sc.rowEnd < 16 && strings.Trim(sc.s[sc.rowEnd:i], "), \t\r\n\\") == "" {
		sc.row(i)
		return sc.column(i)
	}
	return found{}
}

// row remembers the values of the row whose bracket is at open.
func (sc *scanner) row(open int) {
	s := sc.s[:min(len(sc.s), open+1024)]
	sc.tuple, sc.rowEnd = sc.tuple[:0], 0
	at := open
	for _, c := range sc.classes {
		if c != ordinary {
			sc.tuple = append(sc.tuple, column{at, c})
		}
		depth := 0
		for at++; at < len(s) && (depth > 0 || s[at] != ',' && s[at] != ')'); at++ {
			switch s[at] {
			case '"', '\'', '`', '\\':
				if quote := quoteAt(s, at); quote != "" {
					end := closing(sc.s, at+len(quote), quote)
					if end < 0 || end >= len(s) {
						return
					}
					at = end + len(quote) - 1
				}
			case '(':
				depth++
			case ')':
				depth--
			}
		}
		if at >= len(s) {
			return
		}
	}
	sc.rowEnd = at
}

// column matches the value of a row behind the comma or the bracket at i.
func (sc *scanner) column(i int) found {
	for len(sc.tuple) > 0 && sc.tuple[0].at < i {
		sc.tuple = sc.tuple[1:]
	}
	if len(sc.tuple) == 0 || sc.tuple[0].at != i {
		return found{}
	}
	from := i + 1
	for from < len(sc.s) && from < i+24 && strings.IndexByte(" \t\n", sc.s[from]) >= 0 {
		from++
	}
	if quoteAt(sc.s, pastMarks(sc.s, from)) == "" {
		return found{}
	}
	return sc.value(from, sc.tuple[0].class, name{})
}
