package match

import (
	"slices"
	"strings"
)

// ScanStep is how many bytes are scanned at once for what is not ASCII.
const ScanStep = scanStep

// TextWidth exposes the width that snippets are measured by.
var TextWidth = textWidth

// Occurrence is a place where a term of a query is found in a text.
type Occurrence = occurrence

// Occurrences gives what the matcher finds, by start and term.
func (m *Matcher) Occurrences(text string) []Occurrence { return sorted(m.occurrences(text)) }

// CompiledTerms gives the terms for the message of a failed test.
func (m *Matcher) CompiledTerms() any { return m.terms }

// ReferenceOccurrences gives what [Matcher.Occurrences] must give, found by
// comparing the term with the words at every position.
func (m *Matcher) ReferenceOccurrences(text string) []Occurrence {
	type token struct {
		start, end int
		word       string
	}
	var tokens []token
	for i := 0; ; {
		start, end, word := nextWord(text, i, nil)
		if start == len(text) {
			break
		}
		tokens = append(tokens, token{start, end, string(word)})
		i = end
	}
	var found []occurrence
	for n, term := range m.terms[:m.marked] {
		if term.substring {
			term.eachSubstring(text, func(start, end int) bool { found = append(found, occurrence{n, start, end}); return true })
			continue
		}
	next:
		for t := 0; t+len(term.words) <= len(tokens); t++ {
			for k, w := range term.words {
				has := tokens[t+k].word
				if has != w && !(term.prefix && k == len(term.words)-1 && strings.HasPrefix(has, w)) {
					continue next
				}
			}
			start, end := tokens[t].start, tokens[t+len(term.words)-1].end
			if strings.HasSuffix(text[:start], term.leading) && strings.HasPrefix(text[end:], term.trailing) {
				found = append(found, occurrence{n, start - len(term.leading), end + len(term.trailing)})
			}
		}
	}
	return sorted(found)
}

func sorted(found []occurrence) []occurrence {
	slices.SortFunc(found, func(a, b occurrence) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return a.term - b.term
	})
	return found
}
