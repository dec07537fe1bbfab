package model

import "testing"

func TestCloseness(t *testing.T) {
	for _, c := range []struct {
		m           Match
		otherForms  bool
		text, short string
	}{
		{Match{Words: 1, Missing: []string{"ci"}}, false, "0 of 1 word", "0/1"},
		{Match{Words: 9, Missing: []string{"docker", "ci"}}, true, "7 of 9 words", "7/9"},
		{Match{Words: 1, InParts: true}, false, "only parts of it", "in parts"},
		{Match{Words: 2, InParts: true}, false, "one word only in parts", "in parts"},
		{Match{Words: 1}, false, "", ""},
		{Match{Words: 3, Close: true, AllWords: true}, false, "", ""}, // the heading says it
		{Match{Words: 3, Close: true, AllWords: true, OutOfScope: true}, false, "all words", ""},
		{Match{Words: 3, Together: true}, false, "all words", ""},
		{Match{Words: 3, Together: true}, true, "all words, in other forms", "in other forms"},
		{Match{Words: 3}, false, "all words, in different messages", "in different messages"},
	} {
		if text, short := c.m.Closeness(c.otherForms); text != c.text || short != c.short {
			t.Errorf("%+v: %q, %q, want %q, %q", c.m, text, short, c.text, c.short)
		}
	}
}
