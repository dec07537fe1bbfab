package snapshot

import (
	"reflect"
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

// What a name means does not depend on whether all sessions are in memory.
func TestANameIsLookedUpWithoutAllSessions(t *testing.T) {
	t.Parallel()
	for _, file := range versions(t) {
		all := openFixture(t, file)
		snap, err := all.CurrentSnapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		names := []string{"", " ", "%", "_", "2026", "the", "no such name at all", "latest"}
		for _, m := range snap.All() {
			names = append(names, m.ID, strings.ToUpper(m.ID), m.ID[:len(m.ID)/2], m.ID[:min(len(m.ID), 9)], m.ID+"x")
			if m.Title != "" {
				first, _, _ := strings.Cut(m.Title, " ")
				series, _, _ := strings.Cut(m.Title, " #")
				names = append(names, m.Title, strings.ToUpper(m.Title), first, series, m.Title[len(m.Title)/2:])
			}
		}
		quick := 0
		for _, name := range names[:min(len(names), 400)] {
			some := New(all.db)
			got, err := some.MatchName(t.Context(), name)
			if want := snap.MatchName(name); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %q means %v (%v), of all sessions %v", file, name, got, err, want)
			}
			if some.CachedSnapshot() == nil {
				quick++
			}
		}
		if quick == 0 {
			t.Errorf("%s: all sessions were read for every name", file)
		}
	}
}
