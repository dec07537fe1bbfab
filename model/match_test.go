package model

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// plainPlaces finds what a matcher finds by reading every word.
func plainPlaces(m *Matcher, text string) []place {
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
	var ps []place
	for f, form := range m.forms[:m.positive] {
		if form.anywhere {
			form.each(text, func(start, end int) bool { ps = append(ps, place{f, start, end}); return true })
			continue
		}
	next:
		for t := 0; t+len(form.words) <= len(tokens); t++ {
			for k, w := range form.words {
				has := tokens[t+k].word
				if has != w && !(form.prefix && k == len(form.words)-1 && strings.HasPrefix(has, w)) {
					continue next
				}
			}
			start, end := tokens[t].start, tokens[t+len(form.words)-1].end
			if strings.HasSuffix(text[:start], form.lead) && strings.HasPrefix(text[end:], form.trail) {
				ps = append(ps, place{f, start - len(form.lead), end + len(form.trail)})
			}
		}
	}
	slices.SortFunc(ps, func(a, b place) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return a.form - b.form
	})
	return ps
}

// What is passed over holds nothing that is looked for.
func TestPassingOverWordsLosesNone(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	pieces := []string{
		"docker", "Docker", "DOCK", "build", "café", "Cafe\u0301", "e\u0301a", "éclair", "naïve", "ﬁx", "C++", ".env", "部署", "部", "ß", "Straße", "x\u0301", "…", "✓",
		" ", " ", " ", "  ", "\n", "-", "_", ".", "a", "d", "D", "0", "9", "\x00", "\xff", "\xe9", "K", "ſ", "İ", "ı", "𝒟", "🚀", "the quick brown fox ",
		strings.Repeat("as long as it may be. ", lookOver/20),
	}
	text := func(n int) string {
		var b strings.Builder
		for range r.IntN(n) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		return b.String()
	}
	found := 0
	for range 20_000 {
		m := NewMatcher(ParseQuery(text(5), r.IntN(2) == 0).Groups)
		for range 3 {
			in := text(30)
			got := m.places(in)
			slices.SortFunc(got, func(a, b place) int {
				if a.start != b.start {
					return a.start - b.start
				}
				return a.form - b.form
			})
			want := plainPlaces(m, in)
			if !slices.Equal(got, want) {
				t.Fatalf("%+v in %q: %v, want %v", m.forms, in, got, want)
			}
			found += len(want)
		}
	}
	if found < 5_000 {
		t.Errorf("only %d places were found", found)
	}
}
