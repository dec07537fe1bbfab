package files

import (
	"cmp"
	"sort"
)

// File is what a conversation has done to one file.
type File struct {
	Path                 string // relative to the folder of the conversation where it is below
	Reads, Writes, Edits int    // calls that did not fail
	Added, Removed       int    // lines, as far as the arguments of these calls have them
	Failed               int    // calls
	First, Last          int64  // messages with a call; the last one that changed it, if any
}

// Changed reports whether a call has written or edited the file.
func (f File) Changed() bool { return f.Writes+f.Edits > 0 }

// Log collects what the calls of a conversation do to files.
type Log struct {
	folder string
	byPath map[string]*File
}

// NewLog returns an empty log of a conversation in a folder, "" where that is not known.
func NewLog(folder string) *Log { return &Log{folder: folder, byPath: map[string]*File{}} }

// Add adds what a call in a message does to a file. Messages come in reading order.
// folder is that of the message's session.
func (l *Log) Add(folder string, message int64, u Use, failed bool) {
	path := display(l.folder, resolve(cmp.Or(folder, l.folder), u.Path))
	f := l.byPath[path]
	if f == nil {
		f = &File{Path: path, First: message}
		l.byPath[path] = f
	}
	if u.Action != Read && !failed || !f.Changed() {
		f.Last = message
	}
	switch {
	case failed:
		f.Failed++
		return
	case u.Action == Read:
		f.Reads++
	case u.Action == Write:
		f.Writes++
	default:
		f.Edits++
	}
	f.Added, f.Removed = f.Added+u.Added, f.Removed+u.Removed
}

// Files returns the files, those that were changed first, each by its path.
func (l *Log) Files() []File {
	all := make([]File, 0, len(l.byPath))
	for _, f := range l.byPath {
		all = append(all, *f)
	}
	sort.Slice(all, func(i, j int) bool {
		a, b := &all[i], &all[j]
		if a.Changed() != b.Changed() {
			return a.Changed()
		}
		return a.Path < b.Path
	})
	return all
}
