package model

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Lines are found by the same rules as texts.
func TestLinesAreThoseThatMatch(t *testing.T) {
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
			m := NewMatcher(ParseQuery(input, live).Groups)
			var want []int32
			for i, s := range texts {
				if m.Match(s) {
					want = append(want, int32(i))
				}
			}
			if got := m.Lines(NewLines(texts)); !slices.Equal(got, want) {
				t.Fatalf("%q in %q: %v, want %v", input, texts, got, want)
			}
			// The same with lines that were others when they were prepared.
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
			if got := m.Lines(NewLines(before).With(nil).With(other)); !slices.Equal(got, want) {
				t.Fatalf("%q in %q, that were %q: %v, want %v", input, texts, before, got, want)
			}
		}
	}
}
