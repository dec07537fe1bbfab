package match

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// ScanStep is how many bytes are scanned at once for what is not ASCII.
const ScanStep = scanStep

// TextWidth exposes the width that snippets are measured by.
var TextWidth = textWidth

// Occurrence is a place where a term of a query is found in a text.
type Occurrence = occurrence

// Occurrences returns what the matcher finds, by start and term.
func (m *Matcher) Occurrences(text string) []Occurrence { return sorted(m.occurrences(text)) }

// CompiledTerms returns the terms for the message of a failed test.
func (m *Matcher) CompiledTerms() any { return m.terms }

// ReferenceOccurrences returns what [Matcher.Occurrences] must give, found by
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
	for n, term := range m.terms[:m.marked] {
		if term.borderWord == "" {
			continue
		}
		for _, t := range tokens {
			for from := t.start; from < t.end; from++ {
				before, _ := utf8.DecodeLastRuneInString(text[t.start:from])
				if !utf8.RuneStart(text[from]) || from > t.start && !IsUnspaced(before) {
					continue
				}
				end := strings.IndexFunc(text[from:t.end], IsUnspaced)
				if end < 0 {
					end = t.end - from
				}
				run := text[from : from+end]
				if from == t.start { // as a word
					var b strings.Builder
					for _, r := range run {
						if !IsMark(r) {
							b.WriteRune(Fold(r))
						}
					}
					if end < t.end-from && !term.prefix && b.String() == term.borderWord {
						found = append(found, occurrence{n, from, from + end})
					}
					continue
				}
				lower := strings.Map(func(r rune) rune {
					if 'A' <= r && r <= 'Z' {
						return r + 'a' - 'A'
					}
					return r
				}, run)
				if lower == term.borderWord || term.prefix && strings.HasPrefix(lower, term.borderWord) {
					found = append(found, occurrence{n, from, from + end})
				}
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
		if a.term != b.term {
			return a.term - b.term
		}
		return a.end - b.end
	})
	return found
}
