package match_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
)

// Skipping words that cannot begin a match loses no match.
func TestSkippingWordsLosesNoMatch(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	pieces := []string{
		"docker", "Docker", "DOCK", "build", "café", "Cafe\u0301", "e\u0301a", "éclair", "naïve", "ﬁx", "C++", ".env", "部署", "部", "用", "docker部署", "用Docker", "build署", "部dOCK", "用dócker", "用docke\u0301r", "ß", "Straße", "x\u0301", "…", "✓",
		" ", " ", " ", "  ", "\n", "-", "_", ".", "a", "d", "D", "0", "9", "\x00", "\xff", "\xe9", "K", "ſ", "İ", "ı", "𝒟", "🚀", "the quick brown fox ",
		strings.Repeat("as long as it may be. ", match.ScanStep/20),
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
		m := match.NewMatcher(query.Parse(text(5), r.IntN(2) == 0).Groups)
		for range 3 {
			in := text(30)
			got, want := m.Occurrences(in), m.ReferenceOccurrences(in)
			if !slices.Equal(got, want) {
				t.Fatalf("%+v in %q: %v, want %v", m.CompiledTerms(), in, got, want)
			}
			found += len(want)
		}
	}
	if found < 5_000 {
		t.Errorf("only %d places were found", found)
	}
}
