package model

import "testing"

func TestSplitSummary(t *testing.T) {
	const legacy = "[CONTEXT SUMMARY]: the oven was fixed"
	const long = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted:\n\n## Goal\nbake\n\n--- END OF CONTEXT SUMMARY — respond to the message below ---"
	for _, c := range []struct {
		text, summary, rest string
		ok                  bool
	}{
		{"what is a [CONTEXT SUMMARY]?", "", "what is a [CONTEXT SUMMARY]?", false},
		{legacy, legacy, "", true},
		{long, long, "", true},
		{long + "\n\nAnd now the bread.", long, "And now the bread.", true},
		{"\n" + legacy, legacy, "", true},
		{"", "", "", false},
	} {
		summary, rest, ok := SplitSummary(c.text)
		if summary != c.summary || rest != c.rest || ok != c.ok {
			t.Errorf("%q is %q and %q, %v", c.text, summary, rest, ok)
		}
	}
	m := Message{Role: "user", Content: Content{Text: legacy}}
	if g := m.Skeleton(); g.Author != AuthorSystem {
		t.Errorf("a summary is said by %v", g.Author)
	}
	m.Content.Text = long + "\nAnd now the bread."
	if g := m.Skeleton(); g.Author != AuthorUser || !g.HasContent {
		t.Errorf("what follows a summary is said by %v", g.Author)
	}
}
