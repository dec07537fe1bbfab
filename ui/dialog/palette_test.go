package dialog

import "testing"

// The nearer a name is to the typed text, the higher its rank.
func TestFuzzy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ wanted, near, far string }{
		{"sort", "sort", "sort cost"},
		{"co", "copy", "scope"},
		{"ft", "fold tree", "refactor"},
		{"fn", "find next", "conversation"},
	} {
		near, ok := fuzzy(c.wanted, c.near)
		far, also := fuzzy(c.wanted, c.far)
		if !ok || also && far <= near {
			t.Errorf("%q: %q is %d, %q is %d", c.wanted, c.near, near, c.far, far)
		}
	}
	if _, ok := fuzzy("abc", "acb"); ok {
		t.Error("the letters are in another order")
	}
}
