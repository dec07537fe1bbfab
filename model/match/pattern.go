package match

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Pattern is what is looked for inside one conversation: a stretch of text as
// it stands, or a regular expression. Capitals count when it has any (smart
// case), and a space stands for any white space, line breaks included. It may
// be used by several goroutines at once.
type Pattern struct {
	text          string
	regex         *regexp.Regexp // nil for text
	words         []string       // of text; in lower case where capitals do not count
	caseSensitive bool           // capitals count
}

// NewPattern makes a pattern of what somebody typed. The error says what is
// wrong with a regular expression; text is never wrong.
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

// regexEscapes is what has a capital in a regular expression without meaning
// one: \S, \W, \pL.
var regexEscapes = regexp.MustCompile(`\\[pP]\{?\^?\w+\}?|\\.`)

func hasUpper(s string) bool { return strings.ContainsFunc(s, unicode.IsUpper) }

// Empty reports whether nothing is looked for.
func (p Pattern) Empty() bool { return p.regex == nil && len(p.words) == 0 }

// Text is what was typed.
func (p Pattern) Text() string { return p.text }

// Regex reports whether the pattern is a regular expression.
func (p Pattern) Regex() bool { return p.regex != nil }

// Narrows reports whether every text with p has earlier too, so that only
// those need to be looked at.
func (p Pattern) Narrows(earlier Pattern) bool {
	if p.regex != nil || earlier.regex != nil || earlier.Empty() || earlier.caseSensitive && !p.caseSensitive {
		return false
	}
	mine, its := strings.Join(p.words, " "), strings.Join(earlier.words, " ")
	if !earlier.caseSensitive {
		mine = strings.Map(unicode.ToLower, mine)
	}
	return strings.Contains(mine, its)
}

// Match reports whether a text has the pattern.
func (p Pattern) Match(text string) bool {
	_, end := p.next(text, 0)
	return end > 0
}

// Mark cuts text into pieces: those that are the pattern, and what is between
// them. The pieces together are the text, byte for byte.
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

// next gives the first place of the pattern from a byte on; end is 0 when
// there is none. Places without width are none.
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

// matchRest gives where the words after the first end, 0 when they do not follow.
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
// white space, and the bars at which a drawn text is broken.
func isSeparator(r rune) bool { return unicode.IsSpace(r) || r == '│' || r == '|' }

// nextWord gives the first place of a word from a byte on.
func (p Pattern) nextWord(text string, from int, w string) (start, end int) {
	if p.caseSensitive {
		if i := strings.Index(text[from:], w); i >= 0 {
			return from + i, from + i + len(w)
		}
		return 0, 0
	}
	first, n := utf8.DecodeRuneInString(w)
	if first >= utf8.RuneSelf {
		if unicode.ToUpper(first) == first { // no letter with a case, such as 日
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
	// Both cases of the first letter are jumped to; the farther one is not
	// looked for again before it has been passed.
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

// indexByte gives the first place of a byte from another on, or the length of
// the text.
func indexByte(text string, from int, b byte) int {
	if i := strings.IndexByte(text[from:], b); i >= 0 {
		return from + i
	}
	return len(text)
}

// wordEnd gives the end of a word in lower case that stands at a byte, else 0.
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
