package redact

import (
	"math/bits"
	"slices"
	"strings"
)

// Short options before a password, and before name:password, with the commands that have them.
var (
	passwordOptions = map[string][]string{
		"-p": {"sshpass", "docker login", "podman login", "registry login", "az login", "useradd", "usermod", "mongo", "cqlsh", "oc login", "twine ", "ncftp"},
		"-a": {"redis-cli"}, "-w": {"ldap", "security "}, "-s": {"ldappasswd"}, "-c": {"snmp"}, "-k": {"openssl enc"}, "-W": {"ldap"},
		"-P": {"zip ", "sqlcmd", "bcp ", "mosquitto_", "ipmitool", "ssh-keygen"}, "-N": {"ssh-keygen"}, "--body": {"gh secret set"}, "-b": {"gh secret set", "oathtool"}, "--value": {"SecureString"},
		"-storepass": {"keytool", "jarsigner"}, "-srcstorepass": {"keytool"}, "-deststorepass": {"keytool"}, "-keypass": {"keytool", "jarsigner"}, "-pw": {"plink", "pscp", "putty"},
		"-password": {"influx", "java ", "sqlplus"}, "-ApiKey": {"nuget"},
	}
	attachedOptions = map[string][]string{"-p": {"mysql", "mariadb", "sshpass", "7z ", "7za "}, "-b": {"gh secret set"}} // before a password, without a space
	pairOptions     = map[string][]string{"-a": {"http ", "https "}, "-passin": {"openssl"}, "-passout": {"openssl"}}
	userOptions     = map[string][]string{"-U": {"smbclient", "rpcclient", "winexe", "wmic ", "net rpc", "net ads"}} // before name%password
)

// argumentCommands take name=value arguments, and = in them is none of a program.
var argumentCommands = []string{"mount", "kubectl ", "helm ", "curl ", "http ", "https ", "wget ", "vault ", "ansible", "psql ", "docker run", "terraform "}

// positions say which word behind a command, and not an option, is a password.
var positions = map[string]int{
	"htpasswd": 3, "mosquitto_passwd": 3, "rabbitmqctl add_user": 2, "rabbitmqctl change_password": 2, "wpa_passphrase": 2, "net user": 2,
	"importprivkey": 1, "walletpassphrase": 1, "ngrok authtoken": 1, "add-authtoken": 1, "cargo login": 1, "snyk auth": 1, "service install": 1, "alias set": 4, "sqlplus": 1, "rclone obscure": 1, "encrypt_string": 1, "mc config host add": 4,
}

// commandEnds has the commands by their last words.
var commandEnds = func() map[string][]string {
	ends := map[string][]string{}
	for command := range positions {
		last := command[strings.LastIndexByte(command, ' ')+1:]
		ends[last] = append(ends[last], command)
	}
	return ends
}()

// lastPairs says which two bytes commands end with.
var lastPairs = func() (t [128]uint64) {
	for command := range positions {
		n := len(command)
		t[command[n-1]&127] |= 1 << (command[n-2] & 63)
	}
	return t
}()

// positional matches the password among the words of a command that ends at i.
func (sc *scanner) positional(i int) found {
	s := sc.s
	if i < 4 || lastPairs[s[i-1]&127]&(1<<(s[i-2]&63)) == 0 {
		return found{}
	}
	from := i
	for from > 0 && i-from < 24 && class[s[from-1]]&urlSet != 0 {
		from--
	}
	for _, command := range commandEnds[s[from:i]] {
		if strings.HasSuffix(s[:i], command) {
			return sc.wordOf(command, i)
		}
	}
	return found{}
}

// wordOf matches the password among the words of a command that ends at i.
func (sc *scanner) wordOf(command string, i int) found {
	s, n := sc.s[:min(len(sc.s), i+256)], positions[command]
	batch := !strings.HasSuffix(command, "passwd") // others ask for the password
	at := i
	for n > 0 {
		for at < len(s) && s[at] == ' ' {
			at++
		}
		if at == len(s) || strings.IndexByte("|;&<>\n", s[at]) >= 0 || s[at] == '\\' && quoteAt(s, at) == "" {
			return found{}
		}
		option := s[at] == '-'
		end := at
		if quote := quoteAt(s, at); quote != "" {
			if end = closing(sc.s, at+len(quote), quote); end < 0 || end+len(quote) > len(s) {
				return found{}
			}
			end += len(quote)
		} else {
			for end < len(s) && strings.IndexByte(" \n\\\"'", s[end]) < 0 {
				end++
			}
		}
		switch {
		case option:
			batch = batch || strings.Contains(s[at:end], "b")
			if command == "htpasswd" && strings.Contains(s[at:end], "n") { // no file
				n--
			}
		case n == 1 && command == "sqlplus":
			return sc.afterSign(at, '/')
		case n == 1 && batch:
			return sc.value(at, password, name{variable: true})
		default:
			n--
		}
		at = end
	}
	return found{}
}

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
	if !strings.HasPrefix(option, "--") || option == "--user" || option == "--cookie" || option == "--body" || option == "--value" {
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
	case spaced && (option == "-u" || len(option) < 6 && option[len(option)-1] == 'u' && sc.commandBefore(i, "curl") || option == "--user") && !sc.commandBefore(i, "lftp"):
		if f := sc.afterSign(from, ':'); f.to > 0 && (sc.commandBefore(i, "curl") || looksRandom(s[f.from:f.to])) {
			return f
		}
		return found{}
	case spaced && sc.commandBefore(i, pairOptions[option]...):
		return sc.afterSign(from, ':')
	case spaced && sc.commandBefore(i, userOptions[option]...):
		return sc.afterSign(from, '%')
	case spaced && option == "-u":
		return sc.afterSign(from, ',')
	case spaced && (option == "-b" || option == "--cookie") && sc.commandBefore(i, "curl"):
		return sc.value(from, cookie, name{})
	case spaced && sc.commandBefore(i, passwordOptions[option]...):
		return sc.value(from, password, name{variable: true})
	case strings.HasPrefix(option, "-hp") && sc.commandBefore(i, "rar "):
		return sc.value(i+3, password, name{variable: true})
	case (!spaced || len(option) > 2) && len(option) >= 2 && sc.commandBefore(i, attachedOptions[option[:2]]...):
		if f := sc.value(i+2, password, name{variable: true}); digits(s[f.from:f.to]) < f.to-f.from { // no port
			return f
		}
	}
	return found{}
}

// links are what may stand between a telling name and its value, instead of a colon.
var links = []string{"is: ", "is now ", "is ", "was ", "to ", "has been reset to ", "has been set to ", "has been changed to ", "set to ", "should be ", "ist ", "lautet ", "est ", "es ", "-> ", `-\u003e `, "→ ", "<- ", "- ", "| ", "– ", "— ", "<<< ", "|| ", "?? ", "or ", "是 ", "为 "}

// afterSpace matches the value that only a space, or a space and a link, divide from a telling
// name: the token is value, ENV NAME value, password value in a line of .netrc.
func (sc *scanner) afterSpace(i int) found {
	s := sc.s
	if f, ok := sc.afterWord(i); ok {
		return f
	}
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
	known := link == "is " || link == "is: " || link == "is now " || sc.commandBefore(i, "login ", "set", "ENV ", "wifi connect", "#define ") || sc.beginsLine(n.from)
	n.variable = n.text == strings.ToUpper(n.text) || known && link == ""
	c := n.classOf(false)
	if c == ordinary || n.text == "PASS" && link == "" { // of a test
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

// afterWord matches the word of a command that ends at i, what a command reads from <<<, and
// what a sentence says about a password.
func (sc *scanner) afterWord(i int) (found, bool) {
	if f := sc.positional(i); f.to > 0 {
		return f, true
	}
	s := sc.s
	switch verb := s[max(0, i-4):i]; {
	case strings.HasPrefix(s[i:], " <<< "):
		if sc.commandBefore(i, "kinit", "cryptsetup", "passwd", "sudo -S", "secret put", "login", "-stdin") {
			return sc.value(i+len(" <<< "), password, name{variable: true}), true
		}
	case verb == " are" && strings.HasSuffix(strings.ToLower(s[max(0, i-15):i]), "credentials are"):
		return sc.told(i+1, name{text: logins[0]}), true
	case strings.HasSuffix(verb, " is"), verb == " ist", strings.HasSuffix(s[:i], " lautet"):
		return sc.said(i), true
	}
	return found{}, false
}

// said matches the password behind the verb of a sentence that ends at i: the password of the
// server is …, das Kennwort für den Server ist ….
func (sc *scanner) said(i int) found {
	if !toldBefore(sc.s, i) {
		return found{}
	}
	if f := sc.value(i+1, password, name{}); f.to > 0 && diverse(strings.TrimRight(sc.s[f.from:f.to], ".")) {
		return f
	}
	return found{}
}

// isForeign reports whether a text ends in one of foreignNames.
func isForeign(s string) bool {
	name, _ := foreignName(s)
	return name != ""
}

// link returns where the value begins behind a space at i, and the link before it.
func (sc *scanner) link(i int) (from int, link string) {
	s := sc.s
	from = i + 1
	for from < len(s) && from < i+24 && s[from] == ' ' {
		from++
	}
	if from > i+1 && s[min(from, len(s)-1)] != '|' && !sc.property(i) { // not a column of a table
		from = i + 1
	}
	for _, l := range links {
		if strings.HasPrefix(s[from:], l) {
			link = l
			from += len(l)
			break
		}
	}
	if (link == "or " || link == "|| " || link == "?? ") && quoteAt(s, from) == "" { // a condition
		return len(s), ""
	}
	for link == "| " && from < len(s) && s[from] == ' ' { // a column of a table
		from++
	}
	return from, link
}

// property reports whether a name that begins its line ends at i, as in properties of Java and
// in columns of a command.
func (sc *scanner) property(i int) bool {
	n := sc.nameBefore(i)
	return sc.beginsLine(n.from) || strings.Contains(n.text, ".") && sc.s[n.from-1] == '"'
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
		if pipe := strings.IndexByte(s[f.from:f.to], '|'); pipe > 0 {
			f.to = f.from + pipe
		}
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
	case 'l':
		return end == "ssel" && isForeign(s)
	case 't':
		return strings.EqualFold(end, "cret") || strings.EqualFold(end, "wort")
	case 'y':
		return strings.EqualFold(end[1:], "key") || strings.EqualFold(end[1:], " by") // IDENTIFIED BY
	case 'e':
		return strings.EqualFold(end, "rase") || end == "asse" && isForeign(s)
	}
	return (end[3] >= 0x80 || end[2] >= 0x80) && isForeign(s)
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
