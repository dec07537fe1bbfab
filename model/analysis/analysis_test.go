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
		{"color", "colour", "colours", "coloured"},
		{"organize", "organise", "organised", "organisation", "organization"},
		{"initialize", "initialiser", "initialisation"},
		{"analyze", "analyse", "analysed", "analysing"},
		{"license", "licence", "licenses"},
		{"center", "centre", "centred", "centers"},
		{"catalog", "catalogue", "catalogs"},
		{"overwrite", "overwrites", "overwrote", "overwritten", "overwriting"},
		{"rerun", "reruns", "reran", "rerunning"},
		{"cheap", "cheaper", "cheapest"},
		{"large", "larger", "largest"},
		{"easy", "easier", "easiest"},
		{"big", "bigger", "biggest"},
		{"add", "adds", "added", "adding"},
		{"embed", "embeds", "embedded", "embedding"},
		{"queue", "queues", "queued", "queuing"},
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

func TestFunctionWords(t *testing.T) {
	for word, want := range map[string]bool{"the": true, "who": true, "himself": true, "didnt": true, "yesterday": true, "昨天": true, "self": false, "docker": false} {
		if IsFunctionWord(word) != want {
			t.Errorf("IsFunctionWord(%q) is %v", word, !want)
		}
	}
}

func TestTimeWords(t *testing.T) {
	for text, want := range map[string]string{
		"the build last week":           "the build",
		"3 days ago a menu of 3 days":   "ago a menu of 3 days",
		"a couple weeks ago":            "a ago",
		"last checkpoint of this month": "last checkpoint of this month",
	} {
		words := strings.Fields(text)
		var got []string
		for i, when := range TimeWords(words) {
			if !when {
				got = append(got, words[i])
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q without time words is %q", text, got)
		}
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
	if got := Edits("buid"); !slices.Contains(got, "build") || slices.Contains(got, "bid") || slices.Contains(got, "buin") {
		t.Errorf("of buid: %v", got)
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

func TestKoreanWordsLoseTheirEndings(t *testing.T) {
	for word, want := range map[string]string{
		"태그를": "태그", "문서에서는": "문서", "마크다운으로": "마크다운", "설치했다": "설치", "변환하기": "변환",
		"태그": "", "차를": "", "를": "", "IDE가": "", "fix": "", "": "",
	} {
		if got := WithoutEnding(word); got != want {
			t.Errorf("%s without its ending is %q, want %q", word, got, want)
		}
	}
	for text, want := range map[string]bool{"가": true, "에서": true, "태그": false, "": false} {
		if IsEnding(text) != want {
			t.Errorf("IsEnding(%q) is %v", text, !want)
		}
	}
}

func TestFunctionPairs(t *testing.T) {
	for pair, want := range map[string]bool{"我们": true, "怎么": true, "多少": true, "した": true, "部署": false, "的部": false, "データ": false} {
		if IsFunctionPair(pair) != want {
			t.Errorf("IsFunctionPair(%q) is %v", pair, !want)
		}
	}
}

func TestSpellings(t *testing.T) {
	for word, want := range map[string][2]string{
		"time-out": {"timeout"}, "e-mail": {"email"}, "node.js": {"nodejs"}, "utf-8": {"utf8"}, "docker-compose": {"dockercompose"},
		"utf8": {"", "utf 8"}, "python3.11": {"", "python 3.11"}, "50ms": {"", "50 ms"}, "1.5gb": {"", "1.5 gb"},
		"user_name": {"username"}, "docker": {}, "3.11": {}, "2026-05-03": {}, "d371f1ca": {}, "v2": {}, "5s": {}, "a-b": {}, "部署-失败了": {}, "main_test.go": {"maintestgo"}, "12": {}, "utf8ab": {}, "": {},
	} {
		if got := [2]string{Joined(word), Apart(word)}; got != want {
			t.Errorf("other spellings of %q: %q, want %q", word, got, want)
		}
	}
}

func TestVersion(t *testing.T) {
	for word, want := range map[string]string{
		"0.4.4": "v0.4.4", "v0.4.4": "0.4.4", "3.11": "v3.11", "12": "", "v2": "", "": "", "v": "", ".": "", "...": "", "v...": "", ".5": "", "1.2-rc": "", "vim.go": "",
	} {
		if got := Version(word); got != want {
			t.Errorf("the other spelling of the version %q is %q, want %q", word, got, want)
		}
	}
}

func TestCamelApart(t *testing.T) {
	for word, want := range map[string]string{"getUserName": "get user name", "JSONFile": "jsonfile", "DOCKER": "docker", "größerAls": "größer als", "": ""} {
		if got := CamelApart(word); got != want {
			t.Errorf("the parts of %s are %q, want %q", word, got, want)
		}
	}
}
