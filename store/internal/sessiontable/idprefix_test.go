package sessiontable

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hermes-sessions/model"
)

// An id is found by its prefix, whatever the case.
func TestIDsAreFoundByPrefix(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	random := func(n int) string {
		var id strings.Builder
		for range n {
			id.WriteByte("aAbB_1z\x80"[r.IntN(8)])
		}
		return id.String()
	}
	b := NewBuilder(0)
	seen := map[string]bool{}
	for len(seen) < 3000 {
		if id := random(1 + r.IntN(8)); !seen[id] {
			seen[id] = true
			b.Add(&model.Session{ID: id})
		}
	}
	table := b.Build()
	found := 0
	for range 2000 {
		text := random(1 + r.IntN(4))
		var want []string
		for id := range seen {
			if strings.HasPrefix(lowerASCII(id), lowerASCII(text)) {
				want = append(want, id)
			}
		}
		var got []string
		for i := range table.WithPrefix(text) {
			got = append(got, table.ID(int(i)))
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("%q: %q, want %q", text, got, want)
		}
		found += len(got)
	}
	if found < 1000 {
		t.Errorf("only %d found", found)
	}
}
