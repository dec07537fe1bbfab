package files

import (
	"path"
	"slices"
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

// anyName is a part that matches every name.
const anyName = "*"

// NewPattern returns the pattern of a value. With prefix, as while a value is typed, the last
// part matches every continuation.
func NewPattern(value string, prefix bool) Pattern {
	value = slashed(strings.ToLower(strings.TrimSpace(value)))
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
// the folder of the conversation. The last part of the pattern must match in name: not
// every file of a conversation in the folder app is meant by file:app.
func (p Pattern) Matches(folder, name string) bool {
	folder, name = slashed(folder), slashed(name)
	full := split(strings.ToLower(resolve(folder, name)))
	own := max(min(len(split(path.Clean(name))), len(full)), 1) // parts of name itself
	first := len(full) - own                                    // where the last part of the pattern may match
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
		below := split(strings.ToLower(path.Clean(folder)))
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

// matchFrom reports whether parts of the pattern match those of a path, one after the other
// from the index at on. The last one must match at the index first or behind it.
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

// matchName reports whether a part of the pattern matches a name. A malformed part matches
// itself, and with a final star every continuation.
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

// Groups returns search terms that narrow a search for the pattern down: the arguments of
// every tool call that works on a file that is meant have all terms of one group. folders
// are those of all conversations: a path relative to one begins below it. It returns nil for
// a pattern without words.
func (p Pattern) Groups(folders []string) (groups []match.Group) {
	from := []int{0}                    // the parts that the path in the arguments may begin with
	for n := 1; n < len(p.parts); n++ { // the folder may end with the first n parts
		for _, folder := range folders {
			if p.endsFolder(folder, n) {
				from = append(from, n)
				break
			}
		}
	}
	if p.start != anywhere { // the folder may have all but the last
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

// endsFolder reports whether a folder may end with the first n parts of the pattern.
func (p Pattern) endsFolder(folder string, n int) bool {
	if slices.Contains(p.parts[:n+1], "**") {
		return true
	}
	folder = strings.TrimSuffix(slashed(folder), "/")
	for i := n - 1; i >= 0; i-- {
		at := strings.LastIndexByte(folder, '/')
		if !matchName(p.parts[i], strings.ToLower(folder[at+1:])) {
			return false
		}
		folder = folder[:max(at, 0)]
	}
	return true
}

// maxTerms is how many terms of a pattern are searched for; more narrow it down no further.
const maxTerms = 8

// partTerms returns the words of parts as terms. Words of ASCII that follow each other are
// a phrase. Left out are the end of a word behind a wildcard, which no index has, and words
// with other letters that have a case: JSON may escape them in either one.
func partTerms(parts []string) []match.Term {
	var b termBuilder
	word, cut := "", false // cut: the word begins behind a wildcard
	for text := strings.Join(parts, "/") + "/"; text != ""; {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == '*' || r == '?' || r == '[':
			b.add(word, cut, true)
			if end := strings.IndexByte(text, ']'); r == '[' && end > 0 {
				size = end + 1
			}
			word, cut = "", true
		case isSeparator(r):
			b.add(word, cut, false)
			word, cut = "", false
		default:
			word += text[:size]
		}
		text = text[size:]
	}
	b.flush(false)
	return b.terms
}

// termBuilder makes terms of the words of a pattern.
type termBuilder struct {
	terms  []match.Term
	phrase []string // words of ASCII of the next term
}

// add adds a word. cut says that a wildcard is before it, prefix that one follows it.
func (b *termBuilder) add(word string, cut, prefix bool) {
	usable := word != "" && !cut
	switch {
	case usable && match.IsASCII(word):
		b.phrase = append(b.phrase, word)
		if !prefix {
			return
		}
	case usable && !hasCase(word):
		b.flush(false)
		b.phrase = append(b.phrase, word)
	case word == "" && !prefix: // several separators
		return
	default:
		prefix = false
	}
	b.flush(prefix)
}

// flush ends the phrase.
func (b *termBuilder) flush(prefix bool) {
	if len(b.phrase) > 0 && len(b.terms) < maxTerms {
		b.terms = append(b.terms, match.Term{Text: strings.Join(b.phrase, " "), Prefix: prefix})
	}
	b.phrase = nil
}

// isSeparator reports whether a character separates words in the word index.
func isSeparator(r rune) bool {
	return r < utf8.RuneSelf && !('0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
}

// hasCase reports whether a word has a letter in upper or lower case that is not ASCII.
func hasCase(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf && unicode.SimpleFold(r) != r })
}
