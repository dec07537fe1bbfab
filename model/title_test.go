package model

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSanitizeTitleCountsAsPython(t *testing.T) {
	for in, want := range map[string]string{
		strings.Repeat("x", 100):                      strings.Repeat("x", 100),
		strings.Repeat("😀", 100):                      strings.Repeat("😀", 100),
		" " + strings.Repeat("e\u0301", 50) + "\t\n ": strings.Repeat("e\u0301", 50),
		strings.Repeat("\u200b", 500):                 "",
		"a\x0bb":                                      "ab",
		"a\x1cb":                                      "ab",
		"a\u0085b":                                    "a b",
		"a\u2028b":                                    "ab",
		"a\u202fb":                                    "a b",
		"\u00ad\u034f\u061c\u180e\u206a\u2800\u3164": "\u00ad\u034f\u061c\u180e\u206a\u2800\u3164",
		"a\xffb": "a\ufffdb",
	} {
		if got, err := SanitizeTitle(in); got != want || err != nil {
			t.Errorf("%q: %q %v, want %q", in, got, err, want)
		}
	}
	for in, want := range map[string]string{
		strings.Repeat("x", 101):            "Title too long (101 chars, max 100)",
		strings.Repeat("😀", 101) + "\u200b": "Title too long (101 chars, max 100)",
		strings.Repeat("a  ", 60):           "Title too long (119 chars, max 100)",
	} {
		if _, err := SanitizeTitle(in); err == nil || err.Error() != want {
			t.Errorf("%q: %v", in, err)
		}
	}
}

// What a person types as a title is refused or stored as Hermes stores it, and nothing that is left
// out of it is left out silently.
func TestTypedTitles(t *testing.T) {
	for in, want := range map[string]string{
		"":                    "a title needs a visible character",
		" \t ":                "a title needs a visible character",
		"\n":                  "a title has no line breaks",
		"two\nlines":          "a title has no line breaks",
		"two\r":               "a title has no line breaks",
		"two\u2028lines":      "a title has no line breaks",
		"\u200b\ufeff\u200d":  "a title needs a visible character",
		"\u00ad \u3164\u034f": "a title needs a visible character",
		"\u0301\u2800":        "a title needs a visible character",
		"a\tb":                "a b 0",
		"two\u200bwords":      "twowords 1",
		"\ufefftwo words":     "two words 1",
		"two \u200b words":    "two words 1",
		"👨\u200d👩":            "👨👩 1",
		"e\u0301":             "e\u0301 0",
		"\x1b[1mbold":         "[1mbold 1",
		"*":                   "* 0",
	} {
		title, dropped, err := TypedTitle(in)
		got := fmt.Sprint(title, " ", dropped)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if _, _, err := TypedTitle(strings.Repeat("x", 101)); err != (TitleTooLong{101}) {
		t.Error(err)
	}
}

func TestNextTitle(t *testing.T) {
	for _, c := range []struct {
		title string
		taken []string
		want  string
	}{
		{"Fresh #7", nil, "Fresh"},
		{"A #1 #2", nil, "A #1"},
		{"#3", nil, "#3"},
		{" #3", nil, ""},
		{"A #x", nil, "A #x"},
		{"A", []string{"A"}, "A #2"},
		{"A", []string{"a #9", "A #bug"}, "A #10"},
		{"A #٣", []string{"A #٣", "A #𝟝"}, "A #6"},
		{"A", []string{"A #99999999999999999999"}, "A #100000000000000000000"},
	} {
		if got := NextTitle(TitleBase(c.title), c.taken); got != c.want {
			t.Errorf("%q after %q: %q, want %q", c.title, c.taken, got, c.want)
		}
	}
}

func FuzzSanitizeTitle(f *testing.F) {
	f.Add("  a\tb\u200b\x1b[0m c \u3000")
	f.Add(strings.Repeat("é ", 60))
	f.Fuzz(func(t *testing.T, in string) {
		got, err := SanitizeTitle(in)
		if err != nil {
			if got != "" || utf8.RuneCountInString(in) <= MaxTitle {
				t.Fatalf("%q: %q %v", in, got, err)
			}
			return
		}
		again, err := SanitizeTitle(got)
		if err != nil || again != got {
			t.Fatalf("%q: cleaned twice %q, once %q (%v)", in, again, got, err)
		}
		if n := utf8.RuneCountInString(got); n > MaxTitle || !utf8.ValidString(got) {
			t.Fatalf("%q gives %q of %d", in, got, n)
		}
		if strings.Contains(got, "  ") || strings.TrimSpace(got) != got || strings.ContainsFunc(got, droppedFromTitle) {
			t.Fatalf("%q gives %q", in, got)
		}
	})
}

func FuzzNextTitle(f *testing.F) {
	f.Add("deploy #3", "deploy #12")
	f.Fuzz(func(t *testing.T, title, taken string) {
		base := TitleBase(title)
		if !strings.HasPrefix(title, base) || TitleBase(base+" #2") != base && !strings.Contains(base, "\n") {
			t.Fatalf("%q has the base %q", title, base)
		}
		next := NextTitle(base, []string{taken})
		if next == taken || next == base {
			t.Fatalf("after %q comes %q", taken, next)
		}
	})
}

func TestSuggestTitle(t *testing.T) {
	for asked, want := range map[string]string{
		"": "",
		"Why does the retry topic lag behind? The kafka consumer group looks healthy.": "Why does the retry topic lag behind?",
		"Write the nightly report.":          "Write the nightly report",
		"fix main.go please":                 "fix main.go please",
		"この文章を校正してください。よろしく":                 "この文章を校正してください",
		"a\x1b[31m b\n\tc":                   "a[31m b c",
		"Hi! " + strings.Repeat("word ", 40): "Hi! word word word word word word word word word word word",
		strings.Repeat("x", 500):             strings.Repeat("x", 60),
		"What went wrong with the last d...": "What went wrong with the last d",
	} {
		if got := SuggestTitle(asked); got != want {
			t.Errorf("%q gives %q, want %q", asked, got, want)
		}
	}
}
