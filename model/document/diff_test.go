package document

import (
	"strings"
	"testing"
)

func TestPartsOfADiff(t *testing.T) {
	for _, c := range []struct {
		name, text string
		signs      bool
		want       string // a letter for each line
	}{
		{"a file", "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ func\n one\n-two\n+three", false, "hhff@ -+"},
		{"a removed comment of SQL", "--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1 @@\n--- note\n select\n--- a/y\n+++ b/y", false, "ff@- ff"},
		{"an added line of pluses", "@@ -0,0 +1 @@\n+++ x", false, "@+"},
		{"a hunk that is too short", "@@ -1,9 +1,9 @@\n-a\ndiff --git a/y b/y\n--- a/y", false, "@-hf"},
		{"a hunk that is too long", "@@ -1 +1 @@\n-a\n+b\n+c\n d", false, "@-++ "},
		{"no end of line", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file", false, "@-h+h"},
		{"a hunk without numbers", "@@ ... @@\n-a\n+b", false, "@-+"},
		{"a blank line in a hunk", "@@ -1,3 +1,3 @@\n-a\n+b\n\n c", false, "@-+  "},
		{"a commit", "commit 5\n\n    Words\n\ndiff --git a/x b/x\nnew file mode 100644", false, "    hh"},
		{"a patch of a model", "*** Begin Patch\n*** Update File: x.go\n@@ func\n a\n-b\n+c\n*** End Patch", false, "hf@ -+h"},
		{"a replacement", "--- a\n-- b\n+++ c\n+@@", true, "--++"},
	} {
		d, got := DiffReader{Signs: c.signs}, ""
		for l := range strings.SplitSeq(c.text, "\n") {
			got += string(" fh@+-"[d.Part(l)])
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
