package document

import (
	"strconv"
	"strings"
)

// IsDiff reports whether a text is a unified diff, or a patch in the form that models write
// (*** Begin Patch).
func IsDiff(text string) bool {
	head := text[:min(len(text), 4096)]
	return strings.HasPrefix(head, "diff --git ") || strings.HasPrefix(head, "@@ -") ||
		strings.HasPrefix(head, "*** Begin Patch\n") || strings.HasPrefix(head, "--- ") && strings.Contains(head, "\n+++ ") || strings.Contains(head, "\n@@ -") && strings.Contains(head, "\n+++ ")
}

// Change is what a tool call changes in a file.
type Change struct {
	Diff  string // "" for a call that changes none
	Signs bool   // it has no headers: only the sign of a line counts
}

// DiffPart is what a line of a diff is.
type DiffPart int

// The parts.
const (
	DiffText    DiffPart = iota // unchanged lines, and text around the diff
	DiffFile                    // the name of a file
	DiffHeader                  // what else is said about a file
	DiffHunk                    // where a hunk begins
	DiffAdded                   // a line that was added
	DiffRemoved                 // a line that was removed
)

// DiffReader tells the parts of a diff apart, line by line. The lines of a hunk are counted:
// in it, a line with three dashes is a removed line that begins with two.
type DiffReader struct {
	Signs bool // the diff has no headers: only the sign of a line counts

	old, new int // lines that the current hunk still has
}

// Part classifies the next line.
func (d *DiffReader) Part(l string) DiffPart {
	sign := byte(' ')
	if l != "" {
		sign = l[0]
	}
	if d.old > 0 || d.new > 0 {
		switch sign {
		case '+':
			d.new--
			return DiffAdded
		case '-':
			d.old--
			return DiffRemoved
		case ' ':
			d.old, d.new = d.old-1, d.new-1
			return DiffText
		case '\\':
			return DiffHeader
		}
		d.old, d.new = 0, 0 // the hunk is shorter than it says
	}
	switch {
	case d.Signs:
	case strings.HasPrefix(l, "+++ "), strings.HasPrefix(l, "--- "), strings.HasPrefix(l, "*** ") && strings.Contains(l, " File: "):
		return DiffFile
	case strings.HasPrefix(l, "@@"):
		d.old, d.new = hunkLines(l)
		return DiffHunk
	case sign == '\\' || isDiffHeader(l):
		return DiffHeader
	}
	switch sign {
	case '+':
		return DiffAdded
	case '-':
		return DiffRemoved
	}
	return DiffText
}

// isDiffHeader reports whether a line describes a file of a diff.
func isDiffHeader(l string) bool {
	for _, head := range [...]string{
		"diff ", "index ", "old mode ", "new mode ", "new file mode ", "deleted file mode ", "similarity index ",
		"dissimilarity index ", "rename from ", "rename to ", "copy from ", "copy to ", "Binary files ",
		"*** Begin Patch", "*** End Patch", "*** Move to: ", "*** End of File",
	} {
		if strings.HasPrefix(l, head) {
			return true
		}
	}
	return false
}

// hunkLines returns how many lines a hunk has on either side by its first line,
// "@@ -2,5 +2,6 @@", 0 for a line of another form.
func hunkLines(l string) (old, added int) {
	sides := strings.Fields(l)
	if len(sides) < 4 || sides[0] != "@@" || sides[3] != "@@" || sides[1][0] != '-' || sides[2][0] != '+' {
		return 0, 0
	}
	length := func(side string) int {
		_, count, several := strings.Cut(side, ",")
		if !several {
			return 1
		}
		n, err := strconv.Atoi(count)
		if err != nil {
			return 0
		}
		return n
	}
	return length(sides[1]), length(sides[2])
}
