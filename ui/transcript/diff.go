package transcript

import (
	"strconv"
	"strings"
)

// isDiff reports whether a text is a unified diff.
func isDiff(text string) bool {
	head := text[:min(len(text), 4096)]
	return strings.HasPrefix(head, "diff --git ") || strings.HasPrefix(head, "@@ -") ||
		strings.HasPrefix(head, "--- ") && strings.Contains(head, "\n+++ ") || strings.Contains(head, "\n@@ -") && strings.Contains(head, "\n+++ ")
}

// diffPart is what a line of a diff is.
type diffPart int

const (
	diffText    diffPart = iota // unchanged lines, and text around the diff
	diffFile                    // the name of a file
	diffHeader                  // what else is said about a file
	diffHunk                    // where a hunk begins
	diffAdded                   // a line that was added
	diffRemoved                 // a line that was removed
)

// diffReader tells the parts of a diff apart, line by line. The lines of a hunk are counted:
// in it, a line with three dashes is a removed line that begins with two.
type diffReader struct {
	old, new int  // lines that the current hunk still has
	signs    bool // the diff has no headers: only the sign of a line counts
}

// part classifies the next line.
func (d *diffReader) part(l string) diffPart {
	sign := byte(' ')
	if l != "" {
		sign = l[0]
	}
	if d.old > 0 || d.new > 0 {
		switch sign {
		case '+':
			d.new--
			return diffAdded
		case '-':
			d.old--
			return diffRemoved
		case ' ':
			d.old, d.new = d.old-1, d.new-1
			return diffText
		case '\\':
			return diffHeader
		}
		d.old, d.new = 0, 0 // the hunk is shorter than it says
	}
	switch {
	case d.signs:
	case strings.HasPrefix(l, "+++ "), strings.HasPrefix(l, "--- "):
		return diffFile
	case strings.HasPrefix(l, "@@"):
		d.old, d.new = hunkLines(l)
		return diffHunk
	case sign == '\\' || isDiffHeader(l):
		return diffHeader
	}
	switch sign {
	case '+':
		return diffAdded
	case '-':
		return diffRemoved
	}
	return diffText
}

// isDiffHeader reports whether a line describes a file of a diff.
func isDiffHeader(l string) bool {
	for _, head := range [...]string{
		"diff ", "index ", "old mode ", "new mode ", "new file mode ", "deleted file mode ", "similarity index ",
		"dissimilarity index ", "rename from ", "rename to ", "copy from ", "copy to ", "Binary files ",
	} {
		if strings.HasPrefix(l, head) {
			return true
		}
	}
	return false
}

// hunkLines gives how many lines a hunk has on either side by its first line,
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

// diff draws a diff: removed and added lines have a color besides their sign. A diff of
// signs has no headers.
func (s *buffer) diff(text string, indent int, bar string, whole, signs bool) {
	styles := [...]lineStyle{
		diffText: newLineStyle(s.styles.Output), diffFile: newLineStyle(s.styles.Strong), diffHeader: newLineStyle(s.styles.Muted),
		diffHunk: newLineStyle(s.styles.Key), diffAdded: newLineStyle(s.styles.Added), diffRemoved: newLineStyle(s.styles.Removed),
	}
	// The ground of a changed line goes up to the edge.
	styles[diffAdded].filled, styles[diffRemoved].filled = s.styles.Palette.AddedGround != "", s.styles.Palette.RemovedGround != ""
	d := diffReader{signs: signs}
	s.changes = true
	s.styledText(text, indent, bar, whole, func(l string) lineStyle { return styles[d.part(l)] })
	s.changes = false
}
