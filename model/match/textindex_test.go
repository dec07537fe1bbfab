package match_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/model/match"
	"hermes-sessions/model/query"
)

// A text index finds the texts that match one by one.
func TestTextIndexFindsTheTextsThatMatch(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	parts := []string{
		"docker", "Docker", "dock", "build", "Café", "cafe", "naïve", "C++", ".env", "v1.2", "部署", "数据库", "部", "ログ", "데이터", "für", "ﬁx",
		"", "-", "\n", "a", "A", "the", "über", "É", "\x00", "\xff", "🚀",
	}
	text := func(n int) string {
		var b []string
		for range r.IntN(n) {
			b = append(b, parts[r.IntN(len(parts))])
		}
		return strings.Join(b, []string{" ", "", "-", "\n"}[r.IntN(4)])
	}
	for round := range 2_000 {
		texts := make([]string, r.IntN(12))
		for i := range texts {
			texts[i] = text(6)
		}
		input := text(4)
		if round%3 == 0 {
			input = fmt.Sprintf("%s OR %s -%s", text(3), text(2), text(2))
		}
		for _, live := range []bool{false, true} {
			m := match.NewMatcher(query.Parse(input, live).Groups)
			var want []int32
			for i, s := range texts {
				if m.Match(s) {
					want = append(want, int32(i))
				}
			}
			if got := m.MatchIndex(match.NewTextIndex(texts)); !slices.Equal(got, want) {
				t.Fatalf("%q in %q: %v, want %v", input, texts, got, want)
			}
			// With texts that were others when the index was made.
			before, other := make([]string, r.IntN(len(texts)+1)), map[int32]string{}
			for i, s := range texts {
				if i < len(before) && r.IntN(2) == 0 {
					before[i] = s
					continue
				}
				other[int32(i)] = s
				if i < len(before) {
					before[i] = text(6)
				}
			}
			if got := m.MatchIndex(match.NewTextIndex(before).Updated(nil).Updated(other)); !slices.Equal(got, want) {
				t.Fatalf("%q in %q, before the update %q: %v, want %v", input, texts, before, got, want)
			}
		}
	}
}
