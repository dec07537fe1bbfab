package analysis

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// WithoutEnding returns a Korean word without its particle, or the ending of a verb made
// of a noun: 문서에서 is 문서, 설치했다 is 설치. It is "" for other words and where less
// than two syllables are left.
func WithoutEnding(word string) string {
	for _, ending := range koreanEndings {
		stem, ok := strings.CutSuffix(word, ending)
		if ok && utf8.RuneCountInString(stem) >= 2 && !strings.ContainsFunc(stem, isNoSyllable) {
			return stem
		}
	}
	return ""
}

// IsEnding reports whether a text is a Korean particle or ending, such as 가 in API가.
func IsEnding(text string) bool { return slices.Contains(koreanEndings, text) }

// isNoSyllable reports whether a character is not a syllable of Korean.
func isNoSyllable(r rune) bool { return r < '가' || r > '힣' }

// koreanEndings has the longest endings first.
var koreanEndings = func() []string {
	endings := strings.Fields(`
가 과 까지 나 는 도 들 들과 들도 들에 들은 들을 들의 들이 라고 랑 로 로는 로도 를 마다 만 밖에 보다 부터
에 에게 에는 에도 에서 에서는 에서도 와 으로 으로는 으로도 은 을 의 이 이나 이라고 이랑 처럼 하고 한테
하게 하기 하는 하다 하던 하려고 하면 하지 한 할 합니다 해 해서 해야 했고 했는데 했다 했던 했어 했지
되게 되는 되다 되면 되지 된 될 됩니다 돼 돼서 됐다 됐던`)
	sort.SliceStable(endings, func(i, j int) bool { return len(endings[i]) > len(endings[j]) })
	return endings
}()
