package match

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Pattern is what find in a conversation looks for: literal text or a regular
// expression. Case counts when the pattern has capitals (smart case), and in
// literal text a space stands for any white space, line breaks included. It may
// be used by several goroutines at once.
type Pattern struct {
	text          string
	regex         *regexp.Regexp // nil for literal text
	words         []string       // of literal text; in lower case unless caseSensitive
	caseSensitive bool
}

// NewPattern returns the pattern for what was typed. The error is that of a regular
// expression; literal text gives none.
func NewPattern(text string, regex bool) (Pattern, error) {
	p := Pattern{text: text}
	if regex {
		p.caseSensitive = hasUpper(regexEscapes.ReplaceAllString(text, ""))
		flags := "(?im)"
		if p.caseSensitive {
			flags = "(?m)"
		}
		var err error
		p.regex, err = regexp.Compile(flags + text)
		return p, err
	}
	p.caseSensitive = hasUpper(text)
	p.words = strings.Fields(text)
	if !p.caseSensitive {
		for i, w := range p.words {
			p.words[i] = strings.Map(unicode.ToLower, w)
		}
	}
	return p, nil
}

// regexEscapes matches what may have a capital letter in a regular expression and
// does not stand for it: \S, \W, \pL.
var regexEscapes = regexp.MustCompile(`\\[pP]\{?\^?\w+\}?|\\.`)

func hasUpper(s string) bool { return strings.ContainsFunc(s, unicode.IsUpper) }

// Empty reports whether the pattern matches nothing because nothing was typed.
func (p Pattern) Empty() bool { return p.regex == nil && len(p.words) == 0 }

// Text returns what was typed.
func (p Pattern) Text() string { return p.text }

// Regex reports whether the pattern is a regular expression.
func (p Pattern) Regex() bool { return p.regex != nil }

// Narrows reports whether every text that matches p matches earlier too, so that
// only the matches of earlier need to be searched.
func (p Pattern) Narrows(earlier Pattern) bool {
	if p.regex != nil || earlier.regex != nil || earlier.Empty() || earlier.caseSensitive && !p.caseSensitive {
		return false
	}
	narrow, wide := strings.Join(p.words, " "), strings.Join(earlier.words, " ")
	if !earlier.caseSensitive {
		narrow = strings.Map(unicode.ToLower, narrow)
	}
	return strings.Contains(narrow, wide)
}

// Match reports whether a text matches.
func (p Pattern) Match(text string) bool {
	_, end := p.next(text, 0)
	return end > 0
}

// Mark splits text into spans that match and spans between them. The spans
// together are the text, byte for byte.
func (p Pattern) Mark(text string) []Span {
	var out []Span
	done := 0
	for from := 0; ; {
		start, end := p.next(text, from)
		if end == 0 {
			break
		}
		if start > done {
			out = append(out, Span{Text: text[done:start]})
		}
		out = append(out, Span{Text: text[start:end], Hit: true})
		done, from = end, end
	}
	if done < len(text) {
		out = append(out, Span{Text: text[done:]})
	}
	return out
}

// next returns the first match that starts at or after a byte; end is 0 for none.
// Empty matches of a regular expression do not count.
func (p Pattern) next(text string, from int) (start, end int) {
	if p.Empty() {
		return 0, 0
	}
	if p.regex != nil {
		for from <= len(text) {
			at := p.regex.FindStringIndex(text[from:])
			if at == nil {
				return 0, 0
			}
			if at[1] > at[0] {
				return from + at[0], from + at[1]
			}
			from += at[1]
			_, n := utf8.DecodeRuneInString(text[from:])
			from += max(n, 1)
		}
		return 0, 0
	}
	for {
		start, end = p.nextWord(text, from, p.words[0])
		if end == 0 {
			return 0, 0
		}
		if end = p.matchRest(text, end); end > 0 {
			return start, end
		}
		_, n := utf8.DecodeRuneInString(text[start:])
		from = start + n
	}
}

// matchRest returns where the words after the first end, 0 when they do not follow.
func (p Pattern) matchRest(text string, at int) int {
	for _, w := range p.words[1:] {
		next := at
		for next < len(text) {
			r, n := utf8.DecodeRuneInString(text[next:])
			if !isSeparator(r) {
				break
			}
			next += n
		}
		if next == at {
			return 0
		}
		if at = p.wordEnd(text, next, w); at == 0 {
			return 0
		}
	}
	return at
}

// isSeparator reports whether a character may stand where the pattern has a space:
// white space, and the bars of tables and quotes in drawn text.
func isSeparator(r rune) bool { return unicode.IsSpace(r) || r == '│' || r == '|' }

// nextWord returns the first place of a word at or after a byte; end is 0 for none.
func (p Pattern) nextWord(text string, from int, w string) (start, end int) {
	if p.caseSensitive {
		if i := strings.Index(text[from:], w); i >= 0 {
			return from + i, from + i + len(w)
		}
		return 0, 0
	}
	first, n := utf8.DecodeRuneInString(w)
	if first >= utf8.RuneSelf {
		if unicode.ToUpper(first) == first { // a character without case, such as 日
			for {
				i := strings.Index(text[from:], w[:n])
				if i < 0 {
					return 0, 0
				}
				if end := p.wordEnd(text, from+i, w); end > 0 {
					return from + i, end
				}
				from += i + n
			}
		}
		for from < len(text) {
			if end := p.wordEnd(text, from, w); end > 0 {
				return from, end
			}
			_, n := utf8.DecodeRuneInString(text[from:])
			from += n
		}
		return 0, 0
	}
	// The scan jumps to the nearer of both cases of the first letter, and searches
	// for the other again only when it has been passed.
	low, up := byte(first), byte(unicode.ToUpper(first))
	nextLow, nextUp := from-1, from-1
	for {
		if nextLow < from {
			nextLow = indexByte(text, from, low)
		}
		if nextUp < from {
			nextUp = indexByte(text, from, up)
		}
		i := min(nextLow, nextUp)
		if i == len(text) {
			return 0, 0
		}
		if end := p.wordEnd(text, i, w); end > 0 {
			return i, end
		}
		from = i + 1
	}
}

// indexByte returns the first place of a byte at or after from, or the length of
// the text.
func indexByte(text string, from int, b byte) int {
	if i := strings.IndexByte(text[from:], b); i >= 0 {
		return from + i
	}
	return len(text)
}

// wordEnd returns the end of a word, in lower case unless case counts, that stands
// at a byte; 0 for none.
func (p Pattern) wordEnd(text string, i int, w string) int {
	if p.caseSensitive {
		if strings.HasPrefix(text[i:], w) {
			return i + len(w)
		}
		return 0
	}
	for len(w) > 0 {
		if i >= len(text) {
			return 0
		}
		if b := text[i]; b < utf8.RuneSelf && w[0] < utf8.RuneSelf {
			if 'A' <= b && b <= 'Z' {
				b += 'a' - 'A'
			}
			if b != w[0] {
				return 0
			}
			i, w = i+1, w[1:]
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		want, m := utf8.DecodeRuneInString(w)
		if r != want && unicode.ToLower(r) != want {
			return 0
		}
		i, w = i+n, w[m:]
	}
	return i
}
