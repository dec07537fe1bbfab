package snapshot

import (
	"strings"
	"testing"

	"hermes-sessions/model/analysis"
)

func TestWordsInOrderBeginWordsOfTheTitle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		title, words string
		want         bool
	}{
		{"docker build fails: missing go.sum", "docker missing", true},
		{"docker build fails: missing go.sum", "doc mis", true},
		{"docker build fails: missing go.sum", "missing docker", false},
		{"docker build fails: missing go.sum", "ocker", false},
		{"rebuild the build", "build", true},
		{"rebuild", "build", false},
		{"用docker部署博客", "docker 博客", true},
		{"bad band", "band", true},
		{"a b", "a a", false},
	} {
		if got := hasWordsInOrder(c.title, strings.Fields(c.words)); got != c.want {
			t.Errorf("%q in %q: %v", c.words, c.title, got)
		}
	}
}

func TestSimilarTitlesHaveMostWords(t *testing.T) {
	t.Parallel()
	similar := func(name, title string) float64 {
		return titleSimilarity(significantWords(foldName(name)), foldName(title))
	}
	const title = "Docker build fails"
	for _, name := range []string{"dokcer biuld", "how did the build fail", "docker push", "Docker-Build", "dock"} {
		if similar(name, title) == 0 {
			t.Errorf("%q is not similar", name)
		}
	}
	for _, name := range []string{"", "the", "soup", "docker soup of the day", "du"} {
		if similar(name, title) > 0 {
			t.Errorf("%q is similar", name)
		}
	}
	if similar("dokcer build", title) >= similar("docker build", title) {
		t.Error("a misspelled word counts as much")
	}
	if similar("数据库失败", "部署失败：数据库连接超时") == 0 || similar("旅行", "部署失败") > 0 {
		t.Error("pairs of characters")
	}
	if len(significantWords("the of")) != 2 || len(significantWords("the docker")) != 1 || significantWords("the docker")[0] != (analysis.Segment{Text: "docker"}) {
		t.Error("function words")
	}
}

func TestSimilarIDs(t *testing.T) {
	t.Parallel()
	const id = "20260303_211245_5bf439"
	for _, name := range []string{"20260303_211245_5bf438", "20260303_211254", "20260203_2112", "20260303_999999"} {
		if idSimilarity(name, id) == 0 {
			t.Errorf("%q is not similar", name)
		}
	}
	for _, name := range []string{"2026", "20250303_111245_000000", "docker", "docker build", ""} {
		if idSimilarity(name, id) > 0 {
			t.Errorf("%q is similar", name)
		}
	}
	if idSimilarity("20260303_211244", id) <= idSimilarity("20260303_999999", id) {
		t.Error("one wrong character is not more similar than the same day")
	}
}
