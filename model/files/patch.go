package files

import "strings"

// isPatch reports whether a text has a patch with marks for its files.
func isPatch(text string) bool { return strings.Contains(text, "*** Begin Patch") }

// patchUses returns what a patch does to files: one with marks such as "*** Update File:",
// or a unified diff.
func patchUses(patch string) (uses []Use) {
	at := -1 // in uses
	begin := func(path string, action Action) {
		at = -1
		if path = cleanPath(path); path != "" {
			uses, at = append(uses, Use{Path: path, Action: action}), len(uses)
		}
	}
	marked, before := isPatch(patch), ""
	for line := range strings.SplitSeq(patch, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if marked {
			if mark, path, ok := strings.Cut(line, " File: "); ok && strings.HasPrefix(mark, "*** ") {
				action := Edit
				if mark != "*** Update" {
					action = Write
				}
				begin(path, action)
				continue
			}
			if path, ok := strings.CutPrefix(line, "*** Move to: "); ok {
				begin(path, Write)
				continue
			}
		} else if path, ok := strings.CutPrefix(line, "+++ "); ok && before != "" {
			action := Edit
			if from := diffPath(before); from == "" {
				action = Write
			} else if diffPath(path) == "" { // deleted
				action, path = Write, before
			}
			begin(diffPath(path), action)
			before = ""
			continue
		} else if path, ok := strings.CutPrefix(line, "--- "); ok {
			before = path
			continue
		}
		if at >= 0 {
			uses[at].countLine(line)
		}
	}
	return uses
}

func (u *Use) countLine(line string) {
	if strings.HasPrefix(line, "+") {
		u.Added++
	} else if strings.HasPrefix(line, "-") {
		u.Removed++
	}
}

// diffPath returns the path in a header of a unified diff, "" for no file.
func diffPath(header string) string {
	path, _, _ := strings.Cut(header, "\t") // a time may follow
	if path == "/dev/null" {
		return ""
	}
	if len(path) > 2 && (path[0] == 'a' || path[0] == 'b') && path[1] == '/' {
		return path[2:]
	}
	return path
}

// changedLines returns how many lines an edit adds and removes: those of both texts,
// without the ones that they begin and end with in common.
func changedLines(before, after string) (added, removed int) {
	a, b := splitLines(before), splitLines(after)
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return len(b), len(a)
}

// splitLines returns the lines of a text; the last one need not end with a line break.
func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
