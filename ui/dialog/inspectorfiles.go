package dialog

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"hermes-sessions/model/files"
	"hermes-sessions/ui/kit"
)

// fileList is the files of a conversation in the inspector. One can be marked, to open
// the message that changed it last.
type fileList struct {
	read   *kit.Latest[string, []files.File]
	all    []files.File
	err    error
	marked int // from 1, 0 for none
	line   int // of the marked one, when last drawn
	places []filePlace
}

// filePlace is the first line of a detail, and the number of its file, 0 for none.
type filePlace struct{ line, file int }

// at returns the number of the file in a line, 0 for none.
func (l *fileList) at(line int) (file int) {
	for _, p := range l.places {
		if p.line > line {
			break
		}
		file = p.file
	}
	return file
}

// maxFilesShown is how many files the inspector lists; a long conversation has hundreds.
const maxFilesShown = 200

// take takes the files when they have been read.
func (l *fileList) take(msg kit.Answer[string, []files.File]) tea.Cmd {
	ok, next := l.read.Take(msg)
	if ok {
		l.all, l.err = msg.Value[:min(len(msg.Value), maxFilesShown)], msg.Err
	}
	return next
}

// step marks the next file or the one before, and reports whether there is one.
func (l *fileList) step(forward bool) bool {
	n := len(l.all)
	switch {
	case n == 0:
		return false
	case forward:
		l.marked = l.marked%n + 1
	default:
		l.marked = (l.marked+n-2+n)%n + 1
	}
	return true
}

// counts says how many files were changed and read, "" for none.
func (l *fileList) counts() (text string) {
	if len(l.all) == 0 {
		return ""
	}
	changed := 0
	for _, f := range l.all {
		if f.Changed() {
			changed++
		}
	}
	only := len(l.all) - changed
	switch {
	case changed == 0:
		text = kit.Count(only) + " read"
	case only == 0:
		text = kit.Count(changed) + " changed"
	default:
		text = kit.Count(changed) + " changed, " + kit.Count(only) + " read"
	}
	return text
}

// files adds the files that the conversation worked on.
func (l *detailList) files(work *fileList, cursor string) {
	switch {
	case work.err != nil:
		l.heading("Files")
		l.add("not read", work.err.Error())
		return
	case len(work.all) == 0:
		return
	}
	text := "Files: " + work.counts()
	if cursor != "" {
		text += " (tab chooses one, enter opens it)"
	}
	l.heading(text)
	for n, f := range work.all {
		mark := "  "
		if n+1 == work.marked {
			mark = cursor + " "
		}
		*l = append(*l, detail{name: mark + fileWork(f), value: kit.CleanLine(f.Path), file: n + 1})
	}
	if len(work.all) == maxFilesShown {
		l.add("more", "hermes-sessions files prints all of them")
	}
}

// fileWork describes the changes to a file: "edited 3 times, +21 -9".
func fileWork(f files.File) string {
	text := "failed"
	times := func(verb string, n int) string {
		if n == 1 {
			return verb
		}
		return verb + " " + strconv.Itoa(n) + " times"
	}
	switch {
	case f.Edits > 0 && f.Writes > 0:
		text = times("written, edited", f.Edits+f.Writes)
	case f.Edits > 0:
		text = times("edited", f.Edits)
	case f.Writes > 0:
		text = times("written", f.Writes)
	case f.Reads > 0:
		text = times("read", f.Reads)
	}
	if f.Added > 0 {
		text += " +" + strconv.Itoa(f.Added)
	}
	if f.Removed > 0 {
		text += " -" + strconv.Itoa(f.Removed)
	}
	return text
}
