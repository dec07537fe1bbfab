package query

import (
	"strings"
	"testing"
)

func TestNamedQueriesStandForTheirText(t *testing.T) {
	all := []Named{{Name: "work", Text: "docker OR kafka source:telegram"}, {Name: "quiet", Text: "-cron"}, {Name: "worker", Text: "is:pinned"}, {Name: "übung", Text: `"two words"`}}
	for text, want := range map[string]string{
		"@work":           "docker OR kafka source:telegram",
		"@work build":     "build docker OR build kafka source:telegram",
		"build @work":     "build docker OR build kafka source:telegram",
		"@work after:7d":  "docker OR kafka after:7d source:telegram",
		"@quiet":          "-cron",
		"@quiet build":    "build -cron",
		"@quiet @work":    "docker -cron OR kafka -cron source:telegram",
		"@übung x":        `x "two words"`,
		`"@work"`:         "@work",
		"-@work":          "-@work",
		"@nothing":        "@nothing",
		"mail@work":       "mail@work",
		"@work @work":     "docker OR kafka source:telegram",
		"@work OR docker": "docker OR docker kafka source:telegram",
	} {
		got := ParseNamed(text, false, all)
		canonical := Parse(want, false)
		if got.String() != canonical.String() && got.String() != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
		if got.Text != text || (got.Named != nil) != strings.Contains(" "+text, " @") && text != "@nothing" {
			t.Errorf("%s: text %q, named %v", text, got.Text, got.Named)
		}
	}
	if q := ParseNamed("docker @wor", true, all); q.String() != "docker" {
		t.Errorf("while a name is typed: %s", q)
	}
	if q := ParseNamed("@work", true, all); q.Named == nil || q.Named.Name != "work" {
		t.Errorf("a whole name that begins another: %v", q.Named)
	}
	if q := ParseNamed("@work docker", true, all); len(q.Tokens) != 2 || q.Tokens[0].Kind != TokenNamed || q.Text[q.Tokens[1].Start:] != "docker" {
		t.Errorf("tokens %v", q.Tokens)
	}
}

// A name that no query has is most likely a mistake; elsewhere in a text @ is often none.
func TestAnUnknownNameIsSaid(t *testing.T) {
	for text, want := range map[string]string{"@nope": "no query is named nope", "@nope docker": "no query is named nope", "docker @nope": "", "@nope.go": "", "@work": ""} {
		for _, all := range [][]Named{nil, {{Name: "work", Text: "kafka"}}} {
			if text == "@work" && all == nil {
				want = "no query is named work"
			} else if text == "@work" {
				want = ""
			}
			if got := strings.Join(ParseNamed(text, false, all).Hints(), ", "); !strings.HasPrefix(got, want) || (got == "") != (want == "") {
				t.Errorf("%s among %d: %q", text, len(all), got)
			}
		}
	}
	if got := ParseNamed("@nope", true, nil).Hints(); len(got) > 0 {
		t.Errorf("while it is typed: %q", got)
	}
}

func TestNamesOfQueriesAreWords(t *testing.T) {
	for name, ok := range map[string]bool{"work": true, "ci-2_x": true, "": false, "two words": false, "a.b": false, "@x": false, strings.Repeat("x", 33): false} {
		if (WhyNoName(name) == "") != ok {
			t.Errorf("%q: %s", name, WhyNoName(name))
		}
	}
}

func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"is:bogus":        "is:bogus: is: needs one of pinned",
		"msgs:abc":        "msgs:abc: msgs: needs a number",
		"is:bogus has:x":  "is:bogus: is: needs",
		"is:bogus docker": "",
		"foo:bar":         "",
		"is:pinned":       "",
		"http://x.y":      "",
		"docker":          "",
		"":                "",
	} {
		if got := Parse(text, false).Mistake(); !strings.HasPrefix(got, want) || want == "" && got != "" || strings.Contains(got, "as text") {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestWithoutQuotes(t *testing.T) {
	for text, want := range map[string]string{`"docker biuld" fix`: "docker biuld fix", `"one"`: "one", `docker`: "docker", `""`: ""} {
		q, ok := Parse(text, false).WithoutQuotes()
		if q.String() != want || ok != (strings.Contains(text, `"`) && want != "") {
			t.Errorf("%q: %q, %v", text, q, ok)
		}
	}
}
