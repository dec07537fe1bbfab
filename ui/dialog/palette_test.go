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
		near, _, ok := fuzzy(c.wanted, c.near)
		far, _, also := fuzzy(c.wanted, c.far)
		if !ok || also && far <= near {
			t.Errorf("%q: %q is %d, %q is %d", c.wanted, c.near, near, c.far, far)
		}
	}
	if _, _, ok := fuzzy("abc", "acb"); ok {
		t.Error("the letters are in another order")
	}
}

func TestTheMatchedLettersOfACommand(t *testing.T) {
	for _, c := range []struct{ wanted, text, marked string }{
		{"sort", "sort cost", "[sort] cost"},
		{"tc", "theme color-blind", "[t]heme [c]olor-blind"},
		{"to li", "go to lineage", "go [to li]neage"},
		{"xyz", "sort", "sort"}, // found by its help
		{"", "sort", "sort"},
	} {
		got := ""
		for _, s := range matched(c.wanted, c.text) {
			if s.Hit {
				got += "[" + s.Text + "]"
			} else {
				got += s.Text
			}
		}
		if got != c.marked {
			t.Errorf("%q in %q: %s", c.wanted, c.text, got)
		}
	}
}
