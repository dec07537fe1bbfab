package match

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// candidateScan finds the next place in a text at which the first word of a term
// may start: a character that such a word starts with, or one that is not ASCII.
// Searching for each of them is many times faster than reading all words.
type candidateScan struct {
	firstBytes []firstByte
	nonASCII   int // the next byte that is not ASCII
}

// firstByte is an ASCII character that the first word of a term starts with.
type firstByte struct {
	pattern   string    // the character, in one case, behind the symbols that must come before it
	followers *asciiSet // what may follow it, 0 for the end of the word; nil for anything
	pos       int       // where the pattern ends next: the character's position
}

type asciiSet [utf8.RuneSelf]bool

// newCandidateScan returns the scan for the first words of all terms.
func (m *Matcher) newCandidateScan() *candidateScan {
	s := &candidateScan{nonASCII: -1}
	for c := range byte(utf8.RuneSelf) {
		var leads []string
		followers := &asciiSet{}
		for _, p := range m.byFirstByte[c] {
			if !m.starting.has(p) {
				continue
			}
			leads = append(leads, m.terms[m.termOf[p]].leading)
			w := m.words[p]
			switch {
			case followers == nil:
			case len(w) > 1 && w[1] < utf8.RuneSelf:
				followers[w[1]] = true
			case len(w) == 1 && !m.prefixes[p]:
				followers[0] = true
			default:
				followers = nil
			}
		}
		if len(leads) == 0 {
			continue
		}
		lead := leads[0]
		if slices.ContainsFunc(leads, func(other string) bool { return other != lead }) {
			lead = ""
		}
		s.firstBytes = append(s.firstBytes, firstByte{pattern: lead + string(c), followers: followers})
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
			s.firstBytes = append(s.firstBytes, firstByte{pattern: lead + string(c), followers: followers})
		}
	}
	return s
}

// reset starts a new text.
func (s *candidateScan) reset() {
	s.nonASCII = -1
	for k := range s.firstBytes {
		s.firstBytes[k].pos = -1
	}
}

// next returns the first candidate at or after i, the end of the text for none.
func (s *candidateScan) next(text string, i int) int {
	first := len(text)
	for k := range s.firstBytes {
		l := &s.firstBytes[k]
		if l.pos < i {
			l.next(text, i)
		}
		first = min(first, l.pos)
	}
	// Not much beyond the first candidate: the rest may never be needed.
	for s.nonASCII < first && s.nonASCII < len(text) {
		from := max(s.nonASCII, i)
		n := asciiPrefix(text[from:min(from+scanStep, len(text))])
		if s.nonASCII = from + n; n < scanStep {
			break
		}
	}
	return min(first, s.nonASCII)
}

// scanStep is how many bytes are scanned at once for one that is not ASCII.
const scanStep = 256

// next moves to the first place at or after i where the character starts a word
// that may match, or follows a byte that is not ASCII.
func (b *firstByte) next(text string, i int) {
	for ; i < len(text); i++ {
		from := max(0, i-len(b.pattern)+1)
		n := strings.Index(text[from:], b.pattern)
		if n < 0 {
			break
		}
		i = from + n + len(b.pattern) - 1
		if i > 0 && text[i-1] < utf8.RuneSelf && foldedASCII[text[i-1]] != 0 {
			continue // inside a word
		}
		if b.followers == nil {
			b.pos = i
			return
		}
		if i+1 == len(text) {
			if b.followers[0] {
				b.pos = i
				return
			}
			continue
		}
		if c := text[i+1]; c >= utf8.RuneSelf || b.followers[foldedASCII[c]] {
			b.pos = i
			return
		}
	}
	b.pos = len(text)
}

// asciiPrefix returns how many bytes of s come before the first that is not ASCII.
func asciiPrefix(s string) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		if w&0x8080808080808080 != 0 {
			break
		}
	}
	for i < len(s) && s[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// skipToCandidate skips the words after i, which stands between two words, that
// cannot be the first word of a term. It returns where reading goes on: i itself
// where the next word may match.
func (m *Matcher) skipToCandidate(text string, i int) int {
	at := m.candidates.next(text, i)
	if at < len(text) && text[at] >= utf8.RuneSelf { // its word may start before it
		for at > i && text[at-1] < utf8.RuneSelf && foldedASCII[text[at-1]] != 0 {
			at--
		}
	}
	for _, c := range []byte(text[i:at]) {
		if foldedASCII[c&0x7f] != 0 {
			return at // behind a word
		}
	}
	return i
}
