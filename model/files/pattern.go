package files

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"hermes-sessions/model/match"
)

// Pattern is the value of the filter file: parts of a path, which must follow each other
// in it. A part may have the wildcards * and ? and sets such as [ab]; ** stands for any
// parts. Case is folded.
//
//	go.mod          a file or a folder of this name, in any folder
//	ui/list/*.go    in a folder list that is in a folder ui
//	./go.mod        in the folder of the conversation
//	~/notes         below the home folder
//	/etc/hosts      at the root
type Pattern struct {
	parts []string // folded
	start start
}

// start is where a path must begin to match.
type start uint8

const (
	anywhere start = iota
	atRoot
	atHome
	atFolder // of the conversation
)

// any is a part that matches every name.
const anyName = "*"

// NewPattern gives the pattern of a value. With prefix the last name may go on, as while
// it is typed.
func NewPattern(value string, prefix bool) Pattern {
	value = slashed(fold(strings.TrimSpace(value)))
	p := Pattern{}
	switch {
	case strings.HasPrefix(value, "./"):
		p.start, value = atFolder, value[2:]
	case value == "~" || strings.HasPrefix(value, "~/"):
		p.start = atHome
	case isRooted(value):
		p.start = atRoot
	}
	p.parts = split(value)
	if n := len(p.parts); n == 0 || strings.HasSuffix(value, "/") {
		p.parts = append(p.parts, anyName)
	} else if prefix && !strings.HasSuffix(p.parts[n-1], anyName) {
		p.parts[n-1] += anyName
	}
	return p
}

// Matches reports whether a file is meant. name is its path as a tool call has it, folder
// that of the conversation. The last part of the pattern must be in the name: a
// conversation in the folder app does not work on app with each file.
func (p Pattern) Matches(folder, name string) bool {
	folder, name = slashed(folder), slashed(name)
	own := len(split(path.Clean(name)))
	full := split(fold(Resolve(folder, name)))
	own = max(min(own, len(full)), 1)
	first := len(full) - own // the part that the last one of the pattern may be first
	if isRooted(name) {
		first = 0
	}
	switch p.start {
	case atRoot:
		return p.matchFrom(p.parts, full, 0, first)
	case atHome:
		home, ok := cutHome(full)
		return ok && p.matchFrom(p.parts, home, 0, 0)
	case atFolder:
		below := split(fold(path.Clean(folder)))
		if folder == "" {
			below = nil
		}
		for i := range below {
			if i >= len(full) || full[i] != below[i] {
				return false
			}
		}
		return p.matchFrom(p.parts, full, len(below), 0)
	}
	for at := range full {
		if p.matchFrom(p.parts, full, at, first) {
			return true
		}
	}
	return false
}

// matchFrom matches parts of the pattern with those of a path from one on. The last must
// match at first or later.
func (p Pattern) matchFrom(parts, full []string, at, first int) bool {
	for i, part := range parts {
		if part == "**" {
			rest := parts[i+1:]
			if len(rest) == 0 {
				return len(full) > first
			}
			for ; at < len(full); at++ {
				if p.matchFrom(rest, full, at, first) {
					return true
				}
			}
			return false
		}
		if at >= len(full) || !matchName(part, full[at]) {
			return false
		}
		at++
	}
	return at > first
}

// matchName matches a part with a name. What is no pattern is taken as it is written.
func matchName(part, name string) bool {
	if part == name || part == anyName {
		return true
	}
	if !strings.ContainsAny(part, "*?[") {
		return false
	}
	ok, err := path.Match(part, name)
	if err != nil {
		prefix, star := strings.CutSuffix(part, anyName)
		return star && strings.HasPrefix(name, prefix)
	}
	return ok
}

// Groups gives search terms, all of one group of which every tool call has in its
// arguments that works on a file that is meant. The folders of all conversations are
// needed: a path relative to one begins below it. A pattern that no word narrows down
// gives nil.
func (p Pattern) Groups(folders []string) (groups []match.Group) {
	from := []int{0}
	for n := 1; n < len(p.parts); n++ { // the folder may have the first n parts
		for _, folder := range folders {
			if p.endsFolder(folder, n) {
				from = append(from, n)
				break
			}
		}
	}
	if p.start != anywhere { // the folder may have any of them
		from = []int{len(p.parts) - 1}
	}
	for _, n := range from {
		terms := partTerms(p.parts[n:])
		if len(terms) == 0 {
			return nil
		}
		groups = append(groups, match.Group{All: terms})
	}
	return groups
}

// endsFolder reports whether the last parts of a folder may be the first n of the pattern.
func (p Pattern) endsFolder(folder string, n int) bool {
	for _, part := range p.parts[:n+1] {
		if part == "**" {
			return true
		}
	}
	folder = strings.TrimSuffix(slashed(folder), "/")
	for i := n - 1; i >= 0; i-- {
		at := strings.LastIndexByte(folder, '/')
		if !matchName(p.parts[i], fold(folder[at+1:])) {
			return false
		}
		folder = folder[:max(at, 0)]
	}
	return true
}

// maxTerms is how many terms narrow a search down.
const maxTerms = 8

// partTerms gives the words of parts as terms. Words of ASCII that follow each other are
// a phrase. Left out are the end of a word behind a wildcard, which no index has, and words
// with other letters that have a case: JSON may escape them in either one.
func partTerms(parts []string) []match.Term {
	var terms []match.Term
	var phrase []string
	flush := func(prefix bool) {
		if len(phrase) > 0 && len(terms) < maxTerms {
			terms = append(terms, match.Term{Text: strings.Join(phrase, " "), Prefix: prefix})
		}
		phrase = nil
	}
	word, cut := "", false // cut: the word begins behind a wildcard
	end := func() {
		switch {
		case isASCII(word) && word != "" && !cut:
			phrase = append(phrase, word)
		case word != "":
			flush(false)
			if !cut && !hasCase(word) {
				phrase = append(phrase, word)
				flush(false)
			}
		}
		word, cut = "", false
	}
	for text := strings.Join(parts, "/") + "/"; text != ""; {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == '*' || r == '?' || r == '[':
			switch {
			case word == "" || cut:
			case isASCII(word):
				phrase = append(phrase, word)
				flush(true)
			case !hasCase(word):
				flush(false)
				phrase = append(phrase, word)
				flush(true)
			}
			flush(false)
			if end := strings.IndexByte(text, ']'); r == '[' && end > 0 {
				size = end + 1
			}
			word, cut = "", true
		case isSeparator(r):
			end()
		default:
			word += text[:size]
		}
		text = text[size:]
	}
	flush(false)
	return terms
}

// isSeparator reports whether a character of a name is between words.
func isSeparator(r rune) bool {
	return r < utf8.RuneSelf && !('0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
}

// hasCase reports whether a word has a letter in upper or lower case that is not ASCII.
func hasCase(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf && unicode.SimpleFold(r) != r })
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
