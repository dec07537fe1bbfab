package cells

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// Chinese and Japanese fill their lines, also beside words with spaces; no line begins
// with what closes or ends with what opens.
func TestWrapBetweenCharactersWithoutSpaces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		w    int
		want []string
	}{
		{"一二三四五", 6, []string{"一二三", "四五"}},
		{"一二三，四五。六", 6, []string{"一二", "三，四", "五。六"}},
		{"一「二三」四", 6, []string{"一「二", "三」四"}},
		{"一 penne 二三四五", 10, []string{"一 penne", "二三四五"}},
		{"一 penne二三四五", 10, []string{"一 penne二", "三四五"}},
		{"意面（spaghetti aglio e olio），它", 22, []string{"意面（spaghetti aglio", "e olio），它"}},
		{"npm API がこの", 10, []string{"npm API が", "この"}},
		{"帕尔马森-雷焦", 10, []string{"帕尔马森-", "雷焦"}},
		{"  一二三四", 6, []string{"  一二", "三四"}},
		{"        一", 4, []string{"  一"}},
		{"见 https://example.org/a-very-long-path", 12, []string{"见 https://e", "xample.org/a", "-very-long-p", "ath"}},
		{"ask hermes-sessions --no-pager, or-not", 14, []string{"ask hermes-ses", "sions", "--no-pager,", "or-not"}},
		{"一\n二三四", 4, []string{"一", "二三", "四"}},
		{"\x1b[1m一二\x1b[m三四", 4, []string{"\x1b[1m一二\x1b[m", "三四"}},
		{"。。。。", 4, []string{"。。", "。。"}},
		{"데이터베이스 연결 안 됨", 12, []string{"데이터베이스", "연결 안 됨"}},
		{"一   ", 3, []string{"一 "}},
	} {
		for _, m := range []Method{ByCodePoint, ByGrapheme} {
			if got := m.Wrap(c.text, c.w); !slices.Equal(got, c.want) {
				t.Errorf("%q in %d columns: %q, want %q", c.text, c.w, got, c.want)
			}
		}
	}
}

// Whatever stands beside such characters, no line is too wide and no letter is lost.
func TestWrapMixedLosesNothing(t *testing.T) {
	t.Parallel()
	text := "一（two 三）\x1b[31m四-five，　六\x1b[m👨‍👩‍👧 seven. ｱｲｳ ー「ok」 하나 " + strings.Repeat("x", 20) + "。\t九  ten"
	for w := 2; w < 60; w++ {
		for _, m := range []Method{ByCodePoint, ByGrapheme} {
			lines := m.Wrap(text, w)
			for _, l := range lines {
				if m.StringWidth(l) > w {
					t.Errorf("%q has more than %d columns", l, w)
				}
			}
			letters := func(s string) string { return strings.ReplaceAll(ansi.Strip(s), " ", "") }
			if got := strings.Join(lines, ""); w > 7 && letters(got) != letters(text) {
				t.Errorf("in %d columns: %q", w, got)
			}
		}
	}
}
