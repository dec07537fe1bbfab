package model

import "testing"

func TestShellQuoteKeepsEveryWord(t *testing.T) {
	for _, c := range []struct{ word, unix, windows string }{
		{"hermes", "hermes", "hermes"},
		{"20260301_12ab", "20260301_12ab", "20260301_12ab"},
		{"", "''", `""`},
		{"two words", "'two words'", `"two words"`},
		{"it's", `'it'\''s'`, `"it's"`},
		{"$(rm -rf x)", "'$(rm -rf x)'", `"$(rm -rf x)"`},
		{"~/x", "'~/x'", `"~/x"`},
		{"=ls", "'=ls'", `"=ls"`},
		{"--profile=a", "--profile=a", "--profile=a"},
		{"部署", "部署", "部署"},
		{`C:\Users\ada`, `'C:\Users\ada'`, `C:\Users\ada`},
		{"a;b", "'a;b'", `"a;b"`},
		{"a\nb", "'a\nb'", "\"a\nb\""},
	} {
		if got := shellWord(c.word, false); got != c.unix {
			t.Errorf("%q: %s, want %s", c.word, got, c.unix)
		}
		if got := shellWord(c.word, true); got != c.windows {
			t.Errorf("%q on Windows: %s, want %s", c.word, got, c.windows)
		}
	}
}
