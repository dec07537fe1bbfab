package analysis

import (
	"slices"
	"strings"
	"testing"
)

func TestInflectionsHaveOneStem(t *testing.T) {
	for _, words := range [][]string{
		{"fix", "fixed", "fixes", "fixing"},
		{"build", "builds", "built", "building"},
		{"rewrite", "rewrites", "rewrote", "rewritten", "rewriting"},
		{"try", "tries", "tried", "trying"},
		{"deploy", "deployed", "deploying"},
		{"recipe", "recipes"},
		{"child", "children"},
	} {
		for _, w := range words {
			if got, want := Stem(w), Stem(words[0]); got != want {
				t.Errorf("the stem of %s is %s, of %s %s", w, got, words[0], want)
			}
			for _, o := range words {
				p := InflectionPrefix(w)
				if !(p != "" && strings.HasPrefix(o, p)) && !slices.Contains(Inflections(Stem(w)), o) {
					t.Errorf("%s is not found as an inflection of %s", o, w)
				}
			}
		}
	}
	if got := Inflections(Stem("rewriting")); !slices.Contains(got, "rewrote") || !slices.Contains(got, "rewrite") {
		t.Errorf("irregular forms of rewriting: %v", got)
	}
}

func TestOnlyOrdinaryWordsArePlain(t *testing.T) {
	for word, want := range map[string]bool{"docker": true, "Docker": true, "DOCKER": true, "getUserName": false, "v2": false, "": false, "über": false, "部署": false, "iOS": false} {
		if IsPlain(word) != want {
			t.Errorf("IsPlain(%q) is %v", word, !want)
		}
	}
}

func TestEditsAreOneErrorAway(t *testing.T) {
	got := Edits("dcoker")
	for _, want := range []string{"docker", "cdoker", "dcker", "dcokers", "decoker", "dcaker"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is missing", want)
		}
	}
	for _, unwanted := range []string{"dcoker", "coker", "acoker"} {
		if slices.Contains(got, unwanted) {
			t.Errorf("%s is among them", unwanted)
		}
	}
	if got := Edits("gti"); !slices.Equal(got, []string{"tgi", "git"}) {
		t.Errorf("of gti: %v", got)
	}
	if got := Edits("grüsse"); !slices.Contains(got, "grüssü") {
		t.Errorf("letters of the word itself are not tried: %v", got)
	}
}

func TestSegmentsAndPairs(t *testing.T) {
	got := Segments("用docker部署失败，v2.0！")
	want := []Segment{{"用", true}, {"docker", false}, {"部署失败", true}, {"v2", false}, {"0", false}}
	if !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if got := Pairs("部署失败"); !slices.Equal(got, []string{"部署", "署失", "失败"}) {
		t.Errorf("%v", got)
	}
	if got := Pairs("用"); !slices.Equal(got, []string{"用"}) {
		t.Errorf("%v", got)
	}
}
