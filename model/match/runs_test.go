package match

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// The runs behind scripts are those of the words of a text, however its characters are
// skipped.
func TestRunsBehindScriptsAreThoseOfTheWords(t *testing.T) {
	t.Parallel()
	parts := []string{"a", "B", "7", " ", "-", "用", "部", "é", "\u0301", "ー", "ก", "ก็", "\u0e33", "가", "か", "ｱ", "，", "\xff", "\xe7", "docker", "\u3099", "😀", "²"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		var text strings.Builder
		for range random.IntN(9) {
			text.WriteString(parts[random.IntN(len(parts))])
		}
		var want, got []string
		for rest := text.String(); rest != ""; {
			start, end, _ := nextWord(rest, 0, nil)
			word := rest[start:end]
			if at := strings.IndexFunc(word, IsUnspaced); at >= 0 {
				for _, run := range strings.FieldsFunc(word[at:], IsUnspaced) {
					want = append(want, strings.Map(func(r rune) rune {
						if r < 0x80 {
							return unicode.ToLower(r)
						}
						return r
					}, run))
				}
			}
			rest = rest[end:]
		}
		RunsBehindScripts(text.String(), func(run string) { got = append(got, run) })
		if !slices.Equal(got, want) {
			t.Fatalf("%q has %q, want %q", text.String(), got, want)
		}
	}
	for r := rune(0xe00); r < 0x10000; r++ {
		if isCommonUnspaced(r) && !(IsWord(r) && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)) {
			t.Errorf("%U is no letter of such a script", r)
		}
	}
}
