package match

import (
	"strings"
	"testing"
)

func bracketed(t *testing.T, p Pattern, text string) string {
	t.Helper()
	var b, all strings.Builder
	for _, s := range p.Mark(text) {
		all.WriteString(s.Text)
		if s.Hit {
			b.WriteString("[" + s.Text + "]")
		} else {
			b.WriteString(s.Text)
		}
	}
	if all.String() != text {
		t.Errorf("the pieces of %q are %q", text, all.String())
	}
	return b.String()
}

func TestPatternFindsTextAsItStands(t *testing.T) {
	for _, c := range []struct{ pattern, text, want string }{
		{"cat", "a Cat, CATS, concat", "a [Cat], [CAT]S, con[cat]"},
		{"Cat", "a Cat, CATS, concat", "a [Cat], CATS, concat"},
		{"a.b", "aXb a.b", "aXb [a.b]"},
		{"two words", "Two\n  words, two  words, twowords", "[Two\n  words], [two  words], twowords"},
		{"aab", "aaab", "a[aab]"},
		{"aa b", "aaa b", "a[aa b]"},
		{"日本", "日本語と日本", "[日本]語と[日本]"},
		{"école", "École ÉCOLE école", "[École] [ÉCOLE] [école]"},
		{"naïve", "NAÏVE", "[NAÏVE]"},
		{"straße", "STRAßE", "[STRAßE]"},
		{"x", "", ""},
		{"k", "kK", "[k][K]"},
		{"-", "a-b", "a[-]b"},
		{"a", "\xffa", "\xff[a]"},
	} {
		p, err := NewPattern(c.pattern, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := bracketed(t, p, c.text); got != c.want {
			t.Errorf("%q in %q: %q, want %q", c.pattern, c.text, got, c.want)
		}
		if got := p.Match(c.text); got != strings.Contains(c.want, "[") {
			t.Errorf("%q matches %q: %v", c.pattern, c.text, got)
		}
	}
}

func TestPatternOfARegularExpression(t *testing.T) {
	for _, c := range []struct{ pattern, text, want string }{
		{`err\w*`, "Error: erring", "[Error]: [erring]"},
		{`Err\w*`, "Error: erring", "[Error]: erring"},
		{`\S+:`, "ERROR: x", "[ERROR:] x"},
		{`^b`, "a\nb", "a\n[b]"},
		{`x*`, "axxb", "a[xx]b"},
		{`\d{3}`, "exit 137", "exit [137]"},
	} {
		p, err := NewPattern(c.pattern, true)
		if err != nil {
			t.Fatal(err)
		}
		if got := bracketed(t, p, c.text); got != c.want {
			t.Errorf("%q in %q: %q, want %q", c.pattern, c.text, got, c.want)
		}
	}
	if _, err := NewPattern("a(", true); err == nil {
		t.Error("a( is taken for a regular expression")
	}
}

func TestPatternNarrows(t *testing.T) {
	for _, c := range []struct {
		now, before string
		want        bool
	}{
		{"walr", "wal", true}, {"wal", "walr", false}, {"Walr", "wal", true}, {"walr", "Wal", false}, {"a walr", "walr", true}, {"x", "", false},
	} {
		now, _ := NewPattern(c.now, false)
		before, _ := NewPattern(c.before, false)
		if got := now.Narrows(before); got != c.want {
			t.Errorf("%q narrows %q: %v", c.now, c.before, got)
		}
	}
	now, _ := NewPattern("ab", true)
	before, _ := NewPattern("a", false)
	if now.Narrows(before) {
		t.Error("a regular expression narrows a text")
	}
}

func FuzzPattern(f *testing.F) {
	f.Add("ab c", "xAB\ncab")
	f.Add("É", "é\xff")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		p, _ := NewPattern(pattern, false)
		bracketed(t, p, text)
		if len(p.words) == 1 && !p.caseSensitive && len(text) < 1000 && pattern == strings.ToLower(pattern) {
			if strings.Contains(text, p.words[0]) && !p.Match(text) {
				t.Errorf("%q does not find itself in %q", pattern, text)
			}
		}
	})
}
